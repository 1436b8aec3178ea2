import InstallJobs

/// The time of this machine as it was at the start and has gone on since: setting the clock does
/// not make it jump, so that ages and what is shown for a while stay right.
struct SteadyTime: Sendable {
  private let start = LocalTime.now
  private let begin = ContinuousClock.now

  /// The present time.
  var now: Timestamp { start.advanced(bySeconds: (ContinuousClock.now - begin) / .seconds(1)) }

  /// How long it is until `moment`; not less than nothing.
  func duration(until moment: Timestamp) -> Duration {
    .milliseconds(max(0, moment.milliseconds - now.milliseconds))
  }
}
