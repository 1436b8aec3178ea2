package import InstallJobs

/// The expected end of a running job, and how late the job is.
///
/// Estimates that arrive with progress make a new promise, at most once a second. Without progress
/// the promise stays, counts down and becomes overdue; a new estimate would move the end back for
/// as long as nothing moves, and hide the delay.
package struct JobPromise: Sendable, Hashable {
  /// Seconds of work and per cent below which an estimate is too uncertain to be shown.
  static let settling = (
    seconds: JobSnapshot.settlingSeconds, percent: JobSnapshot.settlingPercent
  )

  /// When the job should be over, by the engine's clock.
  package private(set) var end: Timestamp
  /// Possible error of `end` in either direction, in seconds; nil if unknown.
  package private(set) var spread: Double?
  // The per cent at which the promise was made.
  private var percent: Double
  // The time from which `remaining` is counted; moves on at most once a second.
  private var shownAt: Timestamp

  /// The promise from the estimate of `job`; nil if there is none: the job is not running, has
  /// hardly begun, or waits for an event that cannot be forecast.
  ///
  /// - Parameters:
  ///   - job: The job with its estimate.
  ///   - time: Time of the estimate; nil means the job's last sign of life.
  package init?(_ job: JobSnapshot, at time: Timestamp? = nil) {
    guard Self.isMade(by: job), let eta = job.etaSeconds, eta.isFinite,
      job.percentComplete >= Self.settling.percent,
      let time = time ?? job.lastActivityAt ?? job.startedAt, let start = job.startedAt,
      time.seconds(since: start) >= Self.settling.seconds
    else { return nil }
    end = time.advanced(bySeconds: eta.bounded(to: 0...1e9))
    percent = job.percentComplete
    spread = job.etaSpreadSeconds
    shownAt = time
  }

  /// The promise from a new snapshot of a job: the old promise, updated.
  ///
  /// - Parameters:
  ///   - job: The job with its estimate.
  ///   - old: The promise before; nil if there was none.
  package init?(_ job: JobSnapshot, keeping old: JobPromise?) {
    guard let new = JobPromise(job) else { return nil }
    self = old ?? new
    if let time = job.lastActivityAt ?? job.startedAt { apply(job, at: time) }
  }

  /// Whether a job in this state works towards its end.
  package static func isMade(by job: JobSnapshot) -> Bool {
    switch job.state {
    case .downloading, .installing, .finalizing, .stopping: true
    case .queued, .waitingForLock, .waitingForInput, .suspended, .completed, .interrupted: false
    }
  }

  /// Applies a snapshot whose figures are from `time`.
  package mutating func apply(_ job: JobSnapshot, at time: Timestamp) {
    guard time.seconds(since: shownAt) >= 1 else { return }
    if job.percentComplete > percent, let next = JobPromise(job, at: time) {
      self = next
    } else {
      shownAt = time
    }
  }

  /// Seconds left, at least 0.
  package var remaining: Double { max(0, end.seconds(since: shownAt)) }

  /// Whole seconds since the promised end; nil until one second has passed.
  package func lateness(at time: Timestamp?) -> Int? {
    let seconds = (time ?? shownAt).seconds(since: end)
    return seconds >= 1 ? Int(seconds.bounded(to: 1...1e9)) : nil
  }

  /// The time after `time` at which ``lateness(at:)`` changes.
  package func nextLateness(after time: Timestamp) -> Timestamp {
    end.advanced(bySeconds: Double((lateness(at: time) ?? 0) + 1))
  }
}
