import Canvas
import JobText

/// The help for the screen on which it was opened, made from the table of actions.
struct HelpPage: Sendable {
  /// One line of the help.
  enum Line: Sendable, Hashable {
    case group(String)
    case action(keys: String, help: String, isDisabled: Bool)
    /// Why the action above is disabled, or a part of that.
    case reason(String)
    /// The continuation of an action's help text, in the column of that text.
    case more(String, isDisabled: Bool)
    /// The continuation of the description of a filter term.
    case moreFound(String)
    /// A sign in front of a job.
    case sign(String, means: String)
    case term(String, finds: String)
    case state(JobMark)
    case blank

    /// The texts that a search covers.
    var texts: [String] {
      switch self {
      case .group(let name): [name]
      case .action(let keys, let help, _): [keys, help]
      case .reason(let text), .more(let text, _), .moreFound(let text): [text]
      case .term(let term, let finds): [term, finds]
      case .sign(_, let means): [means]
      case .state(let mark): [mark.countWord]
      case .blank: []
      }
    }
  }

  /// The position of a line.
  struct Place: Sendable, Hashable {
    let column: Int
    let line: Int
  }

  /// The keys of the compose screen, where letters are text.
  static let composing: [(String, String)] = [
    ("Tab Shift-Tab", "next and previous field; Up and Down too"),
    ("Left Right", "on Do: what is to be done; else the cursor"),
    ("Space", "in the list of upgrades: pick"),
    ("Enter", "the plan; again, when it is shown: submit it"),
    ("PgUp PgDn", "through the plan"), ("Ctrl-U Ctrl-W", "delete to the left; a word"),
    ("Esc", "back; what was written stays"), ("F1 F10", "this page; leave"),
  ]

  let columns: [[Line]]
  /// The search text; empty for no search.
  let needle: String
  /// The lines that contain the search text, column by column.
  let matches: [Place]
  /// The match visited last.
  let found: Place?
  /// Width of the column of keys.
  let keys: Int
  /// Number of rows of lines.
  let rows: Int
  let top: Int
  /// Why no job can be changed; nil if jobs can be changed.
  ///
  /// Shown once on the page, not for every key.
  let changeRefusal: String?
  /// The largest first line that still fills the page.
  let lastTop: Int

  init(_ state: MonitorState, size: Size) {
    var groups: [[Line]] = []
    let count = size.columns >= 150 ? 3 : size.columns >= 110 ? 2 : 1
    keys = size.columns >= 60 ? 14 : size.columns >= 40 ? 10 : 6
    let room = size.columns / count - (size.columns >= 60 ? 1 : 0) - keys - 2
    let width = keys
    let findsRoom = room + keys + 1 - Self.findsColumn(keys: keys)
    func terms(_ term: String, _ finds: String) -> [Line] {
      let lines = wrapped(finds, columns: findsRoom)
      return [.term(term, finds: lines.first ?? "")] + lines.dropFirst().map { .moreFound($0) }
    }
    if state.screen == .compose {
      groups.append([.group("A new job")] + Self.composing.flatMap { terms($0, $1) } + [.blank])
    }
    for group in Action.Group.allCases where state.screen != .compose {
      let actions = state.actions.actions.filter {
        $0.group == group && $0.isFor(state.keyScreen)
      }
      guard !actions.isEmpty else { continue }
      groups.append(
        [.group(group.rawValue)]
          + actions.flatMap { Self.lines(of: $0, state, keys: width, room: room) } + [.blank])
    }
    if state.screen.isList {
      groups.append([.group("States")] + JobMark.shown.map { .state($0) } + [.blank])
      groups.append([.group("Signs before a job")] + Self.signs + [.blank])
      groups.append(
        [.group("Filter terms, all must hold")]
          + JobFilter.Field.allCases.flatMap {
            terms($0.example.term, $0.example.finds)
          } + [.blank])
    }
    let all = groups.flatMap { $0 }
    if count > 1 {
      // Groups are not split; the columns are filled as evenly as that allows.
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
    .sign("*", means: "tagged: keys are about all tagged"),
    .sign("»", means: "followed: goes along with the work"),
  ]

  /// The first column of the description of a filter term, within a column of the help.
  static func findsColumn(keys: Int) -> Int { max(keys + 8, 22) }

  /// An action and the reason why it is disabled, in as many lines as needed; the reason follows on
  /// the same line if there is room, else below.
  private static func lines(
    of action: Action, _ state: MonitorState, keys width: Int, room: Int
  ) -> [Line] {
    // As many whole key names as fit.
    let names = action.keys.map(\.name)
    let most = names.indices.last { names[...$0].joined(separator: " ").count <= width } ?? 0
    let keys = names.prefix(most + 1).joined(separator: " ")
    guard let reason = state.disabledReason(action) else {
      return broken(action.help, keys, room: room, isDisabled: false)
    }
    let whole = "\(action.help) (\(reason))"
    if TextWidth.columns(whole) <= room {
      return [.action(keys: keys, help: whole, isDisabled: true)]
    }
    let lines = broken(action.help, keys, room: room, isDisabled: true)
    guard reason != state.changeRefusal else { return lines }
    return lines + wrapped("(\(reason))", columns: room).map { .reason($0) }
  }

  /// An action with its keys and its help text in as many lines as needed.
  private static func broken(
    _ help: String, _ keys: String, room: Int, isDisabled: Bool
  ) -> [Line] {
    let lines = wrapped(help, columns: room)
    return [.action(keys: keys, help: lines.first ?? "", isDisabled: isDisabled)]
      + lines.dropFirst().map { .more($0, isDisabled: isDisabled) }
  }
}

extension Action {
  fileprivate func isFor(_ screen: Screen.Kind) -> Bool { screens?.contains(screen) ?? true }
}
