import InstallJobs

/// Jobs that are not what they were before the connection was lost: their rows are underlined for a
/// while.
struct ChangedRows: Sendable {
  /// For how long, in seconds.
  static let duration = 2.0

  /// The jobs.
  let jobs: Set<JobID>
  /// The time here at which their rows look like all others again.
  let until: Timestamp

  /// What differs between two views of all jobs; nil when nothing does.
  init?(_ jobs: Set<JobID>, at time: Timestamp?) {
    guard let time, !jobs.isEmpty else { return nil }
    self.jobs = jobs
    until = time.advanced(bySeconds: Self.duration)
  }
}

extension JobSnapshot {
  /// Whether the job's row says something else than that of `other`: state, per cent, result.
  func isShownOtherwise(than other: JobSnapshot) -> Bool {
    state != other.state || resultCode != other.resultCode || isStopping != other.isStopping
      || isCleanedUp != other.isCleanedUp
      || Figures.percent(percentComplete) != Figures.percent(other.percentComplete)
  }
}
