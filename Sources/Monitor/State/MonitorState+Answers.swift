import InstallJobs
import JobText

/// Answers to keys: each answer stays visible for a while, with failures and events behind it.
extension MonitorState {
  /// Seconds for which an event that no key asked for does not replace an answer.
  static let answerSeconds = 3.0

  /// Shows the outcome of a request made here; it counts as fresh for ``answerSeconds`` seconds.
  mutating func showAnswer(_ text: String, of job: JobID? = nil, isAlert: Bool = false) {
    lastMessage = Message(text: text, isAlert: isAlert, isAnswer: true, job: job)
    lastMessage?.until = time.here?.advanced(bySeconds: Self.answerSeconds)
  }

  /// Whether an answer is shown that is too new to have been read; nil if the time is unknown.
  var isAnswerFresh: Bool? {
    guard let lastMessage, lastMessage.isAnswer else { return false }
    guard let until = lastMessage.until, let here = time.here else { return nil }
    return here < until
  }

  /// Removes the answer at a key.
  ///
  /// A failure behind it becomes visible, and the next key removes that.
  mutating func acknowledge() {
    if lastMessage == nil {
      // A failure that was reported while the display is paused has not been seen.
      if pausedDisplay == nil || failureNews == pausedDisplay?.failure { failureNews = nil }
      pausedDisplay?.failure = nil
    }
    lastMessage = nil
    reportedOutcomes = []
  }

  /// Adds the commands that a key has sent to the engine to the pending ones.
  mutating func addCommands(of intents: [Intent], at event: MonitorEvent) {
    guard event.isInput else { return }
    pendingCommands.add(intents.flatMap(EngineCommand.all), at: time.here)
  }

  /// Applies the engine's answer that a command was carried out.
  mutating func apply(answered command: EngineCommand) {
    guard let group = pendingCommands.apply(answer: command, at: time.here) else { return }
    showOutcome(of: group)
  }

  /// Applies the answer to a yield request: the lock holder that was asked.
  mutating func apply(yieldBy holder: LockHolder) {
    _ = pendingCommands.finish(.yield, at: time.here)
    showAnswer(QueueWords.yieldRequested(holder))
  }

  /// Applies the failure of a command: refused by the engine, or the connection was lost.
  mutating func apply(failure error: InstallationError, of command: EngineCommand) {
    // After a lost connection it is unknown whether the engine carried the command out.
    let failed = error.code == .engineUnreachable ? "" : " failed"
    let failure = "\(command.name)\(failed): \(error.description)"
    let group = pendingCommands.finish(command, at: time.here, failure: failure)
    guard let group, group.commands.count > 1 else { return showAnswer(failure, isAlert: true) }
    showOutcome(of: group)
  }

  /// Shows the outcome of all commands of one key.
  mutating func showOutcome(of group: CommandGroup) {
    let failed = group.failures
    let words = outcome(of: group.succeeded)
    guard !failed.isEmpty else {
      if let words { showAnswer(words) }
      return
    }
    let more = failed.count > 2 ? ["and \(failed.count - 2) more likewise"] : []
    let parts = failed.prefix(2) + more + [words].compactMap(\.self)
    showAnswer(parts.joined(separator: "; "), isAlert: true)
  }

  /// The sentence for commands that succeeded; nil if another message reports the outcome.
  private func outcome(of commands: [EngineCommand]) -> String? {
    guard let first = commands.first else { return nil }
    let ids = commands.compactMap(\.job)
    let names = "job " + JobEnding.list(ids.map { "\($0)" })
    let jobs = ids.compactMap { book[$0]?.job }
    let isOne = ids.count == 1
    switch first {
    case .pauseJob:
      let isAtWork = jobs.contains { $0.state != .queued && $0.state != .suspended }
      return isAtWork
        ? "\(names) will pause at the next package"
        : "\(names) \(isOne ? "is" : "are") paused"
    case .resumeJob: return "\(names) \(isOne ? "is" : "are") resumed"
    case .move(let id, let place):
      return isOne ? moveWords(of: id, to: place) : "\(names) \(QueueWords.moved(place))"
    case .cancelAbort: return "the abort of \(names) was cancelled"
    case .cleanUp: return isOne ? "\(names) is cleaned up" : "\(names) cleaned up"
    case .retry: return nil
    case .pauseQueue: return "queue paused: no further job begins"
    case .resumeQueue: return "queue resumed"
    case .yield: return nil
    }
  }

  /// A job's place after a move: `job 5 moved first: starts next`.
  func moveWords(of id: JobID, to place: QueueMove, by who: Requester? = nil) -> String {
    let by = who.map { " by \($0.user)" } ?? ""
    let isNext = book[id].map { book.queuePlace(of: $0.job) == 1 } ?? false
    return "job \(id) \(QueueWords.moved(place))\(by)" + (isNext ? ": starts next" : "")
  }

  /// Reports a moved job: as the answer to a key here, otherwise as an event with the requester.
  mutating func showMove(of id: JobID, priority: Int, by who: Requester) {
    let isMove = { (command: EngineCommand) in
      if case .move(id, _) = command { true } else { false }
    }
    guard let move = pendingCommands.first(where: isMove), case .move(_, let place) = move else {
      return showNews(moveWords(of: id, to: book.place(of: id, priority), by: who), of: id)
    }
    // For several jobs, the last answer reports all of them.
    guard let group = pendingCommands.finish(move, at: time.here) else { return }
    showOutcome(of: group)
    if group.commands.count == 1 { showAnswer(moveWords(of: id, to: place), of: id) }
  }

  /// Removes the message about the present when the connection is lost.
  mutating func dropStaleMessage() {
    guard let said = lastMessage else { return }
    // The engine's last message before it stopped is kept: it explains the lost connection.
    lastMessage =
      said.isParting ? Message(text: "last heard: " + said.text, isAlert: true) : nil
  }

  /// Reports commands that the engine has not answered in time.
  mutating func reportMissingAnswers() {
    guard let here = time.here else { return }
    for group in pendingCommands.removeEventless(at: here) { showOutcome(of: group) }
    guard let silent = pendingCommands.reportSilence(at: here) else { return }
    let asked = EngineCommand.asked(silent.commands)
    // A message that was shown after the key is newer and does not answer that key.
    guard lastMessage == nil || lastMessage?.text == asked else { return }
    lastMessage = Message(text: asked + ": no answer yet")
  }
}
