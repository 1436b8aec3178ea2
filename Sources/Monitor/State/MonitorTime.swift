import InstallJobs

/// The time by the clock of this machine and by the engine's clock, which may differ.
///
/// Messages from the engine arrive late, never early. The message whose time is furthest ahead of
/// the clock here had the least delay, and the engine's time is extrapolated from it. So the
/// engine's time never goes back, whatever the delays.
struct MonitorTime: Sendable {
  /// The time here, which never goes back; nil before the first clock event.
  private(set) var here: Timestamp?
  // A time by the engine's clock, and the time here when it arrived.
  private var engineTime: (at: Timestamp, here: Timestamp?)?

  /// The time here of the last message from the engine.
  private(set) var lastHeard: Timestamp?

  init() {}

  /// Records that a message from the engine arrived.
  mutating func recordMessage() { lastHeard = here ?? lastHeard }

  /// Applies the time of this machine.
  mutating func apply(_ time: Timestamp) {
    here = max(here ?? time, time)
    if engineTime?.here == nil { engineTime?.here = here }
  }

  /// Applies a time by the engine's clock; an earlier one than the extrapolated time is ignored.
  mutating func applyEngineTime(_ time: Timestamp) {
    if let engine, time <= engine { return }
    engineTime = (time, here)
  }

  /// Applies the engine's time from a fresh status reply.
  ///
  /// If it is behind by more than ``answerTolerance`` seconds, the engine's clock was set back.
  mutating func apply(answer time: Timestamp) {
    if let engine, engine.seconds(since: time) > Self.answerTolerance { dropEngineTime() }
    applyEngineTime(time)
  }

  /// The longest time in seconds that a reply takes before the engine counts as silent.
  private static let answerTolerance = 5.0

  /// Drops the engine's time: another engine may have another clock.
  mutating func dropEngineTime() { engineTime = nil }

  /// The extrapolated time by the engine's clock; nil before the first message with a time.
  var engine: Timestamp? {
    guard let engineTime else { return nil }
    guard let here, let then = engineTime.here else { return engineTime.at }
    return engineTime.at.advanced(bySeconds: here.seconds(since: then))
  }

  /// The time that ages of jobs refer to: the engine's if known, otherwise this machine's.
  var present: Timestamp? { engine ?? here }

  /// The time here at which the engine's clock reaches `time`.
  func here(at time: Timestamp) -> Timestamp? {
    guard let here, let engine else { return nil }
    return here.advanced(bySeconds: time.seconds(since: engine))
  }
}
