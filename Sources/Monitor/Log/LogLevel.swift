import ThemeCatalog

/// The severity of a log line, from its prefix: `E:` or `W:` by apt, `dpkg: error` or `dpkg:
/// warning` by dpkg.
enum LogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
  case info
  case warning
  case error

  init(of line: String) {
    if line.hasPrefix("E:") || line.hasPrefix("dpkg: error") {
      self = .error
    } else if line.hasPrefix("W:") || line.hasPrefix("dpkg: warning") {
      self = .warning
    } else {
      self = .info
    }
  }

  /// A description of a log that hides all lines below this level.
  var words: String {
    switch self {
    case .info: "all lines"
    case .warning: "warnings and errors only"
    case .error: "errors only"
    }
  }

  /// The next level; the first one after the last.
  var next: LogLevel { LogLevel(rawValue: rawValue + 1) ?? .info }

  var role: Role {
    switch self {
    case .info: .logInfo
    case .warning: .logWarn
    case .error: .logError
    }
  }

  static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// The lines of a log from one level up, by position.
///
/// A line's number counts all lines from the first one ever seen, including hidden lines.
struct LogLines: Sendable {
  private let log: LogTail
  /// The numbers of the lines, ascending; nil if no line is hidden.
  private let numbers: [Int]?

  init(_ log: LogTail, atLeast level: LogLevel) {
    self.log = log
    numbers = level == .info ? nil : level == .warning ? log.problems : log.errors
  }

  var count: Int { numbers?.count ?? log.lines.count }

  subscript(position: Int) -> String { log.lines[number(at: position) - log.dropped] }

  /// The number of the line at a position; for the end position, the number of the next new line.
  func number(at position: Int) -> Int {
    guard position < count else { return log.nextNumber }
    return numbers?[position] ?? log.dropped + position
  }

  /// The position of the first line whose number is at least `number`.
  func position(of number: Int) -> Int {
    guard let numbers else { return min(max(0, number - log.dropped), count) }
    return numbers.firstIndex(notLessThan: number)
  }
}

extension [Int] {
  /// The index of the first element that is at least `value`, in an ascending array.
  func firstIndex(notLessThan value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
