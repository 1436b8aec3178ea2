/// When the next frame may be drawn that nobody waits for.
///
/// What comes in a burst is one frame, once it has come: a frame at its first word would keep the last
/// one waiting for the frame after. Over any length of time the rate is kept; where frames were
/// late, two may follow each other in half the time, so that one that was late delays none after it.
struct FramePace: Sendable {
  /// A write that takes longer says that the terminal does not keep up.
  static let blockedAfter = Duration.milliseconds(50)
  /// How long the rate is halved then.
  static let caution = Duration.seconds(5)
  /// A burst is over when nothing has come for so long.
  static let gap = Duration.milliseconds(4)
  /// For how long a burst is waited for at most.
  static let burstInterval = Duration.milliseconds(30)

  private let interval: Duration
  private var careful: ContinuousClock.Instant?
  // When the next frame would be due if all came at the rate.
  private var due: ContinuousClock.Instant?
  private var changed: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?

  /// - Parameter rate: The most frames a second, from 1 to 20; nil takes 10.
  init(rate: Int?) {
    interval = .seconds(1) / min(max(1, rate ?? 10), 20)
  }

  /// Notes that something came that changes what is shown.
  mutating func change(at now: ContinuousClock.Instant) {
    changed = (changed?.first ?? now, now)
  }

  /// Notes that all there is was drawn, and how long that took to be written.
  mutating func drew(in duration: Duration, at now: ContinuousClock.Instant) {
    if duration > Self.blockedAfter { careful = now + Self.caution }
    due = max(now, due ?? now) + interval(at: now)
    changed = nil
  }

  /// How long to wait, now, until what has come is drawn; zero where it is to be drawn at once, nil
  /// where there is nothing to draw.
  func wait(at now: ContinuousClock.Instant) -> Duration? {
    guard let (first, last) = changed else { return nil }
    let settled = min(last + Self.gap, first + Self.burstInterval)
    let allowed = due.map { $0 - interval(at: now) / 2 } ?? settled
    return max(.zero, max(settled, allowed) - now)
  }

  private func interval(at now: ContinuousClock.Instant) -> Duration {
    guard let careful, now < careful else { return interval }
    return interval * 2
  }
}
