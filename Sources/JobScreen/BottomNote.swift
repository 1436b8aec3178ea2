import Canvas
import ThemeCatalog

/// What stands in the message line while nothing is typed, in as many lines as it takes.
struct BottomNote: Sendable, Hashable {
  private(set) var lines: [String]
  let role: Role
  private let columns: Int

  /// - Parameters:
  ///   - text: What is said; it is sanitised here.
  ///   - role: How it looks.
  ///   - columns: The room for a line.
  ///   - isWhole: Whether all of it must be readable here; else one line is enough.
  init(_ text: String, _ role: Role, columns: Int, isWhole: Bool) {
    self.role = role
    self.columns = columns
    lines = isWhole ? wrapped(sanitize(text), columns: columns) : [text]
    if lines.isEmpty { lines = [""] }
  }

  /// The first so many lines; three dots say that there is more.
  func limited(to rows: Int) -> [String] {
    guard lines.count > rows, rows > 0 else { return Array(lines.prefix(max(0, rows))) }
    return lines.prefix(rows - 1) + [truncated(lines[rows - 1] + " …", to: max(1, columns))]
  }
}

extension MonitorState {
  /// What the message line says at this width.
  func bottomNote(columns: Int) -> BottomNote {
    let room = columns - (columns >= 60 ? 2 : 0)
    func note(_ text: String, _ role: Role, isWhole: Bool = true) -> BottomNote {
      BottomNote(text, role, columns: room, isWhole: isWhole)
    }
    // Behind a replay nothing else is said of what is.
    if replay != nil, message == nil { return note("", .text) }
    if let message, message.isAlert || outdatedNotes.isEmpty || replay != nil {
      return note(message.text, message.isAlert ? .titleAlert : .notice)
    }
    if let longest = outdatedNotes.last {
      return note(outdatedNotes.first { $0.count <= room } ?? longest, .linkStale)
    }
    if screen == .settings, !SettingsPage.hasNotes(columns: columns, actions) {
      return note(SettingsPage.note(on: settings.row, actions), .textDim)
    }
    // Where there is no room for a pane about the job; its own screen says it whole.
    if size.rows < 16, screen.isList, let id = selected, let entry = shownBook[id] {
      let words = words(of: entry)
      let wait = entry.isAbortAsked ? nil : words.wait(offset: timeOffset)
      let safe = columns < 60 ? words.shortSafePoint : nil
      let text = wait ?? words.ending ?? safe ?? words.safePoint(offset: timeOffset)
      return note("\(id): \(text)", .textDim, isWhole: false)
    }
    return note("", .text)
  }
}
