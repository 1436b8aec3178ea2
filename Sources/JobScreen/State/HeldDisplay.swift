import InstallJobs

/// What stands still while the display is held, beside the jobs: the log, the rates of downloads and
/// the failures that were told.
struct HeldDisplay: Sendable {
  /// The log as it is shown; of a job that was selected since, as it was first told.
  var log: LogTail
  let rates: RateHistory
  /// The failures that were told when the display was held; a key answers them as ever.
  var failure: MonitorState.Message?
  /// What happened by itself since then.
  var news: String?
  /// How many jobs have failed since then.
  var failures = 0
}

extension MonitorState {
  /// The failures that the message line tells.
  var shownFailure: Message? { held.map(\.failure) ?? failureNews }

  /// The rates of downloads that are shown.
  var shownRates: RateHistory { held?.rates ?? rates }

  /// The key that lets the display go on.
  private var pauseKey: String { actions.action(.pauseDisplay)?.keys.first?.name ?? ":" }

  /// What is said as long as the display is held and nothing else is.
  var heldNote: String? {
    held == nil ? nil : "display held, jobs go on: \(pauseKey) shows them again"
  }

  /// Lets everything that is seen stand still, or shows what has become of it.
  mutating func holdDisplay() {
    guard let held else {
      (heldBook, heldAt) = (book, time.engine)
      held = HeldDisplay(log: log, rates: rates, failure: failureNews)
      return
    }
    (heldBook, heldAt, self.held) = (nil, nil, nil)
    logView.search(log)
    if failureNews == held.failure { failureNews = held.failure }
    say("display live again" + (held.news.map { "; meanwhile: \($0)" } ?? ""))
  }

  /// Takes the log of a job into what is held, where nothing of it is shown yet.
  mutating func holdLog(of job: JobID) {
    guard held != nil, held?.log.job != job || held?.log.end == nil else { return }
    held?.log = log.job == job ? log : LogTail(job: job)
  }
}
