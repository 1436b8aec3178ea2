import Canvas

/// The rows of a log that a window shows: one a line, or as many as a line needs.
struct LogWindow: Sendable, Hashable {
  /// The texts of the rows, from the top.
  private(set) var rows: [String] = []
  /// Lines of the log that lie below.
  private(set) var below = 0

  init(_ log: LogTail, _ view: LogView, rows count: Int, columns: Int) {
    guard count > 0, columns > 0 else { return }
    guard view.isWrapped else {
      let top = view.top(of: log, rows: count)
      rows = log.lines.dropFirst(top).prefix(count).map { Self.shifted($0, by: view.shift) }
      below = view.below(log, rows: count)
      return
    }
    if view.isFollowing {
      var pieces: [String] = []
      for line in log.lines.reversed() {
        pieces = Self.pieces(of: line, columns: columns) + pieces
        if pieces.count >= count { break }
      }
      rows = Array(pieces.suffix(count))
      return
    }
    var shown = 0
    let top = view.top(of: log, rows: count)
    for line in log.lines.dropFirst(top) {
      guard rows.count < count else { break }
      rows += Self.pieces(of: line, columns: columns)
      shown += 1
    }
    rows = Array(rows.prefix(count))
    below = max(0, log.lines.count - top - shown)
  }

  /// The line in rows of at most `columns` columns; an empty line is one row.
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
