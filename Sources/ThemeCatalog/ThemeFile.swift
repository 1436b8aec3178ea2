import Canvas
import TOMLKit
import TOMLText

/// A parsed theme file with its issues; inheritance is not resolved.
struct ThemeFile: Sendable {
  /// A value with its file and line.
  struct Entry<Value: Sendable>: Sendable {
    var value: Value
    var file: String
    var line: Int?
  }

  let file: String
  private(set) var name: String
  private(set) var kind: ThemeKind?
  private(set) var inherits: Entry<String>?
  private(set) var purpose: String?
  private(set) var promise = ThemePromise()
  private(set) var palette: [String: Entry<PaletteColor>] = [:]
  private(set) var roles: [Role: Entry<RoleStyle>] = [:]
  private(set) var mono: [Role: Entry<Attributes>] = [:]
  private(set) var issues: [ThemeIssue] = []

  private let lines: KeyLines

  init(_ text: String, file: String) {
    self.file = file
    name = file
    lines = KeyLines(text)
    do {
      let table = try TOMLTable(string: try TOMLText.parsable(text))
      withExtendedLifetime(table) { read(table) }
    } catch let refusal as TOMLText.Refusal {
      report(refusal.problem, line: refusal.line)
    } catch let error as TOMLParseError {
      report(error.description, line: error.source.begin.line)
    } catch {
      report("not a TOML file: \(error)", line: nil)
    }
  }

  private mutating func read(_ root: TOMLTable) {
    for key in root.keys.sorted() {
      guard let table = root[key]?.table else {
        report("\"\(key)\" stands outside of any table", line: lines[nil, key])
        continue
      }
      switch key {
      case "theme": readTheme(table)
      case "palette": readPalette(table)
      case "roles": readRoles(table)
      case "mono": readMono(table)
      default:
        warn(
          "unknown table [\(key)]; known: theme, palette, roles, mono", line: lines.table(key))
      }
    }
  }

  private static let themeKeys = ["name", "inherits", "kind", "purpose", "contrast", "vision"]

  private mutating func readTheme(_ table: TOMLTable) {
    for key in table.keys.sorted() {
      let line = lines["theme", key]
      guard Self.themeKeys.contains(key) else {
        let known = Self.themeKeys.joined(separator: ", ")
        warn("unknown key \"\(key)\" in [theme]; known: \(known)", line: line)
        continue
      }
      if key == "contrast" || key == "vision" {
        readPromise(key, table, line: line)
        continue
      }
      guard let value = table[key]?.string else {
        report("\"\(key)\" must be text in quotes", line: line)
        continue
      }
      switch key {
      case "name":
        name = sanitize(value)
      case "purpose":
        purpose = sanitize(value)
      case "inherits":
        inherits = Entry(value: value, file: file, line: line)
      default:
        kind = ThemeKind(rawValue: value)
        if kind == nil {
          let known = ThemeKind.allCases.map(\.rawValue).joined(separator: ", ")
          report("unknown kind \"\(value)\"; known: \(known)", line: line)
        }
      }
    }
  }

  private mutating func readPromise(_ key: String, _ table: TOMLTable, line: Int?) {
    if key == "contrast" {
      let number = table[key]?.double ?? table[key]?.int.map(Double.init)
      guard let number, (1...21).contains(number) else {
        report("\"contrast\" must be a number from 1 to 21", line: line)
        return
      }
      promise.contrast = number
      return
    }
    let known = ColorVision.allCases.filter { $0 != .full }.map(\.rawValue)
    guard let array = table[key]?.array else {
      report("\"vision\" must be a list of: " + known.joined(separator: ", "), line: line)
      return
    }
    for value in array {
      guard let word = value.string, known.contains(word), let vision = ColorVision(rawValue: word)
      else {
        report("\"vision\" must be a list of: " + known.joined(separator: ", "), line: line)
        return
      }
      promise.vision.insert(vision)
    }
  }

  private mutating func readPalette(_ table: TOMLTable) {
    for key in table.keys.sorted() {
      let line = lines["palette", key]
      guard RoleStyle.attributeNames[key] == nil, !["default", "on"].contains(key) else {
        report("\"\(key)\" has a meaning of its own and cannot name a colour", line: line)
        continue
      }
      guard let array = table[key]?.array, array.count == 3 else {
        report(
          "\"\(key)\" must be three values: [\"#rrggbb\", 0 to 255, \"one of 16 colours\"]",
          line: line)
        continue
      }
      var color = PaletteColor.terminalDefault
      if let direct = array[0].string.flatMap(PaletteColor.direct) {
        color.truecolor = direct
      } else if let index = array[0].int.flatMap(UInt8.init(exactly:)) {
        color.truecolor = .indexed(index)
      } else {
        report(
          "the first value of \"\(key)\" must be \"#rrggbb\", 0 to 255 or \"default\"",
          line: line)
        continue
      }
      if let index = array[1].int.flatMap(UInt8.init(exactly:)) {
        color.indexed256 = .indexed(index)
      } else if array[1].string != "default" {
        report(
          "the second value of \"\(key)\" must be 0 to 255 or \"default\"", line: line)
        continue
      }
      let words = (array[2].string ?? "").split(separator: " ")
      let attributes = words.dropFirst().map { RoleStyle.attributeNames[String($0)] }
      guard let basic = words.first.flatMap({ PaletteColor.ansi($0) }),
        !attributes.contains(nil)
      else {
        report(
          "the third value of \"\(key)\" must be one of the 16 colour names or \"default\", "
            + "attributes may follow", line: line)
        continue
      }
      color.ansi16 = basic
      color.ansi16Attributes = attributes.reduce(into: []) { $0.formUnion($1 ?? []) }
      palette[key] = Entry(value: color, file: file, line: line)
    }
  }

  private mutating func readRoles(_ table: TOMLTable) {
    forEachRole(of: table, in: "roles") { (theme, role, text, line) throws(RoleStyle.Fault) in
      theme.roles[role] = Entry(value: try RoleStyle(text), file: theme.file, line: line)
    }
  }

  private mutating func readMono(_ table: TOMLTable) {
    forEachRole(of: table, in: "mono") { (theme, role, text, line) throws(RoleStyle.Fault) in
      theme.mono[role] = Entry(
        value: try RoleStyle.attributes(text), file: theme.file, line: line)
    }
  }

  private mutating func forEachRole(
    of table: TOMLTable, in section: String,
    _ read: (inout ThemeFile, Role, String, Int?) throws(RoleStyle.Fault) -> Void
  ) {
    for key in table.keys.sorted() {
      let line = lines[section, key]
      guard let role = Role(named: key) else {
        let hint = table[key]?.table == nil ? "" : "; write its full name in quotes"
        warn("unknown role \"\(key)\"" + hint, line: line ?? lines.table(section))
        continue
      }
      guard let text = table[key]?.string else {
        report("the look of \"\(key)\" must be text in quotes", line: line)
        continue
      }
      do throws(RoleStyle.Fault) {
        try read(&self, role, text, line)
      } catch {
        report("\(key): \(error.message)", line: line)
      }
    }
  }

  private mutating func warn(_ message: String, line: Int?) {
    issues.append(ThemeIssue(file: file, line: line, severity: .warning, message: message))
  }

  private mutating func report(_ message: String, line: Int?) {
    issues.append(ThemeIssue(file: file, line: line, severity: .error, message: message))
  }
}
