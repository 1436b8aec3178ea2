import HostSystem
import InstallJobs
package import JobJournal
package import Logging
package import PackageProvider

/// Owns the jobs of one package root: queue, work, journal and subscribers.
///
/// The engine makes no decision about a job itself: it passes each input to the job's
/// ``JobMachine`` and performs the actions that the machine returns. An event is stored in the
/// journal before it is published.
package actor Engine {
  /// A job that is not over.
  struct LiveJob {
    var transactionalMachine: TransactionalMachine
    var request: JobRequest
    var requestedBy: Requester
    var run: (any JobRun)?
    /// The restart marker before the work began; nil when an earlier engine began it.
    var marker: RebootMarker?
    /// The task that waits until the provider has started the work.
    ///
    /// Requests to abort or pause the job wait for this task.
    var starting: Task<Void, Never>?
    /// How often this engine has started the job's work.
    var starts = 0
    /// Offsets up to which files were read since the last stored event.
    var unstoredOffsets: StreamOffsets = [:]
    /// Number of log bytes that have been published.
    var publishedLog: Int64 = 0
    /// Number of log bytes that have been read; nil before the first read.
    var logLength: Int64?
    /// The abort preview in the last stored event, without its time estimate.
    var storedPreview: AbortDisposition?
    /// The timer of the next check for signs of life.
    var silenceTimer: Task<Void, Never>?
    /// Seconds that configuring each step's package took before, by step index.
    var configuringSeconds: [Int: Double] = [:]
    /// The timer that requests an abort at the job's latest stop time.
    var stopTimer: Task<Void, Never>?
    /// When the job's costs were last estimated from the learned durations.
    var costsEstimatedAt: Timestamp?
    /// The next check of the values that change with time alone.
    var scheduledCheck: ScheduledCheck?

    /// The work's answer to a request to stop that the requester has received and the journal has
    /// not stored yet.
    ///
    /// It must be stored before any other event of this job.
    var pendingStop: JobMachine.Input?

    init(_ machine: JobMachine, _ request: JobRequest, by requester: Requester) {
      transactionalMachine = TransactionalMachine(machine)
      self.request = request
      requestedBy = requester
    }

    var machine: JobMachine { transactionalMachine.machine }

    /// Passes the job's snapshot to `body` without copying the snapshot, because the copy takes
    /// longer than the read.
    mutating func withSnapshot<Value>(_ body: (JobSnapshot) -> Value) -> Value {
      body(transactionalMachine.machine.snapshot)
    }
    /// The job's progress, including an input that is not stored yet.
    var progressMark: JobEvent.ProgressMark {
      JobEvent.ProgressMark(
        percentComplete: transactionalMachine.withSnapshot(\.percentComplete), logLength: logLength,
        abortPreview: transactionalMachine.withSnapshot(\.abortPreview))
    }
  }

  package nonisolated let provider: any PackageProvider
  package nonisolated let settings: EngineSettings
  nonisolated let journal: Journal
  nonisolated let startedAt: Timestamp
  /// When the journal was first found not writable although it has refused nothing yet; nil while
  /// it is writable.
  var faultSeenAt: Timestamp?
  let archives: ArchiveStore
  /// Plans requests.
  ///
  /// `providerThreads` runs every other call of the provider that may wait for a disk or a tool.
  nonisolated let planning: PlanningQueue
  nonisolated let providerThreads = WaitingThreads(limit: 64)
  let logger: Logger
  var live: [JobID: LiveJob] = [:]
  var queue = JobQueue()
  var observers: [JobID: [Int: JobSnapshots.Source]] = [:]
  var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
  var nextObserver = 0
  /// Number of live jobs of each user.
  var jobsOfUser: [Requester: Int] = [:]
  var auditLimit = AuditLimit()
  var unprivilegedRefusalLimit = UnprivilegedRefusalLimit()
  /// The timer of the next removal of old jobs, and its length in seconds.
  var retentionWait: (seconds: Double, timer: Task<Void, Never>)?
  /// Audited acts that the journal has not stored yet, oldest first.
  var unrecorded: [AuditEntry] = []
  /// Jobs whose clean-up the journal had no room to record yet, with the user who cleaned up.
  var unrecordedCleanUps: [JobID: Requester] = [:]
  /// The timer of the next attempt to record the clean-ups.
  var cleanUpTimer: Task<Void, Never>?
  /// The timer of the next attempt to create the journal's reserve.
  var roomTimer: Task<Void, Never>?
  /// The present attempt to create the journal's reserve.
  var roomAttempt: Task<Bool, Never>?
  /// Learned costs of any package on this machine, and when they were read.
  var costsOfMachine: (costs: LearnedCosts, at: Timestamp)?
  /// The last marks read from the root, returned while its disk does not answer; nil before the
  /// first reading.
  var lastRootMarks: RootMarks?
  /// Readings of the root in progress, by number.
  var rootReadings: [Int: Task<RootMarks, Never>] = [:]
  var lastRootReading = 0
  /// The present refresh of the package index.
  var refreshing: Task<Result<Void, InstallationError>, Never>?
  /// Downloads for waiting jobs.
  var aheadFetches = AheadFetches()
  var idleWaiters: [CheckedContinuation<Void, Never>] = []
  /// Whether the machine is shutting down: no job starts or resumes.
  var isShuttingDown = false
  /// Whether the engine ignores further inputs because its journal is about to be closed.
  ///
  /// The next engine follows the running work.
  private(set) var hasEnded = false
  /// Whether the engine ends when its state folder is gone.
  var endsWithStateFolder = false
  /// Callers that wait until no job is at work.
  var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
  private var queueTimer: Task<Void, Never>?

  /// Creates an engine for a provider and its journal.
  ///
  /// The engine does nothing before ``start()``.
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

  /// Passes an input to a job's machine, stores the resulting events and the consumed offsets in
  /// one transaction, publishes them, and performs the other actions.
  ///
  /// - Returns: The actions, for callers that wait for an answer.
  /// - Throws: An error of the journal; the machine and the journal are then unchanged.
  @discardableResult
  func dispatch(
    _ input: JobMachine.Input, to id: JobID, offsets: StreamOffsets = [:]
  ) throws(InstallationError) -> [JobMachine.Action] {
    guard !hasEnded else { return [] }
    try recordPendingStop(of: id)
    let time = settings.now()
    // In place: a second owner would cause a copy of every list of the job.
    let taken: [JobMachine.Action]?
    do {
      taken = try live[id]?.transactionalMachine.prepare(input, at: time)
    } catch {
      logger.error("\(error)", metadata: ["job": "\(id)"])
      return []
    }
    guard let actions = taken, let progressMark = live[id]?.progressMark else { return [] }
    do {
      try commit(
        actions, of: id, progressMark: progressMark, offsets: offsets, at: time,
        mayUseReserve: input.mayUseReserve)
    } catch {
      live[id]?.transactionalMachine.rollBack()
      throw error
    }
    live[id]?.transactionalMachine.commit()
    perform(actions, for: id)
    scheduleCheck(at: id, time)
    notifyIfIdle()
    notifyShutdownWaiters()
    if !actions.isEmpty { publishSnapshot(id) }
    return actions
  }

  private func commit(
    _ actions: [JobMachine.Action], of id: JobID, progressMark: JobEvent.ProgressMark,
    offsets: StreamOffsets, at time: Timestamp, mayUseReserve: Bool
  ) throws(InstallationError) {
    var drafts = actions.compactMap { action -> EventDraft? in
      guard case .record(let payload) = action else { return nil }
      return EventDraft(id, payload, progressMark: progressMark)
    }
    var events: [JobEvent] = []
    // Without an event there is no transaction: the offsets are stored with the next event, because
    // the lines in between may be read again.
    let writes = !drafts.isEmpty
    let offsets = (live[id]?.unstoredOffsets ?? [:]).merging(offsets) { $1 }
    if writes {
      // The last event carries the abort preview if a state event is among the events or the
      // preview has changed. Its time estimate changes all the time and does not count as a change.
      let bringsOne = actions.contains { if case .record(.state) = $0 { true } else { false } }
      let isNew = bringsOne || progressMark.abortPreview?.untimed != live[id]?.storedPreview
      for index in drafts.indices.dropLast(isNew ? 1 : 0) {
        drafts[index].progressMark?.abortPreview = nil
      }
      let samples = actions.flatMap { self.samples(from: $0, of: id, at: time) }
      events = try journal.append(
        drafts, offsets: [id: offsets], samples: samples, at: time, mayUseReserve: mayUseReserve)
    }
    // Only after the commit: offsets whose events were not stored must not be stored with other
    // events.
    live[id]?.unstoredOffsets = writes ? [:] : offsets
    if writes { live[id]?.storedPreview = progressMark.abortPreview?.untimed }
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
      case .record, .publish, .askStop, .cancelStop, .answer, .refuse, .learn: break
      }
    }
  }

  /// Ignores all further input from work and timers.
  ///
  /// To be called before the journal is closed.
  ///
  /// Workers continue; their reports stay in their files for the next engine.
  package func end() { hasEnded = true }

  // MARK: The queue

  /// Starts the next job that may start, and sets the timer for the next scheduled start.
  func schedule() {
    guard !isShuttingDown, !hasEnded else { return }
    guard roomShortage == nil else { return waitForRoom() }
    let time = settings.now()
    let before = queue.pause
    // Only a successful write shows that the journal is writable again.
    let stuck = queue.resume(.journal)
    let written = journal.lastSeq
    var retry: Double?
    while retry == nil, let entry = queue.next(at: time, isOver: isOver) {
      queue.setRunning(entry.id)
      updateCosts(entry.id)
      do {
        try dispatch(.begin, to: entry.id)
      } catch {
        if stuck?.detail != error.message {
          logger.critical("cannot begin job \(entry.id): \(error)")
        }
        queue.reinsert(entry)
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
    for entry in queue.entries where observers[entry.id] != nil { publishSnapshot(entry.id) }
  }

  private func leaveQueue(_ id: JobID) {
    queue.remove(id)
    guard let job = live[id] else { return }
    noteArrivals(of: job)
    let folder = JobFolder(of: id, inState: settings.stateFolder)
    folder.markEnded()
    folder.finish()
    settings.jobTrail(job.machine.snapshot)
    removeOldLater()
    job.silenceTimer?.cancel()
    job.stopTimer?.cancel()
    job.scheduledCheck?.timer.cancel()
    publishSnapshot(id)
    for source in observers.removeValue(forKey: id)?.values.map(\.self) ?? [] { source.finish() }
    removeLiveJob(id, of: job.requestedBy)
    schedule()
  }

  /// Adds a live job, to be removed by ``removeLiveJob(_:of:)``.
  func addLiveJob(_ job: LiveJob) {
    live[job.machine.snapshot.id] = job
    jobsOfUser[job.requestedBy, default: 0] += 1
  }

  /// Removes a live job from memory.
  func removeLiveJob(_ id: JobID, of requester: Requester) {
    guard live.removeValue(forKey: id) != nil else { return }
    aheadFetches.forget(id)
    let left = (jobsOfUser[requester] ?? 1) - 1
    jobsOfUser[requester] = left > 0 ? left : nil
    settings.jobEnded()
  }

  func isOver(_ id: JobID) -> Bool { live.index(forKey: id) == nil }

  /// Runs `body` after `seconds` of the engine's clock, unless cancelled.
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

  /// Runs `body` when the machine's clock reaches `time`, unless cancelled.
  ///
  /// The clock may be set forward or back meanwhile: it is read at least every ``clockCheckInterval`` seconds.
  func timer(
    at time: Timestamp, _ body: @escaping @Sendable (Engine) async -> Void
  ) -> Task<Void, Never> {
    let (clock, now) = (settings.clock, settings.now)
    return Task { [weak self] in
      while true {
        let left = time.seconds(since: now())
        guard left > 0 else { break }
        let pause = Int64((min(left, Self.clockCheckInterval) * 1000).rounded(.up))
        do { try await clock.sleep(for: .milliseconds(pause)) } catch { return }
      }
      guard let self, !Task.isCancelled else { return }
      await body(self)
    }
  }

  /// Maximum time between two reads of the machine's clock, in seconds.
  private static let clockCheckInterval = 60.0
}
