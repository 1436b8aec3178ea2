package import InstallJobs
internal import JobWire

/// An engine at a socket as the backend of sessions and installers.
package struct EngineBackend: InstallationBackend {
  /// The connection that everything goes over.
  package let connection: EngineConnection
  private let follower: JobFollower

  /// - Parameter connection: An open connection.
  package init(_ connection: EngineConnection) {
    self.connection = connection
    follower = JobFollower(connection)
  }

  package var mayAct: Bool { connection.hello.rights == .act }

  package func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    try requireDownloads(for: request)
    return try await connection.ask(.submit(JobRequestParameters(request)))
  }

  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try requireDownloads(for: request)
    return try await connection.ask(.plan(JobRequestParameters(request)))
  }

  package func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot] {
    let ordered = states.map { states in JobState.allCases.filter(states.contains) }
    return try await connection.ask(.jobs(JobsParameters(states: ordered)))
  }

  package func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await connection.ask(.job(JobParameters(id)))
  }

  /// What was asked for with a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`.
  package func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await connection.ask(.request(JobParameters(id)))
  }

  /// The request for what a job did not do; see ``InstallJobs/JobRequest/retrying(_:)``.
  ///
  /// - Throws: `unknownJob`; `invalidState` when the job is not over or nothing is left to do.
  package func retry(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await request(of: id).retrying(try await job(id))
  }

  /// One page of ended jobs without plans, the last ended first.
  ///
  /// - Parameters:
  ///   - filter: Which jobs.
  ///   - after: The last job of the page before; nil for the first page.
  ///   - limit: At most so many, 0 or more; the engine gives 200 at most.
  /// - Returns: An empty page behind the end.
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` behind a job that is not there.
  package func historyPage(
    _ filter: HistoryFilter = HistoryFilter(), after: JobID? = nil, limit: Int = .max
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await connection.ask(.history(HistoryParameters(filter, after: after, limit: limit)))
  }

  /// Ended jobs without plans, the last ended first, asked for page by page.
  ///
  /// - Parameters:
  ///   - filter: Which jobs.
  ///   - limit: At most so many, 0 or more.
  /// - Returns: As many as there are, up to the limit.
  /// - Throws: As ``historyPage(_:after:limit:)``.
  package func history(
    _ filter: HistoryFilter = HistoryFilter(), limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    var jobs: [JobSnapshot] = []
    while jobs.count < limit {
      let page = try await historyPage(filter, after: jobs.last?.id, limit: limit - jobs.count)
      if page.isEmpty { break }
      jobs += page
    }
    return jobs
  }

  /// The record of acts, the last first, asked for page by page.
  ///
  /// - Parameters:
  ///   - filter: Which rows.
  ///   - limit: At most so many, 0 or more.
  /// - Returns: As many rows as there are, up to the limit.
  /// - Throws: `notPermitted` for who may not act; `protocolMismatch` where the engine is of a version
  ///   that cannot show it.
  package func audits(
    _ filter: AuditFilter = AuditFilter(), limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    guard connection.hello.capabilities.contains(WireProtocol.audit) else {
      throw InstallationError(
        .protocolMismatch,
        "the engine at '\(connection.path)' is of an older version and cannot show who did what",
        class: .fatal, hint: "restart the engine with this version")
    }
    var rows: [AuditRecord] = []
    while rows.count < limit {
      let page: [AuditRecord] = try await connection.ask(
        .audit(AuditParameters(filter, before: rows.last?.number, limit: limit - rows.count)))
      if page.isEmpty { break }
      rows += page
    }
    return rows
  }

  package func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try await connection.ask(.abort(JobParameters(id)))
  }

  package func withdrawAbort(of id: JobID) async throws(InstallationError) {
    try await tell(.withdraw(JobParameters(id)))
  }

  package func suspend(_ id: JobID) async throws(InstallationError) {
    try await tell(.suspend(JobParameters(id)))
  }

  package func resume(_ id: JobID) async throws(InstallationError) {
    try await tell(.resume(JobParameters(id)))
  }

  package func pauseQueue() async throws(InstallationError) -> QueueStanding {
    try require(WireProtocol.queue, "pause its queue")
    return try await connection.ask(.pauseQueue)
  }

  package func resumeQueue() async throws(InstallationError) -> QueueStanding {
    try require(WireProtocol.queue, "let its queue go on")
    return try await connection.ask(.resumeQueue)
  }

  package func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try require(WireProtocol.queue, "move jobs in its queue")
    return try await connection.ask(.move(MoveParameters(id, to: place)))
  }

  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try require(WireProtocol.yield, "ask anybody to yield")
    return try await connection.ask(.yield)
  }

  /// Refuses to ask an engine for a download that would install.
  private func requireDownloads(for request: JobRequest) throws(InstallationError) {
    guard request.options.isDownloadOnly else { return }
    try require(WireProtocol.downloads, "fetch archives without installing them")
  }

  /// Refuses what an engine of an older version has no request for.
  private func require(
    _ capability: String, _ what: String
  ) throws(InstallationError) {
    guard !connection.hello.capabilities.contains(capability) else { return }
    throw InstallationError(
      .protocolMismatch,
      "the engine at '\(connection.path)' is of an older version and cannot \(what)",
      class: .needsHuman, hint: "restart the engine with the version of this program")
  }

  package func cleanUp(_ id: JobID) async throws(InstallationError) {
    try await tell(.cleanUp(JobParameters(id)))
  }

  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) async throws(InstallationError) -> Update? {
    let piece = UploadParameters(archive: archive, offset: offset, bytes: bytes)
    return try await connection.ask(.upload(piece), for: UploadReply.self).update
  }

  /// Fetches the package index of the engine's root anew.
  ///
  /// - Throws: `notPermitted`; `busy` while a job works or another process fetches it; `timedOut`;
  ///   `downloadFailed` with the package system's own words.
  package func refresh() async throws(InstallationError) { try await tell(.refresh) }

  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await connection.ask(.updates)
  }

  package func status() async throws(InstallationError) -> EngineStatus {
    try await connection.ask(.status)
  }

  /// What the engine finds when it looks at its machine and at itself.
  package func checkup() async throws(InstallationError) -> Checkup {
    try await connection.ask(.doctor)
  }

  /// A piece of a job's log from the byte `offset` on, at most `limit` bytes.
  ///
  /// - Throws: `unknownJob`.
  package func log(of id: JobID, from offset: Int64, limit: Int = 64 << 10)
    async throws(InstallationError) -> LogPiece
  {
    let parameters = LogParameters(job: id, offset: offset, limit: limit)
    let reply = try await connection.ask(.log(parameters), for: LogReply.self)
    return LogPiece(
      offset: reply.offset, text: reply.text, next: reply.next, length: reply.length)
  }

  package func snapshots(of id: JobID) async -> JobSnapshots {
    let (snapshots, source) = JobSnapshots.make()
    let following = Task {
      do throws(InstallationError) {
        try await follow(id, into: source)
        source.finish()
      } catch {
        source.finish(throwing: error)
      }
    }
    source.onEnd { following.cancel() }
    return snapshots
  }

  /// Follows a job until it is over, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - source: Where its snapshot and its events go; not finished here.
  /// - Throws: `unknownJob`; `engineUnreachable` when the connection ends before.
  func follow(_ id: JobID, into source: JobSnapshots.Source) async throws(InstallationError) {
    try await follower.follow(id, into: source)
  }

  private func tell(_ request: WireRequest) async throws(InstallationError) {
    _ = try await connection.ask(request, for: EmptyReply.self)
  }
}

/// A piece of a job's log.
package struct LogPiece: Sendable, Hashable {
  /// Where it begins, in bytes.
  package var offset: Int64
  /// What packages printed: hostile until sanitised.
  package var text: String
  /// Where the next piece begins; equal to `offset` when there is nothing more yet.
  package var next: Int64
  /// How long the log is now, in bytes.
  package var length: Int64
}
