/// The lines of the tables and keys of a TOML text, which the parser does not report.
///
/// Found line by line: table headers, and `key = value` at the beginning of a line.
struct TOMLLines: Sendable {
  private var lines: [[String]: Int] = [:]
  // The last index of each array of tables.
  private var counts: [String: Int] = [:]

  init(_ text: String) {
    var table: [String] = []
    var number = 0
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let line = Substring(line.drop { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" })
      if line.first == "[" {
        table = header(line)
        add(table, number)
      } else if line.first != "#", let key = Self.key(line, endsAt: "=") {
        add(table + key, number)
      }
    }
  }

  /// Returns the line of a path, or of the nearest table around it.
  func nearest(to path: [String]) -> Int? {
    var path = path[...]
    while !path.isEmpty {
      if let line = lines[Array(path)] { return line }
      path.removeLast()
    }
    return nil
  }

  /// Returns the path on a line.
  func path(at line: Int) -> [String]? {
    lines.filter { $0.value == line }.keys.max { $0.count < $1.count }
  }

  // A dotted key opens the tables of its first parts.
  private mutating func add(_ path: [String], _ line: Int) {
    for count in path.indices {
      let part = Array(path[...count])
      lines[part] = lines[part] ?? line
    }
  }

  private mutating func header(_ line: Substring) -> [String] {
    let isArray = line.dropFirst().first == "["
    guard var path = Self.key(line.drop { $0 == "[" }, endsAt: "]") else { return [] }
    if isArray, let name = path.last { counts[name, default: -1] += 1 }
    // A table inside an array of tables belongs to the array's last table.
    for index in path.indices where isArray || index < path.count - 1 {
      if let count = counts[path[index]] { path[index] += "[\(count)]" }
    }
    return path
  }

  /// Returns the parts of a dotted key before a sign; nil when the sign does not follow.
  private static func key(_ text: Substring, endsAt sign: Character) -> [String]? {
    var parts = [""]
    var quote: Character?
    for character in text {
      switch character {
      case quote: quote = nil
      case _ where quote != nil: parts[parts.count - 1].append(character)
      case "\"", "'": quote = character
      case sign: return parts
      case ".": parts.append("")
      case " ", "\t": break
      default: parts[parts.count - 1].append(character)
      }
    }
    return nil
  }
}
