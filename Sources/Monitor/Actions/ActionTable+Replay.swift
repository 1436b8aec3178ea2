import Canvas

extension ActionTable {
  /// The actions that exist only in a replay.
  static let replaying: [Action] = [
    Action(
      .replayPlay, .replay, "play, or pause", keys: [.character(" "), .function(2)],
      bar: Action.BarPlace("Play", 2), on: [.replay]),
    Action(
      .replayBackward, .replay, "a second back", keys: [.left, .character("h"), .function(4)],
      bar: Action.BarPlace("-1s", 4), on: [.replay]),
    Action(
      .replayForward, .replay, "a second on", keys: [.right, .character("l"), .function(5)],
      bar: Action.BarPlace("+1s", 5), on: [.replay]),
    Action(
      .replayPrevious, .replay, "back to what happened before: state, package, abort, failure",
      keys: [.character("["), .function(6)], bar: Action.BarPlace("Prev", 6), on: [.replay]),
    Action(
      .replayNext, .replay, "on to what happened next", keys: [.character("]"), .function(7)],
      bar: Action.BarPlace("Next", 7), on: [.replay]),
    Action(
      .replaySlower, .replay, "half as fast",
      keys: [.character("-"), .character("<"), .function(8)],
      bar: Action.BarPlace("Slow", 8), on: [.replay]),
    Action(
      .replayFaster, .replay, "twice as fast, up to 64 times",
      keys: [.character("+"), .character(">"), .character("="), .function(9)],
      bar: Action.BarPlace("Fast", 9), on: [.replay]),
    Action(
      .replayStart, .replay, "to the beginning: the job was submitted",
      keys: [.home, .character("g")], on: [.replay]),
    Action(
      .replayEnd, .replay, "to the end: the job as it is now", keys: [.end, .character("G")],
      on: [.replay]),
    Action(
      .leaveReplay, .replay, "leave the replay", keys: [.escape], on: [.replay]),
  ]
}
