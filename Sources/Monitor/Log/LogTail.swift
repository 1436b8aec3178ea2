import InstallJobs

/// The last lines of one job's log, with a limit on lines and bytes.
struct LogTail: Sendable {
  /// The highest number of lines kept; up to a quarter more before old lines are dropped.
  static let capacity = 2000
  /// The highest number of bytes kept of a line; a longer line is cut and ends with ``cut``.
  static let lineCapacity = 4096
  /// The end mark of a cut line.
  static let cut = LogSlice.cut

  /// The job of the log.
  let job: JobID?
  /// The lines, oldest first; the last one may still grow.
  private(set) var lines: [String] = []
  /// The byte at which the next piece should begin; nil before the first piece.
  private(set) var end: Int64?
  /// Number of lines dropped at the top.
  private(set) var dropped = 0
  /// The numbers of lines with a warning or an error, ascending.
  ///
  /// A line's number counts from the first line ever seen.
  private(set) var problems: [Int] = []
  /// The numbers of lines with an error, ascending.
  private(set) var errors: [Int] = []
  private var isOpen = false

  init(job: JobID? = nil) { self.job = job }

  /// The number of the next new line.
  var nextNumber: Int { dropped + lines.count }

  /// Appends a piece of the log that begins at byte `offset`.
  ///
  /// Known text is left out, and a gap becomes a line that reports it. A piece that ends before the
  /// known end is dropped.
  mutating func append(offset: Int64, text: String) {
    // A hostile peer may send any offset; no log is this long.
    let offset = min(max(0, offset), 1 << 62)
    var text = text[...]
    let length = Int64(text.utf8.count)
    if let end {
      if offset + length <= end { return }
      if offset < end {
        let cut = text.utf8.index(text.utf8.startIndex, offsetBy: Int(end - offset))
        text = text[(cut.samePosition(in: text.base.unicodeScalars) ?? text.endIndex)...]
      } else if offset > end {
        close()
        add("[\(offset - end) bytes of the log are not shown]")
      }
    } else if offset > 0 {
      add("[the log begins earlier]")
    }
    end = offset + length
    appendText(text)
    if lines.count > Self.capacity + Self.capacity / 4 {
      let surplus = lines.count - Self.capacity
      lines.removeFirst(surplus)
      dropped += surplus
      problems.removeFirst(problems.firstIndex(notLessThan: dropped))
      errors.removeFirst(errors.firstIndex(notLessThan: dropped))
    }
  }

  private mutating func appendText(_ text: Substring) {
    var start = text.unicodeScalars.startIndex
    let scalars = text.unicodeScalars
    var index = start
    while index != scalars.endIndex {
      if scalars[index] == "\n" {
        extend(text[start..<index])
        isOpen = false
        start = scalars.index(after: index)
      }
      index = scalars.index(after: index)
    }
    if start != scalars.endIndex { extend(text[start...]) }
  }

  private mutating func extend(_ part: Substring) {
    var part = part
    if part.unicodeScalars.last == "\r" { part = Substring(part.unicodeScalars.dropLast()) }
    if !isOpen {
      lines.append("")
      isOpen = true
    }
    defer { classifyLast() }
    let room = Self.lineCapacity - Self.cut.utf8.count - lines[lines.count - 1].utf8.count
    // The room is negative for a line that is already cut.
    guard room >= 0, !part.isEmpty else { return }
    if part.utf8.count <= room {
      lines[lines.count - 1] += part
    } else {
      lines[lines.count - 1] +=
        String(decoding: part.utf8.prefix(room), as: UTF8.self) + Self.cut
    }
  }

  // Sets the level of the last line again: a growing line may become a warning.
  private mutating func classifyLast() {
    let (number, level) = (nextNumber - 1, LogLevel(of: lines[lines.count - 1]))
    if problems.last == number { problems.removeLast() }
    if errors.last == number { errors.removeLast() }
    if level >= .warning { problems.append(number) }
    if level >= .error { errors.append(number) }
  }

  private mutating func close() { isOpen = false }

  private mutating func add(_ line: String) {
    lines.append(line)
    isOpen = false
  }
}
