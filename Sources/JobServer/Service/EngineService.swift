package import InstallJobs
package import JobEngine

/// The members of `Engine` that the server uses; each is documented there.
///
/// A protocol, so that tests and measurements can serve jobs that no engine would have: requests that
/// hang, acts that cannot be recorded, dozens of jobs that move at once.
package protocol EngineService: Sendable {
  var epoch: String { get async }
  func answerPing() async
  var lastSeq: Int { get async }

  func submit(_ request: JobRequest, by requester: Requester) async throws(InstallationError)
    -> JobSnapshot
  func plan(
    _ request: JobRequest, for user: PlanningUser
  ) async throws(InstallationError) -> JobPlan
  func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot]
  func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot
  @concurrent func request(of id: JobID) async throws(InstallationError) -> JobRequest
  @concurrent func history(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot]
  func requestAbort(of id: JobID, by requester: Requester) async throws(InstallationError)
    -> AbortDisposition
  func withdrawAbort(of id: JobID, by requester: Requester) async throws(InstallationError)
  func suspend(_ id: JobID, by requester: Requester) async throws(InstallationError)
  func resume(_ id: JobID, by requester: Requester) async throws(InstallationError)
  func pauseQueue(by requester: Requester) async throws(InstallationError) -> QueueStatus
  func resumeQueue(by requester: Requester) async throws(InstallationError) -> QueueStatus
  func askLockHolderToYield() async throws(InstallationError) -> LockHolder
  func move(
    _ id: JobID, to place: QueueMove, by requester: Requester
  ) async throws(InstallationError) -> JobSnapshot
  func cleanUp(_ id: JobID, by requester: Requester) async throws(InstallationError)
  func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) async throws(InstallationError) -> Update?
  func dropUploads(_ uploader: Uploader) async
  func mark(
    _ mark: PackageMark, _ updates: [Update], by requester: Requester
  ) async throws(InstallationError)
  func refresh(by requester: Requester) async throws(InstallationError)
  func upgradableUpdates(
    for user: PlanningUser
  ) async throws(InstallationError) -> [PlannedUpdate]
  func search(
    _ criteria: UpdateCriteria, for user: PlanningUser
  ) async throws(InstallationError) -> UpdateSearchResult
  func systemInformation(
    for user: PlanningUser
  ) async throws(InstallationError) -> SystemInformation
  func status() async throws(InstallationError) -> EngineStatus
  func checkup(for user: PlanningUser) async throws(InstallationError) -> Checkup
  func log(of id: JobID, from offset: Int64, limit: Int64) async throws(InstallationError)
    -> LogChunk
  @concurrent func events(
    of id: JobID, after seq: Int, limit: Int
  ) async throws(InstallationError) -> [JobEvent]
  func events(after seq: Int, limit: Int) async throws(InstallationError) -> [JobEvent]
  func subscribe(newest limit: Int?) async throws(InstallationError) -> EngineSubscription
  func audit(_ act: AuditedAct) async throws(InstallationError) -> Int64?
  func setJob(_ job: JobID, ofAudit number: Int64) async
  @concurrent func audits(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord]
}

extension Engine: EngineService {}
