import TOMLText

/// Settings read from files, with warnings about the files.
package struct ReadSettings: Sendable, Hashable {
  /// The place of a key.
  package struct Place: Sendable, Hashable {
    /// The file's path.
    package var file: String
    /// The line, from 1; nil where it is not known.
    package var line: Int?
  }

  /// The settings.
  package var settings: Settings
  /// One line for each unknown key, in alphabetical order; before them, errors of files read as far
  /// as usable.
  package var warnings: [String]
  /// The place of each key that is set, by the key's name in camel case (`frameRate`,
  /// `engine.socket`); of two files the stronger one.
  package var places: [String: Place]

  /// Creates a result of reading.
  package init(
    settings: Settings = Settings(), warnings: [String] = [], places: [String: Place] = [:]
  ) {
    self.settings = settings
    self.warnings = warnings
    self.places = places
  }

  /// Returns an error with file and line for a value that this module cannot check, for example an
  /// unknown column or a broken theme.
  package func problem(with key: String, _ problem: String) -> SettingsError {
    let place = places[key]
    return SettingsError(
      file: place?.file ?? "settings", line: place?.line, key: key, problem: problem)
  }
}

extension Settings {
  private static let engineKeys = [
    "everybodyMayLook", "keepDays", "keepJobs", "keepMegabytes", "requiresRebootFirst", "root",
    "socket", "stallAfterSeconds", "state",
  ]
  private static let keys = (choosableKeys + ["keys"]).sorted() + engineKeys.map { "engine." + $0 }

  /// Parses a settings file; an unknown key is a warning.
  ///
  /// Keys may be written `frameRate` or `frame-rate`. Unknown actions in `[keys]` are not checked
  /// here; ``KeyBindings`` reports them.
  ///
  /// - Parameters:
  ///   - text: The text, TOML 1.0.
  ///   - file: Its path, for errors and warnings.
  /// - Returns: The settings, and a warning for each unknown key.
  /// - Throws: ``SettingsError`` for a text that is not TOML and for an invalid value.
  package static func parse(_ text: String, file: String) throws(SettingsError) -> ReadSettings {
    let (read, errors) = reading(text, file: file)
    if let error = errors.first { throw error }
    return read
  }

  /// Parses a settings file as far as it is usable: an error becomes a warning and the default
  /// applies.
  ///
  /// If `readOnly` itself is invalid, or the text is not TOML and mentions it, the result is
  /// read-only.
  ///
  /// - Parameters: As ``parse(_:file:)``.
  /// - Returns: The settings, with the errors before the other warnings. A text that is not TOML
  ///   gives no other setting.
  package static func usable(_ text: String, file: String) -> ReadSettings {
    var (read, errors) = reading(text, file: file)
    // A typing error must not permit changes that the operator meant to forbid.
    let isUnsure = errors.contains { error in
      error.key == "readOnly" || error.key == nil && text.lowercased().contains("read-only")
        || error.key == nil && text.contains("readOnly")
    }
    if isUnsure { read.settings.readOnly = true }
    read.warnings =
      errors.map { error in
        let isForbidding = error.key == "readOnly"
        return "\(error); " + (isForbidding ? "read-only is used" : "the default is used")
      } + read.warnings
    return read
  }

  private static func reading(
    _ text: String, file: String
  ) -> (read: ReadSettings, errors: [SettingsError]) {
    let document: SettingsDocument
    do {
      document = try SettingsDocument(text, file: file, tables: ["engine", "keys"])
    } catch {
      return (ReadSettings(), [error])
    }
    var errors: [SettingsError] = []
    func value<Value>(_ body: () throws(SettingsError) -> Value?) -> Value? {
      do {
        return try body()
      } catch {
        errors.append(error)
        return nil
      }
    }
    var settings = Settings()
    for setting in monitorSettings {
      do {
        try setting.read(document, setting.key, &settings)
      } catch {
        errors.append(error)
      }
    }
    settings.engine.root = value { () throws(SettingsError) in
      try document.path("engine.root")
    }
    settings.engine.state = value { () throws(SettingsError) in
      try document.path("engine.state")
    }
    settings.engine.socket = value { () throws(SettingsError) in
      try document.path("engine.socket", atMost: 107)
    }
    settings.engine.everybodyMayLook = value { () throws(SettingsError) in
      try document.flag("engine.everybodyMayLook")
    }
    settings.engine.stallAfterSeconds = value { () throws(SettingsError) in
      try document.seconds("engine.stallAfterSeconds")
    }
    settings.engine.requiresRebootFirst = value { () throws(SettingsError) in
      try document.flag("engine.requiresRebootFirst")
    }
    settings.engine.keepDays = value { () throws(SettingsError) in
      try document.wholeNumber("engine.keepDays", 1...36_500)
    }
    settings.engine.keepJobs = value { () throws(SettingsError) in
      try document.wholeNumber("engine.keepJobs", 10...1_000_000)
    }
    settings.engine.keepMegabytes = value { () throws(SettingsError) in
      try document.wholeNumber("engine.keepMegabytes", 10...1_000_000)
    }
    settings.keys = value { () throws(SettingsError) in try document.keyBindings("keys") } ?? []
    for table in ["engine", "keys"] {
      if let value = document.values[table] {
        errors.append(
          document.problem(with: table, value.mismatch("a table [\(table)]")))
      }
    }
    let given = document.values.keys.filter { !$0.hasPrefix("keys.") }.sorted()
    var result = ReadSettings(settings: settings)
    for key in given {
      let place = document.problem(with: key, unknownKey(key))
      if keys.contains(key) {
        result.places[key] = ReadSettings.Place(file: file, line: place.line)
      } else {
        result.warnings.append(place.description)
      }
    }
    return (result, errors)
  }

  private static func unknownKey(_ key: String) -> String {
    let known = key.hasPrefix("engine.") ? engineKeys : (choosableKeys + ["keys"]).sorted()
    return TOMLDocument.unknownKey(known: known, isIgnored: true)
  }
}
