import InstallJobs

/// Limits how many refusals and failures of one user are recorded; the others are counted.
///
/// A user who may connect can be refused any number of times, and the record must not grow with
/// that. Permitted acts are always recorded. This is a pure value: the owner calls it, writes the
/// entries and sets the timers.
struct AuditLimit: Sendable {
  /// Maximum number of entries of one user in a window.
  static let most = 60
  /// Length of a window, in seconds.
  static let window = 60.0

  /// The period in which the refusals of one user are counted together.
  struct Span: Sendable, Hashable {
    var start: Timestamp
    /// The end of the period, which is not part of it.
    var end: Timestamp { start.advanced(bySeconds: AuditLimit.window) }

    // After the clock was set back, a span in the future counts as ended, because it would never
    // end.
    fileprivate func hasEnded(by time: Timestamp) -> Bool { time < start || time >= end }
  }

  /// The decision on a refusal.
  struct Decision: Sendable, Hashable {
    /// Whether the refusal gets its own entry.
    var isRecorded: Bool
    /// The window at whose end the owner must call ``AuditLimit/end(_:startedAt:)``; nil when that
    /// call is scheduled already.
    var counted: Span?
    /// Number of entries suppressed in an ended window, to be recorded before the next entry.
    var leftOut = 0
  }

  private struct Window {
    var span: Span
    var rows = 0
    var leftOut = 0
  }

  private var windows: [UInt32: Window] = [:]

  /// Counts a refusal of a user and decides whether it is recorded.
  mutating func admit(_ uid: UInt32, at time: Timestamp) -> Decision {
    // Windows with suppressed entries stay until their count is read.
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

  /// Ends a user's window and returns the number of entries suppressed in it; 0 when the window
  /// that began at `start` no longer exists.
  mutating func end(_ uid: UInt32, startedAt start: Timestamp) -> Int {
    guard let window = windows[uid], window.span.start == start else { return 0 }
    windows[uid] = nil
    return window.leftOut
  }

  /// Adds a count that could not be recorded to the user's present window.
  ///
  /// - Returns: The window at whose end the owner must call ``end(_:startedAt:)``; nil when that
  ///   call is scheduled already.
  mutating func restore(_ count: Int, of uid: UInt32, at time: Timestamp) -> Span? {
    var window = windows[uid] ?? Window(span: Span(start: time))
    defer { windows[uid] = window }
    window.leftOut += count
    return window.leftOut == count ? window.span : nil
  }

  /// Number of users with a window.
  var count: Int { windows.count }
}
