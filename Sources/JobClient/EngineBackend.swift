package import InstallJobs
internal import JobWire

/// The backend of sessions and installers for an engine at a socket.
package struct EngineBackend: InstallationBackend {
  /// The connection for all requests.
  package let connection: EngineConnection
  private let follower: JobFollower

  /// - Parameter connection: An open connection.
  package init(_ connection: EngineConnection) {
    self.connection = connection
    follower = JobFollower(connection)
  }

  package var mayAct: Bool { connection.hello.rights == .act }

  package var epoch: String { connection.hello.epoch }

  package var silence: Duration { .seconds(connection.silentSeconds) }

  package func close() async { await connection.close() }

  package func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    try requireOptions(of: request)
    return try await connection.ask(SubmitRequest(request))
  }

  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try requireOptions(of: request)
    return try await connection.ask(PlanRequest(request))
  }

  package func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot] {
    let ordered = states.map { states in JobState.allCases.filter(states.contains) }
    return try await connection.ask(JobsRequest(states: ordered))
  }

  package func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await connection.ask(SingleSnapshotRequest(id))
  }

  package func request(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await connection.ask(SubmittedRequest(id))
  }

  package func historyPage(
    _ filter: HistoryFilter = HistoryFilter(), after: JobID? = nil, limit: Int = .max
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await connection.ask(HistoryRequest(filter, after: after, limit: limit))
  }

  package func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    try require(WireProtocol.audit, "show who did what")
    return try await connection.ask(AuditRequest(filter, before: before, limit: limit))
  }

  package func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try await connection.ask(AbortRequest(id))
  }

  package func withdrawAbort(of id: JobID) async throws(InstallationError) {
    _ = try await connection.ask(WithdrawRequest(id))
  }

  package func suspend(_ id: JobID) async throws(InstallationError) {
    _ = try await connection.ask(SuspendRequest(id))
  }

  package func resume(_ id: JobID) async throws(InstallationError) {
    _ = try await connection.ask(ResumeRequest(id))
  }

  package func pauseQueue() async throws(InstallationError) -> QueueStatus {
    try require(WireProtocol.queue, "pause its queue")
    return try await connection.ask(PauseQueueRequest())
  }

  package func resumeQueue() async throws(InstallationError) -> QueueStatus {
    try require(WireProtocol.queue, "resume its queue")
    return try await connection.ask(ResumeQueueRequest())
  }

  package func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try require(WireProtocol.queue, "move jobs in its queue")
    return try await connection.ask(MoveRequest(id, to: place))
  }

  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try require(WireProtocol.yield, "ask anybody to yield")
    return try await connection.ask(YieldRequest())
  }

  /// Throws for options that an old engine would ignore: it would install what is only to be
  /// fetched, or plan without regard to the planning options.
  private func requireOptions(of request: JobRequest) throws(InstallationError) {
    if request.options.isDownloadOnly {
      try require(WireProtocol.downloads, "fetch archives without installing them")
    }
    if request.options.planning != PlanningOptions() {
      try require(WireProtocol.planning, "plan with these options")
    }
    if request.updates.contains(where: { $0.release != nil }) {
      try require(WireProtocol.selection, "take a package from a release")
    }
    if request.options.planning.isSecurityOnly || !request.options.planning.excluded.isEmpty {
      try require(WireProtocol.selection, "upgrade everything but some packages")
    }
  }

  /// Throws `protocolMismatch` if the engine lacks a capability.
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
    _ = try await connection.ask(CleanUpRequest(id))
  }

  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) async throws(InstallationError) -> Update? {
    let piece = UploadRequest(archive: archive, offset: offset, bytes: bytes)
    return try await connection.ask(piece).update
  }

  package func mark(
    _ mark: PackageMark, _ updates: [Update]
  ) async throws(InstallationError) {
    try require(WireProtocol.mark, "mark packages")
    _ = try await connection.ask(MarkRequest(mark, updates))
  }

  package func refresh() async throws(InstallationError) {
    _ = try await connection.ask(RefreshRequest())
  }

  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await connection.ask(UpdatesRequest())
  }

  package func search(
    _ criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try require(WireProtocol.search, "search for updates")
    return try await connection.ask(SearchRequest(criteria))
  }

  package func systemInformation() async throws(InstallationError) -> SystemInformation {
    try require(WireProtocol.search, "tell of its machine")
    var information = try await connection.ask(SystemRequest())
    information.protocolVersion = connection.hello.version
    return information
  }

  package func status() async throws(InstallationError) -> EngineStatus {
    try await connection.ask(StatusRequest())
  }

  package func checkup() async throws(InstallationError) -> Checkup {
    try await connection.ask(DoctorRequest())
  }

  package func log(of id: JobID, from offset: Int64, limit: Int = 64 << 10)
    async throws(InstallationError) -> LogPiece
  {
    let reply = try await connection.ask(LogRequest(id, offset: offset, limit: limit))
    return LogPiece(
      offset: reply.offset, text: reply.text, next: reply.next, length: reply.length)
  }

  package func events(
    _ selection: EventSelection
  ) async throws(InstallationError) -> EngineEvents {
    try await connection.subscribe(SubscribeRequest(selection))
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

  /// Follows a job until it has ended or the task is cancelled.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - source: The receiver of the job's snapshot and events; not finished here.
  /// - Throws: `unknownJob`; `engineUnreachable` if the connection ends first.
  func follow(_ id: JobID, into source: JobSnapshots.Source) async throws(InstallationError) {
    try await follower.follow(id, into: source)
  }
}
