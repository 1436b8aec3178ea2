import InstallJobs

/// What the command prompt understands: every action by its name, and a few words that take more.
struct CommandLine: Sendable {
  /// What a line asks for.
  enum Command: Sendable, Hashable {
    case action(Action.ID)
    case sort(JobSort)
    case filter(String)
    case find(String)
    case theme(String)
    case job(JobID)
    case compose(JobOperation, String)
    /// An action on jobs by their numbers.
    case onJobs(Action.ID, [JobID])
    /// Takes aborts back; of the jobs meant where none is named, as the next two.
    case withdraw([JobID])
    /// Holds jobs between packages.
    case hold([JobID])
    /// Lets held jobs go on.
    case release([JobID])
    /// The line means nothing; why, in words.
    case unknown(String)

    /// Whether it is about a list of jobs as a whole.
    var arrangesLists: Bool {
      switch self {
      case .sort, .filter: true
      default: false
      }
    }
  }

  /// The words that take more, with what they take.
  static let words: [(name: String, takes: String)] =
    [
      ("filter", "TERMS"), ("find", "WORDS"), ("job", "NUMBER"), ("pause", "[NUMBER…]"),
      ("resume", "[NUMBER…]"), ("sort", "COLUMN [reverse]"), ("theme", "NAME"),
      ("withdraw", "[NUMBER…], takes an abort back"),
    ] + ComposeDraft.operations.map { ($0.rawValue, "PACKAGE…") }

  private let actions: ActionTable
  private let themes: [String]

  init(actions: ActionTable, themes: [String]) {
    self.actions = actions
    self.themes = themes
  }

  /// Reads a line.
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
    case "job":
      guard let number = Int(rest), number > 0 else { return .unknown("job takes a number") }
      return .job(JobID(number))
    case "withdraw": return onJobs(name, rest, Command.withdraw)
    case "pause": return onJobs(name, rest, Command.hold)
    case "resume": return onJobs(name, rest, Command.release)
    case "abort" where rest.split(separator: " ").first == "--withdraw":
      return onJobs(name, String(rest.dropFirst("--withdraw".count)), Command.withdraw)
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

  /// Actions that take the numbers of jobs.
  private static let onJobs: Set<Action.ID> = [
    .abort, .cleanUp, .retry, .holdJob, .showJob, .showLog, .showTimeline, .replay,
  ]

  /// An action with what stands behind its name: numbers of jobs, or nothing.
  private func command(_ action: Action, _ name: String, _ rest: String) -> Command {
    guard !rest.isEmpty else { return .action(action.id) }
    if action.id == .cleanUp, rest == "--finished" { return .action(.cleanUpFinished) }
    guard Self.onJobs.contains(action.id) else { return .unknown("\(name) takes nothing more") }
    return onJobs(name, rest) { .onJobs(action.id, $0) }
  }

  /// A command on the jobs whose numbers stand behind its name.
  private func onJobs(_ name: String, _ rest: String, _ command: ([JobID]) -> Command) -> Command {
    let numbers = rest.split(separator: " ").map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    guard numbers.allSatisfy({ $0 != nil }) else {
      return .unknown("\(name) takes numbers of jobs, not '\(rest)'")
    }
    return command(numbers.compactMap { $0.map { JobID($0) } })
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

  /// What would finish the line: the rest of the only or first name that begins so; empty for none.
  func completion(of line: String) -> String {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, !first.isEmpty else { return "" }
    if parts.count == 1 {
      let names = (Self.words.map(\.name) + actions.actions.map(\.name)).sorted()
      return names.first { $0.hasPrefix(first) }.map { String($0.dropFirst(first.count)) } ?? ""
    }
    let values: [String] =
      switch first {
      case "theme": themes
      case "abort": ["--withdraw"]
      case "cleanup", "clean-up": ["--finished"]
      case "sort": JobSort.Key.allCases.map(\.rawValue)
      case "filter": JobFilter.Field.allCases.map { $0.rawValue + ($0.isMeasured ? ">" : ":") }
      default: []
      }
    let last = parts[1].split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    guard !last.isEmpty else { return "" }
    return values.first { $0.hasPrefix(last) }.map { String($0.dropFirst(last.count)) } ?? ""
  }

  /// What the word at the line's beginning takes, for the hint behind it.
  func hint(for line: String) -> String {
    if line.isEmpty {
      return Self.words.map(\.name).joined(separator: " ")
        + ", or an action by its name; Tab completes"
    }
    return Self.words.first { $0.name == line }.map { " " + $0.takes } ?? ""
  }
}

extension ActionTable {
  /// The action whose command of the command line is `name`: `abort`, `cleanup`, `retry`.
  fileprivate func action(commanded name: String) -> Action? {
    actions.first { action in
      action.command?.split(separator: " ").dropFirst().first.map(String.init) == name
    }
  }
}
