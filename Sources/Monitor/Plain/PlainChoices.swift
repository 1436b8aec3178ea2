/// The choices of the plain mode, by number or name, and why other actions are not available.
enum PlainChoices: Sendable {
  /// How the plain mode offers an action.
  enum Offer: Sendable, Hashable {
    /// A choice, with its description.
    case chosen(String)
    /// No choice: the screen's name for it, and the reason or the substitute.
    case needless(String, String)
  }

  /// The choices in the order of their numbers.
  ///
  /// Existing numbers never change: new choices are appended.
  static let all: [Action.ID] = [
    .showQueue, .open, .showLog, .abort, .holdJob, .cleanUp, .cleanUpFinished, .retry, .compose,
    .quit, .showHistory, .showTimeline, .find, .filter, .sort, .nextProblem, .repair, .settings,
    .logLevel, .follow, .pauseDisplay, .reconnect, .pauseQueue, .startFirst, .startLast,
    .yield,
  ]

  /// How the plain mode offers an action.
  static func way(to id: Action.ID) -> Offer {
    switch id {
    case .showQueue: .chosen("all jobs, also those that ended")
    case .open: .chosen("one job and its packages")
    case .showLog: .chosen("the end of a job's log")
    case .abort: .chosen("abort jobs at the next safe point, or cancel an abort")
    case .holdJob: .chosen("pause jobs, or resume them (pause 12, resume 12)")
    case .pauseQueue:
      .chosen("pause the queue, or resume it (pause-queue, resume-queue)")
    case .yield: .chosen("ask whoever holds the package lock to yield")
    case .startFirst: .chosen("have a job start before all others that wait")
    case .startLast: .chosen("have a job start after all others that wait")
    case .cleanUp: .chosen("clean up ended jobs")
    case .cleanUpFinished: .chosen("clean up all ended jobs")
    case .retry: .chosen("retry what did not succeed")
    case .compose: .chosen("write a new job: install, upgrade, remove")
    case .quit: .chosen("leave, jobs go on")
    case .showHistory: .chosen("jobs that ended, also those that are cleaned up")
    case .showTimeline: .chosen("when each package of a job was worked on")
    case .find: .chosen("find jobs by words")
    case .filter: .chosen("list only jobs that match")
    case .sort: .chosen("list jobs in another order")
    case .nextProblem:
      .chosen("jobs that failed, were interrupted or ask: what failed, why, and what to do")
    case .repair: .chosen("plan a repair of what is half done")
    case .settings: .chosen("settings that matter without a screen")
    case .logLevel: .chosen("logs: all lines, warnings and errors, errors")
    case .follow: .chosen("read a job's log as it grows; again: stop")
    case .pauseDisplay: .chosen("say nothing of jobs; again: say it")
    case .reconnect: .chosen("connect to the engine again")
    case .help, .command, .back:
      .needless(
        "help, typed commands, going back",
        "? lists this, a name or number does it, Enter goes back")
    case .tag, .tagAll, .untagAll: .needless("tags", "name several numbers instead")
    case .showJob: .needless("the job's own screen", "the same as open")
    case .findNext, .findPrevious: .needless("the next match", "find lists all that match")
    case .tree: .needless("packages below their jobs", "open says the packages")
    case .reverseSort: .needless("the other way round", "sort takes the word reverse")
    case .moveUp, .moveDown, .pageUp, .pageDown, .halfPageUp, .halfPageDown, .first, .last:
      .needless(
        "moving up and down", "nothing is selected, lines only come after each other")
    case .nextScreen, .previousScreen:
      .needless(
        "the next screen", "there are no screens to go through")
    case .copyField, .copyRow, .mouse, .repaint, .suspend:
      .needless(
        "copying, the mouse, repainting, going to the shell",
        "the terminal does it by itself where lines are printed")
    case .replay:
      .needless("replays", "'fettle replay JOB' prints what a job did, with its times")
    case .replayPlay, .replayBackward, .replayForward, .replayPrevious, .replayNext,
      .replaySlower, .replayFaster, .replayStart, .replayEnd, .leaveReplay:
      .needless("the keys of a replay", "nothing is played where lines are printed")
    case .wrap, .columnLeft, .columnRight, .shiftLeft, .shiftRight:
      .needless("wrapping and shifting", "lines have no columns and are not cut")
    }
  }

  /// The number of a choice, from 1; nil for an action that is not a choice.
  static func number(of id: Action.ID) -> Int? { all.firstIndex(of: id).map { $0 + 1 } }

  /// The action for a word: a number, an action's name in the settings, or a command.
  ///
  /// Nil if unknown.
  static func action(_ word: String, in table: ActionTable) -> Action.ID? {
    if let number = Int(word) { return all.indices.contains(number - 1) ? all[number - 1] : nil }
    let id = table.action(named: word)?.id ?? table.action(commanded: word)?.id ?? other[word]
    return id.flatMap { all.contains($0) ? $0 : nil }
  }

  /// Further words that users are likely to try.
  private static let other: [String: Action.ID] = [
    "q": .quit, "show-job": .open, "timeline": .showTimeline, "problems": .nextProblem,
    "install": .compose, "upgrade": .compose, "remove": .compose, "quiet": .pauseDisplay,
    "queue": .showQueue,
  ]

  /// One line for each reason why actions are not available.
  static func needless(_ table: ActionTable) -> [String] {
    var lines: [String] = []
    for action in table.actions {
      guard case .needless(let what, let reason) = way(to: action.id) else { continue }
      let line = "\(what): \(reason)"
      if !lines.contains(line) { lines.append(line) }
    }
    return lines
  }

  /// Commands that set a state and have the same effect when repeated.
  ///
  /// Without a job number they ask for one, except those for the queue.
  static let repeatable: Set<String> = [
    "hold", "release", "pause", "resume", "pause-queue", "resume-queue", "withdraw",
  ]
  /// The commands in ``repeatable`` that apply to jobs only.
  static let repeatableForJobs: Set<String> = ["hold", "release", "withdraw"]
}
