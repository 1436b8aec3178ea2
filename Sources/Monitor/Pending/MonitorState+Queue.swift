import InstallJobs
import JobText

// Pausing and moving jobs, and pausing the whole queue.
extension MonitorState {
  /// Pauses the targets that are not paused yet; resumes them if all are paused.
  mutating func holdJobs() -> [Intent] {
    let jobs = targets.compactMap { book[$0]?.job }.filter { !$0.state.isFinal && !$0.isStopping }
    guard !jobs.isEmpty else { return refuse(.holdJob, "none of the jobs can be paused") }
    let open = jobs.filter { !$0.isPaused }
    let ids = (open.isEmpty ? jobs : open).map(\.id)
    return announce(ids.map { open.isEmpty ? .resumeJob($0) : .pauseJob($0) })
  }

  /// Shows which commands are sent; the engine's answer confirms them.
  mutating func announce(_ intents: [Intent]) -> [Intent] {
    say(EngineCommand.asked(intents.flatMap(EngineCommand.all)))
    return intents
  }

  /// Shows why an action applies to none of the targets.
  ///
  /// With many tags, that is known only when the action is performed.
  mutating func refuse(_ action: Action.ID, _ reason: String) -> [Intent] {
    message = Message(text: "\(actions.action(action)?.title ?? ""): \(reason)", isAlert: true)
    return []
  }

  /// Why no target can be paused or resumed; nil if one can.
  var holdRefusal: String? {
    if anyTarget({ !$0.job.state.isFinal && !$0.job.isStopping }) { return nil }
    let jobs = targets.prefix(2).compactMap { book[$0]?.job }
    guard let job = jobs.first else { return "no job is selected" }
    guard jobs.count == 1 else { return "none of the jobs can be paused" }
    return job.state.isFinal ? "job \(job.id) is over" : "job \(job.id) is stopping"
  }

  /// Pauses the queue; if it is paused already, reports by whom and since when.
  mutating func pauseQueueOnly() -> [Intent] {
    guard isQueuePaused else { return announce([.pauseQueue]) }
    say(
      engine?.queue.pause.map { QueueWords.pausedAlready($0, offset: timeOffset) }
        ?? "the queue is paused already")
    return []
  }

  /// Pauses the queue, or resumes it if a user has paused it.
  mutating func pauseQueue() -> [Intent] {
    isQueuePaused ? resumeQueue() : announce([.pauseQueue])
  }

  /// Resumes the queue.
  mutating func resumeQueue() -> [Intent] {
    guard isQueuePaused else {
      message = Message(text: "resume: nobody has paused the queue", isAlert: true)
      return []
    }
    return announce([.resumeQueue])
  }

  /// Whether a user has paused the queue.
  ///
  /// If the engine gives no cause, a user counts as the cause.
  private var isQueuePaused: Bool {
    guard let queue = engine?.queue, queue.paused else { return false }
    return queue.pause.map { $0.cause == .request } ?? true
  }

  /// Applies an event about the queue.
  mutating func apply(_ notice: EngineNotice, seq: Int) {
    guard notice.isOfQueue else { return }
    queueNews = (notice, seq)
    engine?.queue.apply(notice)
  }

  /// Applies the engine's status; later events about the queue are kept.
  mutating func apply(_ status: EngineStatus) {
    engine = status
    if let news = queueNews, status.seq < news.seq { engine?.queue.apply(news.notice) }
  }

  /// Moves the waiting targets to the start or the end of the queue; several keep their order.
  mutating func moveJobs(to place: QueueMove) -> [Intent] {
    let waiting = targets.compactMap { book[$0]?.job }.filter { $0.state == .queued }
      .sorted { JobOrder.Place.queue($0) < JobOrder.Place.queue($1) }.map(\.id)
    guard !waiting.isEmpty else {
      return refuse(
        place == .first ? .startFirst : .startLast, "none of the jobs waits in the queue")
    }
    // The row order is not frozen, so that the user sees the rows move.
    orderFrozenUntil = nil
    say(EngineCommand.asked(waiting.map { .move($0, place) }))
    return (place == .first ? waiting.reversed() : waiting).map { .move($0, place) }
  }

  /// Why no target can be moved in the queue; nil if one can.
  var moveRefusal: String? {
    if anyTarget({ $0.job.state == .queued }) { return nil }
    let jobs = targets.prefix(2).compactMap { book[$0]?.job }
    guard let job = jobs.first else { return "no job is selected" }
    guard jobs.count == 1 else { return "none of the jobs waits in the queue" }
    return job.state.isFinal ? "job \(job.id) is over" : "job \(job.id) has begun"
  }

  /// Why no further jobs start, in three lengths for the title; nil if the queue is not paused.
  var queuePauseWords: (long: String, middle: String, short: String)? {
    guard let queue = engine?.queue, queue.paused else { return nil }
    guard let pause = queue.pause else { return ("queue paused", "queue paused", "PAUSED") }
    let sentence = QueueWords.sentence(pause, offset: timeOffset)
    return switch pause.cause {
    case .request: (sentence, "queue paused", "PAUSED")
    case .journal:
      // Events of the job at work are published only after they are stored.
      (
        "queue waits, states are as of \(Figures.time(pause.since, offset: timeOffset)):"
          + " the journal cannot be written", "journal not writable", "JOURNAL"
      )
    case .index: ("queue waits for the package index", "index being fetched", "INDEX")
    }
  }
}

extension EngineNotice {
  /// Whether the event confirms a command to pause or resume the queue.
  ///
  /// An event about the engine's own reasons to wait answers no command.
  func answers(_ command: EngineCommand) -> Bool {
    switch kind {
    case .queuePaused: command == .pauseQueue && isDurable
    case .queueResumed: command == .resumeQueue && isDurable
    case .started, .stopping: false
    }
  }
}

extension EngineStatus.Queue {
  /// Applies an event about the queue.
  fileprivate mutating func apply(_ notice: EngineNotice) {
    switch notice.kind {
    case .queuePaused: (paused, pause) = (true, notice.pause)
    // An event without a cause does not end the engine's own reason to wait.
    case .queueResumed
    where notice.cause == nil && notice.pause == nil && pause.map { $0.cause != .request } ?? false:
      break
    case .queueResumed: (paused, pause) = (notice.pause != nil, notice.pause)
    case .started, .stopping: break
    }
  }
}
