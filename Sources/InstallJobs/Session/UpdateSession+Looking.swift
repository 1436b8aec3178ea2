// What a session can look at. A read-only session and an observer can do all of it.
extension UpdateSession {
  /// Whether the session may change anything, as far as is known without asking the engine.
  ///
  /// False in a read-only session. What the engine said when it was reached last; it decides at each act, by
  /// the rights that the user has then.
  public var mayAct: Bool { !isReadOnly && backend.mayAct }

  /// Names the engine's journal, in which jobs and events are numbered: numbers of one journal mean
  /// nothing in another.
  public var journalName: String {
    get async { await backend.epoch }
  }

  /// The time since anything of the engine was heard, in whole seconds.
  ///
  /// An engine that has nothing to tell says nothing: only together with a request that is not answered does
  /// silence mean something. An engine at work answers ``status()`` at once: one that does not, and was not
  /// heard for longer, is stopped or overloaded.
  public var silence: Duration { backend.silence }

  /// One job with its plan, as it stands.
  ///
  /// - Throws: `unknownJob`; `engineUnreachable`.
  public func snapshot(of id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await backend.job(id)
  }

  /// Follows a job without a handle; see ``JobSnapshots``.
  public func snapshots(of id: JobID) async -> JobSnapshots { await backend.snapshots(of: id) }

  /// What was asked for with a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`; `engineUnreachable`.
  public func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await backend.request(of: id)
  }

  /// What a job would do, without doing it.
  ///
  /// - Throws: Every reason for which the job would be refused.
  public func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await backend.plan(request)
  }

  /// The request for what a job that is over did not do, without submitting it.
  ///
  /// - Throws: `unknownJob`; `invalidState` for a job that is not over, and where nothing is left to do.
  public func retryRequest(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await backend.retryRequest(of: id)
  }

  /// Jobs that are over, the last ended first, without plans (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: Which jobs; everything by default.
  ///   - limit: At most so many, 0 or more.
  /// - Returns: As many as there are, up to the limit.
  /// - Throws: `invalidIndex` for a negative limit; `engineUnreachable`.
  public func history(
    matching filter: HistoryFilter = HistoryFilter(), limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    guard limit >= 0 else { throw Self.negative(limit) }
    return try await backend.history(filter, limit: limit)
  }

  /// A page of jobs that are over, the last ended first, without plans.
  ///
  /// - Parameters:
  ///   - filter: Which jobs; everything by default.
  ///   - after: The last job of the page before; nil for the first page.
  ///   - limit: At most so many, 0...200.
  /// - Returns: An empty page behind the end.
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` behind a job that is not there.
  public func historyPage(
    matching filter: HistoryFilter = HistoryFilter(), after: JobID? = nil, limit: Int = 200
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await backend.historyPage(filter, after: after, limit: limit)
  }

  /// A piece of a job's log.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - offset: Where the piece begins, in bytes; beyond the end it is empty.
  ///   - limit: The most bytes, 1...262144.
  /// - Returns: The piece, and where the next one begins.
  /// - Throws: `unknownJob`; `invalidArgument` for a negative offset.
  public func log(
    of id: JobID, from offset: Int64, limit: Int = 64 << 10
  ) async throws(InstallationError) -> LogPiece {
    try await backend.log(of: id, from: offset, limit: limit)
  }

  /// The lines of a job's log from its beginning.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - package: Only the lines about this package; nil for all.
  ///   - isFollowing: Whether the sequence goes on with what comes until the job is over; else it ends
  ///     with what is there.
  /// - Returns: The lines, read as they are asked for.
  public func logLines(
    of id: JobID, about package: String? = nil, following isFollowing: Bool = false
  ) -> JobLog {
    JobLog(of: id, about: package, following: isFollowing, from: backend)
  }

  /// A page of the durable events of one job, from which its course can be told again.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - seq: The number behind which the page begins; 0 for the beginning.
  /// - Returns: The page, and where the next one begins.
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event.
  public func recordedEvents(
    of id: JobID, after seq: Int = 0
  ) async throws(InstallationError) -> RecordedEvents {
    try await backend.events(of: id, after: seq)
  }

  /// What happens in the engine, followed over losses of the engine as long as the session is.
  ///
  /// - Throws: `invalidArgument` for a number beyond the last event, and for events that are not kept any
  ///   more; `unknownJob`; `engineUnreachable`.
  public func events(
    _ selection: EventSelection = EventSelection()
  ) async throws(InstallationError) -> EngineEvents {
    try await backend.events(selection)
  }

  /// Looks for updates in the package index and the package database, as they are (row S8).
  ///
  /// Nothing is fetched: ``refreshIndex()`` before it brings the index up to date. Cancelling the task ends
  /// the search.
  ///
  /// - Parameter criteria: Which updates; by default everything, as far as the limit goes.
  /// - Returns: What was found, and a warning for each source whose index is not there.
  /// - Throws: `invalidArgument` for criteria out of range; `notApplicable` for a name that no package can
  ///   have; `unresolvable` where the index cannot be read; `engineUnreachable`.
  public func updates(
    matching criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try criteria.validate()
    return try await backend.search(criteria)
  }

  /// The engine's machine and the engine itself: restart, versions, what is at work, last successes.
  ///
  /// - Throws: `badRoot` where the package database cannot be read; `engineUnreachable`.
  public func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await backend.systemInformation()
  }

  /// What the engine finds when it looks at its machine and at itself; changes nothing.
  ///
  /// - Throws: `busy` where too many requests wait for their turn already.
  public func checkup() async throws(InstallationError) -> Checkup { try await backend.checkup() }

  /// Who did or tried what, the last first.
  ///
  /// - Parameters:
  ///   - filter: Which rows; everything by default.
  ///   - limit: At most so many, 0 or more.
  /// - Returns: As many rows as there are, up to the limit.
  /// - Throws: `notPermitted` for who may not act; `invalidIndex` for a negative limit.
  public func auditRecords(
    matching filter: AuditFilter = AuditFilter(), limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    guard limit >= 0 else { throw Self.negative(limit) }
    return try await backend.audits(filter, limit: limit)
  }

  private static func negative(_ limit: Int) -> InstallationError {
    InstallationError(
      .invalidIndex, "a list has at least 0 rows, not \(limit)", class: .fatal,
      hint: "use a limit of 0 or more")
  }
}
