import HostSystem
import InstallJobs
package import JobJournal
package import Logging
package import PackageProvider

/// Owns the jobs of one package root: queue, work, journal, subscribers.
///
/// The engine decides nothing about a job by itself: it feeds what happens into the job's machine
/// and performs the actions that come out. Events are in the journal before anybody sees them.
package actor Engine {
  /// A job that is not over.
  struct LiveJob {
    var rehearsed: TransactionalMachine
    var request: JobRequest
    var requestedBy: Requester
    var run: (any JobRun)?
    /// The restart marker before the work began; nil when an earlier engine began it.
    var marker: RebootMarker?
    /// Waiting for the provider to have started the work; abort and pause wait for it, too.
    var starting: Task<Void, Never>?
    /// How often its work was started by this engine.
    var starts = 0
    /// How far files were read since the last event that was stored.
    var unwritten: StreamOffsets = [:]
    /// How much of the log has been published.
    var publishedLog: Int64 = 0
    /// Bytes of the log that have been read; nil before any were.
    var logLength: Int64?
    /// What an abort would be answered, as the last event that was stored tells it, without the time.
    var storedPreview: AbortDisposition?
    /// Looks after signs of life.
    var silenceTimer: Task<Void, Never>?
    /// Seconds that configuring the packages of steps took before.
    var configuringSeconds: [Int: Double] = [:]
    /// Asks for an abort at the time the job was told to stop by.
    var stopTimer: Task<Void, Never>?
    /// When it was measured last by what was learned.
    var weighedAt: Timestamp?
    /// Looks at what moves by time alone.
    var scheduledCheck: ScheduledCheck?

    /// What the work answered to a request to stop, and whoever asked was told, where the journal has
    /// not taken it yet: nothing of this job goes before it.
    var pendingStop: JobMachine.Input?

    init(_ machine: JobMachine, _ request: JobRequest, by requester: Requester) {
      rehearsed = TransactionalMachine(machine)
      self.request = request
      requestedBy = requester
    }

    var machine: JobMachine { rehearsed.machine }

    /// Looks at the job in its place: a copy of all that is kept of it takes longer than the look.
    mutating func withSnapshot<Value>(_ body: (JobSnapshot) -> Value) -> Value {
      body(rehearsed.machine.snapshot)
    }
    /// How far it is with what is about to be stored.
    var standing: JobEvent.ProgressMark {
      JobEvent.ProgressMark(
        percentComplete: rehearsed.withSnapshot(\.percentComplete), logLength: logLength,
        abortPreview: rehearsed.withSnapshot(\.abortPreview))
    }
  }

  package nonisolated let provider: any PackageProvider
  package nonisolated let settings: EngineSettings
  nonisolated let journal: Journal
  nonisolated let startedAt: Timestamp
  /// When the journal was first seen to take nothing, though nothing was refused yet; nil where it does.
  var faultSeenAt: Timestamp?
  let archives: ArchiveStore
  /// Where the provider plans, and where it does everything else that may wait for a disk or a tool.
  nonisolated let planning: PlanningQueue
  nonisolated let providerThreads = WaitingThreads(limit: 64)
  let logger: Logger
  var live: [JobID: LiveJob] = [:]
  var queue = JobQueue()
  var observers: [JobID: [Int: JobSnapshots.Source]] = [:]
  var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
  var nextObserver = 0
  /// How many of the live jobs each user has.
  var jobsOfUser: [Requester: Int] = [:]
  var auditLimit = AuditLimit()
  var strangerLimit = UnprivilegedRefusalLimit()
  /// Looks for old jobs when it ends, and how many seconds that wait has in all.
  var retentionWait: (seconds: Double, timer: Task<Void, Never>)?
  /// Acts that the journal has not taken yet, oldest first.
  var unrecorded: [AuditEntry] = []
  /// Jobs that were cleaned up, and by whom, where the journal had no room for it yet.
  var unrecordedCleanUps: [JobID: Requester] = [:]
  /// Tries to record them.
  var cleanUpTimer: Task<Void, Never>?
  /// Tries to set room aside again.
  var roomTimer: Task<Void, Never>?
  /// The attempt to set room aside that is under way.
  var roomAttempt: Task<Bool, Never>?
  /// What the stages of any package cost on this machine, and when that was read.
  var costsOfMachine: (costs: LearnedCosts, at: Timestamp)?
  /// What was last seen of the root, for when its disk does not answer; nil before the first reading.
  var lastRootMarks: RootMarks?
  /// Readings of the root that are under way, by their numbers.
  var rootReadings: [Int: Task<RootMarks, Never>] = [:]
  var lastRootReading = 0
  /// The fetching of the package index that is under way.
  var refreshing: Task<Result<Void, InstallationError>, Never>?
  /// What is fetched for jobs that wait.
  var ahead = AheadFetches()
  var idleWaiters: [CheckedContinuation<Void, Never>] = []
  /// Whether no job is begun or resumed, because the machine is shutting down.
  var isShuttingDown = false
  /// Whether it takes nothing more: its journal is about to be closed, and the next engine goes on.
  private(set) var hasEnded = false
  /// Whether nobody needs it any more once its state folder is gone.
  var endsWithStateFolder = false
  /// Callers that wait until no job works.
  var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
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
    planning = PlanningQueue(
      limits: settings.planningLimits, threads: WaitingThreads(limit: 64))
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
    guard !hasEnded else { return [] }
    try recordPendingStop(of: id)
    let time = settings.now()
    // In its place all the time: a second owner would have every list of the job copied.
    let taken: [JobMachine.Action]?
    do {
      taken = try live[id]?.rehearsed.rehearse(input, at: time)
    } catch {
      logger.error("\(error)", metadata: ["job": "\(id)"])
      return []
    }
    guard let actions = taken, let standing = live[id]?.standing else { return [] }
    do {
      try commit(
        actions, of: id, standing: standing, offsets: offsets, at: time,
        mayUseReserve: input.mayUseReserve)
    } catch {
      live[id]?.rehearsed.retract()
      throw error
    }
    live[id]?.rehearsed.confirm()
    perform(actions, for: id)
    scheduleCheck(at: id, time)
    notifyIfIdle()
    noteForShutdown()
    if !actions.isEmpty { show(id) }
    return actions
  }

  private func commit(
    _ actions: [JobMachine.Action], of id: JobID, standing: JobEvent.ProgressMark,
    offsets: StreamOffsets, at time: Timestamp, mayUseReserve: Bool
  ) throws(InstallationError) {
    var drafts = actions.compactMap { action -> EventDraft? in
      guard case .record(let payload) = action else { return nil }
      return EventDraft(id, payload, standing: standing)
    }
    var events: [JobEvent] = []
    // Lines of which nothing is kept may be read again: how far they were read waits for the next
    // event, and is no transaction of its own.
    let writes = !drafts.isEmpty
    let offsets = (live[id]?.unwritten ?? [:]).merging(offsets) { $1 }
    if writes {
      // How things stand after the last of them; a state brings its own with it. The time that is left
      // moves all the while, and is not worth it.
      let bringsOne = actions.contains { if case .record(.state) = $0 { true } else { false } }
      let isNew = bringsOne || standing.abortPreview?.untimed != live[id]?.storedPreview
      for index in drafts.indices.dropLast(isNew ? 1 : 0) {
        drafts[index].standing?.abortPreview = nil
      }
      let samples = actions.flatMap { self.samples(from: $0, of: id, at: time) }
      events = try journal.append(
        drafts, offsets: [id: offsets], samples: samples, at: time, mayUseReserve: mayUseReserve)
    }
    // Only now: what is not stored together with its events must not be stored with others.
    live[id]?.unwritten = writes ? [:] : offsets
    if writes { live[id]?.storedPreview = standing.abortPreview?.untimed }
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

  /// Takes nothing more from work and timers; to be called before the journal is closed.
  ///
  /// Workers go on, and what they report stays in their files for the next engine.
  package func end() { hasEnded = true }

  // MARK: The queue

  /// Gives the next job its turn, if there is one, and sets the timer for the next time that counts.
  func schedule() {
    guard !isShuttingDown, !hasEnded else { return }
    guard roomShortage == nil else { return waitForRoom() }
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
        if stuck?.detail != error.message {
          logger.critical("cannot begin job \(entry.id): \(error)")
        }
        queue.giveBack(entry)
        queue.pause(QueuePause(.journal, since: stuck?.since ?? time, detail: error.message))
        notifyIfStateIsGone()
        retry = 1
      }
    }
    if let stuck, retry == nil, journal.lastSeq == written { queue.pause(stuck) }
    publishPause(since: before)
    queueTimer?.cancel()
    if let retry {
      queueTimer = timer(after: retry) { engine in await engine.schedule() }
    } else {
      queueTimer = queue.nextTime(after: time).map { next in
        timer(at: next) { engine in await engine.schedule() }
      }
    }
    fetchAhead()
    guard !observers.isEmpty else { return }
    for entry in queue.entries where observers[entry.id] != nil { show(entry.id) }
  }

  private func leaveQueue(_ id: JobID) {
    queue.remove(id)
    guard let job = live[id] else { return }
    noteArrivals(of: job)
    let folder = JobFolder(of: id, inState: settings.stateFolder)
    folder.markSettled()
    folder.finish()
    settings.jobTrail(job.machine.snapshot)
    removeOldLater()
    job.silenceTimer?.cancel()
    job.stopTimer?.cancel()
    job.scheduledCheck?.timer.cancel()
    show(id)
    for source in observers.removeValue(forKey: id)?.values.map(\.self) ?? [] { source.finish() }
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
    ahead.forget(id)
    let left = (jobsOfUser[requester] ?? 1) - 1
    jobsOfUser[requester] = left > 0 ? left : nil
    settings.jobEnded()
  }

  func isOver(_ id: JobID) -> Bool { live.index(forKey: id) == nil }

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
      snapshot.apply(times(of: id, at: settings.now()))
    }
    return snapshot
  }

  /// Jobs that are not over, oldest first, without plans, with their places in the queue.
  ///
  /// What is not wanted costs next to nothing: anybody who may look can ask all the time.
  ///
  /// - Parameters:
  ///   - states: The states that are wanted; nil for all.
  ///   - limit: How many at most, the newest ones.
  ///   - isForeseen: Whether also when each begins and ends.
  /// - Returns: The jobs.
  func liveSnapshots(
    in states: Set<JobState>? = nil, newest limit: Int = .max, isForeseen: Bool
  ) -> [JobSnapshot] {
    guard limit > 0 else { return [] }
    var snapshots = liveJobs(in: states).suffix(limit).compactMap { id in
      live[id]?.withSnapshot { $0.withoutPlan }
    }
    guard snapshots.contains(where: { $0.state == .queued }) else { return snapshots }
    let time = settings.now()
    let times = isForeseen ? times(at: time) : [:]
    var entries: [JobID: JobQueue.Entry] = [:]
    for entry in queue.entries { entries[entry.id] = entry }
    let positions = queue.positions(at: time, isOver: isOver)
    let first = queue.first(at: time, isOver: isOver)
    for index in snapshots.indices where snapshots[index].state == .queued {
      guard let entry = entries[snapshots[index].id] else { continue }
      snapshots[index].queuePosition = positions[entry.id]
      if snapshots[index].waitingFor == nil {
        snapshots[index].waitingFor = queue.reason(
          for: entry, behind: first, at: time, isOver: isOver)
      }
      snapshots[index].apply(times[entry.id])
    }
    return snapshots
  }

  private func liveJobs(in states: Set<JobState>?) -> [JobID] {
    guard let states else { return live.keys.sorted() }
    var found: [JobID] = []
    var index = live.startIndex
    while index < live.endIndex {
      let (id, state) = live.values[index].withSnapshot { ($0.id, $0.state) }
      if states.contains(state) { found.append(id) }
      live.formIndex(after: &index)
    }
    return found.sorted()
  }

  /// Hands the job's present snapshot to those who follow it.
  func show(_ id: JobID) {
    guard let sources = observers[id], let snapshot = snapshot(of: id) else { return }
    for source in sources.values { source.yield(snapshot) }
  }

  /// Hands events to the subscribers; a subscriber that is behind misses the oldest and sees the
  /// gap in the numbers.
  func publish(_ events: [JobEvent]) {
    guard !events.isEmpty else { return }
    for continuation in subscribers.values { continuation.yield(events) }
  }
}
