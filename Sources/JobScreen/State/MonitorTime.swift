import InstallJobs

/// The time as the monitor knows it: that of this machine, as it was told last, and the engine's,
/// which may have another clock.
///
/// What the engine tells comes late, never early: of all that was heard on a connection, what was
/// furthest ahead of the clock here came with the least delay, and the engine's time is counted
/// from it. So it never goes back, however late something is delivered.
struct MonitorTime: Sendable {
  /// The time here, which never goes back; nil before it was told.
  private(set) var here: Timestamp?
  // A time by the engine's clock, and when it was heard by ours.
  private var engineTime: (at: Timestamp, here: Timestamp?)?

  /// When the engine was heard last, by the time here.
  private(set) var lastHeard: Timestamp?

  init() {}

  /// Something came from the engine.
  mutating func noteSign() { lastHeard = here ?? lastHeard }

  /// Takes the time of this machine.
  mutating func apply(_ time: Timestamp) {
    here = max(here ?? time, time)
    if engineTime?.here == nil { engineTime?.here = here }
  }

  /// Takes a time that the engine told.
  mutating func applyEngineTime(_ time: Timestamp) {
    if let engine, time <= engine { return }
    engineTime = (time, here)
  }

  /// Takes a time that the engine told when it was asked, just now: one that is behind by more than
  /// an answer takes means that the engine's clock was set back.
  mutating func apply(answer time: Timestamp) {
    if let engine, engine.seconds(since: time) > Self.answerTolerance { forgetEngine() }
    applyEngineTime(time)
  }

  /// Seconds that an answer takes at most, unless the engine counts as silent.
  private static let answerTolerance = 5.0

  /// Forgets the engine's clock: another engine may have another.
  mutating func forgetEngine() { engineTime = nil }

  /// The time by the engine's clock; nil before it told one.
  var engine: Timestamp? {
    guard let engineTime else { return nil }
    guard let here, let then = engineTime.here else { return engineTime.at }
    return engineTime.at.advanced(bySeconds: here.seconds(since: then))
  }

  /// The time that ages of jobs are counted to: the engine's, or ours before it told one.
  var present: Timestamp? { engine ?? here }

  /// The time here at which it will be `time` by the engine's clock.
  func here(at time: Timestamp) -> Timestamp? {
    guard let here, let engine else { return nil }
    return here.advanced(bySeconds: time.seconds(since: engine))
  }
}
