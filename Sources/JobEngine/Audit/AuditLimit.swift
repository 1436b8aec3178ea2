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

  /// The time in which the refusals of one user are counted together.
  struct Span: Sendable, Hashable {
    var start: Timestamp
    /// The first time that is not in it.
    var end: Timestamp { start.advanced(bySeconds: AuditLimit.window) }

    // A span from the future, where the clock was set back, has ended: it never would.
    fileprivate func hasEnded(by time: Timestamp) -> Bool { time < start || time >= end }
  }

  /// What is to be done with a refusal.
  struct Decision: Sendable, Hashable {
    /// Whether it goes on record itself.
    var isRecorded: Bool
    /// The window at whose end the count is to be asked for; nil where that is seen to already.
    var counted: Span?
    /// So many were left out in a window that has ended; to be put on record first.
    var leftOut = 0
  }

  private struct Window {
    var span: Span
    var rows = 0
    var leftOut = 0
  }

  private var windows: [UInt32: Window] = [:]

  /// Takes one more refusal of a user.
  mutating func admit(_ uid: UInt32, at time: Timestamp) -> Decision {
    // Windows in which something was left out stay until their count is asked for.
    windows = windows.filter { $0.value.leftOut > 0 || !$0.value.span.hasEnded(by: time) }
    var window = windows[uid] ?? Window(span: Span(start: time))
    var decision = Decision(isRecorded: true)
    if window.span.hasEnded(by: time) {
      decision.leftOut = window.leftOut
      window = Window(span: Span(start: time))
    }
    if window.rows < Self.most {
      window.rows += 1
    } else {
      decision.isRecorded = false
      decision.counted = window.leftOut == 0 ? window.span : nil
      window.leftOut += 1
    }
    windows[uid] = window
    return decision
  }

  /// Ends a user's window; returns how many were left out in it.
  ///
  /// Nothing is ended, and 0 returned, when the window that began at `start` is gone already.
  mutating func end(_ uid: UInt32, startedAt start: Timestamp) -> Int {
    guard let window = windows[uid], window.span.start == start else { return 0 }
    windows[uid] = nil
    return window.leftOut
  }

  /// Takes back a count that could not be put on record, to be told with the present window's.
  ///
  /// - Returns: The window at whose end the count is to be asked for; nil where that is seen to
  ///   already.
  mutating func restore(_ count: Int, of uid: UInt32, at time: Timestamp) -> Span? {
    var window = windows[uid] ?? Window(span: Span(start: time))
    defer { windows[uid] = window }
    window.leftOut += count
    return window.leftOut == count ? window.span : nil
  }

  /// How many users have a window.
  var count: Int { windows.count }
}
