package import InstallJobs

/// The backend of a session that survives restarts of the engine.
package struct SessionBackend: InstallationBackend {
  private let link: EngineLink

  init(_ link: EngineLink) { self.link = link }

  package var mayAct: Bool { link.mayAct }

  package var epoch: String { link.epoch }

  package var silence: Duration { link.silence }

  package func connectionStates() async -> AsyncStream<ConnectionState> { await link.states() }

  package func close() async { await link.close() }

  package var isClosed: Bool { link.isClosed }

  /// Follows a job, across restarts of the engine.
  package func snapshots(of id: JobID) async -> JobSnapshots {
    let (snapshots, source) = JobSnapshots.make()
    let following = Task { [link] in
      do throws(InstallationError) {
        while true {
          let (engine, generation) = try await link.engine(within: nil)
          do throws(InstallationError) {
            try await engine.follow(id, into: source)
            source.finish()
            return
          } catch {
            // An engine that does not answer counts as lost; the next connection requires its
            // `hello`.
            guard error.code == .engineUnreachable || error.code == .timedOut else { throw error }
            // The link returns when the engine is back, or throws the reason of the end.
            await link.reconnect(generation)
          }
        }
      } catch {
        source.finish(throwing: error)
      }
    }
    source.onEnd { following.cancel() }
    return snapshots
  }

  /// Largest number of attempts to submit a request with a token.
  private static let attempts = 5

  /// Submits a request.
  ///
  /// A request with a token is sent again if the engine is lost before it replies, because an
  /// engine creates only one job for a token.
  package func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    var (engine, generation) = try await link.engine()
    for _ in 1..<Self.attempts where request.options.token != nil {
      do throws(InstallationError) {
        return try await engine.submit(request)
      } catch {
        guard error.code == .engineUnreachable, error.mayHaveBeenDone else { throw error }
        await link.reconnect(generation)
        do throws(InstallationError) {
          (engine, generation) = try await link.engine(within: nil)
        } catch {
          var doubtful = error
          doubtful.mayHaveBeenDone = true
          throw doubtful
        }
      }
    }
    return try await engine.submit(request)
  }

  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await link.engine().backend.plan(request)
  }

  package func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot] {
    try await link.engine().backend.jobs(in: states)
  }

  package func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await link.engine().backend.job(id)
  }

  package func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await link.engine().backend.request(of: id)
  }

  package func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try await link.engine().backend.requestAbort(of: id)
  }

  package func withdrawAbort(of id: JobID) async throws(InstallationError) {
    try await link.engine().backend.withdrawAbort(of: id)
  }

  package func suspend(_ id: JobID) async throws(InstallationError) {
    try await link.engine().backend.suspend(id)
  }

  package func resume(_ id: JobID) async throws(InstallationError) {
    try await link.engine().backend.resume(id)
  }

  package func pauseQueue() async throws(InstallationError) -> QueueStatus {
    try await link.engine().backend.pauseQueue()
  }

  package func resumeQueue() async throws(InstallationError) -> QueueStatus {
    try await link.engine().backend.resumeQueue()
  }

  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try await link.engine().backend.askLockHolderToYield()
  }

  package func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try await link.engine().backend.move(id, to: place)
  }

  package func cleanUp(_ id: JobID) async throws(InstallationError) {
    try await link.engine().backend.cleanUp(id)
  }

  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) async throws(InstallationError) -> Update? {
    try await link.engine().backend.upload(bytes, at: offset, of: archive)
  }

  package func historyPage(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await link.engine().backend.historyPage(filter, after: after, limit: limit)
  }

  package func log(
    of id: JobID, from offset: Int64, limit: Int
  ) async throws(InstallationError) -> LogPiece {
    try await link.engine().backend.log(of: id, from: offset, limit: limit)
  }

  package func events(
    of id: JobID, after seq: Int
  ) async throws(InstallationError) -> RecordedEvents {
    try await link.engine().backend.events(of: id, after: seq)
  }

  /// Follows events, across restarts of the engine.
  package func events(
    _ selection: EventSelection
  ) async throws(InstallationError) -> EngineEvents {
    let (engine, generation) = try await link.engine()
    let events = try await engine.events(selection)
    return EngineEvents { [link] in
      LinkedEvents(events.makeAsyncIterator(), selection, over: link, generation)
    }
  }

  package func mark(
    _ mark: PackageMark, _ updates: [Update]
  ) async throws(InstallationError) {
    try await link.engine().backend.mark(mark, updates)
  }

  package func refresh() async throws(InstallationError) {
    try await link.engine().backend.refresh()
  }

  package func checkup() async throws(InstallationError) -> Checkup {
    try await link.engine().backend.checkup()
  }

  package func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    try await link.engine().backend.auditPage(filter, before: before, limit: limit)
  }

  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await link.engine().backend.upgradableUpdates()
  }

  package func search(
    _ criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try await link.engine().backend.search(criteria)
  }

  package func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await link.engine().backend.systemInformation()
  }

  package func status() async throws(InstallationError) -> EngineStatus {
    try await link.engine().backend.status()
  }
}
