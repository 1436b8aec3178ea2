/// The line numbers of the tables and keys of a TOML text, which the parser does not provide.
///
/// It supports the syntax of theme files: table headers and `key = value` on lines of their own.
struct KeyLines: Sendable {
  private struct Place: Hashable {
    let table: String?
    let key: String
  }

  private var keys: [Place: Int] = [:]
  private var tables: [String: Int] = [:]

  init(_ text: String) {
    var table: String?
    for (offset, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = Self.trimmed(line)
      if line.hasPrefix("[") {
        let name = Self.unquoted(Self.trimmed(line.dropFirst().prefix { $0 != "]" }))
        table = name
        tables[name] = tables[name] ?? offset + 1
        continue
      }
      guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
      let key = Self.unquoted(Self.trimmed(line[..<equals]))
      let place = Place(table: table, key: key)
      keys[place] = keys[place] ?? offset + 1
      // A dotted key without quotes opens a table of its first part.
      guard let dot = key.firstIndex(of: "."), !line.hasPrefix("\""), !line.hasPrefix("'") else {
        continue
      }
      let first = Place(table: table, key: String(key[..<dot]))
      keys[first] = keys[first] ?? offset + 1
    }
  }

  /// The line of `key`, from 1; `table` is nil for keys before the first table.
  subscript(table: String?, key: String) -> Int? { keys[Place(table: table, key: key)] }

  /// Returns the line of the header of `table`, from 1.
  func table(_ name: String) -> Int? { tables[name] }

  private static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  private static func unquoted(_ text: Substring) -> String {
    guard let quote = text.first, quote == "\"" || quote == "'", text.count > 1,
      text.last == quote
    else { return String(text) }
    return String(text.dropFirst().dropLast())
  }
}
