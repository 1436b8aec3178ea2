/// How soon after a frame the next one may be drawn that nobody waits for.
struct FramePace: Sendable {
  /// A write that takes longer says that the terminal does not keep up.
  static let blockedAfter = Duration.milliseconds(50)
  /// How long the rate is halved then.
  static let caution = Duration.seconds(5)

  private let interval: Duration
  private var careful: ContinuousClock.Instant?

  /// - Parameter rate: The most frames a second, from 1 to 20; nil takes 10.
  init(rate: Int?) {
    interval = .seconds(1) / min(max(1, rate ?? 10), 20)
  }

  /// Notes how long a frame took to be written.
  mutating func wrote(in duration: Duration, at now: ContinuousClock.Instant) {
    if duration > Self.blockedAfter { careful = now + Self.caution }
  }

  /// How long to wait after a frame, now.
  func interval(at now: ContinuousClock.Instant) -> Duration {
    guard let careful, now < careful else { return interval }
    return interval * 2
  }
}
