import InstallJobs

/// How many refusals and failures of one user go on record in a while; the rest are counted.
///
/// Whoever may connect can be refused as often as he likes, and the record must not grow with that.
/// What is permitted is never left out. Pure: the owner asks, writes and sets timers.
struct AuditLimit: Sendable {
  /// So many rows of one user in one window.
  static let most = 60
  /// How long a window is, in seconds.
  static let window = 60.0

  /// What is to be done with a refusal.
  struct Decision: Sendable, Hashable {
    /// Whether it goes on record itself.
    var isRecorded: Bool
    /// Whether it is the first of its window that does not: at the window's end there is a count.
    var opensCount = false
    /// So many were left out in a window that has ended; to be put on record first.
    var leftOut = 0
  }

  private struct Window {
    var start: Timestamp
    var rows = 0
    var leftOut = 0
  }

  private var windows: [UInt32: Window] = [:]

  /// Takes one more refusal of a user.
  mutating func take(_ uid: UInt32, at time: Timestamp) -> Decision {
    var window = windows[uid] ?? Window(start: time)
    var decision = Decision(isRecorded: true)
    // Also when the clock was set back: a window from the future would never end.
    if !(0..<Self.window).contains(time.seconds(since: window.start)) {
      decision.leftOut = window.leftOut
      window = Window(start: time)
    }
    if window.rows < Self.most {
      window.rows += 1
    } else {
      decision.isRecorded = false
      decision.opensCount = window.leftOut == 0
      window.leftOut += 1
    }
    windows[uid] = window
    return decision
  }

  /// Ends a user's window; returns how many were left out in it.
  mutating func end(_ uid: UInt32) -> Int { windows.removeValue(forKey: uid)?.leftOut ?? 0 }
}
