/// What sessions, installers and jobs stand on: an engine in this process, or one at a socket.
///
/// The requester is the backend's business: in this process it is the process's own user, at a
/// socket it is the peer the kernel names.
package protocol InstallationBackend: Sendable {
  /// Whether the requester may act, as far as is known without asking; the engine decides at each act.
  var mayAct: Bool { get }
  /// Accepts a job: validated, planned, rights checked, in the journal. Returns before any work.
  ///
  /// - Throws: every reason to refuse (rows A13 to A17, A25, A32, A40, A43); nothing is stored then.
  func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot
  /// What `submit` would do, without doing it.
  func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan
  /// Jobs in the given states, oldest first, without plans; nil means every state. All that are not
  /// over, and the newest thousand of those that are.
  func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot]
  /// One job with its plan.
  ///
  /// - Throws: `unknownJob`.
  func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot
  /// What was asked for with a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`.
  func request(of id: JobID) async throws(InstallationError) -> JobRequest
  /// Ended jobs without plans, the last ended first (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: Which jobs.
  ///   - after: The last job of the page before; nil for the first page.
  ///   - limit: At most so many, 0 or more; an engine gives 200 at most.
  /// - Returns: An empty page behind the end.
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` behind a job that is not there.
  func historyPage(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot]
  /// A piece of a job's log from the byte `offset` on, at most `limit` bytes.
  ///
  /// - Throws: `unknownJob`.
  func log(of id: JobID, from offset: Int64, limit: Int) async throws(InstallationError)
    -> LogPiece
  /// A page of the durable events of one job, behind the event numbered `seq`; 0 for the beginning.
  ///
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event; `protocolMismatch`
  ///   where the engine is too old to tell.
  func events(of id: JobID, after seq: Int) async throws(InstallationError) -> RecordedEvents
  /// Follows what happens in the engine.
  ///
  /// - Throws: `invalidArgument` for a number beyond the last event; `unknownJob`; `busy`.
  func events(_ selection: EventSelection) async throws(InstallationError) -> EngineEvents
  /// Follows a job; any number of times, also while others are followed.
  func snapshots(of id: JobID) async -> JobSnapshots
  /// Asks for the job to stop; answers at once (rows B15 to B22).
  func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition
  /// Cancels an abort that was requested.
  ///
  /// - Throws: `invalidState` when there is none, or it has already taken effect.
  func withdrawAbort(of id: JobID) async throws(InstallationError)
  /// Pauses the job: between two packages where it works, in its place where it waits (row B28).
  func suspend(_ id: JobID) async throws(InstallationError)
  /// Resumes a job that is paused.
  ///
  /// - Throws: `cannotResume` for a job that is not paused.
  func resume(_ id: JobID) async throws(InstallationError)
  /// Pauses the queue: no further job begins; one that is at work goes on to its end.
  ///
  /// - Returns: How the queue stands; who paused it first where it was paused already.
  func pauseQueue() async throws(InstallationError) -> QueueStatus
  /// Resumes the queue.
  ///
  /// - Throws: `cannotResume` where nobody has paused the queue.
  func resumeQueue() async throws(InstallationError) -> QueueStatus
  /// Asks the foreign process that holds the package lock to end after what it is at.
  ///
  /// - Returns: Who was asked; when it ends is its own affair.
  /// - Throws: `invalidState` where nobody holds the lock, or the holder knows no such request;
  ///   `notPermitted`.
  func askLockHolderToYield() async throws(InstallationError) -> LockHolder
  /// Gives a job that waits another place in the queue.
  ///
  /// - Returns: The job in its new place.
  /// - Throws: `invalidState` for a job that has begun, and where no priority is left that would do;
  ///   `invalidArgument` for a priority outside -100...100.
  func move(_ id: JobID, to place: QueueMove) async throws(InstallationError) -> JobSnapshot
  /// Releases a completed job's archives and work files and moves it to history.
  ///
  /// - Throws: `invalidState` while the job is not over.
  func cleanUp(_ id: JobID) async throws(InstallationError)
  /// Takes a piece of a local archive, so that an update can name it.
  ///
  /// Pieces come in order; the piece that completes the archive is answered with the update that
  /// the archive holds, read by the engine from the archive itself.
  ///
  /// - Parameters:
  ///   - bytes: At most 512 KiB.
  ///   - offset: Where they belong in the archive.
  ///   - archive: Which archive; its hash is checked when it is complete.
  /// - Returns: The update in the archive; nil while pieces are missing.
  /// - Throws: `hashMismatch`, `badArchive`, `invalidArgument` for a piece out of order or too large.
  func upload(_ bytes: [UInt8], at offset: Int64, of archive: LocalArchive)
    async throws(InstallationError) -> Update?
  /// Fetches the package index of the engine's root anew.
  ///
  /// - Throws: `notPermitted`; `busy` while a job works or another process fetches it; `timedOut`;
  ///   `downloadFailed` with the package system's own words.
  func refresh() async throws(InstallationError)
  /// What the engine finds when it looks at its machine and at itself; changes nothing.
  ///
  /// - Throws: `busy` where too many requests wait for their turn already.
  func checkup() async throws(InstallationError) -> Checkup
  /// The record of acts, the last first.
  ///
  /// - Parameters:
  ///   - filter: Which rows.
  ///   - before: Only rows with smaller numbers; nil for the first page.
  ///   - limit: At most so many, 0 or more; an engine gives 500 at most.
  /// - Returns: An empty page behind the end.
  /// - Throws: `notPermitted` for who may not act; `protocolMismatch` where the engine is too old.
  func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord]
  /// Installed packages for which the index has a newer version (row A7).
  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate]
  /// Looks for updates in the index and the package database as they are (row S8).
  ///
  /// - Throws: `invalidArgument` for criteria out of range; `protocolMismatch` where the engine is too old.
  func search(_ criteria: UpdateCriteria) async throws(InstallationError) -> UpdateSearchResult
  /// The engine's machine and the engine itself (rows S1 to S4, S6, S9, S10).
  ///
  /// - Throws: `protocolMismatch` where the engine is too old.
  func systemInformation() async throws(InstallationError) -> SystemInformation
  /// The machine's side of things: who holds the lock, what runs, whether a restart is pending.
  func status() async throws(InstallationError) -> EngineStatus
  /// Names the engine's journal, in which its events are numbered.
  var epoch: String { get async }
  /// The time since the engine was heard last; zero for an engine in this process.
  var silence: Duration { get }
  /// How the way to the engine stands: the present state first, then each change, ending after a final one.
  func connectionStates() async -> AsyncStream<ConnectionState>
  /// Ends the way to the engine; jobs go on.
  func close() async
  /// Whether ``close()`` was called: no callback begins any more.
  var isClosed: Bool { get }
}

// An engine that nothing can be lost to.
extension InstallationBackend {
  package func connectionStates() async -> AsyncStream<ConnectionState> {
    AsyncStream { continuation in
      continuation.yield(.connected)
      continuation.finish()
    }
  }

  package func close() async {}

  package var isClosed: Bool { false }

  package var silence: Duration { .zero }
}

extension InstallationBackend {
  /// Ended jobs without plans, the last ended first, asked for page by page, at most `limit`.
  package func history(
    _ filter: HistoryFilter = HistoryFilter(), limit: Int
  ) async throws(InstallationError) -> [JobSnapshot] {
    var jobs: [JobSnapshot] = []
    while jobs.count < limit {
      let page = try await historyPage(
        filter, after: jobs.last?.id, limit: limit - jobs.count)
      if page.isEmpty { break }
      jobs += page
    }
    return jobs
  }

  /// The record of acts, the last first, asked for page by page, at most `limit`.
  package func audits(
    _ filter: AuditFilter = AuditFilter(), limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    var rows: [AuditRecord] = []
    while rows.count < limit {
      let page = try await auditPage(
        filter, before: rows.last?.number, limit: limit - rows.count)
      if page.isEmpty { break }
      rows += page
    }
    return rows
  }

  /// The request for what a job did not do; see ``JobRequest/retrying(_:)``.
  package func retryRequest(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await request(of: id).retrying(try await job(id))
  }
}

/// The engine and its machine, as `fettle status` shows them.
public struct EngineStatus: Sendable, Hashable, Codable {
  /// The engine's process.
  public struct Engine: Sendable, Hashable, Codable {
    /// Its process id.
    public var pid: Int32
    /// Its version, as `--version` prints it.
    public var version: String
    /// When the process began to serve.
    package var startedAt: Timestamp
    /// The package root it works on.
    public var root: String
    /// The package system it works with: `apt` or `simulated`.
    public var provider: String

    /// A value of its parts.
    package init(pid: Int32, version: String, startedAt: Timestamp, root: String, provider: String)
    {
      self.pid = pid
      self.version = version
      self.startedAt = startedAt
      self.root = root
      self.provider = provider
    }
  }

  /// The engine's queue in figures.
  public struct Queue: Sendable, Hashable, Codable {
    /// Jobs that have started and are not over.
    public var running: Int
    /// Jobs that wait in the queue, held or not.
    public var queued: Int
    /// How many of those are held; nil from an engine that does not tell.
    public var held: Int?
    /// Whether no job is given its turn at present.
    public var paused: Bool
    /// Why none is, who asked for it and since when; nil also from an engine that does not tell.
    public var pause: QueuePause?
    /// Whether archives of jobs that wait are fetched while another one works; nil from an engine
    /// that does not tell, which does not.
    public var fetchesAhead: Bool?

    /// A value of its parts.
    public init(
      running: Int, queued: Int, held: Int? = nil, paused: Bool, pause: QueuePause? = nil
    ) {
      self.held = held
      self.running = running
      self.queued = queued
      self.paused = paused
      self.pause = pause
    }
  }

  /// The engine's process.
  public var engine: Engine
  /// The queue.
  public var queue: Queue
  /// The foreign process that holds the package lock.
  public var lock: LockHolder?
  /// The job that is at work.
  public var runningJob: JobID?
  /// Whether a restart of the machine is pending.
  public var requiresReboot: Bool
  /// The packages that asked for the restart, each once.
  public var rebootReasons: [String]
  /// Whether jobs are refused until the pending restart has happened (rows A16, A38).
  public var requiresRebootFirst: Bool
  /// The number of the last durable event.
  public var seq: Int
  /// The time by the engine's clock when it answered; nil from an engine that does not tell.
  package var time: Timestamp?
  /// True where the root could not be read since the engine started; nil otherwise.
  ///
  /// Who holds the lock and whether a restart is pending are not known then.
  public var isRootUnknown: Bool?

  /// A value of its parts.
  package init(
    engine: Engine, queue: Queue, lock: LockHolder?, runningJob: JobID?, requiresReboot: Bool,
    rebootReasons: [String], requiresRebootFirst: Bool = false, seq: Int, time: Timestamp? = nil,
    isRootUnknown: Bool? = nil
  ) {
    self.engine = engine
    self.queue = queue
    self.lock = lock
    self.runningJob = runningJob
    self.requiresReboot = requiresReboot
    self.rebootReasons = rebootReasons
    self.requiresRebootFirst = requiresRebootFirst
    self.seq = seq
    self.time = time
    self.isRootUnknown = isRootUnknown
  }
}

extension EngineStatus {
  private enum CodingKeys: String, CodingKey {
    case engine, queue, lock, runningJob, rebootReasons, requiresRebootFirst
    case seq, time, isRootUnknown
    case requiresReboot = "rebootRequired"
  }

  // `lock` is null in the contract when nobody holds it, so it is always written.
  /// Writes the form of the JSON contract, with null where nothing is.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    try box.encode(engine, forKey: .engine)
    try box.encode(queue, forKey: .queue)
    try box.encode(lock, forKey: .lock)
    try box.encode(runningJob, forKey: .runningJob)
    try box.encode(requiresReboot, forKey: .requiresReboot)
    try box.encode(rebootReasons, forKey: .rebootReasons)
    try box.encode(requiresRebootFirst, forKey: .requiresRebootFirst)
    try box.encode(seq, forKey: .seq)
    try box.encodeIfPresent(time, forKey: .time)
    try box.encodeIfPresent(isRootUnknown, forKey: .isRootUnknown)
  }
}
