extension JobSnapshot {
  /// Duration of the work of an ended job in seconds; nil if the job is not over or never started.
  ///
  /// For an interrupted job it ends with the last sign of its work. An interrupted job ends when an
  /// engine finds it; the time without an engine is not part of the work, see
  /// ``interruptedSeconds``.
  package var workedSeconds: Double? {
    guard state.isFinal, let start = startedAt, let end = endedAt else { return nil }
    return max(0, min(interruptedAt ?? workEndedAt ?? end, end).seconds(since: start))
  }

  /// For an interrupted job: seconds between the last sign of its work and the moment when an
  /// engine found it; nil for any other job.
  package var interruptedSeconds: Double? {
    guard state == .interrupted, let last = interruptedAt, let end = endedAt, last < end else {
      return nil
    }
    return end.seconds(since: last)
  }

  /// When the work of an ended job ended, which an engine may have found later; nil if the job is
  /// not over.
  ///
  /// For an interrupted job it is the time when an engine found it.
  package var workOverAt: Timestamp? {
    guard let end = endedAt, let last = workEndedAt else { return endedAt }
    return min(last, end)
  }

  /// Seconds between the end of the work and the moment when an engine found it; nil if an engine
  /// saw the end.
  package var foundLateSeconds: Double? {
    guard let last = workEndedAt, let end = endedAt, last < end else { return nil }
    return end.seconds(since: last)
  }
}
