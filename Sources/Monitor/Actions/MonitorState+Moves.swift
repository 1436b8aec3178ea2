import InstallJobs

/// Protection against a key that hits another job because the selection has just moved by itself.
extension MonitorState {
  /// A move of the selection without user input: its job left the list, or it follows the running
  /// job.
  struct AutomaticMove: Sendable, Hashable {
    /// The time of the move by the local clock; nil if the clock is not known yet.
    let at: Timestamp?
  }

  /// Seconds after such a move during which the user may not have noticed it.
  static let unseenSeconds = 1.0

  /// Why an action must not be performed now: the selection has just moved to another job.
  ///
  /// Clears the move, so that a second press of the key acts on the job named in the message.
  mutating func refusalAfterAutomaticMove(_ action: Action.ID) -> String? {
    defer { ownMove = nil }
    guard let move = ownMove, screen.job == nil, tags.isEmpty, let selected,
      [.cleanUp, .retry, .holdJob].contains(action)
    else { return nil }
    if let at = move.at, let here = time.here, here.seconds(since: at) >= Self.unseenSeconds {
      return nil
    }
    return "the selection has just moved to job \(selected): press again to mean it"
  }

  /// Records a move of the selection that the user did not cause.
  ///
  /// - Parameters:
  ///   - before: The job selected before the event.
  ///   - event: The event.
  ///   - isUncovered: Whether the event closed a replay that covered the list.
  mutating func noteAutomaticMove(from before: JobID?, at event: MonitorEvent, isUncovered: Bool) {
    guard let before, cursor.selected != before else { return }
    switch event {
    case .key, .mouse, .line, .paste: ownMove = isUncovered ? AutomaticMove(at: time.here) : nil
    default: ownMove = AutomaticMove(at: time.here)
    }
  }
}
