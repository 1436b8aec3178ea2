import InstallJobs
import JobText

/// Parses the terms of a filter and keeps the first error.
struct FilterReading: Sendable {
  private(set) var terms: [JobFilter.Term] = []
  private(set) var problem: String?

  /// Parses one term; an incomplete term is ignored.
  mutating func read(_ word: Substring) {
    var rest = word
    let isTurned = rest.first == "-" || rest.first == "!"
    if isTurned { rest.removeFirst() }
    guard !rest.isEmpty else { return }
    guard let sign = rest.firstIndex(where: { ":<>".contains($0) }), sign > rest.startIndex else {
      return add(.word(rest.lowercased()), isTurned)
    }
    let name = rest[..<sign].lowercased()
    let value = rest[rest.index(after: sign)...].lowercased()
    guard let field = Self.field(name) else {
      let known = JobFilter.Field.allCases.map(\.rawValue).joined(separator: " ")
      return note("no field '\(name)': \(known)")
    }
    if let comparison = JobFilter.Comparison(rawValue: rest[sign]) {
      guard field.isMeasured else { return note("\(name) is not a figure: write \(name):WORD") }
      guard !value.isEmpty else { return }
      guard let limit = Self.figure(value, of: field) else {
        return note(
          field == .done ? "\(name)\(rest[sign]) takes per cent" : "\(name) takes 30s, 10m, 2h, 3d")
      }
      add(.compared(field, comparison, limit), isTurned)
    } else {
      guard !field.isMeasured else {
        return note("\(name) is compared: \(name)>\(field == .done ? "50" : "10m")")
      }
      let values = value.split(separator: ",").map(String.init)
      // The user is still typing `state:`.
      guard !values.isEmpty else { return }
      var known: [String] = []
      for value in values {
        guard let word = knownWord(value, of: field) else { return }
        known.append(word)
      }
      add(.among(field, known), isTurned)
    }
  }

  private mutating func add(_ test: JobFilter.Term.Test, _ isTurned: Bool) {
    terms.append(JobFilter.Term(test: test, isTurned: isTurned))
  }

  /// The value to compare with: the full name of an operation, or the value as typed.
  ///
  /// Nil, with an error noted, if the word is unknown, or an operation is ambiguous.
  private mutating func knownWord(_ value: String, of field: JobFilter.Field) -> String? {
    guard field == .op || field == .state, !value.contains("*") else { return value }
    let operations = JobOperation.allCases.map(\.rawValue) + [JobSnapshot.download]
    let words = field == .op ? operations : JobFilter.stateWords
    let fitting = words.filter { $0.lowercased().hasPrefix(value) }
    guard !fitting.isEmpty else {
      let what = field == .op ? "operation" : "state"
      note("no \(what) '\(value)': \(words.joined(separator: ", "))")
      return nil
    }
    guard field == .op, !fitting.contains(value) else { return value }
    guard fitting.count == 1 else {
      note("op:\(value) may be \(fitting.joined(separator: ", "))")
      return nil
    }
    return fitting[0]
  }

  private mutating func note(_ text: String) { problem = problem ?? text }

  private static func field(_ name: String) -> JobFilter.Field? {
    switch name {
    case "by": .user
    case "package": .pkg
    case "id": .job
    case "operation": .op
    default: JobFilter.Field(rawValue: name)
    }
  }

  /// A percentage, or a duration in seconds; nil if the text is neither.
  private static func figure(_ text: String, of field: JobFilter.Field) -> Double? {
    var digits = Substring(text)
    var factor = 1.0
    if field == .done {
      if digits.last == "%" { digits.removeLast() }
    } else if let unit = digits.last, !unit.isNumber {
      let factors: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
      guard let found = factors[unit] else { return nil }
      factor = found
      digits.removeLast()
    }
    guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let value = Double(digits)
    else { return nil }
    return value * factor
  }
}
