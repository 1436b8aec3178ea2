package import InstallJobs

/// What the server needs of an engine: the backend's requests with the requester named explicitly,
/// because at a socket one engine serves many.
package protocol EngineService: Sendable {
  /// Names the journal in which events are numbered; another journal has another epoch.
  var epoch: String { get async }

  /// As ``InstallJobs/InstallationBackend/submit(_:)``.
  func submit(_ request: JobRequest, by requester: Requester) async throws(InstallationError)
    -> JobSnapshot
  /// As ``InstallJobs/InstallationBackend/plan(_:)``.
  func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan
  /// As ``InstallJobs/InstallationBackend/jobs(in:)``.
  func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot]
  /// As ``InstallJobs/InstallationBackend/job(_:)``.
  func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot
  /// As ``InstallJobs/InstallationBackend/requestAbort(of:)``.
  func requestAbort(of id: JobID, by requester: Requester) async throws(InstallationError)
    -> AbortDisposition
  /// As ``InstallJobs/InstallationBackend/withdrawAbort(of:)``.
  func withdrawAbort(of id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/suspend(_:)``.
  func suspend(_ id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/resume(_:)``.
  func resume(_ id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/cleanUp(_:)``.
  func cleanUp(_ id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/upload(_:at:of:)``.
  func upload(_ bytes: [UInt8], at offset: Int64, of archive: LocalArchive)
    async throws(InstallationError) -> Update?
  /// As ``InstallJobs/InstallationBackend/upgradableUpdates()``.
  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate]
  /// As ``InstallJobs/InstallationBackend/status()``.
  func status() async throws(InstallationError) -> EngineStatus
  /// A piece of a job's log from the byte `offset` on.
  ///
  /// - Throws: `unknownJob`.
  func log(of id: JobID, from offset: Int64, limit: Int) async throws(InstallationError)
    -> LogChunk
  /// At most `limit` durable events after `seq`, in order; empty at the end of the journal.
  func events(after seq: Int, limit: Int) async throws(InstallationError) -> [JobEvent]
  /// Every job as it is now, and everything that happens from now on.
  func subscribe() async throws(InstallationError) -> EngineSubscription
  /// Puts an act or a refusal on record.
  func record(_ entry: AuditEntry) async
}

/// A piece of a job's log.
package struct LogChunk: Sendable, Hashable {
  /// Where the piece begins, in bytes.
  package var offset: Int64
  package var bytes: [UInt8]

  package init(offset: Int64, bytes: [UInt8]) {
    self.offset = offset
    self.bytes = bytes
  }

  /// Where the next piece begins.
  package var next: Int64 { offset + Int64(bytes.count) }
}

/// The state of all jobs at one moment and the stream of what happens after it.
package struct EngineSubscription: Sendable {
  /// Without plans, oldest first.
  package var snapshots: [JobSnapshot]
  /// The number of the last durable event that the snapshots contain.
  package var seq: Int
  /// Durable events from `seq + 1` on, in order and without gaps, progress and log in between; ends
  /// when the engine stops. The reader takes them at once and never lets them pile up.
  package var events: AsyncStream<[JobEvent]>

  package init(snapshots: [JobSnapshot], seq: Int, events: AsyncStream<[JobEvent]>) {
    self.snapshots = snapshots
    self.seq = seq
    self.events = events
  }
}

/// One act or refusal, for the record (rows A40, A41).
package struct AuditEntry: Sendable, Hashable {
  /// How it was answered.
  package enum Outcome: Sendable, Hashable {
    case done
    case failed(InstallationError.Code)
    /// The peer has no right to do this; nothing was tried.
    case refused
  }

  /// The method of the wire.
  package var act: String
  package var job: JobID?
  package var requester: Requester
  package var pid: Int32
  /// The peer's command name as the kernel has it, control characters removed; may be forged by
  /// the peer itself.
  package var command: String?
  package var outcome: Outcome

  package init(
    act: String, job: JobID?, requester: Requester, pid: Int32, command: String?, outcome: Outcome
  ) {
    self.act = act
    self.job = job
    self.requester = requester
    self.pid = pid
    self.command = command
    self.outcome = outcome
  }
}
