import HostSystem
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
  let file: String
  /// The values by key, prefixed with the table: `engine.socket`.
  private(set) var values: [String: TOMLValue] = [:]
  private var lines: [String: Int] = [:]

  /// Parses a file's text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - file: The path, for errors.
  ///   - tables: The tables whose keys are read; other tables count as one value.
  /// - Throws: ``SettingsError`` with the line when the text is not TOML.
  init(_ text: String, file: String, tables: Set<String>) throws(SettingsError) {
    self.file = file
    let document: TOMLDocument
    do {
      document = try TOMLDocument(text)
    } catch {
      throw SettingsError(
        file: file, line: error.line, key: error.path.map(Self.name), problem: error.problem)
    }
    for (key, value) in document.root {
      let inner = tables.contains(key) ? value.table : nil
      if inner != nil { lines[key] = document.line(of: [key]) }
      for (path, value) in inner?.map({ ([key, $0], $1) }) ?? [([key], value)] {
        let name = Self.name(path)
        lines[name] = [lines[name], document.line(of: path)].compactMap(\.self).min()
        // Which of two spellings counted would be chance.
        guard values.updateValue(value, forKey: name) == nil else {
          throw problem(with: name, "is there twice, in two spellings; leave one out")
        }
      }
    }
  }

  /// An error or warning about a key.
  func problem(with key: String, _ problem: String) -> SettingsError {
    let table = key.split(separator: ".").first.map(String.init) ?? key
    return SettingsError(
      file: file, line: lines[key] ?? lines[table], key: key, problem: problem)
  }

  /// Tables whose keys name actions or views, often with hyphens, and are not converted.
  private static let tablesOfNames: Set<String> = ["keys", "view"]

  /// Returns the canonical name of a key, with its table (`engine.stallAfterSeconds`).
  ///
  /// At the top level `rate` is short for `frameRate`.
  private static func name(_ path: [String]) -> String {
    guard path.count > 1 else { return path == ["rate"] ? "frameRate" : camelCase(path[0]) }
    let isAsWritten = tablesOfNames.contains(path[0])
    return path[0] + "."
      + path.dropFirst().map { isAsWritten ? $0 : camelCase($0) }.joined(separator: ".")
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
    Sanitised.line(text, limit: 500, replacement: "?")
  }
}
