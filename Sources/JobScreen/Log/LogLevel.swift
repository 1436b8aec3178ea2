import ThemeCatalog

/// How much a line of a log matters, by the words that apt and dpkg begin such lines with.
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

  /// What a log shows that leaves out everything below this level.
  var words: String {
    switch self {
    case .info: "all lines"
    case .warning: "warnings and errors only"
    case .error: "errors only"
    }
  }

  /// The next one of the levels, round the end.
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

/// The lines of a log from one level up, by their position among these.
///
/// A line's number counts from the first line ever seen and stays its own, whatever is left out.
struct LogLines: Sendable {
  private let log: LogTail
  /// The numbers, ascending; nil where nothing is left out.
  private let numbers: [Int]?

  init(_ log: LogTail, atLeast level: LogLevel) {
    self.log = log
    numbers = level == .info ? nil : level == .warning ? log.problems : log.errors
  }

  var count: Int { numbers?.count ?? log.lines.count }

  subscript(position: Int) -> String { log.lines[number(at: position) - log.dropped] }

  /// The number of the line at a position; behind the last one that of the next line to come.
  func number(at position: Int) -> Int {
    guard position < count else { return log.nextNumber }
    return numbers?[position] ?? log.dropped + position
  }

  /// The position of the first line whose number is not less than `number`.
  func position(of number: Int) -> Int {
    guard let numbers else { return min(max(0, number - log.dropped), count) }
    return numbers.firstIndex(notLessThan: number)
  }
}

extension [Int] {
  /// The index of the first element that is not less than `value`, in a list that ascends.
  func firstIndex(notLessThan value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
