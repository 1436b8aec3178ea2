import InstallJobs
package import JobJournal
package import Logging
package import PackageTools

/// Owns the jobs of one package root: queue, work, journal, subscribers.
///
/// The engine decides nothing about a job by itself: it feeds what happens into the job's machine
/// and performs the actions that come out. Events are in the journal before anybody sees them.
package actor Engine {
  /// A job that is not over.
  struct LiveJob {
    var machine: JobMachine
    var request: JobRequest
    var requestedBy: Requester
    var run: (any JobRun)?
    /// The restart marker before the work began; nil when an earlier engine began it.
    var marker: RebootMarker?
    /// Waiting for the provider to have started the work; abort and pause wait for it, too.
    var starting: Task<Void, Never>?
    /// How much of the log has been published.
    var publishedLog: Int64 = 0
    /// Bytes of the log that have been read; nil before any were.
    var logLength: Int64?
    /// Looks after signs of life.
    var silenceTimer: Task<Void, Never>?
    /// Asks for an abort at the time the job was told to stop by.
    var stopTimer: Task<Void, Never>?
  }

  package nonisolated let provider: any PackageProvider
  package nonisolated let settings: EngineSettings
  nonisolated let journal: Journal
  nonisolated let startedAt: Timestamp
  let archives: ArchiveStore
  let logger: Logger
  var live: [JobID: LiveJob] = [:]
  var queue = JobQueue()
  var observers: [JobID: [Int: AsyncStream<JobSnapshot>.Continuation]] = [:]
  var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
  var nextObserver = 0
  /// How many of the live jobs each user has.
  var jobsOfUser: [Requester: Int] = [:]
  var auditLimit = AuditLimit()
  /// What the stages of any package cost on this machine, and when that was read.
  var costsOfMachine: (costs: LearnedCosts, at: Timestamp)?
  /// The fetching of the package index that is under way.
  var refreshing: Task<Result<Void, InstallationError>, Never>?
  var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var queueTimer: Task<Void, Never>?

  /// An engine over a provider and its journal; it does nothing before ``start()``.
  package init(
    provider: any PackageProvider, journal: Journal, settings: EngineSettings,
    logger: Logger = Logger(label: "engine") { _ in SwiftLogNoOpLogHandler() }
  ) {
    self.provider = provider
    self.journal = journal
    self.settings = settings
    self.logger = logger
    startedAt = settings.now()
    archives = ArchiveStore(folder: settings.stateFolder + "/archives")
  }

  // MARK: Feeding machines

  /// Feeds an input into a job's machine, stores and publishes what comes of it in one transaction
  /// with the offsets it consumed, and performs the rest.
  ///
  /// - Returns: The actions, for callers that wait for an answer.
  /// - Throws: A fault of the journal; machine and journal are then as before.
  @discardableResult
  func feed(
    _ input: JobMachine.Input, to id: JobID, offsets: StreamOffsets = [:]
  ) throws(InstallationError) -> [JobMachine.Action] {
    guard let job = live[id] else { return [] }
    let time = settings.now()
    var machine = job.machine
    let actions: [JobMachine.Action]
    do {
      actions = try machine.handle(input, at: time)
    } catch {
      logger.error("\(error)", metadata: ["job": "\(id)"])
      return []
    }
    let standing = JobEvent.Standing(
      percentComplete: machine.snapshot.percentComplete,
      logLength: job.logLength)
    try commit(actions, of: id, standing: standing, offsets: offsets, at: time)
    live[id]?.machine = machine
    perform(actions, for: id)
    tellIfIdle()
    if !actions.isEmpty { show(id) }
    return actions
  }

  private func commit(
    _ actions: [JobMachine.Action], of id: JobID, standing: JobEvent.Standing,
    offsets: StreamOffsets, at time: Timestamp
  ) throws(InstallationError) {
    let drafts = actions.compactMap { action -> EventDraft? in
      guard case .record(let payload) = action else { return nil }
      return EventDraft(id, payload, standing: standing)
    }
    var events: [JobEvent] = []
    let writes = !drafts.isEmpty || !offsets.isEmpty
    if writes {
      let samples = actions.flatMap { self.samples(from: $0, of: id, at: time) }
      events = try journal.append(drafts, offsets: [id: offsets], samples: samples, at: time)
    }
    let seq = journal.lastSeq
    for case .publish(let payload) in actions {
      events.append(JobEvent(seq: seq, at: time, job: id, payload: payload))
    }
    publish(events)
    if writes { noteWritten() }
  }

  private func perform(_ actions: [JobMachine.Action], for id: JobID) {
    for action in actions {
      switch action {
      case .startWork(let finished): startWork(id, finishedSteps: finished)
      case .verify: verify(id)
      case .leaveQueue: leaveQueue(id)
      case .releaseFiles: releaseFiles(of: id)
      case .record, .publish, .askStop, .takeStopBack, .answer, .refuse, .learn: break
      }
    }
  }

  // MARK: The queue

  /// Gives the next job its turn, if there is one, and sets the timer for the next time that counts.
  func schedule() {
    let time = settings.now()
    let before = queue.pause
    // Whether the journal can be written again is seen by trying, and only by that.
    let stuck = queue.resume(.journal)
    let written = journal.lastSeq
    var retry: Double?
    while retry == nil, let entry = queue.next(at: time, isOver: isOver) {
      queue.occupy(entry.id)
      weigh(entry.id)
      do {
        try feed(.begin, to: entry.id)
      } catch {
        logger.critical("cannot begin job \(entry.id): \(error)")
        queue.giveBack(entry)
        queue.pause(QueuePause(.journal, since: stuck?.since ?? time, detail: error.message))
        retry = 1
      }
    }
    if let stuck, retry == nil, journal.lastSeq == written { queue.pause(stuck) }
    tellOfPause(since: before)
    queueTimer?.cancel()
    if let retry {
      queueTimer = timer(after: retry) { engine in await engine.schedule() }
    } else {
      queueTimer = queue.nextTime(after: time).map { next in
        timer(at: next) { engine in await engine.schedule() }
      }
    }
    guard !observers.isEmpty else { return }
    for entry in queue.entries where observers[entry.id] != nil { show(entry.id) }
  }

  private func leaveQueue(_ id: JobID) {
    queue.remove(id)
    guard let job = live[id] else { return }
    job.silenceTimer?.cancel()
    job.stopTimer?.cancel()
    show(id)
    for continuation in observers.removeValue(forKey: id)?.values.map(\.self) ?? [] {
      continuation.finish()
    }
    forget(id, of: job.requestedBy)
    schedule()
  }

  /// Takes a job in hand, to be ended by ``forget(_:of:)``.
  func remember(_ job: LiveJob) {
    live[job.machine.snapshot.id] = job
    jobsOfUser[job.requestedBy, default: 0] += 1
  }

  /// Lets go of a job: nothing of one that is over stays in memory.
  func forget(_ id: JobID, of requester: Requester) {
    guard live.removeValue(forKey: id) != nil else { return }
    let left = (jobsOfUser[requester] ?? 1) - 1
    jobsOfUser[requester] = left > 0 ? left : nil
    settings.jobEnded()
  }

  func isOver(_ id: JobID) -> Bool { live[id] == nil }

  /// Runs `body` after so many seconds of the engine's clock, unless cancelled.
  func timer(
    after seconds: Double, _ body: @escaping @Sendable (Engine) async -> Void
  ) -> Task<Void, Never> {
    let clock = settings.clock
    return Task { [weak self] in
      do { try await clock.sleep(for: .milliseconds(Int64(max(0, seconds) * 1000))) } catch {
        return
      }
      guard let self else { return }
      await body(self)
    }
  }

  /// Runs `body` once the machine's clock shows `time`, unless cancelled.
  ///
  /// The clock may be set meanwhile, in either direction: it is looked at every ``glance`` seconds.
  func timer(
    at time: Timestamp, _ body: @escaping @Sendable (Engine) async -> Void
  ) -> Task<Void, Never> {
    let (clock, now) = (settings.clock, settings.now)
    return Task { [weak self] in
      while true {
        let left = time.seconds(since: now())
        guard left > 0 else { break }
        let pause = Int64((min(left, Self.glance) * 1000).rounded(.up))
        do { try await clock.sleep(for: .milliseconds(pause)) } catch { return }
      }
      guard let self, !Task.isCancelled else { return }
      await body(self)
    }
  }

  /// The longest time in seconds for which nobody notices that the clock was set.
  private static let glance = 60.0

  // MARK: Showing

  /// The job's snapshot with its place in the queue.
  func snapshot(of id: JobID) -> JobSnapshot? {
    guard var snapshot = live[id]?.machine.snapshot else { return nil }
    if snapshot.state == .queued {
      snapshot.queuePosition = queue.position(of: id, at: settings.now(), isOver: isOver)
      // One that is held says so by itself.
      snapshot.waitingFor =
        snapshot.waitingFor ?? queue.reason(for: id, at: settings.now(), isOver: isOver)
    }
    return snapshot
  }

  /// Every job that is not over, oldest first, without plans, with its place in the queue.
  func liveSnapshots() -> [JobSnapshot] {
    let time = settings.now()
    var entries: [JobID: JobQueue.Entry] = [:]
    for entry in queue.entries { entries[entry.id] = entry }
    let positions = queue.positions(at: time, isOver: isOver)
    let first = queue.first(at: time, isOver: isOver)
    return live.keys.sorted().compactMap { id in
      guard var snapshot = live[id]?.machine.snapshot.withoutPlan else { return nil }
      if snapshot.state == .queued, let entry = entries[id] {
        snapshot.queuePosition = positions[id]
        snapshot.waitingFor =
          snapshot.waitingFor ?? queue.reason(for: entry, behind: first, at: time, isOver: isOver)
      }
      return snapshot
    }
  }

  /// Hands the job's present snapshot to those who follow it.
  func show(_ id: JobID) {
    guard let continuations = observers[id], let snapshot = snapshot(of: id) else { return }
    for continuation in continuations.values { continuation.yield(snapshot) }
  }

  /// Hands events to the subscribers; a subscriber that is behind misses the oldest and sees the
  /// gap in the numbers.
  func publish(_ events: [JobEvent]) {
    guard !events.isEmpty else { return }
    for continuation in subscribers.values { continuation.yield(events) }
  }
}
