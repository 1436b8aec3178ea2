import Canvas
import InstallJobs

/// What is made of what the engine tells.
extension PlainConversation {
  /// What the state makes of an event, as far as it concerns who reads lines.
  struct Heard {
    var intents: [Intent]
    /// What a screen would say of it.
    var words: String?
    /// Whether it ends a clean-up, or the wish for one: no other line tells that.
    var isOfCleanUp: Bool
  }

  /// Takes an event in; nothing of what only a screen needs is asked for.
  mutating func update(_ event: MonitorEvent) -> Heard {
    let (run, wishes) = (state.cleanUps, state.cleanedAfterAbort)
    // No key takes it away here, and what was said stands in the lines.
    state.message = nil
    // Plans and logs are printed when asked for and need not be fetched for a screen; a failure
    // rings, and a job that was to be cleaned up when it has stopped is.
    let intents = state.update(event).filter { intent in
      if case .cleanUp = intent { return true }
      return intent == .ringBell
    }
    var granted: Set<JobID> = []
    for case .cleanUp(let ids) in intents { granted.formUnion(ids) }
    return Heard(
      intents: intents, words: state.message.map { sanitize($0.text) },
      isOfCleanUp: run != nil && state.cleanUps == nil
        || !wishes.subtracting(state.cleanedAfterAbort).isSubset(of: granted))
  }

  /// Why the queue waits, where that was not said.
  mutating func pauseNews() -> [String] {
    let pause = state.engine?.queue.pause
    defer { shownPause = pause }
    guard let pause, pause != shownPause else { return [] }
    let sentence = QueueWords.sentence(pause, offset: state.timeOffset)
    return [sanitize(sentence + ": no further job begins")]
  }

  /// What is worth a line once; the seconds that go by are not.
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
