import Canvas
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

  init(_ text: String, file: String) {
    self.file = file
    name = file
    do {
      read(try TOMLDocument(text))
    } catch {
      report(error.problem, line: error.line)
    }
  }

  private mutating func read(_ document: TOMLDocument) {
    for (key, value) in document.root.sorted(by: { $0.key < $1.key }) {
      guard let table = value.table else {
        report("\"\(key)\" stands outside of any table", line: document.line(of: [key]))
        continue
      }
      let line = { (name: String) in document.line(of: [key, name]) }
      switch key {
      case "theme": readTheme(table, line)
      case "palette": readPalette(table, line)
      case "roles": readRoles(table, line)
      case "mono": readMono(table, line)
      default:
        warn(
          "unknown table [\(key)]; known: theme, palette, roles, mono",
          line: document.line(of: [key]))
      }
    }
  }

  /// The keys and values of a table.
  private typealias Table = [String: TOMLValue]
  /// Returns the line of a key of the table.
  private typealias Lines = (String) -> Int?

  private static let themeKeys = ["name", "inherits", "kind", "purpose", "contrast", "vision"]

  private mutating func readTheme(_ table: Table, _ lines: Lines) {
    for (key, value) in table.sorted(by: { $0.key < $1.key }) {
      let line = lines(key)
      guard Self.themeKeys.contains(key) else {
        warn(
          "\"\(key)\": " + TOMLDocument.unknownKey(known: Self.themeKeys, isIgnored: true),
          line: line)
        continue
      }
      if key == "contrast" || key == "vision" {
        readPromise(key, value, line: line)
        continue
      }
      guard let value = value.text else {
        report("\"\(key)\" " + value.mismatch("text in quotes"), line: line)
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

  private mutating func readPromise(_ key: String, _ value: TOMLValue, line: Int?) {
    if key == "contrast" {
      guard let number = value.number, (1...21).contains(number) else {
        report("\"contrast\" " + value.mismatch("a number from 1 to 21"), line: line)
        return
      }
      promise.contrast = number
      return
    }
    let known = ColorVision.allCases.filter { $0 != .full }.map(\.rawValue)
    let wanted = "a list of: " + known.joined(separator: ", ")
    guard let words = value.list else {
      report("\"vision\" " + value.mismatch(wanted), line: line)
      return
    }
    for value in words {
      guard let word = value.text, known.contains(word), let vision = ColorVision(rawValue: word)
      else {
        report("\"vision\" must be \(wanted); it has \(value.kind)", line: line)
        return
      }
      promise.vision.insert(vision)
    }
  }

  private mutating func readPalette(_ table: Table, _ lines: Lines) {
    for (key, value) in table.sorted(by: { $0.key < $1.key }) {
      let line = lines(key)
      guard RoleStyle.attributeNames[key] == nil, !["default", "on"].contains(key) else {
        report("\"\(key)\" has a meaning of its own and cannot name a colour", line: line)
        continue
      }
      guard let array = value.list, array.count == 3 else {
        report(
          "\"\(key)\" must be three values: [\"#rrggbb\", 0 to 255, \"one of 16 colours\"]",
          line: line)
        continue
      }
      var color = PaletteColor.terminalDefault
      if let direct = array[0].text.flatMap(PaletteColor.direct) {
        color.truecolor = direct
      } else if let index = array[0].integer.flatMap(UInt8.init(exactly:)) {
        color.truecolor = .indexed(index)
      } else {
        report(
          "the first value of \"\(key)\" must be \"#rrggbb\", 0 to 255 or \"default\"",
          line: line)
        continue
      }
      if let index = array[1].integer.flatMap(UInt8.init(exactly:)) {
        color.indexed256 = .indexed(index)
      } else if array[1].text != "default" {
        report(
          "the second value of \"\(key)\" must be 0 to 255 or \"default\"", line: line)
        continue
      }
      let words = (array[2].text ?? "").split(separator: " ")
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

  private mutating func readRoles(_ table: Table, _ lines: Lines) {
    forEachRole(of: table, lines) { (theme, role, text, line) throws(RoleStyle.Fault) in
      theme.roles[role] = Entry(value: try RoleStyle(text), file: theme.file, line: line)
    }
  }

  private mutating func readMono(_ table: Table, _ lines: Lines) {
    forEachRole(of: table, lines) { (theme, role, text, line) throws(RoleStyle.Fault) in
      theme.mono[role] = Entry(
        value: try RoleStyle.attributes(text), file: theme.file, line: line)
    }
  }

  private mutating func forEachRole(
    of table: Table, _ lines: Lines,
    _ read: (inout ThemeFile, Role, String, Int?) throws(RoleStyle.Fault) -> Void
  ) {
    for (key, value) in table.sorted(by: { $0.key < $1.key }) {
      let line = lines(key)
      guard let role = Role(named: key) else {
        let hint = value.table == nil ? "" : "; write its full name in quotes"
        warn("unknown role \"\(key)\"" + hint, line: line)
        continue
      }
      guard let text = value.text else {
        report("the look of \"\(key)\" " + value.mismatch("text in quotes"), line: line)
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
