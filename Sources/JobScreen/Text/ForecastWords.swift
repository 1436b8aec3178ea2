import InstallJobs

// What is said of what is foreseen, and of what takes longer than that.

extension QueueForecast.Times {
  /// As the engine told; nil where it told nothing.
  init?(_ job: JobSnapshot) {
    guard let start = job.startsInSeconds, start.isFinite else { return nil }
    self.init(start: start, end: job.endsInSeconds, spread: job.etaSpreadSeconds)
  }
}

extension QueueForecast.Times? {
  /// `: starts in ~2m15s, ends in ~5m`; nothing where nothing is known, and where the turn has come.
  fileprivate var sentence: String? {
    guard let self else { return nil }
    let end = self.end.map { "ends in ~\(Figures.foreseen($0))" }
    guard self.start >= 1 else { return end }
    return ["starts in ~\(Figures.foreseen(self.start))", end].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// The same behind why a job waits.
  var words: String { sentence.map { ": " + $0 } ?? "" }

  /// The same with how far it may be off, in ASCII: `starts in ~2m15s, ends in ~5m +-20s`.
  var plainWords: String? {
    let spread = self?.end == nil ? nil : self?.spread
    return sentence.map { $0 + (spread.map { " +-" + Figures.foreseen($0) } ?? "") }
  }
}

extension JobWords {
  /// When the job should be over and how far that may be off: `~2m05s ±20s`; nil where nothing is
  /// known of that.
  var spreadTail: String? { spread.map { "\(tail) ±\($0)" } }

  /// The same in ASCII; without the spread where nothing is known of that.
  var plainTail: String { tail + (spread.map { " +-" + $0 } ?? "") }

  private var spread: String? {
    // A stage that takes too long is beyond what the spread was taken from.
    guard !entry.job.state.isFinal, !entry.isAbortAsked, !entry.job.isStopping,
      entry.job.overdue == nil, let promise,
      promise.lateness(at: time) == nil
    else { return nil }
    return promise.spread.map { Figures.duration(max(1, $0)) }
  }
}

extension OverdueStage {
  /// `configures libfoo for 40s, expected 5s`, or since when at a time that is not known.
  func sentence(at time: Timestamp?, offset: Int) -> String {
    let begin =
      time.map { "for " + Figures.elapsed(max(0, $0.seconds(since: since))) }
      ?? "since " + Figures.time(since, offset: offset)
    return "\(words) \(begin), expected \(Figures.shortDuration(usualSeconds))"
  }

  /// `configures libfoo`.
  var words: String {
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
