import Canvas

/// The visible rows of a log: one for each line, or several for a wrapped line.
struct LogWindow: Sendable, Hashable {
  /// The line that a row belongs to.
  struct Origin: Sendable, Hashable {
    let level: LogLevel
    /// The line's number; nil in the continuation rows of a wrapped line.
    let number: Int?
  }

  /// The texts of the rows, from the top.
  private(set) var rows: [String] = []
  /// The line of each row.
  private(set) var origins: [Origin] = []
  /// Number of log lines below the window.
  private(set) var below = 0

  init(_ log: LogTail, _ view: LogView, rows count: Int, columns: Int) {
    guard count > 0, columns > 0 else { return }
    let lines = LogLines(log, atLeast: view.level)
    if view.isWrapped, view.isFollowing {
      var position = lines.count
      while position > 0, rows.count < count {
        position -= 1
        let pieces = Self.pieces(of: lines[position], columns: columns)
        rows = pieces + rows
        origins = Self.origins(of: position, in: lines, pieces.count) + origins
      }
      rows = Array(rows.suffix(count))
      origins = Array(origins.suffix(count))
      return
    }
    var position = view.top(of: log, rows: count)
    while position < lines.count, rows.count < count {
      let pieces =
        view.isWrapped
        ? Self.pieces(of: lines[position], columns: columns)
        : [Self.shifted(lines[position], by: view.shift)]
      rows += pieces
      origins += Self.origins(of: position, in: lines, pieces.count)
      position += 1
    }
    rows = Array(rows.prefix(count))
    origins = Array(origins.prefix(count))
    below = lines.count - position
  }

  private static func origins(of position: Int, in lines: LogLines, _ count: Int) -> [Origin] {
    let level = LogLevel(of: lines[position])
    return (0..<count).map {
      Origin(level: level, number: $0 == 0 ? lines.number(at: position) : nil)
    }
  }

  /// The line in pieces of at most `columns` columns; one empty piece for an empty line.
  private static func pieces(of line: String, columns: Int) -> [String] {
    let line = sanitize(line)
    guard TextWidth.columns(line) > columns else { return [line] }
    var pieces: [String] = []
    var (piece, width) = ("", 0)
    for character in line {
      let step = TextWidth.columns(String(character))
      if width + step > columns {
        pieces.append(piece)
        (piece, width) = ("", 0)
      }
      piece.append(character)
      width += step
    }
    return pieces + [piece]
  }

  /// The line without its first `shift` columns.
  private static func shifted(_ line: String, by shift: Int) -> String {
    guard shift > 0 else { return line }
    var left = shift
    return String(
      sanitize(line).drop { character in
        guard left > 0 else { return false }
        left -= max(0, TextWidth.columns(String(character)))
        return true
      })
  }
}
