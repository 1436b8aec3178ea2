/// What can be done without a screen, by number or by name, and why the rest of the table cannot.
enum PlainChoices: Sendable {
  /// How an action of the table is reached.
  enum Way: Sendable, Hashable {
    /// Chosen; what it does, in words.
    case chosen(String)
    /// There is nothing to choose: what a screen has it for, and why not here, or what does the same.
    case needless(String, String)
  }

  /// What can be chosen, in the order of its numbers.
  ///
  /// Numbers stay what they were: new ones come last.
  static let all: [Action.ID] = [
    .showQueue, .open, .showLog, .abort, .holdJob, .cleanUp, .cleanUpFinished, .retry, .compose,
    .quit, .showHistory, .showTimeline, .find, .filter, .sort, .nextProblem, .repair, .settings,
    .logLevel, .follow, .pauseDisplay, .reconnect, .pauseQueue, .startFirst, .startLast,
    .yield,
  ]

  /// How each action is reached.
  static func way(to id: Action.ID) -> Way {
    switch id {
    case .showQueue: .chosen("all jobs, also those that ended")
    case .open: .chosen("one job and its packages")
    case .showLog: .chosen("the end of a job's log")
    case .abort: .chosen("abort jobs at the next safe point, or take an abort back")
    case .holdJob: .chosen("hold jobs, or let them go on (hold 12, release 12)")
    case .pauseQueue:
      .chosen("pause the whole queue, or let it go on (pause-queue, resume-queue)")
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

  /// The number of an action, from 1.
  static func number(of id: Action.ID) -> Int? { all.firstIndex(of: id).map { $0 + 1 } }

  /// The action that a word stands for: a number, the name that settings use, or a command's.
  static func action(_ word: String, in table: ActionTable) -> Action.ID? {
    if let number = Int(word) { return all.indices.contains(number - 1) ? all[number - 1] : nil }
    let id = table.action(named: word)?.id ?? table.action(commanded: word)?.id ?? other[word]
    return id.flatMap { all.contains($0) ? $0 : nil }
  }

  /// Words that people would try.
  private static let other: [String: Action.ID] = [
    "q": .quit, "show-job": .open, "timeline": .showTimeline, "problems": .nextProblem,
    "install": .compose, "upgrade": .compose, "remove": .compose, "quiet": .pauseDisplay,
    "queue": .showQueue,
  ]

  /// What is not to be chosen, one line for each reason.
  static func needless(_ table: ActionTable) -> [String] {
    var lines: [String] = []
    for action in table.actions {
      guard case .needless(let what, let reason) = way(to: action.id) else { continue }
      let line = "\(what): \(reason)"
      if !lines.contains(line) { lines.append(line) }
    }
    return lines
  }

  /// Words that say on their own what is to become of a job or of the queue, and do the same however
  /// often they are typed; without a number they ask for one, where they are not for the queue.
  static let steady: Set<String> = [
    "hold", "release", "pause", "resume", "pause-queue", "resume-queue", "withdraw",
  ]
  /// Those of them that are for jobs alone.
  static let steadyForJobs: Set<String> = ["hold", "release", "withdraw"]
}
