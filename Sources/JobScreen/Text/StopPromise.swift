import InstallJobs

/// When an abort should have taken effect, as the engine told.
///
/// What was promised when the abort was acknowledged stays: it counts down and is then overdue. Before
/// anybody asked there is no promise, only what the last figures say, until they have run out.
struct StopPromise: Sendable, Hashable {
  /// When the job should have stopped, by the engine's clock.
  let end: Timestamp
  /// The time that what is left is counted from: the job's last sign of life.
  let seenAt: Timestamp
  /// Whether it was promised, and not only foreseen.
  let isPromised: Bool

  /// What is known of `job`; nil where nothing is, or where it stops at once.
  init?(_ job: JobSnapshot) {
    guard !job.state.isFinal, let last = job.lastActivityAt else { return nil }
    if let record = job.abort, case .accepted(let name?, let seconds) = record.disposition {
      let asked = record.acknowledgedAt ?? record.requestedAt
      seenAt = max(asked, last)
      if let seconds, seconds.isFinite {
        (end, isPromised) = (asked.advanced(bySeconds: seconds.bounded(to: 0...1e9)), true)
        return
      }
      // Unknown when it was asked for, and known by now.
      guard case .accepted(name, let later?) = job.abortPreview, later.isFinite else { return nil }
      (end, isPromised) = (last.advanced(bySeconds: later.bounded(to: 0...1e9)), false)
    } else {
      guard case .accepted(.some, let seconds?) = job.abortPreview, seconds.isFinite else {
        return nil
      }
      end = last.advanced(bySeconds: seconds.bounded(to: 0...1e9))
      (seenAt, isPromised) = (last, false)
    }
  }

  /// Whole seconds since the promised stop; nil while it has not passed by one, or nothing was
  /// promised.
  func lateness(at time: Timestamp?) -> Int? {
    let seconds = (time ?? seenAt).seconds(since: end)
    return isPromised && seconds >= 1 ? Int(seconds.bounded(to: 1...1e9)) : nil
  }

  /// When something else is to be said than at `time`; nil where nothing will be.
  func nextChange(after time: Timestamp) -> Timestamp? {
    guard !isPromised else { return end.advanced(bySeconds: Double((lateness(at: time) ?? 0) + 1)) }
    let outdated = end.advanced(bySeconds: 1)
    return outdated > time ? outdated : nil
  }

  /// What stands in a row: `~7s`, or how late it is, longest first; nil where nothing is known.
  func tails(at time: Timestamp?) -> [String]? {
    if let seconds = lateness(at: time) {
      let late = Figures.duration(Double(seconds))
      return ["+\(late) late", "late \(late)", "late"]
    }
    guard isPromised || (time ?? seenAt).seconds(since: end) < 1 else { return nil }
    return ["~" + Figures.duration(max(1, end.seconds(since: seenAt)))]
  }

  /// The same in a sentence: `about 7s`, `8s late`.
  func words(at time: Timestamp?) -> String? {
    if let seconds = lateness(at: time) { return "\(Figures.duration(Double(seconds))) late" }
    return tails(at: time)?.first.map { "about " + $0.dropFirst() }
  }
}
