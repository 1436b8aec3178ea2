import Canvas
import InstallJobs
import JobText
import ThemeCatalog

/// The status of a job in whole lines, most important first.
///
/// For an ended job: its result and what to do next. For any other: why it waits, and where an
/// abort would stop it. No text is cut as long as there are rows for it.
struct JobStatusLines: Sendable, Hashable {
  /// A piece of a line.
  struct Piece: Sendable, Hashable {
    var text: String
    var role: Role
  }

  /// The lines, each at most as wide as given to the initialiser.
  private(set) var lines: [[Piece]]

  /// - Parameters:
  ///   - entry: The job.
  ///   - words: The texts of the job.
  ///   - offset: Seconds east of UTC.
  ///   - columns: Maximum width of a line.
  init(_ entry: JobStore.Entry, _ words: JobWords, offset: Int, columns: Int) {
    let (job, mark) = (words.job, words.mark)
    func broken(_ text: String, _ role: Role) -> [[Piece]] {
      wrapped(sanitize(text), columns: columns).map { [Piece(text: $0, role: role)] }
    }
    if job.state.isFinal {
      lines =
        broken(words.ending ?? "", mark.role)
        + broken(Self.endedFacts(entry, offset: offset), .textDim)
      return
    }
    var safe = words.safePoint(offset: offset)
    if mark == .stopping, let answer = AbortCourse(job)?.answer(offset: offset), !answer.isEmpty {
      safe += ", " + answer
    }
    let role: Role = mark == .stopping || mark == .abortAsked ? .stateAbort : .textDim
    guard let wait = words.waitReason(offset: offset) else {
      lines = broken(safe, role)
      return
    }
    let why: Role = job.isStalled || job.overdue != nil ? .stateWarn : .stateWait
    lines = broken(wait, why) + broken(safe, role)
    let whole = sanitize(wait + " · " + safe)
    if lines.count == 2, !safe.isEmpty, TextWidth.columns(whole) <= columns {
      lines = [[Piece(text: wait, role: why), Piece(text: " · " + safe, role: role)]]
    }
  }

  /// The lines from an index on; nil if there are none.
  func part(_ range: PartialRangeFrom<Int>) -> JobStatusLines? {
    guard lines.count > range.lowerBound else { return nil }
    var part = self
    part.lines.removeFirst(range.lowerBound)
    return part
  }

  /// The first line alone.
  var first: JobStatusLines {
    var first = self
    first.lines = Array(lines.prefix(1))
    return first
  }

  /// At most `rows` lines; the last one ends with ` …` if there are more.
  func limited(to rows: Int, columns: Int) -> [[Piece]] {
    guard lines.count > rows, rows > 0, let last = lines[rows - 1].last else {
      return Array(lines.prefix(max(0, rows)))
    }
    let text = truncated(last.text + " …", to: max(1, columns))
    return lines.prefix(rows - 1) + [[Piece(text: text, role: last.role)]]
  }

  /// Facts about an ended job besides its result: the next step, the abort, the remaining files.
  private static func endedFacts(_ entry: JobStore.Entry, offset: Int) -> String {
    let job = entry.job
    var parts: [String] = []
    if job.error?.code == .interrupted {
      // The engine's hint names a command; on a screen the user presses a key.
      parts.append(entry.retryAdvice)
      if let seconds = job.interruptedSeconds {
        parts.append("interrupted for \(Figures.duration(seconds)) until it was found")
      }
    } else if let hint = job.error?.hint {
      parts.append(entry.isHintFollowed(hint) ? entry.retryAdvice : hint)
    }
    if let detail = job.error?.detail { parts.append(detail) }
    if !job.repairs.isEmpty, !job.isCleanedUp { parts.append("! repairs what is left half done") }
    if let abort = AbortCourse(job) { parts.append(abort.sentence(offset: offset)) }
    if job.requiresReboot {
      let reasons = job.rebootReasons.isEmpty ? "" : ": " + JobEnding.list(job.rebootReasons)
      parts.append("restart needed\(reasons)")
    }
    if job.isCleanedUp {
      parts.append("cleaned up")
    } else if job.startedAt != nil {
      parts.append("its files are kept until clean up")
    }
    return parts.joined(separator: " · ")
  }
}

extension JobStore.Entry {
  /// The key that retries an ended job, or the job that retried it.
  fileprivate var retryAdvice: String {
    retry.map { "retried as job \($0)" } ?? "r retries what did not succeed"
  }

  /// Whether the engine's hint names an action that has been done since.
  func isHintFollowed(_ hint: String) -> Bool {
    retry != nil && hint.contains("'fettle retry \(job.id)'")
      || isMended && hint.contains("'fettle doctor")
  }
}

extension MonitorState {
  /// The status of a job in lines of at most `columns`; nil for an unknown job.
  func statusLines(of id: JobID, columns: Int) -> JobStatusLines? {
    shownBook[id].map {
      JobStatusLines(
        $0, words(of: $0), offset: timeOffset, columns: columns - (columns >= 60 ? 2 : 0))
    }
  }
}

extension Painter {
  /// Draws status lines from a row on.
  mutating func paintStatusLines(_ standing: JobStatusLines, _ row: Int, rows: Int) {
    let columns = canvas.size.columns
    let margin = columns >= 60 ? 1 : 0
    let lines = standing.limited(to: rows, columns: columns - 2 * margin)
    for (offset, line) in lines.enumerated() {
      var column = margin
      for piece in line { column = put(piece.text, column, row + offset, piece.role, to: columns) }
    }
  }
}
