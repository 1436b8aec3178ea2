import InstallJobs

/// The commands of one key, and which of them are answered.
struct CommandGroup: Sendable, Hashable {
  /// The commands, without those that were dropped.
  private(set) var commands: [EngineCommand]
  /// The commands without an outcome.
  private(set) var open: Set<EngineCommand>
  // The commands in `open` that are answered and still wait for their event.
  private var answered: Set<EngineCommand> = []
  /// The time here of the key or of the last answer; nil before the first clock event.
  private(set) var since: Timestamp?
  private var failed: Set<EngineCommand> = []
  /// The reasons of the failures, in the order of the answers.
  private(set) var failures: [String] = []
  /// Whether the missing answer was reported.
  var isSilenceReported = false

  init(_ commands: [EngineCommand], since: Timestamp?) {
    self.commands = commands
    self.since = since
    open = Set(commands)
  }

  /// The commands that did not fail.
  var succeeded: [EngineCommand] { commands.filter { !failed.contains($0) } }

  func awaitsAnswer(_ command: EngineCommand) -> Bool {
    open.contains(command) && !answered.contains(command)
  }

  /// Whether every open command is answered and waits for its event.
  var isAnswered: Bool { answered.count == open.count }

  /// Whether a command is unanswered that a working engine would have answered by now.
  var isLate: Bool { isSilenceReported && open.contains { !$0.isSlow && awaitsAnswer($0) } }

  /// Whether the time-out has passed and was not reported yet.
  func isOverdue(at time: Timestamp) -> Bool {
    guard !isSilenceReported, let since else { return false }
    return time.seconds(since: since) >= PendingCommands.answerTimeout
  }

  /// Applies an answer; the command stays open until its event.
  mutating func answer(_ command: EngineCommand) { answered.insert(command) }

  /// Applies the outcome of a command.
  mutating func finish(_ command: EngineCommand, failure: String?) {
    open.remove(command)
    answered.remove(command)
    guard let failure else { return }
    failed.insert(command)
    failures.append(failure)
  }

  /// Begins the time-out anew; no effect if the time of the key is unknown.
  mutating func restartTimeout(at time: Timestamp) {
    guard since != nil else { return }
    since = time
    isSilenceReported = false
  }

  /// Drops the open moves of jobs: they will not be reported as done.
  mutating func dropMoves(of ids: Set<JobID>) {
    for case .move(let id, let place) in open where ids.contains(id) {
      let move = EngineCommand.move(id, place)
      open.remove(move)
      answered.remove(move)
      commands.removeAll { $0 == move }
    }
  }
}
