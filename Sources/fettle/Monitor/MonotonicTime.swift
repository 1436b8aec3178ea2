import HostSystem
import InstallJobs

/// A clock that starts at the machine's time and advances monotonically: setting the machine's
/// clock does not move it, so that ages and time-limited messages stay right.
struct MonotonicTime: Sendable {
  private let start = Timestamp.now
  private let begin = ContinuousClock.now

  /// The present time.
  var now: Timestamp { start.advanced(bySeconds: (ContinuousClock.now - begin) / .seconds(1)) }

  /// Returns the time until `moment`, at least zero.
  func duration(until moment: Timestamp) -> Duration {
    .milliseconds(max(0, moment.milliseconds - now.milliseconds))
  }
}
