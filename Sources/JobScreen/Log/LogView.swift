/// Where a log is being read, at its end or held at a line while more comes below; which of its
/// lines, and what is looked for in them.
struct LogView: Sendable, Hashable {
  /// The number of the first line shown, counted from the first line ever seen; nil follows.
  private(set) var held: Int?
  /// The number after the last line that was in sight.
  private var seen = 0

  /// Lines below this level are left out.
  private(set) var level = LogLevel.info
  /// Whether lines that are too long go on in the next row.
  private(set) var isWrapped = false
  /// Columns that are left out at the left.
  private(set) var shift = 0

  /// Words that are looked for, marked where they stand.
  private(set) var needle = ""
  /// The numbers of the lines that hold the words, ascending.
  private(set) var matches: [Int] = []
  /// The number of the line that was found last; the next search begins there.
  private(set) var found: Int?
  // Lines before this number were searched and grow no more.
  private var searched = 0

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

  /// Leaves out more lines, or none again; what is in sight stays as near as it can.
  mutating func turnLevel(in log: LogTail) {
    level = level.next
    (matches, searched) = ([], 0)
    search(log)
  }

  // MARK: The place

  /// The position of the first line shown in `rows` rows.
  func top(of log: LogTail, rows: Int) -> Int {
    let lines = LogLines(log, atLeast: level)
    let end = max(0, lines.count - rows)
    guard let held else { return end }
    return min(lines.position(of: held), end)
  }

  /// Lines that came since the log is held and were not in sight yet.
  func new(in log: LogTail) -> Int {
    guard held != nil else { return 0 }
    let lines = LogLines(log, atLeast: level)
    return lines.count - lines.position(of: seen)
  }

  mutating func move(by delta: Int, in log: LogTail, rows: Int) {
    let end = max(0, LogLines(log, atLeast: level).count - rows)
    let next = min(max(0, top(of: log, rows: rows) + delta), end)
    // Only a way up holds; reaching the end follows again.
    if next >= end, delta >= 0 { follow() } else { hold(at: next, in: log, rows: rows) }
  }

  mutating func hold(_ log: LogTail, rows: Int) {
    hold(at: top(of: log, rows: rows), in: log, rows: rows)
  }

  private mutating func hold(at position: Int, in log: LogTail, rows: Int) {
    let lines = LogLines(log, atLeast: level)
    // Who followed has seen all there was.
    if held == nil { seen = log.nextNumber }
    held = lines.number(at: position)
    seen = max(seen, lines.number(at: top(of: log, rows: rows) + rows))
  }

  mutating func follow() { held = nil }

  // MARK: Finding

  /// Looks for other words from now on; none mark nothing.
  mutating func search(for words: String, in log: LogTail) {
    if words != needle {
      needle = words
      (matches, searched, found) = ([], 0, nil)
    }
    search(log)
  }

  /// Takes in what came to the log: only new lines are searched, and the last one, which may have
  /// grown.
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

  /// `match 3 of 17`; nil where nothing is looked for.
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

  /// Goes to the next line that holds the words, upwards or downwards; says whether there is one.
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
