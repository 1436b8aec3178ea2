import Canvas

/// The help made from the table of actions, for the screen it was opened on.
struct HelpPage: Sendable {
  /// One line of it.
  enum Line: Sendable, Hashable {
    case group(String)
    case action(keys: String, help: String, isDisabled: Bool)
    /// Why the action above cannot be done now.
    case reason(String)
    /// A sign before a job.
    case sign(String, means: String)
    case term(String, finds: String)
    case state(JobMark)
    case blank

    /// The texts in which words are looked for.
    var texts: [String] {
      switch self {
      case .group(let name): [name]
      case .action(let keys, let help, _): [keys, help]
      case .reason(let text): [text]
      case .term(let term, let finds): [term, finds]
      case .sign(_, let means): [means]
      case .state(let mark): [mark.countWord]
      case .blank: []
      }
    }
  }

  /// Where a line stands.
  struct Place: Sendable, Hashable {
    let column: Int
    let line: Int
  }

  /// The keys of the compose screen, where letters are text.
  static let composing: [(String, String)] = [
    ("Tab Shift-Tab", "next and previous field; Up and Down too"),
    ("Left Right", "on Do: what is to be done; else the cursor"),
    ("Space", "in the list of upgrades: pick"),
    ("Enter", "the plan; again, when it is shown: hand it in"),
    ("PgUp PgDn", "through the plan"), ("Ctrl-U Ctrl-W", "delete to the left; a word"),
    ("Esc", "back; what was written stays"), ("F1 F10", "this page; leave"),
  ]

  let columns: [[Line]]
  /// What is looked for; empty for nothing.
  let needle: String
  /// The lines that hold it, column by column.
  let matches: [Place]
  /// The match that was gone to last.
  let found: Place?
  /// Columns that the keys have.
  let keys: Int
  /// Rows of lines that fit.
  let rows: Int
  let top: Int
  /// Why no job can be changed, if so: it stands once on the page, not beside every key.
  let changeRefusal: String?
  /// The last first line that fills the page.
  let lastTop: Int

  init(_ state: MonitorState, size: Size) {
    var groups: [[Line]] = []
    let count = size.columns >= 150 ? 3 : size.columns >= 110 ? 2 : 1
    keys = size.columns >= 60 ? 14 : size.columns >= 40 ? 10 : 6
    let room = size.columns / count - (size.columns >= 60 ? 1 : 0) - keys - 2
    if state.screen == .compose {
      groups.append([.group("A new job")] + Self.composing.map { .term($0, finds: $1) } + [.blank])
    }
    for group in Action.Group.allCases where state.screen != .compose {
      let actions = state.actions.actions.filter {
        $0.group == group && $0.isFor(state.keyScreen)
      }
      guard !actions.isEmpty else { continue }
      groups.append(
        [.group(group.rawValue)]
          + actions.flatMap { Self.lines(of: $0, state, room: room) } + [.blank])
    }
    if state.screen.isList {
      groups.append([.group("States")] + JobMark.told.map { .state($0) } + [.blank])
      groups.append([.group("Signs before a job")] + Self.signs + [.blank])
      groups.append(
        [.group("Filter terms, all must hold")]
          + JobFilter.Field.allCases.map {
            .term($0.example.term, finds: $0.example.finds)
          } + [.blank])
    }
    let all = groups.flatMap { $0 }
    if count > 1 {
      // Whole groups, the columns as even as they come.
      var parts: [[Line]] = Array(repeating: [], count: count)
      var part = 0
      for group in groups {
        if parts[part].count * count >= all.count, part < count - 1 { part += 1 }
        parts[part] += group
      }
      columns = parts
    } else {
      columns = [all]
    }
    rows = max(1, size.rows - 2)
    changeRefusal = state.changeRefusal
    lastTop = max(0, (columns.map(\.count).max() ?? 0) - rows)
    top = min(state.help?.top ?? 0, lastTop)
    needle = state.help?.needle ?? ""
    let word = needle.lowercased()
    let matches = columns.enumerated().flatMap { column, lines in
      lines.indices.compactMap { line in
        !word.isEmpty && lines[line].texts.contains { $0.lowercased().contains(word) }
          ? Place(column: column, line: line) : nil
      }
    }
    self.matches = matches
    found = state.help.flatMap { matches.indices.contains($0.found) ? matches[$0.found] : nil }
  }

  /// The signs in front of a job's state.
  static let signs: [Line] = [
    .sign(">", means: "selected: keys are about it"),
    .sign("*", means: "tagged: keys are about all that are tagged"),
    .sign("»", means: "followed: the selection goes along with the work"),
  ]

  /// An action, and why it cannot be done now: beside it where there is room, else below.
  private static func lines(of action: Action, _ state: MonitorState, room: Int) -> [Line] {
    let keys = action.keys.map(\.name).joined(separator: " ")
    guard let reason = state.disabledReason(action) else {
      return [.action(keys: keys, help: action.help, isDisabled: false)]
    }
    let whole = "\(action.help) (\(reason))"
    if TextWidth.columns(whole) <= room {
      return [.action(keys: keys, help: whole, isDisabled: true)]
    }
    let line = Line.action(keys: keys, help: action.help, isDisabled: true)
    return reason == state.changeRefusal ? [line] : [line, .reason(reason)]
  }
}

extension Action {
  fileprivate func isFor(_ screen: Screen.Kind) -> Bool { screens?.contains(screen) ?? true }
}
