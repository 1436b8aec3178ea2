import Canvas
import ThemeCatalog

/// The help made from the table of actions, for the screen it was opened on.
struct HelpPage: Sendable {
  /// One line of it.
  enum Line: Sendable, Hashable {
    case group(String)
    case action(keys: String, help: String, reason: String?)
    case term(String, finds: String)
    case state(JobMark)
    case blank
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
  /// Rows of lines that fit.
  let rows: Int
  let top: Int
  /// Why jobs must not be changed, if so.
  let readOnlyReason: String?
  /// The last first line that fills the page.
  let lastTop: Int

  init(_ state: MonitorState, size: Size) {
    var groups: [[Line]] = []
    if state.screen == .compose {
      groups.append([.group("A new job")] + Self.composing.map { .term($0, finds: $1) } + [.blank])
    }
    for group in Action.Group.allCases where state.screen != .compose {
      let actions = state.actions.actions.filter {
        $0.group == group && $0.isFor(state.screen.kind)
      }
      guard !actions.isEmpty else { continue }
      groups.append(
        [.group(group.rawValue)]
          + actions.map { action in
            .action(
              keys: action.keys.map(\.name).joined(separator: " "), help: action.help,
              reason: state.disabledReason(action))
          } + [.blank])
    }
    if state.screen.isList {
      groups.append([.group("States")] + JobMark.told.map { .state($0) } + [.blank])
      groups.append(
        [.group("Filter terms, all must hold")]
          + JobFilter.Field.allCases.map {
            .term($0.example.term, finds: $0.example.finds)
          } + [.blank])
    }
    let all = groups.flatMap { $0 }
    if size.columns >= 110 {
      // Whole groups, the columns as even as they come.
      let count = size.columns >= 150 ? 3 : 2
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
    readOnlyReason = state.readOnlyReason
    lastTop = max(0, (columns.map(\.count).max() ?? 0) - rows)
    top = min(state.helpTop ?? 0, lastTop)
  }
}

extension Action {
  fileprivate func isFor(_ screen: Screen.Kind) -> Bool { screens?.contains(screen) ?? true }
}

extension Painter {
  mutating func help(_ page: HelpPage) {
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    rule(0, title: "Help", right: "fettle", .title)
    let width = columns / page.columns.count
    for (number, lines) in page.columns.enumerated() {
      let start = number * width + (columns >= 60 ? 1 : 0)
      let end = min(columns, (number + 1) * width)
      let keys = columns >= 60 ? 14 : columns >= 40 ? 10 : 6
      for (offset, line) in lines.dropFirst(page.top).prefix(page.rows).enumerated() {
        helpLine(line, start, 1 + offset, keys: keys, to: end)
      }
    }
    var more = page.lastTop > 0 ? "j k scroll · any other key closes" : "any key closes"
    if let why = page.readOnlyReason { more += " · \(why)" }
    put(more, columns >= 60 ? 1 : 0, rows - 1, .textDim, to: columns)
  }

  private mutating func helpLine(
    _ line: HelpPage.Line, _ start: Int, _ row: Int, keys: Int, to end: Int
  ) {
    switch line {
    case .blank: break
    case .state(let mark):
      glyph(mark, start, row)
      put(mark.countWord, start + 3, row, mark.role, to: end)
    case .term(let term, let finds):
      put(term, start, row, .key, to: end)
      put(finds, start + max(keys + 8, 22), row, .text, to: end - 1)
    case .group(let name): put(name, start, row, .header, to: end)
    case .action(let names, let help, let reason):
      put(names, start, row, reason == nil ? .key : .keyDisabled, to: start + keys)
      // Why it is disabled stands here where there is room, else in the message when it is pressed.
      let whole = help + (reason.map { " (\($0))" } ?? "")
      let text = TextWidth.columns(whole) < end - 1 - start - keys ? whole : help
      put(text, start + keys + 1, row, reason == nil ? .text : .keyDisabled, to: end - 1)
    }
  }
}
