import InstallJobs

// Holding and moving jobs, and pausing the queue as a whole.
extension MonitorState {
  /// Holds what works or waits, or lets go on where all that is meant is held.
  mutating func holdJobs() -> [Intent] {
    let jobs = targets.compactMap { book[$0]?.job }.filter { !$0.state.isFinal && !$0.isStopping }
    guard !jobs.isEmpty else { return refuse(.holdJob, "none of the jobs can be held") }
    let open = jobs.filter { !$0.isHeld }
    let ids = (open.isEmpty ? jobs : open).map(\.id)
    return asking(ids.map { open.isEmpty ? .release($0) : .hold($0) })
  }

  /// Says what is asked for; that it is done, the engine says.
  mutating func asking(_ intents: [Intent]) -> [Intent] {
    say(Order.asked(intents.flatMap(Order.all)))
    return intents
  }

  /// Says why an action does nothing to what is tagged: before it is done, not all of many are
  /// looked at.
  mutating func refuse(_ action: Action.ID, _ reason: String) -> [Intent] {
    message = Message(text: "\(actions.action(action)?.title ?? ""): \(reason)", isAlert: true)
    return []
  }

  /// Why there is nothing to hold or release; nil when there is.
  var holdRefusal: String? {
    if anyTarget({ !$0.job.state.isFinal && !$0.job.isStopping }) { return nil }
    let jobs = targets.prefix(2).compactMap { book[$0]?.job }
    guard let job = jobs.first else { return "no job is selected" }
    guard jobs.count == 1 else { return "none of the jobs can be held" }
    return job.state.isFinal ? "job \(job.id) is over" : "job \(job.id) is stopping"
  }

  /// Pauses the queue; of one that somebody has paused it says who and since when.
  mutating func pauseQueueOnly() -> [Intent] {
    guard isQueuePaused else { return asking([.pauseQueue]) }
    say(
      engine?.queue.pause.map { QueueWords.pausedAlready($0, offset: timeOffset) }
        ?? "the queue is paused already")
    return []
  }

  /// Pauses the queue, or lets it go on where somebody has paused it.
  mutating func pauseQueue() -> [Intent] {
    isQueuePaused ? resumeQueue() : asking([.pauseQueue])
  }

  /// Lets the queue go on.
  mutating func resumeQueue() -> [Intent] {
    guard isQueuePaused else {
      message = Message(text: "resume: nobody has paused the queue", isAlert: true)
      return []
    }
    return asking([.resumeQueue])
  }

  /// Whether somebody has paused the queue; an engine that does not tell why has been asked to.
  private var isQueuePaused: Bool {
    guard let queue = engine?.queue, queue.paused else { return false }
    return queue.pause.map { $0.cause == .request } ?? true
  }

  /// Takes what the engine tells of its queue.
  mutating func apply(_ notice: EngineNotice, seq: Int) {
    guard notice.isOfQueue else { return }
    queueNews = (notice, seq)
    engine?.queue.apply(notice)
  }

  /// Takes what the engine told of itself when it was asked; what it has told of its queue since
  /// then stays.
  mutating func apply(_ status: EngineStatus) {
    engine = status
    if let news = queueNews, status.seq < news.seq { engine?.queue.apply(news.notice) }
  }

  /// Brings what waits and is meant before all others, or after them; several keep their order.
  mutating func moveJobs(to place: QueueMove) -> [Intent] {
    let waiting = targets.compactMap { book[$0]?.job }.filter { $0.state == .queued }
      .sorted { JobOrder.Place.queue($0) < JobOrder.Place.queue($1) }.map(\.id)
    guard !waiting.isEmpty else {
      return refuse(
        place == .first ? .startFirst : .startLast, "none of the jobs waits in the queue")
    }
    // Who moves a row wants to see it move.
    orderHeldUntil = nil
    let orders = waiting.map { Order.move($0, place) }
    say(Order.asked(orders))
    return (place == .first ? waiting.reversed() : waiting).map { .move($0, place) }
  }

  /// Why there is nothing to move in the queue; nil when there is.
  var moveRefusal: String? {
    if anyTarget({ $0.job.state == .queued }) { return nil }
    let jobs = targets.prefix(2).compactMap { book[$0]?.job }
    guard let job = jobs.first else { return "no job is selected" }
    guard jobs.count == 1 else { return "none of the jobs waits in the queue" }
    return job.state.isFinal ? "job \(job.id) is over" : "job \(job.id) has begun"
  }

  /// What keeps further jobs from beginning, for the title; nil where nothing does.
  var queuePauseWords: (long: String, middle: String, short: String)? {
    guard let queue = engine?.queue, queue.paused else { return nil }
    guard let pause = queue.pause else { return ("queue paused", "queue paused", "PAUSED") }
    let sentence = QueueWords.sentence(pause, offset: timeOffset)
    return switch pause.cause {
    case .request: (sentence, "queue paused", "PAUSED")
    case .journal:
      // What happens meanwhile to the job at work is not told before it is recorded.
      (
        "queue waits, states are as of \(Figures.time(pause.since, offset: timeOffset)):"
          + " the journal cannot be written", "journal not writable", "JOURNAL"
      )
    case .index: ("queue waits for the package index", "index being fetched", "INDEX")
    }
  }
}

extension EngineNotice {
  /// Whether it tells that an order was done.
  ///
  /// What the engine itself waits for comes and goes without being asked, and answers nothing.
  func answers(_ order: Order) -> Bool {
    switch kind {
    case .queuePaused: order == .pauseQueue && isDurable
    case .queueResumed: order == .resumeQueue && isDurable
    case .started, .stopping: false
    }
  }
}

extension EngineStatus.Queue {
  /// Brings it up to date.
  fileprivate mutating func apply(_ notice: EngineNotice) {
    switch notice.kind {
    case .queuePaused: (paused, pause) = (true, notice.pause)
    // An engine that told nothing of what it waits for itself did not mean that it is over.
    case .queueResumed
    where notice.cause == nil && notice.pause == nil && pause.map { $0.cause != .request } ?? false:
      break
    case .queueResumed: (paused, pause) = (notice.pause != nil, notice.pause)
    case .started, .stopping: break
    }
  }
}
