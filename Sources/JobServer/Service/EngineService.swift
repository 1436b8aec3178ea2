package import InstallJobs
package import JobEngine

/// The engine's interface for the server: the backend's requests with an explicit requester,
/// because an engine at a socket serves many users.
package protocol EngineService: Sendable {
  /// Identifies the journal that numbers the events. Another journal has another epoch.
  var epoch: String { get async }
  /// Returns when the engine has processed all earlier calls.
  func answerPing() async
  /// The number of the last durable event.
  var lastSeq: Int { get async }

  /// As ``InstallJobs/InstallationBackend/submit(_:)``.
  func submit(_ request: JobRequest, by requester: Requester) async throws(InstallationError)
    -> JobSnapshot
  /// As ``InstallJobs/InstallationBackend/plan(_:)``. Cancelling the task cancels the planning.
  func plan(
    _ request: JobRequest, for user: PlanningUser
  ) async throws(InstallationError) -> JobPlan
  /// As ``InstallJobs/InstallationBackend/jobs(in:)``.
  func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot]
  /// As ``InstallJobs/InstallationBackend/job(_:)``.
  func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot
  /// The request of a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`.
  @concurrent func request(of id: JobID) async throws(InstallationError) -> JobRequest
  /// The ended jobs that match a filter, the last ended first, at most `limit`; their plans are left
  /// out (rows Y2, Y3).
  ///
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` if `after` does not exist.
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
  /// As ``InstallJobs/InstallationBackend/upload(_:at:of:)``. Only pieces of the same uploader are
  /// joined to an archive.
  func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) async throws(InstallationError) -> Update?
  /// Discards the incomplete uploads of an uploader that has disconnected.
  func dropUploads(_ uploader: Uploader) async
  /// Fetches the package index of the engine's root again.
  ///
  /// - Throws: `busy` while a job works; `timedOut`; `downloadFailed`; `notPermitted` if the engine
  ///   itself has no right to do it.
  func refresh(by requester: Requester) async throws(InstallationError)
  /// As ``InstallJobs/InstallationBackend/upgradableUpdates()``. Cancelling the task cancels the
  /// request.
  func upgradableUpdates(
    for user: PlanningUser
  ) async throws(InstallationError) -> [PlannedUpdate]
  /// As ``InstallJobs/InstallationBackend/search(_:)``. Cancelling the task cancels the request.
  func search(
    _ criteria: UpdateCriteria, for user: PlanningUser
  ) async throws(InstallationError) -> UpdateSearchResult
  /// As ``InstallJobs/InstallationBackend/systemInformation()``. Cancelling the task cancels the
  /// request.
  func systemInformation(
    for user: PlanningUser
  ) async throws(InstallationError) -> SystemInformation
  /// As ``InstallJobs/InstallationBackend/status()``.
  func status() async throws(InstallationError) -> EngineStatus
  /// Checks the machine and the engine for problems; changes nothing.
  ///
  /// - Parameter user: The user of the request.
  /// - Returns: The checkup of the engine's root.
  /// - Throws: `busy` if too many requests wait already.
  func checkup(for user: PlanningUser) async throws(InstallationError) -> Checkup
  /// A piece of a job's log, from byte `offset` on, at most `limit` bytes.
  ///
  /// - Throws: `unknownJob`.
  func log(of id: JobID, from offset: Int64, limit: Int64) async throws(InstallationError)
    -> LogChunk
  /// At most `limit` durable events of one job after `seq`, in order; empty if there are no more.
  ///
  /// - Throws: `unknownJob`; `invalidArgument` for an event number beyond the last, or a negative
  ///   number or limit.
  @concurrent func events(
    of id: JobID, after seq: Int, limit: Int
  ) async throws(InstallationError) -> [JobEvent]
  /// At most `limit` durable events after `seq`, in order; empty at the end of the journal.
  func events(after seq: Int, limit: Int) async throws(InstallationError) -> [JobEvent]
  /// Subscribes to the current jobs and all further events.
  ///
  /// - Parameter limit: Largest number of jobs, the newest unfinished jobs first; nil for no rows.
  /// - Returns: The subscription. It ends when its stream is no longer read.
  /// - Throws: `journal`.
  func subscribe(newest limit: Int?) async throws(InstallationError) -> EngineSubscription
  /// Writes an audit entry for an act or a refused act (rows A40, A41).
  ///
  /// - Returns: The number of the entry; nil if it was not written, or not yet.
  /// - Throws: `journal`. The act must not be carried out then.
  func audit(_ act: AuditedAct) async throws(InstallationError) -> Int64?
  /// Adds the job that an act has created to the audit entry of the act.
  func setJob(_ job: JobID, ofAudit number: Int64) async
  /// The audit entries, the newest first.
  ///
  /// - Throws: `invalidIndex` for a negative limit; `journal`.
  @concurrent func audits(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord]
}
