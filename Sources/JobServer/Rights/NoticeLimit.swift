/// How often one kind of notice about one user is logged; the others are counted.
///
/// A pure value; bounded whatever the peers do.
struct NoticeLimit: Sendable {
  /// What a notice is about.
  struct Subject: Sendable, Hashable {
    var kind: NoticeKind
    /// The user; nil stands for all for whom there was no room in the table.
    var uid: UInt32?
  }

  /// Subjects at most that have a window of their own.
  static let mostSubjects = 128

  private var counts: [Subject: Int] = [:]

  /// Counts one more notice.
  ///
  /// - Returns: The subject whose window begins with this notice, which is to be logged, and for which
  ///   ``end(_:)`` is to be called when the window has passed; nil where the notice is only counted.
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
  /// - Returns: How many notices were counted in it; above 0, a new window has begun.
  mutating func end(_ subject: Subject) -> Int {
    let count = counts.removeValue(forKey: subject) ?? 0
    if count > 0 { counts[subject] = 0 }
    return count
  }
}

/// The notices that a peer can cause as often as it likes.
enum NoticeKind: String, Sendable, Hashable, CaseIterable {
  case tooManyConnections = "too many connections"
  case refused = "refused: no right to look"
  case lineTooLong = "a line that is too long ends the connection"
  case malformedLines = "too many malformed lines end the connection"
  case unwritable = "an answer cannot be written"
  case bufferFull = "a connection ended: its user keeps too many bytes unread or unfinished"
}
