/// Settings that were read, with what was odd about the files.
package struct ReadSettings: Sendable, Hashable {
  package var settings: Settings
  /// One line for each key that means nothing, in alphabetical order of keys.
  package var warnings: [String]

  package init(settings: Settings = Settings(), warnings: [String] = []) {
    self.settings = settings
    self.warnings = warnings
  }
}

extension Settings {
  private static let keys = [
    "ascii", "color", "confirmAbort", "engine.everybodyMayLook", "engine.requiresRebootFirst",
    "engine.root", "engine.socket", "engine.stallAfterSeconds", "engine.state", "frameRate",
    "mouse", "theme",
  ]

  /// Reads a settings file's text; an unknown key is a warning.
  ///
  /// - Parameters:
  ///   - text: The text, TOML 1.0.
  ///   - file: Its path, for errors and warnings.
  /// - Returns: The settings, and a warning for each unknown key.
  /// - Throws: ``SettingsError`` for text that is not TOML and for a value that is not allowed.
  package static func parse(_ text: String, file: String) throws(SettingsError) -> ReadSettings {
    let document = try SettingsDocument(text, file: file, tables: ["engine"])
    var settings = Settings()
    settings.theme = try document.text("theme", "the name or path of a theme")
    settings.color = try document.color()
    settings.ascii = try document.flag("ascii")
    settings.mouse = try document.flag("mouse")
    settings.frameRate = try document.frameRate()
    settings.confirmAbort = try document.flag("confirmAbort")
    settings.engine.root = try document.path("engine.root")
    settings.engine.state = try document.path("engine.state")
    settings.engine.socket = try document.path("engine.socket", atMost: 107)
    settings.engine.everybodyMayLook = try document.flag("engine.everybodyMayLook")
    settings.engine.stallAfterSeconds = try document.seconds("engine.stallAfterSeconds")
    settings.engine.requiresRebootFirst = try document.flag("engine.requiresRebootFirst")
    if let value = document.values["engine"] {
      throw document.problem(with: "engine", "must be a table [engine], not \(value.kind)")
    }
    let unknown = document.values.keys.filter { !keys.contains($0) }.sorted()
    return ReadSettings(
      settings: settings,
      warnings: unknown.map { key in
        document.problem(with: key, unknownKey(key)).description
      })
  }

  private static func unknownKey(_ key: String) -> String {
    let isEngine = key.hasPrefix("engine.")
    let known = keys.filter { $0.hasPrefix("engine.") == isEngine }
      .map { isEngine ? String($0.dropFirst("engine.".count)) : $0 }
    return "unknown key, ignored (known here: \(known.joined(separator: ", ")))"
  }
}

extension SettingsDocument {
  fileprivate func text(_ key: String, _ wanted: String) throws(SettingsError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value, !text.isEmpty, text == Self.printable(text) else {
      throw problem(with: key, "must be \(wanted), not \(value.kind)")
    }
    return text
  }

  fileprivate func path(
    _ key: String, atMost limit: Int = 4095
  ) throws(SettingsError) -> String? {
    guard let path = try text(key, "an absolute path in quotes") else { return nil }
    guard path.hasPrefix("/") else {
      throw problem(with: key, "must be an absolute path, not \"\(path)\"")
    }
    guard path.utf8.count <= limit else {
      throw problem(with: key, "must have at most \(limit) bytes, not \(path.utf8.count)")
    }
    return path
  }

  fileprivate func flag(_ key: String) throws(SettingsError) -> Bool? {
    guard let value = values[key] else { return nil }
    guard case .boolean(let flag) = value else {
      throw problem(with: key, "must be true or false, not \(value.kind)")
    }
    return flag
  }

  fileprivate func color() throws(SettingsError) -> Settings.Color? {
    guard let value = values["color"] else { return nil }
    let word: String? =
      switch value {
      case .text(let text): text
      case .integer(let number): String(number)
      case .number, .boolean, .other: nil
      }
    guard let color = word.flatMap(Settings.Color.init(rawValue:)) else {
      let allowed = Settings.Color.allCases.map { "\"\($0.rawValue)\"" }
      throw problem(
        with: "color", "must be one of \(allowed.joined(separator: ", ")), not \(value.kind)")
    }
    return color
  }

  fileprivate func frameRate() throws(SettingsError) -> Int? {
    guard let value = values["frameRate"] else { return nil }
    guard case .integer(let rate) = value, (1...20).contains(rate) else {
      throw problem(with: "frameRate", "must be a whole number from 1 to 20, not \(value.kind)")
    }
    return rate
  }

  fileprivate func seconds(_ key: String) throws(SettingsError) -> Double? {
    guard let value = values[key] else { return nil }
    switch value {
    case .integer(let number) where (1...86_400).contains(number): return Double(number)
    case .number(let number) where (1...86_400).contains(number): return number
    default: throw problem(with: key, "must be seconds from 1 to 86400, not \(value.kind)")
    }
  }
}
