import InstallJobs
import JobText

/// Jobs that changed while the connection was lost; their rows are underlined for two seconds.
struct ChangedRows: Sendable {
  /// Seconds for which the rows stay underlined.
  static let duration = 2.0

  /// The changed jobs.
  let jobs: Set<JobID>
  /// The time here at which the underlines end.
  let until: Timestamp

  /// The changed jobs after a reconnection; nil if there are none or the time is unknown.
  init?(_ jobs: Set<JobID>, at time: Timestamp?) {
    guard let time, !jobs.isEmpty else { return nil }
    self.jobs = jobs
    until = time.advanced(bySeconds: Self.duration)
  }
}

extension JobSnapshot {
  /// Whether the row of this job differs from that of `other` in state, result or per cent.
  func isShownOtherwise(than other: JobSnapshot) -> Bool {
    state != other.state || resultCode != other.resultCode || isStopping != other.isStopping
      || isCleanedUp != other.isCleanedUp
      || Figures.percent(percentComplete) != Figures.percent(other.percentComplete)
  }
}
