import InstallJobs

/// Everything that a paused display keeps unchanged beside the jobs: the log, the download rates
/// and the reported failures.
struct HeldDisplay: Sendable {
  /// The log as shown.
  ///
  /// For a job selected after the pause, it is the log's first fetched piece.
  var log: LogTail
  let rates: RateHistory
  /// The failure message when the display was paused; the next key removes it.
  var failure: MonitorState.Message?
  /// The last event that was not shown because of the pause.
  var news: String?
}

extension MonitorState {
  /// The failure message that is shown.
  var shownFailure: Message? { held.map(\.failure) ?? failureNews }

  /// The download rates that are shown.
  var shownRates: RateHistory { held?.rates ?? rates }

  /// Name of the key that resumes the display.
  private var pauseKey: String { actions.action(.pauseDisplay)?.keys.first?.name ?? ":" }

  /// The note shown while the display is paused and no other message is; nil otherwise.
  var heldNote: String? {
    held == nil ? nil : "display held, jobs go on: \(pauseKey) shows them again"
  }

  /// Pauses the display, or resumes it and reports the last event of the pause.
  mutating func holdDisplay() {
    guard let held else {
      (heldBook, heldAt) = (book, time.engine)
      held = HeldDisplay(log: log, rates: rates, failure: failureNews)
      return
    }
    (heldBook, heldAt, self.held) = (nil, nil, nil)
    logView.search(log)
    say("display live again" + (held.news.map { "; meanwhile: \($0)" } ?? ""))
  }

  /// Stores a job's log in the paused display, unless it already shows a piece of that job's log.
  mutating func holdLog(of job: JobID) {
    guard held != nil, held?.log.job != job || held?.log.end == nil else { return }
    held?.log = log.job == job ? log : LogTail(job: job)
  }
}
