import HostSystem
import InstallJobs
import TOMLText

/// The name of a scenario's file and the line of each key, for error messages.
struct ScenarioSource: Sendable {
  /// The file's name or path, as displayed.
  let file: String
  fileprivate let document: TOMLDocument

  /// Returns an error about the key at `path`, with the file, the line and the key.
  func refusal(at path: [String], _ problem: String, hint: String? = nil) -> InstallationError {
    let place = document.line(of: path).map { "\(file):\($0)" } ?? file
    let key = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    return InstallationError(
      .invalidArgument, "\(place): \(key)\(problem)", class: .fatal, hint: hint)
  }

  /// Returns text from a file in displayable form: without control characters and line ends, at
  /// most 200 characters.
  static func printable(_ text: String) -> String {
    Sanitised.line(text, limit: 200, replacement: "?")
  }
}

/// One table of a scenario file: typed access to its keys, with errors that give the position.
struct ScenarioTable: Sendable {
  let source: ScenarioSource
  /// The table's path from the top level; empty for the top level.
  let path: [String]
  let values: [String: TOMLValue]

  /// Parses a whole document.
  ///
  /// - Throws: `invalidArgument` with file and line if the text is not TOML.
  init(text: String, file: String) throws(InstallationError) {
    do {
      source = ScenarioSource(file: file, document: try TOMLDocument(text))
    } catch {
      let problem = ScenarioSource.printable(error.problem)
      throw InstallationError(
        .invalidArgument, "\(file):\(error.line ?? 1): \(problem)", class: .fatal,
        hint: "write the file as TOML 1.0")
    }
    path = []
    values = source.document.root
  }

  private init(source: ScenarioSource, path: [String], values: [String: TOMLValue]) {
    self.source = source
    self.path = path
    self.values = values
  }

  /// Returns an error about a key of this table.
  func refusal(_ key: String, _ problem: String, hint: String? = nil) -> InstallationError {
    source.refusal(at: path + [key], problem, hint: hint)
  }

  /// Throws for the first key that is not in `known`.
  func rejectUnknownKeys(_ known: [String]) throws(InstallationError) {
    guard let key = values.keys.sorted().first(where: { !known.contains($0) }) else { return }
    throw refusal(
      ScenarioSource.printable(key), TOMLDocument.unknownKey(known: known, isIgnored: false))
  }

  func string(_ key: String) throws(InstallationError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value else { throw typeError(key, "a text in quotes", value) }
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
    guard case .list(let ends) = value, ends.count == 2, let least = Self.seconds(ends[0]),
      let most = Self.seconds(ends[1]), least <= most
    else {
      throw typeError(key, "seconds, or a list of least and most seconds such as [0.5, 2]", value)
    }
    return Scenario.Span(least...most)
  }

  func strings(_ key: String) throws(InstallationError) -> [String]? {
    guard let value = values[key] else { return nil }
    guard case .list(let items) = value else { throw typeError(key, "a list of texts", value) }
    var texts: [String] = []
    for item in items {
      guard case .text(let text) = item else { throw typeError(key, "a list of texts", item) }
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
      throw typeError(key, "one of \(allowed)", .text(text))
    }
    return word
  }

  func table(_ key: String) throws(InstallationError) -> ScenarioTable? {
    guard let value = values[key] else { return nil }
    guard case .table(let inner) = value else { throw typeError(key, "a table", value) }
    return ScenarioTable(source: source, path: path + [key], values: inner)
  }

  /// Returns the tables of `[[key]]`; empty if there are none.
  func tables(_ key: String) throws(InstallationError) -> [ScenarioTable] {
    guard let value = values[key] else { return [] }
    guard case .list(let items) = value else {
      throw typeError(key, "written as [[\(key)]]", value)
    }
    var tables: [ScenarioTable] = []
    for (index, item) in items.enumerated() {
      guard case .table(let inner) = item else {
        throw typeError(key, "written as [[\(key)]]", item)
      }
      tables.append(
        ScenarioTable(source: source, path: path + ["\(key)[\(index)]"], values: inner))
    }
    return tables
  }

  private func typeError(
    _ key: String, _ wanted: String, _ value: TOMLValue
  ) -> InstallationError { refusal(key, value.mismatch(wanted)) }

  private static func seconds(_ value: TOMLValue) -> Double? {
    value.number.flatMap { (0...86_400).contains($0) ? $0 : nil }
  }
}
