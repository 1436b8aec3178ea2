import TOMLKit
import TOMLText

/// An error in a settings file, with its place and the allowed values.
package struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file's path.
  package var file: String
  /// The line, from 1; nil when the problem is with the file as a whole.
  package var line: Int?
  /// The key with its table (`engine.socket`); nil when the text is not TOML.
  package var key: String?
  /// What is wrong and what is allowed, in one line without a full stop.
  package var problem: String

  /// Creates an error.
  package init(file: String, line: Int? = nil, key: String? = nil, problem: String) {
    self.file = file
    self.line = line
    self.key = key
    self.problem = problem
  }

  /// `FILE:LINE: KEY: PROBLEM`, free of control characters.
  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return SettingsDocument.printable("\(place): \(key.map { $0 + ": " } ?? "")\(problem)")
  }
}

/// A parsed settings file as keys with values, before they are checked.
struct SettingsDocument {
  enum Value: Equatable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    indirect case list([Value])
    case other(String)

    /// A description of the value for error messages.
    var kind: String {
      switch self {
      case .text(let text): "the text \"\(text)\""
      case .integer(let number): "the number \(number)"
      case .number(let number): "the number \(number)"
      case .boolean(let flag): "\(flag)"
      case .list(let elements): elements.isEmpty ? "an empty list" : "a list"
      case .other(let what): what
      }
    }
  }

  let file: String
  /// The values by key, prefixed with the table: `engine.socket`.
  private(set) var values: [String: Value] = [:]
  private let lines: [String: Int]

  /// Parses a file's text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - file: The path, for errors.
  ///   - tables: The tables whose keys are read; other tables count as one value.
  /// - Throws: ``SettingsError`` with the line when the text is not TOML.
  init(_ text: String, file: String, tables: Set<String>) throws(SettingsError) {
    self.file = file
    lines = Self.index(text)
    do {
      let root = try TOMLTable(string: try TOMLText.parsable(text))
      for (key, value) in root {
        guard tables.contains(key), let inner = value.table else {
          try set(Self.topLevel(key), value)
          continue
        }
        let isAsWritten = Self.tablesOfNames.contains(key)
        for (name, value) in inner {
          try set("\(key).\(isAsWritten ? name : Self.camelCase(name))", value)
        }
      }
    } catch let error as SettingsError {
      throw error
    } catch let refusal as TOMLText.Refusal {
      throw SettingsError(
        file: file, line: refusal.line, key: lines.first { $0.value == refusal.line }?.key,
        problem: refusal.problem)
    } catch let error as TOMLParseError {
      throw SettingsError(file: file, line: error.source.begin.line, problem: error.description)
    } catch {
      throw SettingsError(file: file, problem: "not a TOML file")
    }
  }

  // Which of two spellings counted would be chance.
  private mutating func set(
    _ path: String, _ value: any TOMLValueConvertible
  ) throws(SettingsError) {
    guard values.updateValue(Self.value(value), forKey: path) == nil else {
      throw problem(with: path, "is there twice, in two spellings; leave one out")
    }
  }

  /// An error or warning about a key.
  func problem(with key: String, _ problem: String) -> SettingsError {
    let table = key.split(separator: ".").first.map(String.init) ?? key
    return SettingsError(
      file: file, line: lines[key] ?? lines[table], key: key, problem: problem)
  }

  private static func value(_ value: any TOMLValueConvertible) -> Value {
    switch value.type {
    case .string: .text(value.string ?? "")
    case .int: .integer(value.int ?? 0)
    case .double: .number(value.double ?? 0)
    case .bool: .boolean(value.bool ?? false)
    case .table: .other("a table")
    case .array: .list(value.array.map { $0.map(Self.value) } ?? [])
    case .date, .time, .dateTime: .other("a date")
    }
  }

  // TOMLKit gives no positions of values, so tables and keys are searched line by line.
  private static func index(_ text: String) -> [String: Int] {
    var lines: [String: Int] = [:]
    var prefix = ""
    let all = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in all.enumerated() {
      let body = line.drop { $0 == " " || $0 == "\t" }
      if body.hasPrefix("["), let end = body.firstIndex(of: "]") {
        let name = body[..<end].filter { $0 != "[" && $0 != " " && $0 != "\"" }
        prefix = "\(name)."
        lines[String(name)] = lines[String(name)] ?? number + 1
      } else if let equals = body.firstIndex(of: "="), body.first != "#" {
        let key = String(body[..<equals].filter { $0 != " " && $0 != "\t" && $0 != "\"" })
        let table = (prefix + key).prefix { $0 != "." }
        let isAsWritten = tablesOfNames.contains(String(table))
        let path = prefix.isEmpty ? topLevel(key) : prefix + (isAsWritten ? key : camelCase(key))
        lines[path] = lines[path] ?? number + 1
      }
    }
    return lines
  }

  /// Tables whose keys name actions or views, often with hyphens, and are not converted.
  private static let tablesOfNames: Set<String> = ["keys", "view"]

  /// Returns the canonical name of a key outside of tables: `rate` is short for `frameRate`.
  private static func topLevel(_ key: String) -> String {
    key == "rate" ? "frameRate" : camelCase(key)
  }

  /// Returns a key with hyphens (`frame-rate`) in camel case (`frameRate`).
  private static func camelCase(_ key: String) -> String {
    let words = key.split(separator: "-")
    guard words.count > 1 else { return key }
    return words.dropFirst().reduce(String(words[0])) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }

  /// Returns at most 500 characters of a text, with control characters and line ends replaced by
  /// `?`.
  static func printable(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(500).map { scalar -> Unicode.Scalar in
      scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        || (0x2028...0x2029).contains(scalar.value) ? "?" : scalar
    }
    return String(String.UnicodeScalarView(shown))
  }
}
