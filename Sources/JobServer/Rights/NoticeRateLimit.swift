/// A rate limit for log notices: one notice per kind, user and window is logged, the others are
/// counted.
///
/// A pure value. Its size is bounded by ``mostSubjects``.
struct NoticeRateLimit: Sendable {
  /// The kind and the user of a notice.
  struct Subject: Sendable, Hashable {
    var kind: NoticeKind
    /// The user; nil for all users that do not fit in the table.
    var uid: UInt32?
  }

  /// Largest number of subjects with their own window.
  static let mostSubjects = 128

  private var counts: [Subject: Int] = [:]

  /// Counts one more notice.
  ///
  /// - Returns: The subject if this notice begins its window: the caller logs the notice and calls
  ///   ``end(_:)`` when the window has passed. Nil if the notice is only counted.
  mutating func begin(_ kind: NoticeKind, _ uid: UInt32) -> Subject? {
    var subject = Subject(kind: kind, uid: uid)
    if counts[subject] == nil, counts.count >= Self.mostSubjects { subject.uid = nil }
    guard let count = counts[subject] else {
      counts[subject] = 0
      return subject
    }
    counts[subject] = count + 1
    return nil
  }

  /// Ends the window of a subject.
  ///
  /// - Returns: The number of notices that were counted and not logged. Above 0, a new window has
  ///   begun.
  mutating func end(_ subject: Subject) -> Int {
    let count = counts.removeValue(forKey: subject) ?? 0
    if count > 0 { counts[subject] = 0 }
    return count
  }
}

/// Kinds of notices that a peer can cause without limit.
enum NoticeKind: String, Sendable, Hashable, CaseIterable {
  case tooManyConnections = "too many connections"
  case refused = "refused: no right to look"
  case lineTooLong = "a line that is too long ends the connection"
  case malformedLines = "too many malformed lines end the connection"
  case unwritable = "an answer cannot be written"
  case bufferFull = "a connection ended: its user keeps too many bytes unread or unfinished"
}
