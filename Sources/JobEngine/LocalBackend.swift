package import InstallJobs

/// An engine in this process as the backend of sessions and installers, acting as one user.
package struct LocalBackend: InstallationBackend {
  private let engine: Engine
  private let requester: Requester
  private let uploader = Uploader()

  /// - Parameters:
  ///   - engine: A started engine.
  ///   - requester: Who all requests are from.
  package init(_ engine: Engine, as requester: Requester) {
    self.engine = engine
    self.requester = requester
  }

  /// True: who has the engine in the own process may do everything.
  package var mayAct: Bool { true }

  package func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    try await engine.submit(request, by: requester)
  }

  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await engine.plan(request, for: PlanningUser(requester, mayAct: true))
  }

  package func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot] {
    try await engine.jobs(in: states)
  }

  package func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await engine.job(id)
  }

  package func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try engine.request(of: id)
  }

  package func snapshots(of id: JobID) async -> JobSnapshots {
    await engine.snapshots(of: id)
  }

  package func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try await engine.requestAbort(of: id, by: requester)
  }

  package func withdrawAbort(of id: JobID) async throws(InstallationError) {
    try await engine.withdrawAbort(of: id, by: requester)
  }

  package func suspend(_ id: JobID) async throws(InstallationError) {
    try await engine.suspend(id, by: requester)
  }

  package func resume(_ id: JobID) async throws(InstallationError) {
    try await engine.resume(id, by: requester)
  }

  package func pauseQueue() async throws(InstallationError) -> QueueStanding {
    try await engine.pauseQueue(by: requester)
  }

  package func resumeQueue() async throws(InstallationError) -> QueueStanding {
    try await engine.resumeQueue(by: requester)
  }

  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try await engine.askLockHolderToYield()
  }

  package func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try await engine.move(id, to: place, by: requester)
  }

  package func cleanUp(_ id: JobID) async throws(InstallationError) {
    try await engine.cleanUp(id, by: requester)
  }

  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) async throws(InstallationError) -> Update? {
    try await engine.upload(bytes, at: offset, of: archive, from: uploader)
  }

  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await engine.upgradableUpdates(for: PlanningUser(requester, mayAct: true))
  }

  package func status() async throws(InstallationError) -> EngineStatus {
    try await engine.status()
  }
}
