import InstallJobs

/// Each key gets its answer where it can be seen: what fails or happens meanwhile stands behind it
/// and does not take its place.
extension MonitorState {
  /// Seconds for which what happens by itself does not take the place of an answer.
  static let answerStays = 3.0

  /// Says what became of something that was asked for here.
  mutating func showAnswer(_ text: String, of job: JobID? = nil, isAlert: Bool = false) {
    spoken = Message(text: text, isAlert: isAlert, isAnswer: true, job: job)
    spoken?.until = time.here?.advanced(bySeconds: Self.answerStays)
  }

  /// Whether an answer stands that nobody can have read yet; nil where the time is not known.
  var isAnswerFresh: Bool? {
    guard let spoken, spoken.isAnswer else { return false }
    guard let until = spoken.until, let here = time.here else { return nil }
    return here < until
  }

  /// A key takes away what was answered; a failure that stood behind that comes back, and the next
  /// key takes it away.
  mutating func acknowledge() {
    if spoken == nil {
      // What failed while the display is held has not been seen.
      if held == nil || failureNews == held?.failure { failureNews = nil }
      held?.failure = nil
    }
    spoken = nil
    stoppedTold = []
  }

  /// Notes what a key has asked the engine for.
  mutating func noteOrders(_ intents: [Intent], at event: MonitorEvent) {
    guard event.isInput else { return }
    // A clean-up of several tells by itself how far it is.
    let asked = intents.flatMap(Order.all).filter { order in
      if case .cleanUp(let id) = order { !(cleanUps?.isAwaited(id) ?? false) } else { true }
    }
    openOrders.ask(asked, at: time.here)
  }

  /// Takes that the engine has done what was asked for.
  mutating func apply(answered order: Order) {
    guard let group = openOrders.answer(order, at: time.here) else { return }
    showOutcome(of: group)
  }

  /// Takes who was asked to let jobs go first.
  mutating func apply(yieldBy holder: LockHolder) {
    _ = openOrders.close(.yield, at: time.here)
    showAnswer(QueueWords.asked(holder))
  }

  /// Takes that the engine refused what was asked for, or is gone; says whether it was asked here.
  mutating func apply(failure error: InstallationError, of order: Order) {
    // Whether an engine that is gone has done it is not known.
    let failed = error.code == .engineUnreachable ? "" : " failed"
    let failure = "\(order.name)\(failed): \(error.description)"
    let group = openOrders.close(order, at: time.here, failure: failure)
    guard let group, group.orders.count > 1 else { return showAnswer(failure, isAlert: true) }
    showOutcome(of: group)
  }

  /// Says what became of all that a key has asked for.
  private mutating func showOutcome(of group: OpenOrders.Group) {
    let failed = group.failures
    let words = outcome(of: group.orders.filter { !group.failed.contains($0) })
    guard !failed.isEmpty else {
      if let words { showAnswer(words) }
      return
    }
    let more = failed.count > 2 ? ["and \(failed.count - 2) more likewise"] : []
    let parts = failed.prefix(2) + more + [words].compactMap(\.self)
    showAnswer(parts.joined(separator: "; "), isAlert: true)
  }

  /// What is true now that the engine has done it; nil where another message says so.
  private func outcome(of orders: [Order]) -> String? {
    guard let first = orders.first else { return nil }
    let ids = orders.compactMap(\.job)
    let names = "job " + JobEnding.list(ids.map { "\($0)" })
    let jobs = ids.compactMap { book[$0]?.job }
    let isOne = ids.count == 1
    switch first {
    case .hold:
      let isAtWork = jobs.contains { $0.state != .queued && $0.state != .suspended }
      return isAtWork
        ? "\(names) will be held at the next package"
        : "\(names) \(isOne ? "is" : "are") held"
    case .release: return "\(names) \(isOne ? "goes" : "go") on"
    case .move(let id, let place):
      return isOne ? moveWords(of: id, to: place) : "\(names) \(QueueWords.moved(place))"
    case .withdraw: return "the abort of \(names) was taken back"
    case .cleanUp: return isOne ? "\(names) is cleaned up" : "\(names) cleaned up"
    case .retry: return nil
    case .pauseQueue: return "queue paused: no further job begins"
    case .resumeQueue: return "queue goes on"
    case .yield: return nil
    }
  }

  /// Where a job stands after it was moved: `job 5 moved first: starts next`.
  func moveWords(of id: JobID, to place: QueueMove, by who: Requester? = nil) -> String {
    let by = who.map { " by \($0.user)" } ?? ""
    let isNext = book[id].map { book.queuePlace(of: $0.job) == 1 } ?? false
    return "job \(id) \(QueueWords.moved(place))\(by)" + (isNext ? ": starts next" : "")
  }

  /// Says that a job was moved, as its key's answer or because somebody else did it.
  mutating func showMove(of id: JobID, priority: Int, by who: Requester) {
    let isMove = { (order: Order) in if case .move(id, _) = order { true } else { false } }
    guard let order = openOrders.first(where: isMove), case .move(_, let place) = order else {
      return mention(moveWords(of: id, to: book.place(of: id, priority), by: who), of: id)
    }
    // Of several the last answer tells all.
    guard let group = openOrders.close(order, at: time.here) else { return }
    showOutcome(of: group)
    if group.orders.count == 1 { showAnswer(moveWords(of: id, to: place), of: id) }
  }

  /// Forgets what was said of the present when the engine is lost.
  mutating func forgetPresent() {
    guard let said = spoken else { return }
    // That it said it would stop tells why it is gone.
    spoken =
      said.isParting ? Message(text: "last heard: " + said.text, isAlert: true) : nil
  }

  /// Whether something was asked for a while ago and is not answered.
  var isAnswerLate: Bool {
    openOrders.groups.contains(where: \.isLate)
  }

  /// Says that what a key has asked for is not answered yet.
  mutating func showSilence() {
    guard let here = time.here else { return }
    for group in openOrders.removeEventless(at: here) { showOutcome(of: group) }
    guard let silent = openOrders.removeSilent(at: here) else { return }
    let asked = Order.asked(silent.orders)
    // What was said since is newer, and is no answer to this one.
    guard spoken == nil || spoken?.text == asked else { return }
    spoken = Message(text: asked + ": no answer yet")
  }
}
