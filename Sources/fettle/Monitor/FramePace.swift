/// Decides when the next frame may be drawn for changes that no user input caused.
///
/// The changes of a burst become one frame, drawn at the end of the burst: a frame at the first
/// change would delay the last change until the following frame. The average rate never exceeds the
/// limit. After a late frame the next one may follow at half the interval, so that one delay does
/// not shift all later frames.
struct FramePace: Sendable {
  /// A longer write means that the terminal does not keep up.
  static let blockedAfter = Duration.milliseconds(50)
  /// Time for which the rate is halved after such a write.
  static let caution = Duration.seconds(5)
  /// A burst ends when no change has come for this time.
  static let gap = Duration.milliseconds(4)
  /// The longest wait for the end of a burst.
  static let burstInterval = Duration.milliseconds(30)

  private let interval: Duration
  private var slowUntil: ContinuousClock.Instant?
  // When the next frame is due at the full rate.
  private var due: ContinuousClock.Instant?
  private var changed: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?

  /// - Parameter rate: The most frames a second, clamped to 1...20; nil means 10.
  init(rate: Int?) {
    interval = .seconds(1) / min(max(1, rate ?? 10), 20)
  }

  /// Records a change of the shown state.
  mutating func recordChange(at now: ContinuousClock.Instant) {
    changed = (changed?.first ?? now, now)
  }

  /// Records that all changes were drawn, and how long the write took.
  mutating func recordFrame(in duration: Duration, at now: ContinuousClock.Instant) {
    if duration > Self.blockedAfter { slowUntil = now + Self.caution }
    due = max(now, due ?? now) + interval(at: now)
    changed = nil
  }

  /// Returns the time to wait before the next frame; zero to draw at once, nil when there is no
  /// change to draw.
  func wait(at now: ContinuousClock.Instant) -> Duration? {
    guard let (first, last) = changed else { return nil }
    let settled = min(last + Self.gap, first + Self.burstInterval)
    let allowed = due.map { $0 - interval(at: now) / 2 } ?? settled
    return max(.zero, max(settled, allowed) - now)
  }

  private func interval(at now: ContinuousClock.Instant) -> Duration {
    guard let slowUntil, now < slowUntil else { return interval }
    return interval * 2
  }
}
