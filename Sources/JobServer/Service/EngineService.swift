package import InstallJobs
package import JobEngine

/// What the server needs of an engine: the backend's requests with the requester named explicitly,
/// because at a socket one engine serves many.
package protocol EngineService: Sendable {
  /// Names the journal in which events are numbered; another journal has another epoch.
  var epoch: String { get async }
  /// Returns when the engine has come to it, behind what it was asked before.
  func answerPing() async
  /// The number of the last durable event.
  var lastSeq: Int { get async }

  /// As ``InstallJobs/InstallationBackend/submit(_:)``.
  func submit(_ request: JobRequest, by requester: Requester) async throws(InstallationError)
    -> JobSnapshot
  /// As ``InstallJobs/InstallationBackend/plan(_:)``; ended by the cancellation of its task.
  func plan(
    _ request: JobRequest, for user: PlanningUser
  ) async throws(InstallationError) -> JobPlan
  /// As ``InstallJobs/InstallationBackend/jobs(in:)``.
  func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot]
  /// As ``InstallJobs/InstallationBackend/job(_:)``.
  func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot
  /// What was asked for with a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`.
  @concurrent func request(of id: JobID) async throws(InstallationError) -> JobRequest
  /// Ended jobs without plans, the last ended first (rows Y2, Y3).
  ///
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` behind a job that is not there.
  @concurrent func history(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot]
  /// As ``InstallJobs/InstallationBackend/requestAbort(of:)``.
  func requestAbort(of id: JobID, by requester: Requester) async throws(InstallationError)
    -> AbortDisposition
  /// As ``InstallJobs/InstallationBackend/withdrawAbort(of:)``.
  func withdrawAbort(of id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/suspend(_:)``.
  func suspend(_ id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/resume(_:)``.
  func resume(_ id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/pauseQueue()``.
  func pauseQueue(by requester: Requester) async throws(InstallationError) -> QueueStatus
  /// As ``InstallJobs/InstallationBackend/resumeQueue()``.
  func resumeQueue(by requester: Requester) async throws(InstallationError) -> QueueStatus
  /// As ``InstallJobs/InstallationBackend/askLockHolderToYield()``.
  func askLockHolderToYield() async throws(InstallationError) -> LockHolder
  /// As ``InstallJobs/InstallationBackend/move(_:to:)``.
  func move(
    _ id: JobID, to place: QueueMove, by requester: Requester
  ) async throws(InstallationError) -> JobSnapshot
  /// As ``InstallJobs/InstallationBackend/cleanUp(_:)``.
  func cleanUp(_ id: JobID, by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/upload(_:at:of:)``, from one uploader, whose pieces only
  /// go together.
  func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) async throws(InstallationError) -> Update?
  /// Drops what an uploader that is gone has left unfinished.
  func hangUp(_ uploader: Uploader) async
  /// Fetches the package index of the engine's root anew.
  ///
  /// - Throws: `busy` while a job works; `timedOut`; `downloadFailed`; `notPermitted` where the engine
  ///   itself may not.
  func refresh(by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/upgradableUpdates()``; ended by the cancellation of its task.
  func upgradableUpdates(
    for user: PlanningUser
  ) async throws(InstallationError) -> [PlannedUpdate]
  /// As ``InstallJobs/InstallationBackend/search(_:)``; ended by the cancellation of its task.
  func search(
    _ criteria: UpdateCriteria, for user: PlanningUser
  ) async throws(InstallationError) -> UpdateSearchResult
  /// As ``InstallJobs/InstallationBackend/systemInformation()``; ended by the cancellation of its task.
  func systemInformation(
    for user: PlanningUser
  ) async throws(InstallationError) -> SystemInformation
  /// As ``InstallJobs/InstallationBackend/status()``.
  func status() async throws(InstallationError) -> EngineStatus
  /// What is found by looking at the machine and at the engine; changes nothing.
  ///
  /// - Parameter user: Who asks.
  /// - Returns: The checkup of the engine's root.
  /// - Throws: `busy` where too many requests wait for their turn already.
  func checkup(for user: PlanningUser) async throws(InstallationError) -> Checkup
  /// A piece of a job's log from the byte `offset` on.
  ///
  /// - Throws: `unknownJob`.
  func log(of id: JobID, from offset: Int64, limit: Int64) async throws(InstallationError)
    -> LogChunk
  /// At most `limit` durable events of one job after `seq`, in order; empty behind its last one.
  ///
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event, or a negative
  ///   number or limit.
  @concurrent func events(
    of id: JobID, after seq: Int, limit: Int
  ) async throws(InstallationError) -> [JobEvent]
  /// At most `limit` durable events after `seq`, in order; empty at the end of the journal.
  func events(after seq: Int, limit: Int) async throws(InstallationError) -> [JobEvent]
  /// How things are now, and everything that happens from now on.
  ///
  /// - Parameter limit: How many jobs come at most, the newest that are not over first; nil for no rows.
  /// - Returns: The subscription, which ends when its stream is no longer read.
  /// - Throws: `journal`.
  func subscribe(newest limit: Int?) async throws(InstallationError) -> EngineSubscription
  /// Puts an act or its refusal on record (rows A40, A41).
  ///
  /// - Returns: The number of the row; nil where there is none, or not yet.
  /// - Throws: `journal`; the act must not be done then.
  func audit(_ act: AuditedAct) async throws(InstallationError) -> Int64?
  /// Notes in a row of the record the job that its act has made.
  func setJob(_ job: JobID, ofAudit number: Int64) async
  /// The record of acts, the last first.
  ///
  /// - Throws: `invalidIndex` for a negative limit; `journal`.
  @concurrent func audits(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord]
}
