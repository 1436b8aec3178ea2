package import InstallJobs
internal import Synchronization

/// A session with a mock engine; forwards all calls to the engine until the session is closed.
package final class MockSession: InstallationBackend {
  let engine: MockEngine
  private let hasClosed = Atomic(false)

  init(_ engine: MockEngine) { self.engine = engine }

  /// The error of calls after the session was closed.
  static var closed: InstallationError {
    InstallationError(
      .invalidState, "the session was closed", class: .fatal, hint: "open another session")
  }

  package var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

  package func close() async {
    hasClosed.store(true, ordering: .releasing)
    await engine.endReading(self)
  }

  /// Returns the engine; throws if the session is closed.
  private func openEngine() throws(InstallationError) -> MockEngine {
    guard !isClosed else { throw Self.closed }
    return engine
  }

  package var mayAct: Bool { engine.mayAct }

  package var epoch: String { engine.epoch }

  package func connectionStates() async -> AsyncStream<ConnectionState> {
    await engine.connectionStates(of: self)
  }

  package func snapshots(of id: JobID) async -> JobSnapshots {
    await engine.snapshots(of: id, for: self)
  }

  package func events(
    _ selection: EventSelection
  ) async throws(InstallationError) -> EngineEvents {
    let events = try await openEngine().events(selection, for: self)
    return EngineEvents { Events(events.makeAsyncIterator(), of: self) }
  }

  /// Reads events until the session is closed.
  private struct Events: EngineEventReader {
    private var events: EngineEvents.Iterator
    private let session: MockSession

    init(_ events: EngineEvents.Iterator, of session: MockSession) {
      self.events = events
      self.session = session
    }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(InstallationError) -> EngineEvents.Element? {
      do throws(InstallationError) {
        return try await events.next(isolation: actor)
      } catch {
        throw session.isClosed ? MockSession.closed : error
      }
    }
  }

  // MARK: Requests

  package func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    try await openEngine().submit(request)
  }

  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await openEngine().plan(request)
  }

  package func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot] {
    try await openEngine().jobs(in: states)
  }

  package func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await openEngine().job(id)
  }

  package func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await openEngine().request(of: id)
  }

  package func historyPage(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await openEngine().historyPage(filter, after: after, limit: limit)
  }

  package func log(
    of id: JobID, from offset: Int64, limit: Int
  ) async throws(InstallationError) -> LogPiece {
    try await openEngine().log(of: id, from: offset, limit: limit)
  }

  package func events(
    of id: JobID, after seq: Int
  ) async throws(InstallationError) -> RecordedEvents {
    try await openEngine().events(of: id, after: seq)
  }

  package func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try await openEngine().requestAbort(of: id)
  }

  package func withdrawAbort(of id: JobID) async throws(InstallationError) {
    try await openEngine().withdrawAbort(of: id)
  }

  package func suspend(_ id: JobID) async throws(InstallationError) {
    try await openEngine().suspend(id)
  }

  package func resume(_ id: JobID) async throws(InstallationError) {
    try await openEngine().resume(id)
  }

  package func pauseQueue() async throws(InstallationError) -> QueueStatus {
    try await openEngine().pauseQueue()
  }

  package func resumeQueue() async throws(InstallationError) -> QueueStatus {
    try await openEngine().resumeQueue()
  }

  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try await openEngine().askLockHolderToYield()
  }

  package func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try await openEngine().move(id, to: place)
  }

  package func cleanUp(_ id: JobID) async throws(InstallationError) {
    try await openEngine().cleanUp(id)
  }

  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) async throws(InstallationError) -> Update? {
    try await openEngine().upload(bytes, at: offset, of: archive)
  }

  package func mark(
    _ mark: PackageMark, _ updates: [Update]
  ) async throws(InstallationError) {
    try await openEngine().mark(mark, updates)
  }

  package func refresh() async throws(InstallationError) { try await openEngine().refresh() }

  package func checkup() async throws(InstallationError) -> Checkup {
    try await openEngine().checkup()
  }

  package func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    try await openEngine().auditPage(filter, before: before, limit: limit)
  }

  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await openEngine().upgradableUpdates()
  }

  package func search(
    _ criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try await openEngine().search(criteria)
  }

  package func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await openEngine().systemInformation()
  }

  package func status() async throws(InstallationError) -> EngineStatus {
    try await openEngine().status()
  }
}
