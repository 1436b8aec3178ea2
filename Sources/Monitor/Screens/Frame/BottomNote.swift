import Canvas
import JobText
import ThemeCatalog

/// The text of the message line while nothing is typed, wrapped to the width.
struct BottomNote: Sendable, Hashable {
  /// One line and its role.
  struct Line: Sendable, Hashable {
    var text: String
    let role: Role
  }

  private(set) var lines: [Line]
  private let columns: Int

  /// - Parameters:
  ///   - text: The text; with `isWhole` it is sanitised here.
  ///   - role: The role of every line.
  ///   - columns: Columns of one line.
  ///   - isWhole: Whether to wrap the whole text; otherwise it stays on one line.
  init(_ text: String, _ role: Role, columns: Int, isWhole: Bool) {
    self.columns = columns
    let texts = isWhole ? wrapped(sanitize(text), columns: columns) : [text]
    lines = (texts.isEmpty ? [""] : texts).map { Line(text: $0, role: role) }
  }

  /// This note with `other` below it.
  func above(_ other: BottomNote) -> BottomNote {
    var both = self
    both.lines += other.lines
    return both
  }

  /// The first `rows` lines; the last one ends with "…" when lines are left out.
  func limited(to rows: Int) -> [Line] {
    guard lines.count > rows, rows > 0 else { return Array(lines.prefix(max(0, rows))) }
    var last = lines[rows - 1]
    last.text = truncated(last.text + " …", to: max(1, columns))
    return lines.prefix(rows - 1) + [last]
  }
}

extension MonitorState {
  /// The note in the message line at this width.
  func bottomNote(columns: Int) -> BottomNote {
    let room = columns - (columns >= 60 ? 2 : 0)
    func note(_ text: String, _ role: Role, isWhole: Bool = true) -> BottomNote {
      BottomNote(text, role, columns: room, isWhole: isWhole)
    }
    // The answer to a key comes first. Failures come last: they stay until a key is pressed.
    var notes: [BottomNote] = []
    if let lastMessage {
      notes.append(note(lastMessage.text, lastMessage.isAlert ? .titleAlert : .notice))
    }
    if replay == nil, let longest = outdatedNotes.last {
      notes.append(note(outdatedNotes.first { $0.count <= room } ?? longest, .linkStale))
    }
    if lastMessage == nil, let heldNote { notes.append(note(heldNote, .notice)) }
    if let shownFailure { notes.append(note(shownFailure.text, .titleAlert)) }
    if let first = notes.first { return notes.dropFirst().reduce(first) { $0.above($1) } }
    // During a replay, only the gaps of the recording are named; nothing is said about live jobs.
    if let replay {
      // The last line is left free for the time line.
      let line = note("", .text)
      // The note names what the recording lacks. At the end the engine's complete final snapshot is
      // shown, so that nothing is lacking.
      return replay.note.isEmpty || replay.isAtEnd ? line : note(replay.note, .textDim).above(line)
    }
    if screen == .settings, !SettingsPage.hasNotes(columns: columns, actions) {
      return note(SettingsPage.note(on: settings.row, actions), .textDim)
    }
    // Below 16 rows there is no job pane. One line is enough: the job's own screen has the full
    // text.
    if size.rows < 16, screen.isList, let id = selected, let entry = shownBook[id] {
      let words = words(of: entry)
      let wait = entry.isAbortAsked ? nil : words.waitReason(offset: timeOffset)
      let safe = columns < 60 ? words.shortSafePoint : nil
      let text = wait ?? words.ending ?? safe ?? words.safePoint(offset: timeOffset)
      return note("\(id): \(text)", .textDim, isWhole: false)
    }
    return note("", .text)
  }
}
