import InstallJobs

/// Limits which refusals of users without rights are recorded singly; the others are counted
/// together.
///
/// All these users share one window, because one person may have many uids. The record grows by at
/// most ``most`` entries and two more per hour, of which at most ``mostPerUser`` are of one uid, so
/// that a user with many refusals does not hide the others. This is a pure value: the owner calls
/// it, writes the entries and sets the timers.
struct UnprivilegedRefusalLimit: Sendable {
  /// Maximum number of single entries in a window.
  static let most = 12
  /// Maximum number of single entries of one user in a window.
  static let mostPerUser = 3
  /// Length of a window, in seconds.
  static let window = 3600.0
  /// Maximum number of users named in a summary entry.
  static let mostUsers = 16
  private static let mostCounted = 256

  /// The decision on a refusal.
  struct Decision: Sendable, Hashable {
    /// Whether the refusal gets its own entry.
    var isRecorded: Bool
    /// The time at which the owner must call ``end(by:)``; nil when that call is scheduled already.
    var end: Timestamp?
    /// The refusals counted in an ended window, to be recorded first.
    var summary: Summary?
  }

  /// Refusals that were counted and not recorded singly.
  struct Summary: Sendable, Hashable {
    var count: Int
    /// The users with the most refusals, most first.
    var users: [AuditSubject.UserCount]
  }

  private var start: Timestamp?
  private var rows = 0
  private var rowsOfUser: [UInt32: Int] = [:]
  private var counted = 0
  private var countedOfUser: [UInt32: Int] = [:]

  /// Counts refusals of a user.
  mutating func add(_ uid: UInt32, _ count: Int, at time: Timestamp) -> Decision {
    var decision = Decision(isRecorded: true)
    if let start, time < start || time >= start.advanced(bySeconds: Self.window) {
      decision.summary = end()
    }
    let start = start ?? time
    self.start = start
    if rows < Self.most, rowsOfUser[uid, default: 0] < Self.mostPerUser {
      rows += 1
      rowsOfUser[uid, default: 0] += 1
    } else {
      decision.isRecorded = false
      if counted == 0 { decision.end = start.advanced(bySeconds: Self.window) }
      addCounted(uid, count)
    }
    return decision
  }

  /// Ends the window if it is over at `time`.
  ///
  /// - Returns: The refusals counted in it; nil when there are none.
  mutating func end(by time: Timestamp) -> Summary? {
    guard let start, time >= start.advanced(bySeconds: Self.window) else { return nil }
    return end()
  }

  /// Adds a summary that could not be recorded to the present window.
  ///
  /// - Returns: The time at which the owner must call ``end(by:)``; nil when that call is scheduled
  ///   already.
  mutating func restore(_ summary: Summary, at time: Timestamp) -> Timestamp? {
    let start = start ?? time
    self.start = start
    let isFirst = counted == 0
    let named = summary.users.reduce(0) { $0 + $1.count }
    for user in summary.users { addCounted(user.uid, user.count) }
    counted += summary.count - named
    return isFirst ? start.advanced(bySeconds: Self.window) : nil
  }

  private mutating func addCounted(_ uid: UInt32, _ count: Int) {
    counted += count
    guard countedOfUser[uid] != nil || countedOfUser.count < Self.mostCounted else { return }
    countedOfUser[uid, default: 0] += count
  }

  private mutating func end() -> Summary? {
    defer { self = UnprivilegedRefusalLimit() }
    guard counted > 0 else { return nil }
    let users = countedOfUser.map { AuditSubject.UserCount(uid: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.uid) < ($0.count, $1.uid) }
    return Summary(count: counted, users: Array(users.prefix(Self.mostUsers)))
  }
}
