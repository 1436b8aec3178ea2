import InstallJobs
import JobServer

@testable import JobEngine

/// An engine that does what the test says: a journal in memory, and methods that can be held up.
actor ScriptedEngine: EngineService {
  /// One line of the record.
  struct Entry: Equatable {
    var act: String
    var job: Int?
    var uid: UInt32
    var pid: Int32?
    var command: String?
    var outcome: String
  }

  nonisolated let epoch: String
  private(set) var record: [Entry] = []
  private(set) var acts: [AuditedAct] = []
  private(set) var requests: [JobRequest] = []
  private(set) var requesters: [Requester] = []
  private(set) var refreshers: [Requester] = []
  private(set) var journalReads = 0
  private(set) var historyLimits: [Int] = []
  private(set) var eventLimits: [Int] = []
  private var journal: [JobEvent] = []
  private var table: [JobID: JobSnapshot] = [:]
  private var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
  private var isAuditBroken = false
  /// How many uploaders are gone.
  private(set) var hangUps = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  /// The plans among what is held up, by their numbers.
  private var heldPlans: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastPlan = 0

  /// - Parameter epoch: The name of its journal.
  init(epoch: String = "e1") { self.epoch = epoch }

  var lastSeq: Int { journal.last?.seq ?? 0 }
  var subscriberCount: Int { subscribers.count }
  /// How many requests are held up.
  var heldCount: Int { held.count + heldPlans.count }

  func breakAudit() { isAuditBroken = true }

  // MARK: What the test plays

  /// Adds a durable event and tells the subscribers.
  func play(_ job: JobID?, _ payload: JobEvent.Payload) {
    let seq = lastSeq + 1
    let event = JobEvent(
      seq: seq, at: Timestamp(milliseconds: Int64(seq)), job: job, payload: payload)
    journal.append(event)
    if let job { table[job]?.apply(event) }
    for subscriber in subscribers.values { subscriber.yield([event]) }
  }

  /// Tells the subscribers something that is not stored.
  func tell(_ job: JobID, _ payload: JobEvent.Payload) {
    let event = JobEvent(
      seq: lastSeq, at: Timestamp(milliseconds: 0), job: job, payload: payload)
    table[job]?.apply(event)
    for subscriber in subscribers.values { subscriber.yield([event]) }
  }

  /// Loses what was told and not stored, as an engine that is killed does.
  func forgetProgress(of job: JobID) {
    table[job]?.percentComplete = 0
    table[job]?.downloadedBytes = 0
  }

  func play(_ count: Int, of job: JobID) {
    for number in 0..<count {
      play(
        job,
        .state(
          JobStateChange(
            .installing, abortPreview: .accepted(stopsAfter: "p\(number)"),
            currentStepIndex: number)))
    }
  }

  /// Whether requests to submit a job are held up as those for a plan are.
  private var holdsSubmissions = false
  /// How many plans were cancelled.
  private(set) var cancelledPlans = 0

  /// Whether requests to subscribe are held up.
  private var holdsSubscriptions = false

  func holdSubscriptions() { holdsSubscriptions = true }

  func holdSubmissions() { holdsSubmissions = true }

  private func endPlan(_ number: Int) {
    cancelledPlans += 1
    heldPlans.removeValue(forKey: number)?.resume()
  }

  func release() {
    for continuation in held { continuation.resume() }
    for continuation in heldPlans.values { continuation.resume() }
    held = []
    heldPlans = [:]
  }

  func stop() {
    for subscriber in subscribers.values { subscriber.finish() }
    subscribers = [:]
  }

  // MARK: EngineService

  func submit(_ request: JobRequest, by requester: Requester) async throws(InstallationError)
    -> JobSnapshot
  {
    let request = try request.validated()
    if holdsSubmissions { await withCheckedContinuation { held.append($0) } }
    requests.append(request)
    requesters.append(requester)
    let id = JobID(table.count + 1)
    let steps = request.updates.map { update in
      PlannedUpdate(
        name: update.name, architecture: "amd64", action: .install, toVersion: "1",
        requested: true)
    }
    let plan = JobPlan(
      requests: request.updates.enumerated().map { .init(update: $1, step: $0) }, steps: steps)
    let snapshot = JobSnapshot(
      id: id, request: request, plan: plan, requestedBy: requester, provider: "simulated",
      submittedAt: Timestamp(milliseconds: 0))
    table[id] = snapshot
    play(id, .submitted(snapshot.withoutPlan))
    return snapshot
  }

  func plan(
    _ request: JobRequest, for user: PlanningUser
  ) async throws(InstallationError) -> JobPlan {
    lastPlan += 1
    let number = lastPlan
    await withTaskCancellationHandler {
      await withCheckedContinuation { heldPlans[number] = $0 }
    } onCancel: {
      Task { await self.endPlan(number) }
    }
    return JobPlan(requests: [], steps: [])
  }

  /// What searches find.
  private var details: [UpdateDetails] = []

  func offer(_ details: [UpdateDetails]) { self.details = details }

  func search(
    _ criteria: UpdateCriteria, for user: PlanningUser
  ) throws(InstallationError) -> UpdateSearchResult {
    UpdateSearchResult(updates: details.filter { criteria.includes($0) })
  }

  func systemInformation(for user: PlanningUser) -> SystemInformation {
    SystemInformation(engineVersion: "1", provider: "simulated", root: "scripted")
  }

  func jobs(in states: Set<JobState>?) -> [JobSnapshot] {
    table.values.filter { states?.contains($0.state) ?? true }.map(\.withoutPlan)
      .sorted { $0.id < $1.id }
  }

  func request(of id: JobID) throws(InstallationError) -> JobRequest {
    _ = try job(id)
    return requests[id.rawValue - 1]
  }

  func history(_ filter: HistoryFilter, after: JobID?, limit: Int) -> [JobSnapshot] {
    historyLimits.append(limit)
    let ended = jobs(in: [.completed, .interrupted]).reversed()
    return Array(ended.filter { job in after.map { job.id < $0 } ?? true }.prefix(limit))
  }

  func job(_ id: JobID) throws(InstallationError) -> JobSnapshot {
    guard let snapshot = table[id] else {
      throw InstallationError(.unknownJob, "there is no job \(id)", class: .fatal)
    }
    return snapshot
  }

  func requestAbort(of id: JobID, by requester: Requester) throws(InstallationError)
    -> AbortDisposition
  {
    _ = try job(id)
    return .accepted(stopsAfter: "a", etaSeconds: 2)
  }

  func withdrawAbort(of id: JobID, by requester: Requester) throws(InstallationError) {
    _ = try job(id)
  }

  func suspend(_ id: JobID, by requester: Requester) throws(InstallationError) { _ = try job(id) }

  func resume(_ id: JobID, by requester: Requester) throws(InstallationError) {
    throw InstallationError(.cannotResume, "job \(id) is not suspended", class: .fatal)
  }

  private var pause: QueuePause?

  func pauseQueue(by requester: Requester) -> QueueStatus {
    pause = pause ?? QueuePause(.request, by: requester, since: Timestamp(milliseconds: 1000))
    return standing
  }

  func askLockHolderToYield() throws(InstallationError) -> LockHolder {
    throw InstallationError(.invalidState, "nobody else holds the package lock", class: .transient)
  }

  func resumeQueue(by requester: Requester) throws(InstallationError) -> QueueStatus {
    guard pause != nil else {
      throw InstallationError(.cannotResume, "nobody has paused the queue", class: .fatal)
    }
    pause = nil
    return standing
  }

  private var standing: QueueStatus {
    QueueStatus(
      queue: .init(running: 0, queued: table.count, paused: pause != nil, pause: pause),
      runningJob: nil, runningState: nil)
  }

  func move(
    _ id: JobID, to place: QueueMove, by requester: Requester
  ) throws(InstallationError) -> JobSnapshot {
    var moved = try job(id)
    if case .priority(let priority) = place { moved.options.priority = priority }
    return moved
  }

  func cleanUp(_ id: JobID, by requester: Requester) throws(InstallationError) { _ = try job(id) }

  func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) -> Update? {
    offset + Int64(bytes.count) == archive.size ? Update("local", archive: archive) : nil
  }

  func dropUploads(_ uploader: Uploader) { hangUps += 1 }

  func refresh(by requester: Requester) { refreshers.append(requester) }
  func mark(_ mark: PackageMark, _ updates: [Update], by requester: Requester) {}

  func upgradableUpdates(for user: PlanningUser) -> [PlannedUpdate] {
    (0..<6000).map { number in
      PlannedUpdate(
        name: "package-with-a-long-name-\(number)", architecture: "amd64", action: .upgrade,
        fromVersion: "1", toVersion: "2", origin: "Debian:bookworm/main \"\(number)\" \u{E9}")
    }
  }

  func checkup(for user: PlanningUser) -> Checkup {
    Checkup(
      root: "/", findings: [Checkup.Finding(.rights, user.mayAct ? .sound : .attention, "scripted")]
    )
  }

  func status() -> EngineStatus {
    EngineStatus(
      engine: .init(
        pid: 1, version: "1.2.3", startedAt: Timestamp(milliseconds: 0), root: "/r",
        provider: "simulated"),
      queue: .init(running: 0, queued: 0, paused: false), lock: nil, runningJob: nil,
      requiresReboot: true, rebootReasons: ["linux-image"], seq: lastSeq,
      time: Timestamp(milliseconds: 1_700_000_000_000))
  }

  func log(of id: JobID, from offset: Int64, limit: Int64) throws(InstallationError) -> LogChunk {
    _ = try job(id)
    let text = String("0123456789".dropFirst(Int(offset)).prefix(Int(limit)))
    return LogChunk(
      offset: offset, text: text, nextOffset: offset + Int64(text.utf8.count), length: 10)
  }

  func events(after seq: Int, limit: Int) -> [JobEvent] {
    journalReads += 1
    return Array(journal.dropFirst(seq).prefix(limit))
  }

  func events(of id: JobID, after seq: Int, limit: Int) throws(InstallationError) -> [JobEvent] {
    _ = try job(id)
    eventLimits.append(limit)
    return Array(journal.filter { $0.job == id && $0.seq > seq }.prefix(limit))
  }

  func subscribe(newest limit: Int?) async -> EngineSubscription {
    if holdsSubscriptions { await withCheckedContinuation { held.append($0) } }
    let (events, continuation) = AsyncStream.makeStream(of: [JobEvent].self)
    let number = (subscribers.keys.max() ?? 0) + 1
    subscribers[number] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.leave(number) } }
    return EngineSubscription(
      snapshots: Array(jobs(in: nil).suffix(limit ?? 0)), seq: lastSeq, events: events)
  }

  private func leave(_ number: Int) { subscribers[number] = nil }

  func audit(_ act: AuditedAct) throws(InstallationError) -> Int64? {
    if isAuditBroken { throw InstallationError(.journal, "the disk is full", class: .needsHuman) }
    record.append(
      Entry(
        act: act.act, job: act.job?.rawValue, uid: act.requester.uid, pid: act.pid,
        command: act.command, outcome: act.outcome))
    acts.append(act)
    return Int64(record.count)
  }

  func answerPing() {}

  func setJob(_ job: JobID, ofAudit number: Int64) {
    acts[Int(number) - 1].job = job
  }

  func audits(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) -> [AuditRecord] {
    acts.enumerated().map { index, act in
      AuditRecord(
        number: Int64(index + 1), at: Timestamp(milliseconds: 0), uid: act.requester.uid,
        user: act.requester.user, pid: act.pid, command: act.command, act: act.act, job: act.job,
        subject: act.subject, outcome: act.outcome, count: act.count)
    }
    .reversed().filter { row in before.map { row.number < $0 } ?? true }.prefix(limit).map { $0 }
  }
}
