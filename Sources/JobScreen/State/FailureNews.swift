import InstallJobs

/// Failures are not overlooked: each rings once, is named until a key is pressed, and is where the
/// key for problems goes.
extension MonitorState {
  /// Says what failed, and rings where the person wants it.
  mutating func reportFailure(_ job: JobSnapshot, _ ending: JobEnding) -> [Intent] {
    failed = job.id
    let name = job.updates.first.map { " " + $0.name } ?? ""
    // Which packages are meant, the sentence says.
    var text = "\(job.id)\(name) \(ending.sentence)"
    let before = failureNews?.failures ?? 0
    if before > 0 { text += " · and \(before) more" }
    if screen.isList, let key = actions.action(.nextProblem)?.keys.first {
      text += " · \(key.name) goes there"
    }
    failureNews = Message(text: text, isAlert: true, failures: before + 1)
    // What was said of others is no answer that somebody waits for.
    if held == nil, !(isAnswerFresh ?? true), !(spoken?.isAlert ?? false) { spoken = nil }
    return preferences.ringsBell ? [.ringBell] : []
  }

  /// Forgets a failure that stands there alone once it is no more to be looked after: its job was
  /// cleaned up, retried or repaired, or the engine knows nothing of it.
  ///
  /// Where several failed they are told together, until a key.
  mutating func forgetSettledFailure() {
    guard let id = failed, failureNews?.failures == 1 else { return }
    let isSettled =
      book[id].map { $0.job.isCleanedUp || $0.retry != nil || $0.isMended } ?? true
    if isSettled { (failed, failureNews) = (nil, nil) }
  }

  /// Says what happened by itself, unless a failure or refusal stands there that nobody has answered
  /// with a key, or an answer that nobody can have read.
  ///
  /// What became of the job that was answered for goes on from the answer.
  mutating func mention(_ text: String, of job: JobID? = nil) {
    let goesOn = job.map { spoken?.job == $0 } ?? false
    if spoken?.isAlert ?? false || isAnswerFresh ?? false && !goesOn { return }
    if failureNews != nil, !goesOn { return }
    if held != nil, !goesOn {
      held?.news = text
      return
    }
    say(text)
  }

  /// Says what was not done that somebody waits for.
  mutating func warn(_ text: String) { showAnswer(text, isAlert: true) }

  /// Takes the job whose failure was told last, if the list has it: it is gone to once.
  mutating func removeFirstFailed() -> JobID? {
    defer { (failed, failureNews) = (nil, nil) }
    return failed.flatMap { listBook.index(of: $0, in: list) == nil ? nil : $0 }
  }
}
