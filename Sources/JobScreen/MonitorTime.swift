import InstallJobs

/// The time as the monitor knows it: that of this machine, as it was told last, and the engine's, which
/// may have another clock, by its last event and what has gone by here since.
struct MonitorTime: Sendable {
  /// The time here, which never goes back; nil before it was told.
  private(set) var here: Timestamp?
  // When the last event happened by the engine's clock, and when it came by ours.
  private var heard: (at: Timestamp, here: Timestamp?)?

  init() {}

  /// Takes the time of this machine.
  mutating func take(_ time: Timestamp) { here = max(here ?? time, time) }

  /// Takes the time of an event.
  mutating func hear(_ time: Timestamp) { heard = (time, here) }

  /// The time by the engine's clock; nil before its first event.
  var engine: Timestamp? {
    guard let heard else { return nil }
    guard let here, let then = heard.here else { return heard.at }
    return heard.at.advanced(bySeconds: here.seconds(since: then))
  }

  /// The time here at which it will be `time` by the engine's clock.
  func here(at time: Timestamp) -> Timestamp? {
    guard let here, let engine else { return nil }
    return here.advanced(bySeconds: time.seconds(since: engine))
  }
}
