import Glibc
import HostSystem
package import InstallJobs
package import JobJournal
import PackageProvider

/// What an engine is told at its start.
package struct EngineSettings: Sendable {
  /// The folder that holds the journal, the job folders and the archive store.
  package var stateFolder: String
  /// The version that the engine reports.
  package var version: String
  /// Who the engine is: asks for what nobody else is known to have asked for.
  package var owner = Requester(uid: geteuid(), user: "\(geteuid())")
  /// How long a job may show no sign of life before it counts as stalled (row C21).
  package var stallThreshold: Duration
  /// Whether jobs are refused while a restart of the machine is pending (rows A16, A38).
  package var requiresRebootFirst: Bool
  /// The most jobs of one user that may wait at a time.
  package var mostJobsPerUser: Int
  /// The kernel's name for the present boot; nil leaves out the checks after a restart (row D20).
  package var bootID: String?
  /// The present; tests give their own.
  package var now: @Sendable () -> Timestamp
  /// What timers sleep on; tests give their own.
  package var clock: any Clock<Duration>

  /// The machine's name, under which is kept how long things take.
  package var machine = Self.hostName

  /// How long ended, cleaned-up jobs are kept; nil for ever.
  package var retention: JournalRetention?

  /// How many requests are planned and may wait for it; nil for what suits the machine.
  var planningLimits: PlanningOrder.Limits?

  /// Where acts and refusals are told besides the journal; must not wait.
  package var auditTrail: @Sendable (AuditEntry) -> Void = { _ in }
  /// Where jobs that are over are reported besides the journal; must not wait.
  package var jobTrail: @Sendable (JobSnapshot) -> Void = { _ in }
  /// Is told when the engine has let go of a job; must not wait.
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

  /// The name of this machine by uname(2).
  private static var hostName: String {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "" }
    return unsafe withUnsafeBytes(of: &names.nodename) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The kernel's own answer (`random(4)`: made anew at each boot); nil where it gives none.
  package static var presentBootID: String? {
    let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let line = String(text.prefix { !$0.isNewline })
    return line.isEmpty ? nil : line
  }
}
