import InstallJobs

/// The parser of the command prompt: every action by its name, and further commands with arguments.
struct CommandLine: Sendable {
  /// The meaning of a line.
  enum Command: Sendable, Hashable {
    case action(Action.ID)
    case sort(JobSort)
    case filter(String)
    case find(String)
    case theme(String)
    /// Show or hide a column of the lists.
    case column(ColumnChoice.Column)
    case job(JobID)
    case compose(JobOperation, String)
    /// An action on jobs by their numbers.
    case onJobs(Action.ID, [JobID])
    /// Cancel aborts; without numbers, of the selected or tagged jobs.
    case cancelAborts([JobID])
    /// Pause jobs; without numbers, the selected or tagged jobs.
    case pause([JobID])
    /// Resume paused jobs; without numbers, the selected or tagged jobs.
    case resume([JobID])
    /// Move queued jobs to another queue position; without numbers, the selected or tagged jobs.
    case move([JobID], QueueMove)
    /// Pause the whole queue if true, otherwise resume it.
    case pauseQueue(Bool)
    /// The line is invalid; the text says why.
    case unknown(String)

    /// Whether the command changes the order or the filter of the job list.
    var arrangesLists: Bool {
      switch self {
      case .sort, .filter: true
      default: false
      }
    }
  }

  /// The commands with arguments, and a description of the arguments.
  static let words: [(name: String, takes: String)] =
    [
      ("column", "NAME, shown or hidden"), ("filter", "TERMS"), ("find", "WORDS"),
      ("job", "NUMBER"),
      ("move", "[NUMBER…] --first, --last or --priority N"),
      ("pause", "[NUMBER…], the queue where none is named"), ("pause-queue", "nothing more"),
      ("resume", "[NUMBER…], the queue where none is named"),
      ("resume-queue", "nothing more"), ("sort", "COLUMN [reverse]"),
      ("theme", "NAME"),
      ("withdraw", "[NUMBER…], cancels an abort"),
    ] + ComposeDraft.operations.map { ($0.rawValue, "PACKAGE…") }

  let actions: ActionTable
  let themes: [String]
  /// Job numbers for completion, in the order to offer them.
  let jobs: [JobID]

  init(actions: ActionTable, themes: [String], jobs: [JobID] = []) {
    self.actions = actions
    self.themes = themes
    self.jobs = jobs
  }

  /// Parses a line.
  func command(_ line: String) -> Command {
    let line = line.drop { $0 == " " || $0 == ":" }
    let name = line.prefix { $0 != " " }.lowercased()
    let rest = String(line.dropFirst(name.count).drop { $0 == " " })
    switch name {
    case "": return .unknown("no command was typed")
    case "filter" where !rest.isEmpty: return .filter(rest)
    case "find" where !rest.isEmpty: return .find(rest)
    case "sort" where !rest.isEmpty: return sort(rest)
    case "theme":
      guard themes.contains(rest) else {
        return .unknown("no theme '\(rest)': " + themes.joined(separator: " "))
      }
      return .theme(rest)
    case "column":
      guard let column = ColumnChoice.Column(rawValue: rest.lowercased()) else {
        let known = ColumnChoice.Column.allCases.map(\.rawValue).joined(separator: " ")
        return .unknown("column takes one of \(known)")
      }
      return .column(column)
    case "job":
      guard let number = Int(rest), number > 0 else { return .unknown("job takes a number") }
      return .job(JobID(number))
    case "withdraw": return onJobs(name, rest, Command.cancelAborts)
    // As in the shell command, no number means the whole queue.
    case "pause" where rest.isEmpty: return .pauseQueue(true)
    case "resume" where rest.isEmpty: return .pauseQueue(false)
    // Repeating these commands has no further effect; the key toggles.
    case "pause-queue" where rest.isEmpty: return .pauseQueue(true)
    case "resume-queue" where rest.isEmpty: return .pauseQueue(false)
    // Earlier versions called these commands hold and release.
    case "pause", "hold": return onJobs(name, rest, Command.pause)
    case "resume", "release": return onJobs(name, rest, Command.resume)
    case "move": return move(rest)
    case "abort" where rest.split(separator: " ").first == "--withdraw":
      return onJobs(name, String(rest.dropFirst("--withdraw".count)), Command.cancelAborts)
    case "q", "q!", "wq", "exit":
      return rest.isEmpty ? .action(.quit) : .unknown("\(name) takes nothing more")
    default: break
    }
    if let operation = ComposeDraft.operations.first(where: { $0.rawValue == name }) {
      return .compose(operation, rest)
    }
    if let action = actions.action(named: name) ?? actions.action(commanded: name) {
      return command(action, name, rest)
    }
    return .unknown("no command '\(name)': ? lists the keys, Tab completes a name")
  }

  /// The actions that accept job numbers.
  static let onJobs: Set<Action.ID> = [
    .abort, .cleanUp, .retry, .holdJob, .showJob, .showLog, .showTimeline, .replay,
  ]

  /// An action with its arguments: job numbers, or none.
  private func command(_ action: Action, _ name: String, _ rest: String) -> Command {
    guard !rest.isEmpty else { return .action(action.id) }
    if action.id == .cleanUp, rest == "--finished" { return .action(.cleanUpFinished) }
    guard Self.onJobs.contains(action.id) else { return .unknown("\(name) takes nothing more") }
    return onJobs(name, rest) { .onJobs(action.id, $0) }
  }

  /// A command on the jobs whose numbers follow its name.
  private func onJobs(_ name: String, _ rest: String, _ command: ([JobID]) -> Command) -> Command {
    let numbers = rest.split(separator: " ").map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    guard numbers.allSatisfy({ $0 != nil }) else {
      return .unknown("\(name) takes numbers of jobs, not '\(rest)'")
    }
    return command(numbers.compactMap { $0.map { JobID($0) } })
  }

  /// `move 12 --first`, `move --priority 5`.
  private func move(_ rest: String) -> Command {
    let form = Command.unknown("move takes numbers of jobs and --first, --last or --priority N")
    guard let option = rest.firstRange(of: "--") else { return form }
    let words = rest[option.lowerBound...].split(separator: " ")
    let place: QueueMove
    switch (words.first, words.count) {
    case ("--first", 1): place = .first
    case ("--last", 1): place = .last
    case ("--priority", 2):
      guard let priority = Int(words[1]), (-100...100).contains(priority) else {
        return .unknown("a priority is a number from -100 to 100")
      }
      place = .priority(priority)
    default: return form
    }
    return onJobs("move", String(rest[..<option.lowerBound])) { .move($0, place) }
  }

  private func sort(_ rest: String) -> Command {
    let parts = rest.lowercased().split(separator: " ")
    guard let key = parts.first.flatMap({ JobSort.Key(rawValue: String($0)) }), parts.count < 3,
      parts.count == 1 || parts[1] == "reverse"
    else {
      let known = JobSort.Key.allCases.map(\.rawValue).joined(separator: " ")
      return .unknown("sort takes one of \(known), and reverse")
    }
    let order = SortMenu.order(key, after: .standard)
    return .sort(parts.dropFirst().first == "reverse" ? order.reversed : order)
  }

  /// A hint behind the line: all commands for an empty line, the arguments of a complete command.
  func hint(for line: String) -> String {
    if line.isEmpty {
      return Self.words.map(\.name).joined(separator: " ")
        + ", or an action by its name; Tab completes"
    }
    return Self.words.first { $0.name == line }.map { " " + $0.takes } ?? ""
  }
}

extension ActionTable {
  /// The action whose shell command is `name`: `abort`, `cleanup`, `retry`.
  func action(commanded name: String) -> Action? {
    actions.first { action in
      action.command?.split(separator: " ").dropFirst().first.map(String.init) == name
    }
  }
}
