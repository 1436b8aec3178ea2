extension JobSnapshot {
  /// How long the work of a job that is over took, in seconds: of one that was interrupted up to the
  /// last sign of it; nil for one that is not over or never began.
  ///
  /// An interrupted job ends when an engine finds it so. That the engine was away meanwhile is no
  /// time that the job took; see ``interruptedSeconds``.
  package var workedSeconds: Double? {
    guard state.isFinal, let start = startedAt, let end = endedAt else { return nil }
    return max(0, min(interruptedAt ?? workEndedAt ?? end, end).seconds(since: start))
  }

  /// How long nobody had worked on an interrupted job when that was found, in seconds; nil for any
  /// other job.
  package var interruptedSeconds: Double? {
    guard state == .interrupted, let last = interruptedAt, let end = endedAt, last < end else {
      return nil
    }
    return end.seconds(since: last)
  }

  /// When the work of a job that is over ended, which an engine may have found later.
  ///
  /// Nil for one that is not over; an interrupted job ends when it is found.
  package var workOverAt: Timestamp? {
    guard let end = endedAt, let last = workEndedAt else { return endedAt }
    return min(last, end)
  }

  /// How long the work had been over when that was found, in seconds; nil where it was seen to end.
  package var foundLateSeconds: Double? {
    guard let last = workEndedAt, let end = endedAt, last < end else { return nil }
    return end.seconds(since: last)
  }
}
