/// The reading position, level filter and search of a log view.
///
/// The view follows the end of the log, or is fixed at a line while more lines arrive below.
struct LogView: Sendable, Hashable {
  /// The number of the first visible line, counted from the first line ever seen; nil means that
  /// the view follows the end.
  private(set) var held: Int?
  /// The number after the last line that was visible.
  private var seen = 0

  /// Lines below this level are hidden.
  private(set) var level = LogLevel.info
  /// Whether long lines continue in the next row.
  private(set) var isWrapped = false
  /// Number of columns hidden at the left.
  private(set) var shift = 0

  /// The search text; its matches are highlighted.
  private(set) var needle = ""
  /// The numbers of the lines with a match, ascending.
  private(set) var matches: [Int] = []
  /// The number of the last found line, where the next search begins.
  private(set) var found: Int?
  // The number after the last searched line; earlier lines are complete.
  private var searched = 0

  var isFollowing: Bool { held == nil }

  mutating func toggleWrap() {
    isWrapped.toggle()
    shift = 0
  }

  /// Scrolls sideways; no effect on wrapped lines.
  mutating func shift(by columns: Int) {
    guard !isWrapped else { return }
    shift = min(max(0, shift + columns), LogTail.lineCapacity)
  }

  /// Switches to the next level; the visible part stays as near as possible.
  mutating func selectNextLevel(in log: LogTail) {
    level = level.next
    (matches, searched) = ([], 0)
    search(log)
  }

  // MARK: Position

  /// The position of the first visible line in a window of `rows` rows.
  func top(of log: LogTail, rows: Int) -> Int {
    let lines = LogLines(log, atLeast: level)
    let end = max(0, lines.count - rows)
    guard let held else { return end }
    return min(lines.position(of: held), end)
  }

  /// Number of lines that arrived since the view was fixed and were not visible yet.
  func new(in log: LogTail) -> Int {
    guard held != nil else { return 0 }
    let lines = LogLines(log, atLeast: level)
    return lines.count - lines.position(of: seen)
  }

  mutating func move(by delta: Int, in log: LogTail, rows: Int) {
    let end = max(0, LogLines(log, atLeast: level).count - rows)
    let next = min(max(0, top(of: log, rows: rows) + delta), end)
    // Only a move up fixes the view; a move to the end follows again.
    if next >= end, delta >= 0 { follow() } else { hold(at: next, in: log, rows: rows) }
  }

  mutating func hold(_ log: LogTail, rows: Int) {
    hold(at: top(of: log, rows: rows), in: log, rows: rows)
  }

  private mutating func hold(at position: Int, in log: LogTail, rows: Int) {
    let lines = LogLines(log, atLeast: level)
    // A view that followed has shown every line.
    if held == nil { seen = log.nextNumber }
    held = lines.number(at: position)
    seen = max(seen, lines.number(at: top(of: log, rows: rows) + rows))
  }

  mutating func follow() { held = nil }

  // MARK: Search

  /// Sets the search text and searches the log; an empty text removes all highlights.
  mutating func search(for words: String, in log: LogTail) {
    if words != needle {
      needle = words
      (matches, searched, found) = ([], 0, nil)
    }
    search(log)
  }

  /// Searches the new lines, and the last searched line again because it may have grown.
  mutating func search(_ log: LogTail) {
    guard !needle.isEmpty else { return }
    matches.removeFirst(matches.firstIndex(notLessThan: log.dropped))
    let first = max(searched - 1, log.dropped)
    matches.removeLast(matches.count - matches.firstIndex(notLessThan: first))
    let (word, lines) = (needle.lowercased(), LogLines(log, atLeast: level))
    for position in lines.position(of: first)..<lines.count
    where lines[position].lowercased().contains(word) {
      matches.append(lines.number(at: position))
    }
    searched = log.nextNumber
  }

  /// `match 3 of 17`; nil without a search text.
  var matchWords: String? {
    guard !needle.isEmpty else { return nil }
    guard !matches.isEmpty else { return "no match" }
    if let found, case let index = matches.firstIndex(notLessThan: found), index < matches.count,
      matches[index] == found
    {
      return "match \(index + 1) of \(matches.count)"
    }
    return "\(matches.count) match\(matches.count == 1 ? "" : "es")"
  }

  /// Moves to the next match, downwards or upwards; returns whether there is one.
  mutating func find(in log: LogTail, rows: Int, forward: Bool, from start: Int? = nil) -> Bool {
    let lines = LogLines(log, atLeast: level)
    let top = top(of: log, rows: rows)
    let origin = start.map { lines.number(at: $0) }
    let here = found ?? lines.number(at: top)
    let index =
      forward
      ? matches.firstIndex(notLessThan: origin ?? here + 1)
      : matches.firstIndex(notLessThan: origin.map { $0 + 1 } ?? here) - 1
    guard matches.indices.contains(index) else { return false }
    found = matches[index]
    hold(at: lines.position(of: matches[index]), in: log, rows: rows)
    return true
  }
}
