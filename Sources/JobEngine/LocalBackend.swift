package import InstallJobs

/// A backend that calls an engine in the same process, on behalf of one user.
package struct LocalBackend: InstallationBackend {
  private let engine: Engine
  private let requester: Requester
  private let uploader = Uploader()

  /// Creates a backend.
  ///
  /// - Parameters:
  ///   - engine: A started engine.
  ///   - requester: The requester of all requests.
  package init(_ engine: Engine, as requester: Requester) {
    self.engine = engine
    self.requester = requester
  }

  /// Always true: code in the engine's process has all rights.
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

  package func pauseQueue() async throws(InstallationError) -> QueueStatus {
    try await engine.pauseQueue(by: requester)
  }

  package func resumeQueue() async throws(InstallationError) -> QueueStatus {
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

  package func search(
    _ criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try await engine.search(criteria, for: PlanningUser(requester, mayAct: true))
  }

  package func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await engine.systemInformation(for: PlanningUser(requester, mayAct: true))
  }

  package func status() async throws(InstallationError) -> EngineStatus {
    try await engine.status()
  }
}

// Requests that change nothing, except `refresh()`.
extension LocalBackend {
  package var epoch: String { engine.epoch }

  package func historyPage(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    try engine.history(filter, after: after, limit: min(limit, 200))
  }

  package func log(
    of id: JobID, from offset: Int64, limit: Int
  ) async throws(InstallationError) -> LogPiece {
    let chunk = try await engine.log(of: id, from: offset, limit: Int64(limit))
    return LogPiece(
      offset: chunk.offset, text: chunk.text, next: chunk.nextOffset, length: chunk.length)
  }

  package func events(
    of id: JobID, after seq: Int
  ) async throws(InstallationError) -> RecordedEvents {
    let most = 256
    let events = try engine.events(of: id, after: seq, limit: most)
    return RecordedEvents(events: events, next: events.count < most ? nil : events.last?.seq)
  }

  package func events(
    _ selection: EventSelection
  ) async throws(InstallationError) -> EngineEvents {
    let isForAll = selection.jobs == nil && selection.after == nil
    let start = try await engine.subscribe(newest: isForAll ? .max : nil)
    var first: [EngineEvents.Element] = []
    if let after = selection.after {
      var seq = after
      while seq < start.seq {
        let page = try await engine.events(after: seq, limit: 256).filter { $0.seq <= start.seq }
        first += page.filter(selection.includes).map { .event($0) }
        guard let last = page.last else { break }
        seq = last.seq
      }
    } else {
      var jobs = start.snapshots
      for id in selection.jobs ?? [] { jobs.append(try await engine.job(id)) }
      if !selection.includesPlans { jobs = jobs.map(\.withoutPlan) }
      first = [.jobs(jobs), .jobsEnd(seq: start.seq)]
    }
    return EngineEvents { [first] in StreamedEvents(first, then: start.events, selection) }
  }

  package func mark(
    _ mark: PackageMark, _ updates: [Update]
  ) async throws(InstallationError) {
    try await engine.mark(mark, updates, by: requester)
  }

  package func refresh() async throws(InstallationError) {
    try await engine.refresh(by: requester)
  }

  package func checkup() async throws(InstallationError) -> Checkup {
    try await engine.checkup(for: PlanningUser(requester, mayAct: true))
  }

  package func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    try await engine.audits(filter, before: before, limit: min(limit, 500))
  }
}
