import Canvas
import InstallJobs
import JobText

/// Handling of events.
extension PlainConversation {
  /// The effect of an event on the state, for a user who reads lines.
  struct EventEffect {
    var intents: [Intent]
    /// The message that a screen would show.
    var words: String?
    /// Whether the event ended a clean-up or cancelled a planned one: no other line reports that.
    var isOfCleanUp: Bool
  }

  /// Applies an event to the state and drops the intents that only a screen needs.
  mutating func update(_ event: MonitorEvent) -> EventEffect {
    let before = state.pendingCommands
    // No key removes the message here, and the lines printed before contain it.
    state.message = nil
    // Plans and logs are fetched only on request. The bell rings for a failure, and stopped jobs
    // are cleaned up as chosen.
    let intents = state.update(event).filter { intent in
      if case .cleanUp = intent { return true }
      return intent == .ringBell
    }
    var granted: Set<JobID> = []
    for case .cleanUp(let ids) in intents { granted.formUnion(ids) }
    return EventEffect(
      intents: intents, words: state.message.map { sanitize($0.text) },
      isOfCleanUp: before.cleanUps != nil && state.pendingCommands.cleanUps == nil
        || !before.cleanedAfterAbort.subtracting(state.pendingCommands.cleanedAfterAbort)
          .isSubset(of: granted)
    )
  }

  /// Why the queue is paused, unless that was printed before.
  mutating func pauseNews() -> [String] {
    let pause = state.engine?.queue.pause
    defer { shownPause = pause }
    guard let pause, pause != shownPause else { return [] }
    let sentence = QueueWords.sentence(pause, offset: state.timeOffset)
    return [sanitize(sentence + ": no further job begins")]
  }

  /// The line for a new state of the connection; nil for none.
  ///
  /// Elapsed seconds are not reported.
  static func sentence(_ link: LinkState) -> String? {
    switch link {
    case .connecting: nil
    case .live: "connected to the engine"
    case .stale: "the engine does not answer"
    case .lost: "the engine is gone; jobs go on without it, connecting again"
    case .refused(.otherVersion, _):
      "what answers is another version of the engine, or no engine; trying again"
    case .refused(.notPermitted, _): "the engine does not permit you to look; trying again"
    }
  }
}
