import InstallJobs

/// Which refusals of users without rights go on record one by one; the others are counted together.
///
/// All of them share one window, whatever their number, because one person may have many uids: the
/// record grows by at most ``most`` rows and two more in an hour, and of one uid by ``mostPerUser``, so
/// that others are still named beside somebody who makes much noise. Pure: the owner asks, writes and
/// sets timers.
struct UnprivilegedRefusalLimit: Sendable {
  /// Rows of single refusals in one window.
  static let most = 12
  /// The same of one user.
  static let mostPerUser = 3
  /// How long a window is, in seconds.
  static let window = 3600.0
  /// Users that are named in a row that counts several.
  static let mostUsers = 16
  private static let mostCounted = 256

  /// What to do with a refusal.
  struct Decision: Sendable, Hashable {
    /// Whether it goes on record itself.
    var isRecorded: Bool
    /// The time at which ``end(by:)`` is to be called; nil where a call is planned already.
    var end: Timestamp?
    /// What was counted in a window that is over, to be put on record first.
    var summary: Summary?
  }

  /// Refusals that were counted.
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
  /// - Returns: What was counted in it; nil for nothing.
  mutating func end(by time: Timestamp) -> Summary? {
    guard let start, time >= start.advanced(bySeconds: Self.window) else { return nil }
    return end()
  }

  /// Adds what could not be put on record to the present window.
  ///
  /// - Returns: The time at which ``end(by:)`` is to be called; nil where a call is planned already.
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
