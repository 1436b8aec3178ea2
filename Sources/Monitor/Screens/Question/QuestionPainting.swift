import Canvas
import InstallJobs
import JobText
import ThemeCatalog

/// The text of a question: the question, the effect on each job, the two answers.
struct QuestionText: Sendable, Hashable {
  /// One line of the text.
  struct Line: Sendable, Hashable {
    var text: String
    var role: Role = .dialogText
  }

  private(set) var title: String
  private(set) var lines: [Line] = []
  let keep: String
  let act: String

  // `columns` is the width of a line, `rows` the number of lines. Without keys, answers are typed.
  init(
    _ dialogue: Dialogue, _ state: MonitorState, columns: Int, rows: Int, hasKeys: Bool = true
  ) {
    switch dialogue {
    case .abort(let question, _):
      title = Self.title("Abort", question.ids)
      (keep, act) = ("Keep running", "Abort (a)")
      let wish =
        state.showsCheckbox ? [Line(text: CleanUpCheckbox.line(question, columns: columns))] : []
      let room = max(1, rows - wish.count)
      lines = Self.consequences(question, state, columns: columns, rows: room)
      let done = wrapped("What is done stays; the rest is not begun.", columns: columns)
      if lines.count + done.count <= room { lines += done.map { Line(text: $0) } }
      // The checkbox is always visible where it can be switched.
      lines = lines.prefix(room) + wish
    case .retry(let question, _):
      title = Self.title("Retry", question.ids)
      (keep, act) = ("Leave", "Retry (r)")
      let note = "A new job each, with what did not succeed."
      let notes = wrapped(note, columns: columns).map { Line(text: $0) }
      lines = Self.jobs(question.ids, state, rows: rows - notes.count) + notes
    case .cleanUp(let question, _):
      title = Self.title("Clean up", question.ids)
      (keep, act) = ("Keep", "Clean up (c)")
      var notes: [Line] = []
      if question.needRepair > 0 {
        let count = Figures.count(question.needRepair, "job")
        let mender = hasKeys ? "! repairs" : "'repair' mends them"
        notes = wrapped("\(count) left packages half done: \(mender)", columns: columns)
          .map { Line(text: $0, role: .dialogDanger) }
      }
      let warning = notes
      let freed = "Frees archives and work files; plan and log stay."
      notes += wrapped(freed, columns: columns).map { Line(text: $0) }
      if question.skipped > 0 {
        notes.append(
          Line(text: "\(Figures.count(question.skipped, "job")) cannot be cleaned up now"))
      }
      let room = rows - notes.count
      let jobs = Self.jobs(question.ids, state, rows: room)
      // If not all lines fit, the warning comes before the jobs.
      lines = room >= min(question.ids.count, 4) ? jobs + notes : warning + jobs
    }
  }

  /// The effect of an abort on each of the first jobs, in whole sentences; for the jobs without
  /// room the number by kind of effect.
  private static func consequences(
    _ question: AbortQuestion, _ state: MonitorState, columns: Int, rows: Int
  ) -> [Line] {
    let margin = String(repeating: " ", count: columns >= 40 ? 5 : 1)
    var most = question.ids.count <= 4 ? question.ids.count : 3
    while true {
      var lines = question.ids.prefix(most).flatMap { id -> [Line] in
        guard let entry = state.book[id] else { return [] }
        let words = JobWords(entry: entry)
        let role: Role =
          if case .refused = question.consequences[id] { .dialogDanger } else { .dialogText }
        var text = question.consequences[id]?.sentence(for: entry.job) ?? "is not known any more"
        // The duration is dropped before any other text is cut.
        if columns < 32, let about = text.firstRange(of: " (about ") {
          text.removeSubrange(about.lowerBound...)
        }
        let broken = wrapped(sanitize(text), columns: columns - margin.count)
        return [Line(text: "\(id) \(words.packages)  \(words.phase)")]
          + broken.map { Line(text: margin + $0, role: role) }
      }
      if most < question.ids.count {
        let counts = AbortQuestion.Outcome.allCases.compactMap { outcome in
          question.counts[outcome].flatMap { $0 > 0 ? outcome.phrase($0) : nil }
        }
        lines.append(Line(text: "and \(question.ids.count - most) more; of all:"))
        lines += joined(counts, columns: columns - margin.count).map { Line(text: margin + $0) }
      }
      if lines.count <= rows || most <= 1 { return lines }
      most = most == 4 ? 3 : most - 1
    }
  }

  /// A line for each of the first jobs, at most four, and the number of the others.
  private static func jobs(_ ids: [JobID], _ state: MonitorState, rows: Int) -> [Line] {
    let most = ids.count <= min(4, rows) ? ids.count : max(1, min(3, rows - 1))
    var lines = ids.prefix(most).compactMap { id in
      state.book[id].map { entry -> Line in
        let words = JobWords(entry: entry)
        return Line(text: "\(id) \(words.packages)  \(words.phase)")
      }
    }
    if ids.count > most { lines.append(Line(text: "and \(ids.count - most) more")) }
    return lines
  }

  /// The phrases joined by commas, in as many lines as needed.
  private static func joined(_ phrases: [String], columns: Int) -> [String] {
    var lines: [String] = []
    for phrase in phrases {
      if let last = lines.last, TextWidth.columns(last + ", " + phrase) <= columns {
        lines[lines.count - 1] = last + ", " + phrase
      } else {
        lines.append(phrase)
      }
    }
    return lines
  }

  private static func title(_ verb: String, _ ids: [JobID]) -> String {
    ids.count == 1 ? "\(verb) job \(ids[0])?" : "\(verb) \(ids.count) jobs?"
  }
}

extension Painter {
  /// Whether a question is drawn in a frame over the screen; otherwise it replaces the screen.
  static func framesQuestions(_ size: Size) -> Bool { size.columns >= 36 && size.rows >= 9 }

  mutating func question(_ dialogue: Dialogue, _ state: MonitorState) {
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    let isFramed = Self.framesQuestions(canvas.size)
    let width = isFramed ? min(66, columns - 2) : columns
    let inner = isFramed ? width - 4 : width
    let text = QuestionText(
      dialogue, state, columns: inner, rows: isFramed ? rows - 6 : rows - 2)
    guard isFramed else {
      smallQuestion(text, dialogue.focus)
      return
    }
    let height = min(rows - 2, text.lines.count + 4)
    let box = Rect(
      column: (columns - width) / 2, row: max(1, (rows - height) / 2), columns: width, rows: height)
    canvas.dim(canvas.bounds)
    canvas.fill(box, style: style(.dialogText))
    canvas.frame(
      box, style: style(.dialogFrame), title: text.title, titleStyle: style(.dialogFrame),
      lines: look.lines)
    let left = box.origin.column + 2
    let end = left + inner
    for (offset, line) in text.lines.prefix(height - 4).enumerated() {
      put(line.text, left, box.row + 1 + offset, line.role, to: end)
    }
    buttons(text, dialogue.focus, left, box.row + height - 2, to: end)
    let hint = columns >= 60 ? " Tab moves · Enter chooses · Esc keeps " : " Tab Enter Esc "
    put(hint, left, box.row + height - 1, .dialogFrame, to: end)
  }

  private mutating func smallQuestion(_ text: QuestionText, _ focus: Dialogue.Focus) {
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    canvas.fill(
      Rect(column: 0, row: 0, columns: columns, rows: rows), style: style(.dialogText))
    put(text.title, 0, 0, .dialogFrame, to: columns)
    let isCut = text.lines.count > rows - 2
    for (offset, line) in text.lines.prefix(rows - 2).enumerated() {
      let isLast = isCut && offset == rows - 3
      let words = isLast ? truncated(line.text + " …", to: columns) : line.text
      put(words, 0, 1 + offset, line.role, to: columns)
    }
    let word = text.keep.split(separator: " ").first.map(String.init) ?? text.keep
    let keep = focus == .keep ? ">\(word)<" : " \(word) "
    let act = text.act.split(separator: " (").first.map(String.init) ?? text.act
    let column = put(keep, 0, rows - 1, focus == .keep ? .dialogFocus : .dialogText, to: columns)
    put(
      focus == .act ? ">\(act)<" : " \(act) ", column + 1, rows - 1,
      focus == .act ? .dialogFocus : .dialogDanger, to: columns)
  }

  private mutating func buttons(
    _ text: QuestionText, _ focus: Dialogue.Focus, _ left: Int, _ row: Int, to end: Int
  ) {
    let keep = focus == .keep ? "> \(text.keep) <" : "  \(text.keep)  "
    let column = put(keep, left, row, focus == .keep ? .dialogFocus : .dialogText, to: end)
    let act = focus == .act ? "> \(text.act) <" : "  \(text.act)  "
    put(act, column + 2, row, focus == .act ? .dialogFocus : .dialogDanger, to: end)
  }
}
