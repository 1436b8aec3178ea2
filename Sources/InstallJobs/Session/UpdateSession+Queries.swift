// The read requests of a session. A read-only session and an observer can use them, too.
extension UpdateSession {
  /// Whether the session may change anything, as far as known without asking the engine.
  ///
  /// False in a read-only session. The value is the engine's answer at the last connection; the
  /// engine decides on each action by the user's current rights.
  public var mayAct: Bool { !isReadOnly && backend.mayAct }

  /// The name of the engine's journal, in which jobs and events are numbered.
  ///
  /// Numbers of one journal have no meaning in another.
  public var journalName: String {
    get async { await backend.epoch }
  }

  /// The time since the last message from the engine, in whole seconds.
  ///
  /// An engine without news sends nothing, so silence alone has no meaning. A working engine
  /// answers ``status()`` at once: if it does not and has been silent for longer, it is stopped or
  /// overloaded.
  public var silence: Duration { backend.silence }

  /// Returns the current snapshot of one job, with its plan.
  ///
  /// - Throws: `unknownJob`; `engineUnreachable`.
  public func snapshot(of id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await backend.job(id)
  }

  /// Follows a job without a job object; see ``JobSnapshots``.
  public func snapshots(of id: JobID) async -> JobSnapshots { await backend.snapshots(of: id) }

  /// Returns the request of a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`; `engineUnreachable`.
  public func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await backend.request(of: id)
  }

  /// Returns the plan of a job without submitting it.
  ///
  /// - Throws: The reason if the engine would refuse the job.
  public func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await backend.plan(request)
  }

  /// Returns the request for the part of an ended job that did not succeed, without submitting it.
  ///
  /// - Throws: `unknownJob`; `invalidState` if the job is not over, or if nothing is left to do.
  public func retryRequest(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await backend.retryRequest(of: id)
  }

  /// Returns ended jobs, latest end first, without plans (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: Selects the jobs; all by default.
  ///   - limit: Maximum number of jobs, 0 or more.
  /// - Returns: The jobs, as many as exist up to the limit.
  /// - Throws: `invalidIndex` for a negative limit; `engineUnreachable`.
  public func history(
    matching filter: HistoryFilter = HistoryFilter(), limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    guard limit >= 0 else { throw Self.negative(limit) }
    return try await backend.history(filter, limit: limit)
  }

  /// Returns a page of ended jobs, latest end first, without plans.
  ///
  /// - Parameters:
  ///   - filter: Selects the jobs; all by default.
  ///   - after: The last job of the previous page; nil for the first page.
  ///   - limit: Maximum number of jobs, 0...200.
  /// - Returns: An empty page after the last job.
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` if `after` does not exist.
  public func historyPage(
    matching filter: HistoryFilter = HistoryFilter(), after: JobID? = nil, limit: Int = 200
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await backend.historyPage(filter, after: after, limit: limit)
  }

  /// Returns a piece of a job's log.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - offset: The position of the piece in bytes; beyond the end the piece is empty.
  ///   - limit: Maximum number of bytes, 1...262144.
  /// - Returns: The piece, with the position of the next one.
  /// - Throws: `unknownJob`; `invalidArgument` for a negative offset.
  public func log(
    of id: JobID, from offset: Int64, limit: Int = 64 << 10
  ) async throws(InstallationError) -> LogPiece {
    try await backend.log(of: id, from: offset, limit: limit)
  }

  /// Returns the lines of a job's log from the beginning.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - package: Only return the lines about this package; nil returns all lines.
  ///   - isFollowing: Whether to wait for new lines until the job is over; else the sequence ends
  ///     at the current end of the log.
  /// - Returns: The lines, read from the engine as the sequence is iterated.
  public func logLines(
    of id: JobID, about package: String? = nil, following isFollowing: Bool = false
  ) -> JobLog {
    JobLog(of: id, about: package, following: isFollowing, from: backend)
  }

  /// Returns a page of the durable events of one job, for a replay.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - seq: The number after which the page starts; 0 for the beginning.
  /// - Returns: The page, with the start of the next one.
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event.
  public func recordedEvents(
    of id: JobID, after seq: Int = 0
  ) async throws(InstallationError) -> RecordedEvents {
    try await backend.events(of: id, after: seq)
  }

  /// Returns the events of the engine as they happen, also across lost connections while the
  /// session lasts.
  ///
  /// - Throws: `invalidArgument` for a number beyond the last event, and for events that are no
  ///   longer stored; `unknownJob`; `engineUnreachable`.
  public func events(
    _ selection: EventSelection = EventSelection()
  ) async throws(InstallationError) -> EngineEvents {
    try await backend.events(selection)
  }

  /// Searches for updates in the current package index and package database (row S8).
  ///
  /// The search downloads nothing: call ``refreshIndex()`` before to update the index. Cancelling
  /// the task ends the search.
  ///
  /// - Parameter criteria: Selects the updates; the default criteria match all, up to the limit.
  /// - Returns: The updates found, and a warning for each source without an index.
  /// - Throws: `invalidArgument` for criteria out of range; `notApplicable` for an impossible
  ///   package name; `unresolvable` if the index cannot be read; `engineUnreachable`.
  public func updates(
    matching criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try criteria.validate()
    return try await backend.search(criteria)
  }

  /// Returns information about the engine and its machine: pending restart, versions, running work,
  /// last successes.
  ///
  /// - Throws: `badRoot` if the package database cannot be read; `engineUnreachable`.
  public func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await backend.systemInformation()
  }

  /// Checks the engine's machine and the engine itself; changes nothing.
  ///
  /// - Throws: `busy` if too many requests are already waiting.
  public func checkup() async throws(InstallationError) -> Checkup { try await backend.checkup() }

  /// Returns records of the audit log, latest first: permitted and refused actions with their
  /// users.
  ///
  /// - Parameters:
  ///   - filter: Selects the records; all by default.
  ///   - limit: Maximum number of records, 0 or more.
  /// - Returns: The records, as many as exist up to the limit.
  /// - Throws: `notPermitted` for a user who may not act; `invalidIndex` for a negative limit.
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
