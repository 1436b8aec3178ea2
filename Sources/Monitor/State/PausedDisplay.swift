import Canvas
import InstallJobs

/// Everything that a paused display keeps unchanged beside the jobs: the log, the download rates
/// and the reported failures.
struct PausedDisplay: Sendable {
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
  var shownFailure: Message? { pausedDisplay.map(\.failure) ?? failureNews }

  /// The download rates that are shown.
  var shownRates: RateHistory { pausedDisplay?.rates ?? rates }

  /// Name of the key that resumes the display.
  private var pauseKey: String { actions.action(.pauseDisplay)?.keys.first?.name ?? ":" }

  /// The note shown while the display is paused and no other message is; nil otherwise.
  var heldNote: String? {
    pausedDisplay == nil ? nil : "display paused, jobs go on: \(pauseKey) shows them again"
  }

  /// Pauses the display, or resumes it and reports the last event of the pause.
  mutating func toggleDisplayPause() {
    guard let pausedDisplay else {
      (pausedStore, pausedAt) = (book, time.engine)
      pausedDisplay = PausedDisplay(log: log, rates: rates, failure: failureNews)
      return
    }
    (pausedStore, pausedAt, self.pausedDisplay) = (nil, nil, nil)
    logView.search(log)
    say("display live again" + (pausedDisplay.news.map { "; meanwhile: \($0)" } ?? ""))
  }

  /// Stores a job's log in the paused display, unless it already shows a piece of that job's log.
  mutating func storePausedLog(of job: JobID) {
    guard pausedDisplay != nil, pausedDisplay?.log.job != job || pausedDisplay?.log.end == nil
    else { return }
    pausedDisplay?.log = log.job == job ? log : LogTail(job: job)
  }
}
