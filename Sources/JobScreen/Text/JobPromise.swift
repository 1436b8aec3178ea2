import InstallJobs

/// When a job at work is expected to be over, as its figures promised, and how late it is.
///
/// Figures that come with progress make a new promise, at most once a second. Figures without
/// progress would only put the end off for as long as nothing moves: the promise stays, counts down
/// and is then overdue, which is the truth that an estimate climbing silently hides.
struct JobPromise: Sendable, Hashable {
  /// Seconds of work, and per cent, below which an estimate is a guess that nobody is shown.
  static let settling = (
    seconds: JobSnapshot.settlingSeconds, percent: JobSnapshot.settlingPercent
  )

  /// When the job should be over, by the engine's clock.
  private(set) var end: Timestamp
  /// How far the end may be off in either direction, in seconds; nil where that is not known.
  private(set) var spread: Double?
  // The per cent that the promise came with.
  private var percent: Double
  // The time that what is left is counted from; moves on at most once a second.
  private var shownAt: Timestamp

  /// What the figures of `job` promise; nil where they promise nothing: the job does not work, has
  /// hardly begun, or waits for something that nobody can foresee.
  ///
  /// - Parameters:
  ///   - job: With the figures.
  ///   - time: When they were told; nil takes the last sign of life.
  init?(_ job: JobSnapshot, at time: Timestamp? = nil) {
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

  /// What a job that is told anew promises: what it promised before, brought up to date.
  ///
  /// - Parameters:
  ///   - job: With the figures.
  ///   - old: What was promised before; nil where nothing was.
  init?(_ job: JobSnapshot, keeping old: JobPromise?) {
    guard let new = JobPromise(job) else { return nil }
    self = old ?? new
    if let time = job.lastActivityAt ?? job.startedAt { apply(job, at: time) }
  }

  /// Whether a job in this state works towards its end.
  static func isMade(by job: JobSnapshot) -> Bool {
    switch job.state {
    case .downloading, .installing, .finalizing, .stopping: true
    case .queued, .waitingForLock, .waitingForInput, .suspended, .completed, .interrupted: false
    }
  }

  /// Takes the figures that came at `time`.
  mutating func apply(_ job: JobSnapshot, at time: Timestamp) {
    guard time.seconds(since: shownAt) >= 1 else { return }
    if job.percentComplete > percent, let next = JobPromise(job, at: time) {
      self = next
    } else {
      shownAt = time
    }
  }

  /// Seconds that are left.
  var remaining: Double { max(0, end.seconds(since: shownAt)) }

  /// Whole seconds since the promised end; nil while it has not passed by one.
  func lateness(at time: Timestamp?) -> Int? {
    let seconds = (time ?? shownAt).seconds(since: end)
    return seconds >= 1 ? Int(seconds.bounded(to: 1...1e9)) : nil
  }

  /// When ``lateness(at:)`` says something else than at `time`.
  func nextLateness(after time: Timestamp) -> Timestamp {
    end.advanced(bySeconds: Double((lateness(at: time) ?? 0) + 1))
  }
}
