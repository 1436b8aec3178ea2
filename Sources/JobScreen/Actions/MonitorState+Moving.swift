import InstallJobs

/// What keeps a key from meaning another job than the person who pressed it.
extension MonitorState {
  /// The selection moved by itself: its job left the list, or it goes along with the work.
  struct OwnMove: Sendable, Hashable {
    /// When, by the time here; nil before it was told.
    let at: Timestamp?
  }

  /// For so long after the selection moved by itself, nobody can be thought to have seen it.
  static let unseenSeconds = 1.0

  /// Why an action that is done at once must not be done to the job selected, because it was
  /// another one just now; asked once, the same key then means the job that is named.
  mutating func refusalAfterOwnMove(_ action: Action.ID) -> String? {
    defer { ownMove = nil }
    guard let move = ownMove, screen.job == nil, tags.isEmpty, let selected,
      [.cleanUp, .retry, .holdJob].contains(action)
    else { return nil }
    if let at = move.at, let here = time.here, here.seconds(since: at) >= Self.unseenSeconds {
      return nil
    }
    return "the selection has just moved to job \(selected): press again to mean it"
  }

  /// Notes whether the selection is another than `before` without a hand on it.
  ///
  /// - Parameters:
  ///   - before: The job that was selected.
  ///   - event: What has come.
  ///   - isUncovered: Whether the list is seen again that a replay has covered.
  mutating func noteOwnMove(from before: JobID?, at event: MonitorEvent, isUncovered: Bool) {
    guard let before, cursor.selected != before else { return }
    switch event {
    case .key, .mouse, .line, .paste: ownMove = isUncovered ? OwnMove(at: time.here) : nil
    default: ownMove = OwnMove(at: time.here)
    }
  }
}
