import Canvas
import InstallJobs
import JobText

/// Reports of failed jobs: each rings the bell once, stays in the message line until a key is
/// pressed, and is the target of the key for the next problem.
extension MonitorState {
  /// Shows a failure; returns ``Intent/ringBell`` if the preferences enable the bell.
  mutating func reportFailure(_ job: JobSnapshot, _ ending: JobEnding) -> [Intent] {
    lastFailedJob = job.id
    let name = job.updates.first.map { " " + $0.name } ?? ""
    // The sentence names the packages.
    var text = "\(job.id)\(name) \(ending.sentence)"
    let before = failureNews?.failures ?? 0
    if before > 0 { text += " · and \(before) more" }
    if screen.isList, let key = actions.action(.nextProblem)?.keys.first {
      text += " · \(key.name) goes there"
    }
    failureNews = Message(text: text, isAlert: true, failures: before + 1)
    // A message about another job gives way, unless it is an alert or a fresh answer to a key.
    if pausedDisplay == nil, !(isAnswerFresh ?? true), !(lastMessage?.isAlert ?? false) {
      lastMessage = nil
    }
    return preferences.ringsBell ? [.ringBell] : []
  }

  /// Removes the failure message once its job was cleaned up, retried or repaired, or is unknown.
  ///
  /// A message that stands for several failures stays until a key is pressed.
  mutating func removeResolvedFailure() {
    guard let id = lastFailedJob, failureNews?.failures == 1 else { return }
    let isSettled =
      book[id].map { $0.job.isCleanedUp || $0.retry != nil || $0.isMended } ?? true
    if isSettled { (lastFailedJob, failureNews) = (nil, nil) }
  }

  /// Shows an event that no key asked for.
  ///
  /// It is not shown while an alert is visible. Unless it is about the job of the current answer,
  /// it is also not shown while that answer is fresh or a failure is not acknowledged; while the
  /// display is paused, it is stored and shown at the resume.
  mutating func showNews(_ text: String, of job: JobID? = nil) {
    let goesOn = job.map { lastMessage?.job == $0 } ?? false
    if lastMessage?.isAlert ?? false || isAnswerFresh ?? false && !goesOn { return }
    if failureNews != nil, !goesOn { return }
    if pausedDisplay != nil, !goesOn {
      pausedDisplay?.news = text
      return
    }
    say(text)
  }

  /// Shows, as an alert, that a requested action was not done.
  mutating func warn(_ text: String) { showAnswer(text, isAlert: true) }

  /// Returns the job of the last reported failure and removes the message; nil if the list does not
  /// contain the job.
  mutating func removeLastFailedJob() -> JobID? {
    defer { (lastFailedJob, failureNews) = (nil, nil) }
    return lastFailedJob.flatMap { listBook.index(of: $0, in: list) == nil ? nil : $0 }
  }
}
