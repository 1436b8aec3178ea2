import Glibc
import HostSystem
package import InstallJobs
package import JobJournal
import PackageProvider

/// Settings of an engine, fixed at its start.
package struct EngineSettings: Sendable {
  /// The folder that holds the journal, the job folders and the archive store.
  package var stateFolder: String
  /// The version that the engine reports.
  package var version: String
  /// The user that the engine runs as.
  ///
  /// Recorded as the requester of acts whose requester is unknown.
  package var owner = Requester(uid: geteuid(), user: "\(geteuid())")
  /// How long a job may show no sign of life before it counts as stalled (row C21).
  package var stallThreshold: Duration
  /// Whether jobs are refused while the machine needs a restart (rows A16, A38).
  package var requiresRebootFirst: Bool
  /// Maximum number of jobs of one user that are not over.
  package var mostJobsPerUser: Int
  /// The kernel's id of the present boot; nil disables the checks after a restart (row D20).
  package var bootID: String?
  /// Returns the present time.
  ///
  /// Tests pass their own function.
  package var now: @Sendable () -> Timestamp
  /// The clock that timers sleep on.
  ///
  /// Tests pass their own clock.
  package var clock: any Clock<Duration>

  /// The machine's name.
  ///
  /// Measured durations are stored under it.
  package var machine = Self.hostName

  /// How long ended and cleaned-up jobs are kept; nil keeps them for ever.
  package var retention: JournalRetention?

  /// Limits on requests that are planned or wait to be planned; nil for the defaults of the
  /// machine.
  var planningLimits: PlanningOrder.Limits?

  /// Receives every audited act and refusal, in addition to the journal.
  ///
  /// Must not block.
  package var auditTrail: @Sendable (AuditEntry) -> Void = { _ in }
  /// Receives every ended job, in addition to the journal.
  ///
  /// Must not block.
  package var jobTrail: @Sendable (JobSnapshot) -> Void = { _ in }
  /// Called when the engine has removed a job from memory.
  ///
  /// Must not block.
  package var jobEnded: @Sendable () -> Void = {}

  package init(
    stateFolder: String, version: String, stallThreshold: Duration = .seconds(60),
    requiresRebootFirst: Bool = false, mostJobsPerUser: Int = 100_000,
    bootID: String? = Self.presentBootID,
    now: @escaping @Sendable () -> Timestamp = { Timestamp.now },
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.stateFolder = stateFolder
    self.version = version
    self.stallThreshold = stallThreshold
    self.requiresRebootFirst = requiresRebootFirst
    self.mostJobsPerUser = mostJobsPerUser
    self.bootID = bootID
    self.now = now
    self.clock = clock
  }

  /// The machine's node name from uname(2); empty on failure.
  private static var hostName: String {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "" }
    return unsafe withUnsafeBytes(of: &names.nodename) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The kernel's boot id (random(4)), which changes at each boot; nil when the file cannot be
  /// read.
  package static var presentBootID: String? {
    let text = RootFiles.text(of: "/proc/sys/kernel/random/boot_id", limit: 64)
    let line = String((text ?? "").prefix { !$0.isNewline })
    return line.isEmpty ? nil : line
  }
}
