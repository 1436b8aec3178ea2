import FoundationEssentials
import InstallJobs
import TOMLKit
import TOMLText

/// A value of a scenario file, independent of the parser's memory.
enum ScenarioValue: Sendable, Hashable {
  case table([String: ScenarioValue])
  case array([ScenarioValue])
  case string(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case date

  fileprivate init(_ value: any TOMLValueConvertible) {
    switch value.type {
    case .table: self = Self.table(of: value.table)
    case .array: self = .array(value.array.map { $0.map { ScenarioValue($0) } } ?? [])
    case .string: self = .string(value.string ?? "")
    case .int: self = .integer(value.int ?? 0)
    case .double: self = .number(value.double ?? 0)
    case .bool: self = .boolean(value.bool ?? false)
    case .date, .time, .dateTime: self = .date
    }
  }

  fileprivate static func table(of table: TOMLTable?) -> ScenarioValue {
    var values: [String: ScenarioValue] = [:]
    if let table { for (key, value) in table { values[key] = ScenarioValue(value) } }
    return .table(values)
  }

  /// A description of the value for error messages.
  var kind: String {
    switch self {
    case .table: "a table"
    case .array: "a list"
    case .string(let text): "the text \"\(ScenarioSource.printable(text))\""
    case .integer(let number): "the number \(number)"
    case .number(let number): "the number \(number)"
    case .boolean(let flag): "\(flag)"
    case .date: "a date"
    }
  }
}

/// The name of a scenario's file and the line of each key, for error messages.
struct ScenarioSource: Sendable {
  /// The file's name or path, as displayed.
  let file: String
  private let lines: [String: Int]

  init(file: String, text: String) {
    self.file = file
    lines = Self.index(text)
  }

  /// Returns an error about the key at `path`, with the file, the line and the key.
  func refusal(at path: String, _ problem: String, hint: String? = nil) -> InstallationError {
    InstallationError(
      .invalidArgument, "\(position(of: path)): \(path.isEmpty ? "" : path + ": ")\(problem)",
      class: .fatal, hint: hint)
  }

  /// Returns an error about a line.
  func refusal(line: Int, _ problem: String) -> InstallationError {
    InstallationError(
      .invalidArgument, "\(file):\(line): \(Self.printable(problem))", class: .fatal,
      hint: "write the file as TOML 1.0")
  }

  private func position(of path: String) -> String {
    var rest = Substring(path)
    while !rest.isEmpty {
      if let line = lines[String(rest)] { return "\(file):\(line)" }
      guard let end = rest.lastIndex(where: { $0 == "." || $0 == "[" }) else { break }
      rest = rest[..<end]
    }
    return file
  }

  /// Returns text from a file in displayable form: without control characters and line ends, at
  /// most 200 characters.
  static func printable(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(200).map {
      $0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
        || (0x2028...0x2029).contains($0.value) ? "?" : $0
    }
    return String(String.UnicodeScalarView(shown))
  }

  // The parser reports no positions of values, so this function searches headings and keys line by
  // line.
  private static func index(_ text: String) -> [String: Int] {
    var lines: [String: Int] = [:]
    var counts: [String: Int] = [:]
    var prefix = ""
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let body = line.drop { $0 == " " || $0 == "\t" }
      if body.hasPrefix("[["), let end = body.firstIndex(of: "]") {
        let name = body[body.index(body.startIndex, offsetBy: 2)..<end]
          .trimmingPrefix(" ").description
        counts[name, default: -1] += 1
        prefix = "\(name)[\(counts[name] ?? 0)]"
      } else if body.hasPrefix("["), let end = body.firstIndex(of: "]") {
        prefix = String(body[body.index(after: body.startIndex)..<end])
      } else if let equals = body.firstIndex(of: "="), body.first != "#" {
        let key = body[..<equals].filter { $0 != " " && $0 != "\"" }
        lines[prefix.isEmpty ? String(key) : "\(prefix).\(key)"] = number + 1
        continue
      } else {
        continue
      }
      if lines[prefix] == nil { lines[prefix] = number + 1 }
    }
    return lines
  }
}

/// One table of a scenario file: typed access to its keys, with errors that give the position.
struct ScenarioTable: Sendable {
  let source: ScenarioSource
  /// The table's path from the top level; empty for the top level.
  let path: String
  let values: [String: ScenarioValue]

  /// Parses a whole document.
  ///
  /// - Throws: `invalidArgument` with file and line if the text is not TOML.
  init(text: String, file: String) throws(InstallationError) {
    source = ScenarioSource(file: file, text: text)
    path = ""
    do {
      let root = try TOMLTable(string: try TOMLText.parsable(text))
      guard case .table(let values) = ScenarioValue.table(of: root) else {
        throw source.refusal(line: 1, "not a table")
      }
      self.values = values
    } catch let refusal as TOMLText.Refusal {
      throw source.refusal(line: refusal.line, refusal.problem)
    } catch let error as TOMLParseError {
      throw source.refusal(line: error.source.begin.line, error.description)
    } catch let error as InstallationError {
      throw error
    } catch {
      throw source.refusal(line: 1, "cannot be read")
    }
  }

  private init(source: ScenarioSource, path: String, values: [String: ScenarioValue]) {
    self.source = source
    self.path = path
    self.values = values
  }

  /// Returns the path of a key of this table.
  func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Returns an error about a key of this table.
  func refusal(_ key: String, _ problem: String, hint: String? = nil) -> InstallationError {
    source.refusal(at: path(of: key), problem, hint: hint)
  }

  /// Throws for the first key that is not in `known`.
  func rejectUnknownKeys(_ known: [String]) throws(InstallationError) {
    guard let key = values.keys.sorted().first(where: { !known.contains($0) }) else { return }
    throw refusal(
      ScenarioSource.printable(key), "unknown key",
      hint: "allowed here: \(known.joined(separator: ", "))")
  }

  func string(_ key: String) throws(InstallationError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .string(let text) = value else { throw typeError(key, "a text in quotes", value) }
    return text
  }

  func requiredString(_ key: String) throws(InstallationError) -> String {
    guard let text = try string(key) else { throw refusal(key, "is missing") }
    return text
  }

  func boolean(_ key: String) throws(InstallationError) -> Bool? {
    guard let value = values[key] else { return nil }
    guard case .boolean(let flag) = value else { throw typeError(key, "true or false", value) }
    return flag
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(InstallationError) -> Int? {
    guard let value = values[key] else { return nil }
    guard case .integer(let number) = value, range.contains(number) else {
      throw typeError(key, "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
    }
    return number
  }

  /// Returns a number of seconds, 0...86,400; nil if the key is absent.
  func seconds(_ key: String) throws(InstallationError) -> Double? {
    guard let value = values[key] else { return nil }
    guard let number = Self.seconds(value) else {
      throw typeError(key, "seconds from 0 to 86400", value)
    }
    return number
  }

  /// Returns a range of seconds: from a single number, or from a list of minimum and maximum.
  func span(_ key: String) throws(InstallationError) -> Scenario.Span? {
    guard let value = values[key] else { return nil }
    if let fixed = Self.seconds(value) { return Scenario.Span(fixed...fixed) }
    guard case .array(let ends) = value, ends.count == 2, let least = Self.seconds(ends[0]),
      let most = Self.seconds(ends[1]), least <= most
    else {
      throw typeError(key, "seconds, or a list of least and most seconds such as [0.5, 2]", value)
    }
    return Scenario.Span(least...most)
  }

  func strings(_ key: String) throws(InstallationError) -> [String]? {
    guard let value = values[key] else { return nil }
    guard case .array(let items) = value else { throw typeError(key, "a list of texts", value) }
    var texts: [String] = []
    for item in items {
      guard case .string(let text) = item else { throw typeError(key, "a list of texts", item) }
      texts.append(text)
    }
    return texts
  }

  /// Returns a raw value of an enumeration; nil if the key is absent.
  func enumeration<Word: RawRepresentable & CaseIterable>(
    _ key: String, _ type: Word.Type
  ) throws(InstallationError) -> Word? where Word.RawValue == String {
    guard let text = try string(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let allowed = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw refusal(key, "must be one of \(allowed), not \(ScenarioValue.string(text).kind)")
    }
    return word
  }

  func table(_ key: String) throws(InstallationError) -> ScenarioTable? {
    guard let value = values[key] else { return nil }
    guard case .table(let inner) = value else { throw typeError(key, "a table", value) }
    return ScenarioTable(source: source, path: path(of: key), values: inner)
  }

  /// Returns the tables of `[[key]]`; empty if there are none.
  func tables(_ key: String) throws(InstallationError) -> [ScenarioTable] {
    guard let value = values[key] else { return [] }
    guard case .array(let items) = value else {
      throw typeError(key, "written as [[\(key)]]", value)
    }
    var tables: [ScenarioTable] = []
    for (index, item) in items.enumerated() {
      guard case .table(let inner) = item else {
        throw typeError(key, "written as [[\(key)]]", item)
      }
      tables.append(
        ScenarioTable(source: source, path: "\(path(of: key))[\(index)]", values: inner))
    }
    return tables
  }

  private func typeError(
    _ key: String, _ wanted: String, _ value: ScenarioValue
  ) -> InstallationError { refusal(key, "must be \(wanted), not \(value.kind)") }

  private static func seconds(_ value: ScenarioValue) -> Double? {
    switch value {
    case .integer(let number) where (0...86_400).contains(number): Double(number)
    case .number(let number) where (0...86_400).contains(number): number
    default: nil
    }
  }
}
