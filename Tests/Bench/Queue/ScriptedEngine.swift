internal import Glibc
internal import InstallJobs
internal import JobEngine
internal import JobServer
internal import Synchronization

/// An engine whose jobs do what ``ScriptedQueue`` says and that refuses every act.
final class ScriptedEngine: EngineService {
  private struct State {
    var queue: ScriptedQueue
    var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
    var lastSubscriber = 0
  }

  let epoch = "bench"
  let lastSeq = ScriptedQueue.seq
  private let state: Mutex<State>
  private let logPath: String

  /// An engine at the queue's present beat; the file at `logPath` is every job's log.
  init(_ queue: ScriptedQueue, logPath: String) {
    state = Mutex(State(queue: queue))
    self.logPath = logPath
  }

  /// How many monitors listen.
  var subscriberCount: Int { state.withLock { $0.subscribers.count } }

  /// Moves the queue on by one beat and tells everybody, all jobs in one batch.
  func beat() {
    state.withLock { state in
      let events = state.queue.advance()
      guard !events.isEmpty else { return }
      for subscriber in state.subscribers.values { subscriber.yield(events) }
    }
  }

  // MARK: Looking

  func jobs(in states: Set<JobState>?) -> [JobSnapshot] {
    let queue = state.withLock { $0.queue }
    return queue.snapshots.filter { states?.contains($0.state) ?? true }.map(\.withoutPlan)
  }

  func job(_ id: JobID) throws(InstallationError) -> JobSnapshot {
    guard let job = state.withLock({ $0.queue }).job(id) else {
      throw InstallationError(.unknownJob, "there is no job \(id)", class: .fatal)
    }
    return job
  }

  func checkup(for user: PlanningUser) -> Checkup { Checkup(root: "/", findings: []) }

  func status() -> EngineStatus {
    let queue = state.withLock { $0.queue }
    return EngineStatus(
      engine: .init(
        pid: getpid(), version: "bench", startedAt: Timestamp(milliseconds: 0), root: "/",
        provider: "apt"),
      queue: .init(running: queue.moving, queued: 0, paused: false), lock: nil, runningJob: nil,
      requiresReboot: false, rebootReasons: [], seq: lastSeq)
  }

  func log(of id: JobID, from offset: Int64, limit: Int64) throws(InstallationError) -> LogChunk {
    guard let piece = LogChunk.read(logPath, from: offset, limit: limit) else {
      throw InstallationError(.internal, "the log '\(logPath)' cannot be read", class: .fatal)
    }
    return piece
  }

  func events(after seq: Int, limit: Int) -> [JobEvent] { [] }
  func events(of id: JobID, after seq: Int, limit: Int) -> [JobEvent] { [] }

  func subscribe(newest limit: Int?) -> EngineSubscription {
    let (events, continuation) = AsyncStream.makeStream(of: [JobEvent].self)
    let (number, queue) = state.withLock { state in
      state.lastSubscriber += 1
      state.subscribers[state.lastSubscriber] = continuation
      return (state.lastSubscriber, state.queue)
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
    }
    let rows = limit == nil ? [] : queue.snapshots.map(\.withoutPlan)
    return EngineSubscription(snapshots: rows, seq: lastSeq, events: events)
  }

  func plan(
    _ request: JobRequest, for user: PlanningUser
  ) throws(InstallationError) -> JobPlan { throw Self.refusal }
  func upgradableUpdates(for user: PlanningUser) -> [PlannedUpdate] { [] }
  func search(_ criteria: UpdateCriteria, for user: PlanningUser) -> UpdateSearchResult {
    UpdateSearchResult(updates: [])
  }
  func systemInformation(for user: PlanningUser) -> SystemInformation {
    SystemInformation(engineVersion: "0", provider: "simulated", root: "scripted")
  }
  func request(of id: JobID) throws(InstallationError) -> JobRequest { throw Self.refusal }

  func history(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) throws(InstallationError) -> [JobSnapshot] { throw Self.refusal }

  // MARK: Acting

  private static let refusal = InstallationError(
    .invalidState, "this engine only measures", class: .fatal)

  func submit(_ request: JobRequest, by requester: Requester) throws(InstallationError)
    -> JobSnapshot
  { throw Self.refusal }

  func requestAbort(of id: JobID, by requester: Requester) throws(InstallationError)
    -> AbortDisposition
  { throw Self.refusal }

  func withdrawAbort(of id: JobID, by requester: Requester) throws(InstallationError) {
    throw Self.refusal
  }

  func suspend(_ id: JobID, by requester: Requester) throws(InstallationError) {
    throw Self.refusal
  }

  func resume(_ id: JobID, by requester: Requester) throws(InstallationError) {
    throw Self.refusal
  }

  func askLockHolderToYield() throws(InstallationError) -> LockHolder { throw Self.refusal }

  func pauseQueue(by requester: Requester) throws(InstallationError) -> QueueStatus {
    throw Self.refusal
  }

  func resumeQueue(by requester: Requester) throws(InstallationError) -> QueueStatus {
    throw Self.refusal
  }

  func move(
    _ id: JobID, to place: QueueMove, by requester: Requester
  ) throws(InstallationError) -> JobSnapshot { throw Self.refusal }

  func cleanUp(_ id: JobID, by requester: Requester) throws(InstallationError) {
    throw Self.refusal
  }

  func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) throws(InstallationError) -> Update? { throw Self.refusal }

  func refresh(by requester: Requester) throws(InstallationError) { throw Self.refusal }
  func mark(
    _ mark: PackageMark, _ updates: [Update], by requester: Requester
  ) throws(InstallationError) { throw Self.refusal }

  func dropUploads(_ uploader: Uploader) {}

  func audit(_ act: AuditedAct) -> Int64? { nil }

  func answerPing() {}

  func setJob(_ job: JobID, ofAudit number: Int64) {}

  func audits(_ filter: AuditFilter, before: Int64?, limit: Int) -> [AuditRecord] { [] }
}
