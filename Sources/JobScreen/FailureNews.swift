import InstallJobs

/// Failures are not overlooked: each rings once, is named until a key is pressed, and is where the
/// key for problems goes.
extension MonitorState {
  /// Says what failed, and rings where the person wants it.
  mutating func tellFailure(_ job: JobSnapshot, _ ending: JobEnding) -> [Intent] {
    failed = job.id
    let name = job.updates.first.map { " " + $0.name } ?? ""
    // Which packages are meant, the sentence says.
    var text = "\(job.id)\(name) \(ending.sentence)"
    let before = message?.failures ?? 0
    if before > 0 { text += " · and \(before) more" }
    if screen.isList, let key = actions.action(.nextProblem)?.keys.first {
      text += " · \(key.name) goes there"
    }
    message = Message(text: text, isAlert: true, failures: before + 1)
    return preferences.ringsBell ? [.ringBell] : []
  }

  /// Says what happened by itself, unless a failure or refusal stands there that nobody has answered
  /// with a key.
  mutating func mention(_ text: String) {
    if message?.isAlert ?? false { return }
    say(text)
  }

  /// Says what was not done that somebody waits for; behind a failure that stands there.
  mutating func warn(_ text: String) {
    if let message, message.failures > 0 {
      self.message?.text = message.text + " · " + text
    } else {
      message = Message(text: text, isAlert: true)
    }
  }

  /// Takes the job whose failure was told last, if the list has it: it is gone to once.
  mutating func takeFailed() -> JobID? {
    defer { failed = nil }
    return failed.flatMap { listBook.index(of: $0, in: list) == nil ? nil : $0 }
  }
}
