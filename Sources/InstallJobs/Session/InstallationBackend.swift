/// The engine behind sessions, installers and jobs: in this process, or at a socket.
///
/// The backend determines the requester: in this process the user of the process, at a socket the
/// peer's user as identified by the kernel.
package protocol InstallationBackend: Sendable {
  /// Whether the requester may act, as far as known without asking; the engine decides on each
  /// action.
  var mayAct: Bool { get }
  /// Validates and plans a job, checks rights, and writes the job to the journal; returns before
  /// any work.
  ///
  /// - Throws: The reason if the engine refuses the job (rows A13 to A17, A25, A32, A40, A43);
  ///   nothing is stored then.
  func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot
  /// Returns the plan of a job without submitting it.
  func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan
  /// Returns jobs in the given states, oldest first, without plans; nil means every state.
  ///
  /// Contains all jobs that are not over, and the newest thousand of the ended jobs.
  func jobs(in states: Set<JobState>?) async throws(InstallationError) -> [JobSnapshot]
  /// Returns one job with its plan.
  ///
  /// - Throws: `unknownJob`.
  func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot
  /// Returns the request of a job, as it was submitted.
  ///
  /// - Throws: `unknownJob`.
  func request(of id: JobID) async throws(InstallationError) -> JobRequest
  /// Returns ended jobs without plans, latest end first (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: Selects the jobs.
  ///   - after: The last job of the previous page; nil for the first page.
  ///   - limit: Maximum number of jobs, 0 or more; an engine returns at most 200.
  /// - Returns: An empty page after the last job.
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` if `after` does not exist.
  func historyPage(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) async throws(InstallationError) -> [JobSnapshot]
  /// Returns a piece of a job's log from the byte `offset` on, at most `limit` bytes.
  ///
  /// - Throws: `unknownJob`.
  func log(of id: JobID, from offset: Int64, limit: Int) async throws(InstallationError)
    -> LogPiece
  /// Returns a page of the durable events of one job after the event number `seq`; 0 for the
  /// beginning.
  ///
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event;
  ///   `protocolMismatch` if the engine is too old for this request.
  func events(of id: JobID, after seq: Int) async throws(InstallationError) -> RecordedEvents
  /// Returns the events of the engine as they happen.
  ///
  /// - Throws: `invalidArgument` for a number beyond the last event; `unknownJob`; `busy`.
  func events(_ selection: EventSelection) async throws(InstallationError) -> EngineEvents
  /// Follows a job; may be called any number of times and for several jobs at once.
  func snapshots(of id: JobID) async -> JobSnapshots
  /// Requests an abort of the job; answers at once (rows B15 to B22).
  func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition
  /// Cancels a requested abort.
  ///
  /// - Throws: `invalidState` if there is no abort, or if it has already taken effect.
  func withdrawAbort(of id: JobID) async throws(InstallationError)
  /// Pauses the job (row B28): a working job between two packages, a waiting job in its place.
  func suspend(_ id: JobID) async throws(InstallationError)
  /// Resumes a paused job.
  ///
  /// - Throws: `cannotResume` for a job that is not paused.
  func resume(_ id: JobID) async throws(InstallationError)
  /// Pauses the queue: no further job starts; the running job continues to its end.
  ///
  /// - Returns: The state of the queue; if it was already paused, with the user who paused it
  ///   first.
  func pauseQueue() async throws(InstallationError) -> QueueStatus
  /// Resumes the queue.
  ///
  /// - Throws: `cannotResume` if no user has paused the queue.
  func resumeQueue() async throws(InstallationError) -> QueueStatus
  /// Asks the foreign process that holds the package lock to end after its current work.
  ///
  /// - Returns: The process that was asked; it decides itself when it ends.
  /// - Throws: `invalidState` if no process holds the lock, or if the lock holder does not support
  ///   this request; `notPermitted`.
  func askLockHolderToYield() async throws(InstallationError) -> LockHolder
  /// Moves a waiting job to another place in the queue.
  ///
  /// - Returns: The job in its new place.
  /// - Throws: `invalidState` for a job that has started, and if no free priority leads to that
  ///   place; `invalidArgument` for a priority outside -100...100.
  func move(_ id: JobID, to place: QueueMove) async throws(InstallationError) -> JobSnapshot
  /// Frees an ended job's archives and work files.
  ///
  /// - Throws: `invalidState` while the job is not over.
  func cleanUp(_ id: JobID) async throws(InstallationError)
  /// Uploads a piece of a local archive, so that an update can name the archive.
  ///
  /// Pieces are uploaded in order. After the last piece the engine returns the update, which it
  /// reads from the archive itself.
  ///
  /// - Parameters:
  ///   - bytes: At most 512 KiB.
  ///   - offset: The position of the bytes in the archive.
  ///   - archive: The archive; its hash is checked after the last piece.
  /// - Returns: The update in the archive; nil while pieces are missing.
  /// - Throws: `hashMismatch`, `badArchive`, `invalidArgument` for a piece that is out of order or
  ///   too large.
  func upload(_ bytes: [UInt8], at offset: Int64, of archive: LocalArchive)
    async throws(InstallationError) -> Update?
  /// Sets a mark of packages.
  ///
  /// - Throws: `busy` while a job works or another process uses the package database;
  ///   `notApplicable` for a package that is not installed; `notVerified` if the mark is not set
  ///   afterwards.
  func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError)
  /// Downloads the package index of the engine's root again.
  ///
  /// - Throws: `notPermitted`; `busy` while a job works or another process fetches the index;
  ///   `timedOut`; `downloadFailed` with the package system's message.
  func refresh() async throws(InstallationError)
  /// Checks the engine's machine and the engine itself; changes nothing.
  ///
  /// - Throws: `busy` if too many requests are already waiting.
  func checkup() async throws(InstallationError) -> Checkup
  /// Returns records of the audit log, latest first.
  ///
  /// - Parameters:
  ///   - filter: Selects the records.
  ///   - before: Only records with smaller numbers; nil for the first page.
  ///   - limit: Maximum number of records, 0 or more; an engine returns at most 500.
  /// - Returns: An empty page after the last record.
  /// - Throws: `notPermitted` for a user who may not act; `protocolMismatch` if the engine is too
  ///   old for this request.
  func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord]
  /// Returns installed packages for which the index has a newer version (row A7).
  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate]
  /// Searches for updates in the current index and package database (row S8).
  ///
  /// - Throws: `invalidArgument` for criteria out of range; `protocolMismatch` if the engine is too
  ///   old for this request.
  func search(_ criteria: UpdateCriteria) async throws(InstallationError) -> UpdateSearchResult
  /// Returns information about the engine and its machine (rows S1 to S4, S6, S9, S10).
  ///
  /// - Throws: `protocolMismatch` if the engine is too old for this request.
  func systemInformation() async throws(InstallationError) -> SystemInformation
  /// Returns the status: lock holder, running job, queue, and pending restart.
  func status() async throws(InstallationError) -> EngineStatus
  /// The name of the engine's journal, in which its events are numbered.
  var epoch: String { get async }
  /// The time since the last message from the engine; zero for an engine in this process.
  var silence: Duration { get }
  /// Returns the state of the connection: the current state first, then each change; ends after a
  /// final state.
  func connectionStates() async -> AsyncStream<ConnectionState>
  /// Closes the connection to the engine; jobs continue.
  func close() async
  /// Whether ``close()`` was called; no callback starts after that.
  var isClosed: Bool { get }
}

// Defaults for an engine whose connection cannot be lost.
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
  /// Returns ended jobs without plans, latest end first, at most `limit`; requests them page by
  /// page.
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

  /// Returns records of the audit log, latest first, at most `limit`; requests them page by page.
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

  /// Returns the request for the part of a job that did not succeed; see
  /// ``JobRequest/retrying(_:)``.
  package func retryRequest(of id: JobID) async throws(InstallationError) -> JobRequest {
    try await request(of: id).retrying(try await job(id))
  }
}

/// The status of the engine and its machine, as `fettle status` shows it.
public struct EngineStatus: Sendable, Hashable, Codable {
  /// The engine's process.
  public struct Engine: Sendable, Hashable, Codable {
    /// The process id.
    public var pid: Int32
    /// The version, as `--version` prints it.
    public var version: String
    /// When the process started to serve.
    package var startedAt: Timestamp
    /// The package root of the engine.
    public var root: String
    /// The package provider of the engine: `apt` or `simulated`.
    public var provider: String

    /// Creates a value from its parts.
    package init(pid: Int32, version: String, startedAt: Timestamp, root: String, provider: String)
    {
      self.pid = pid
      self.version = version
      self.startedAt = startedAt
      self.root = root
      self.provider = provider
    }
  }

  /// The engine's queue in numbers.
  public struct Queue: Sendable, Hashable, Codable {
    /// Number of jobs that have started and are not over.
    public var running: Int
    /// Number of jobs that wait in the queue, including paused ones.
    public var queued: Int
    /// Number of paused jobs among them; nil from an engine that does not report it.
    public var held: Int?
    /// Whether the queue is paused, so that no job starts.
    public var paused: Bool
    /// The pause with its cause, user and time; nil also from an engine that does not report it.
    public var pause: QueuePause?
    /// Whether archives of waiting jobs are downloaded while another job runs; nil, which means no,
    /// from an engine that does not report it.
    public var fetchesAhead: Bool?

    /// Creates a value from its parts.
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
  /// The running job.
  public var runningJob: JobID?
  /// Whether a restart of the machine is pending.
  public var requiresReboot: Bool
  /// The packages that asked for the restart, without duplicates.
  public var rebootReasons: [String]
  /// Whether jobs are refused until the pending restart has happened (rows A16, A38).
  public var requiresRebootFirst: Bool
  /// The number of the last durable event.
  public var seq: Int
  /// The engine's time when it answered; nil from an engine that does not report it.
  package var time: Timestamp?
  /// True if the root could not be read since the engine started; else nil.
  ///
  /// The lock holder and a pending restart are unknown then.
  public var isRootUnknown: Bool?

  /// Creates a value from its parts.
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

  // `lock` is null in the contract if no process holds the lock, so it is always encoded.
  /// Encodes the form of the JSON contract, with null for absent values.
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
