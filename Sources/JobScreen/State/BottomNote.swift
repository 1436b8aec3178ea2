import Canvas
import ThemeCatalog

/// What stands in the message line while nothing is typed, in as many lines as it takes.
struct BottomNote: Sendable, Hashable {
  /// One line and how it looks.
  struct Line: Sendable, Hashable {
    var text: String
    let role: Role
  }

  private(set) var lines: [Line]
  private let columns: Int

  /// - Parameters:
  ///   - text: What is said; it is sanitised here.
  ///   - role: How it looks.
  ///   - columns: The room for a line.
  ///   - isWhole: Whether all of it must be readable here; else one line is enough.
  init(_ text: String, _ role: Role, columns: Int, isWhole: Bool) {
    self.columns = columns
    let texts = isWhole ? wrapped(sanitize(text), columns: columns) : [text]
    lines = (texts.isEmpty ? [""] : texts).map { Line(text: $0, role: role) }
  }

  /// The same with another note below it.
  func above(_ other: BottomNote) -> BottomNote {
    var both = self
    both.lines += other.lines
    return both
  }

  /// The first so many lines; three dots say that there is more.
  func limited(to rows: Int) -> [Line] {
    guard lines.count > rows, rows > 0 else { return Array(lines.prefix(max(0, rows))) }
    var last = lines[rows - 1]
    last.text = truncated(last.text + " …", to: max(1, columns))
    return lines.prefix(rows - 1) + [last]
  }
}

extension MonitorState {
  /// What the message line says at this width.
  func bottomNote(columns: Int) -> BottomNote {
    let room = columns - (columns >= 60 ? 2 : 0)
    func note(_ text: String, _ role: Role, isWhole: Bool = true) -> BottomNote {
      BottomNote(text, role, columns: room, isWhole: isWhole)
    }
    // What a key was answered comes first, what failed last: it stays until it is answered.
    var notes: [BottomNote] = []
    if let spoken { notes.append(note(spoken.text, spoken.isAlert ? .titleAlert : .notice)) }
    if replay == nil, let longest = outdatedNotes.last {
      notes.append(note(outdatedNotes.first { $0.count <= room } ?? longest, .linkStale))
    }
    if spoken == nil, let heldNote { notes.append(note(heldNote, .notice)) }
    if let shownFailure { notes.append(note(shownFailure.text, .titleAlert)) }
    if let first = notes.first { return notes.dropFirst().reduce(first) { $0.above($1) } }
    // Behind a replay nothing else is said of what is.
    if let replay {
      // The last line is that of the time.
      let line = note("", .text)
      // At the end the job is shown as it is, and nothing of it is missing.
      return replay.note.isEmpty || replay.isAtEnd ? line : note(replay.note, .textDim).above(line)
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
