package import InstallJobs

// The words for forecasts, and for stages that take longer than forecast.

extension QueueForecast.Times {
  /// The times from the engine's forecast; nil if the snapshot has none.
  package init?(_ job: JobSnapshot) {
    guard let start = job.startsInSeconds, start.isFinite else { return nil }
    self.init(start: start, end: job.endsInSeconds, spread: job.etaSpreadSeconds)
  }
}

extension QueueForecast.Times? {
  /// `starts in ~2m15s, ends in ~5m`; only the end if the job's turn has come; nil if nothing is
  /// known.
  fileprivate var sentence: String? {
    guard let self else { return nil }
    let end = self.end.map { "ends in ~\(Figures.forecast($0))" }
    guard self.start >= 1 else { return end }
    return ["starts in ~\(Figures.forecast(self.start))", end].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// The forecast, to follow the reason for waiting: `: starts in ~2m15s, ends in ~5m`.
  package var words: String { sentence.map { ": " + $0 } ?? "" }

  /// The forecast with its error margin, in ASCII: `starts in ~2m15s, ends in ~5m +-20s`.
  var plainWords: String? {
    let spread = self?.end == nil ? nil : self?.spread
    return sentence.map { $0 + (spread.map { " +-" + Figures.forecast($0) } ?? "") }
  }
}

extension JobWords {
  /// The time left with its error margin: `~2m05s ±20s`; nil if the margin is not known.
  package var spreadTail: String? { spread.map { "\(tail) ±\($0)" } }

  /// ``spreadTail`` in ASCII; without the margin if that is not known.
  var plainTail: String { tail + (spread.map { " +-" + $0 } ?? "") }

  private var spread: String? {
    // The margin was computed from usual durations, and an overdue stage has exceeded those.
    guard !job.state.isFinal, !isAbortAsked, !job.isStopping,
      job.overdue == nil, let promise,
      promise.lateness(at: time) == nil
    else { return nil }
    return promise.spread.map { Figures.duration(max(1, $0)) }
  }
}

extension OverdueStage {
  /// `configures libfoo for 40s, expected 5s`; `since 14:02:31` in place of `for 40s` if `time` is
  /// nil.
  package func sentence(at time: Timestamp?, offset: Int) -> String {
    let begin =
      time.map { "for " + Figures.elapsed(max(0, $0.seconds(since: since))) }
      ?? "since " + Figures.time(since, offset: offset)
    return "\(words) \(begin), expected \(Figures.shortDuration(usualSeconds))"
  }

  /// `configures libfoo`.
  package var words: String {
    let verb =
      switch stage {
      case .connect: "waits for the first bytes of an archive"
      case .prepare: "prepares for the first package"
      case .unpack: "unpacks"
      case .configure: "configures"
      case .remove: "removes"
      case .conclude: "runs triggers and verifies"
      }
    return verb + (update.map { " " + $0 } ?? "")
  }
}
