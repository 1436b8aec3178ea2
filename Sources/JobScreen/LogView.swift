/// Where a log is being read: at its end, or held at a line while more comes below.
struct LogView: Sendable, Hashable {
  /// The number of the first line shown, counted from the first line ever seen; nil follows.
  private(set) var held: Int?
  /// Words that are looked for, marked where they stand.
  var needle = ""
  /// The number of the line that was found last; the next search begins there.
  private var found: Int?

  /// Whether lines that are too long go on in the next row.
  private(set) var isWrapped = false
  /// Columns that are left out at the left.
  private(set) var shift = 0

  var isFollowing: Bool { held == nil }

  mutating func turnWrap() {
    isWrapped.toggle()
    shift = 0
  }

  /// Moves the window sideways; wrapped lines have nothing beside them.
  mutating func shift(by columns: Int) {
    guard !isWrapped else { return }
    shift = min(max(0, shift + columns), LogTail.lineCapacity)
  }

  /// The index of the first line shown in `rows` rows.
  func top(of log: LogTail, rows: Int) -> Int {
    let end = max(0, log.lines.count - rows)
    guard let held else { return end }
    return min(max(0, held - log.dropped), end)
  }

  /// Lines below the last one shown.
  func below(_ log: LogTail, rows: Int) -> Int {
    max(0, log.lines.count - top(of: log, rows: rows) - rows)
  }

  mutating func move(by delta: Int, in log: LogTail, rows: Int) {
    let end = max(0, log.lines.count - rows)
    let next = min(max(0, top(of: log, rows: rows) + delta), end)
    // Only a way up holds; reaching the end follows again.
    held = next >= end && delta >= 0 ? nil : next + log.dropped
  }

  mutating func hold(_ log: LogTail, rows: Int) { held = top(of: log, rows: rows) + log.dropped }
  mutating func follow() { held = nil }

  /// Goes to the next line that holds the words, upwards or downwards; says whether there is one.
  mutating func find(in log: LogTail, rows: Int, forward: Bool, from start: Int? = nil) -> Bool {
    guard !needle.isEmpty else { return false }
    let word = needle.lowercased()
    let last = found.map { $0 - log.dropped }
    var index =
      start ?? last.map { $0 + (forward ? 1 : -1) } ?? top(of: log, rows: rows) + (forward ? 1 : -1)
    while log.lines.indices.contains(index) {
      if log.lines[index].lowercased().contains(word) {
        held = index + log.dropped
        found = held
        return true
      }
      index += forward ? 1 : -1
    }
    return false
  }
}
