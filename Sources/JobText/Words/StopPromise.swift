package import InstallJobs

/// When an abort should take effect, by the engine's estimate.
///
/// The estimate at the acknowledgement is a promise: it counts down and then becomes overdue.
/// Before an abort request there is only a forecast from the last snapshot, which expires at its
/// end.
package struct StopPromise: Sendable, Hashable {
  /// When the job should have stopped, by the engine's clock.
  package let end: Timestamp
  /// The time from which the time left is counted: the job's last sign of life.
  package let seenAt: Timestamp
  /// Whether the engine promised the time with its acknowledgement; otherwise it is a forecast.
  let isPromised: Bool

  /// The estimate for `job`; nil if there is none, or if the job stops at once.
  package init?(_ job: JobSnapshot) {
    guard !job.state.isFinal, let last = job.lastActivityAt else { return nil }
    if let record = job.abort, case .accepted(let name?, let seconds) = record.disposition {
      let asked = record.acknowledgedAt ?? record.requestedAt
      seenAt = max(asked, last)
      if let seconds, seconds.isFinite {
        (end, isPromised) = (asked.advanced(bySeconds: seconds.bounded(to: 0...1e9)), true)
        return
      }
      // Unknown at the acknowledgement, but known now.
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

  /// Whole seconds since the promised stop; nil until one second has passed, and without a promise.
  package func lateness(at time: Timestamp?) -> Int? {
    let seconds = (time ?? seenAt).seconds(since: end)
    return isPromised && seconds >= 1 ? Int(seconds.bounded(to: 1...1e9)) : nil
  }

  /// The next time after `time` at which the words change; nil if they will not.
  package func nextChange(after time: Timestamp) -> Timestamp? {
    guard !isPromised else { return end.advanced(bySeconds: Double((lateness(at: time) ?? 0) + 1)) }
    let outdated = end.advanced(bySeconds: 1)
    return outdated > time ? outdated : nil
  }

  /// The end of a row, longest first: `~7s`, or the lateness; nil if nothing is known.
  package func tails(at time: Timestamp?) -> [String]? {
    if let seconds = lateness(at: time) {
      let late = Figures.duration(Double(seconds))
      return ["+\(late) late", "late \(late)", "late"]
    }
    guard isPromised || (time ?? seenAt).seconds(since: end) < 1 else { return nil }
    return ["~" + Figures.duration(max(1, end.seconds(since: seenAt)))]
  }

  /// The time left or the lateness, for a sentence: `about 7s`, `8s late`.
  package func words(at time: Timestamp?) -> String? {
    if let seconds = lateness(at: time) { return "\(Figures.duration(Double(seconds))) late" }
    return tails(at: time)?.first.map { "about " + $0.dropFirst() }
  }
}
