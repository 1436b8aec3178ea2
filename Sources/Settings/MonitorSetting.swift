/// One setting of the monitor: functions to read it from a file, compare, copy and write it.
///
/// The settings reader, the settings screen and ``MonitorMemory`` use this table.
struct MonitorSetting: Sendable {
  /// The key in files.
  let key: String
  /// Reads the key `path` of a document.
  let read: @Sendable (SettingsDocument, String, inout Settings) throws(SettingsError) -> Void
  /// Whether the settings have a value.
  let isSet: @Sendable (Settings) -> Bool
  /// Whether two settings have the same value.
  let isSame: @Sendable (Settings, Settings) -> Bool
  /// Copies the value from the first to the second.
  let copy: @Sendable (Settings, inout Settings) -> Void
  /// The value as TOML; nil when the settings have none.
  let text: @Sendable (Settings) -> String?

  private init<Value: Hashable & Sendable>(
    _ key: String, _ path: any WritableKeyPath<Settings, Value?> & Sendable,
    written: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (SettingsDocument, String) throws(SettingsError) -> Value?
  ) {
    self.key = key
    self.read = {
      (document: SettingsDocument, place: String, settings: inout Settings)
        throws(SettingsError) in
      settings[keyPath: path] = try read(document, place)
    }
    isSet = { $0[keyPath: path] != nil }
    isSame = { $0[keyPath: path] == $1[keyPath: path] }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
    self.text = { $0[keyPath: path].map(written) }
  }

  /// All settings of the monitor except the keys, in display order.
  static let all: [MonitorSetting] = [
    MonitorSetting(
      "theme", \.theme, written: quoted,
      read: { document, key throws(SettingsError) in
        try document.text(key, "the name or path of a theme")
      }),
    word("color", \.color),
    flag("ascii", \.ascii),
    MonitorSetting(
      "columns", \.columns, written: list,
      read: { document, key throws(SettingsError) in
        try document.names(key, "a list of column names")
      }),
    number("frameRate", \.frameRate, 1...20),
    flag("slowLink", \.slowLink),
    word("motion", \.motion),
    flag("mouse", \.mouse),
    word("functionBar", \.functionBar),
    word("confirmations", \.confirmations),
    flag("bell", \.bell),
    number("escapeDelay", \.escapeDelay, 0...1000),
    flag("readOnly", \.readOnly),
  ]

  private static func word<Word: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
    _ key: String, _ path: any WritableKeyPath<Settings, Word?> & Sendable
  ) -> MonitorSetting {
    MonitorSetting(
      key, path, written: { quoted($0.rawValue) },
      read: { document, key throws(SettingsError) in try document.word(key) })
  }

  private static func flag(
    _ key: String, _ path: any WritableKeyPath<Settings, Bool?> & Sendable
  ) -> MonitorSetting {
    MonitorSetting(
      key, path, written: { "\($0)" },
      read: { document, key throws(SettingsError) in try document.flag(key) })
  }

  private static func number(
    _ key: String, _ path: any WritableKeyPath<Settings, Int?> & Sendable,
    _ range: ClosedRange<Int>
  ) -> MonitorSetting {
    MonitorSetting(
      key, path, written: { "\($0)" },
      read: { document, key throws(SettingsError) in try document.wholeNumber(key, range) })
  }

  /// Returns a text as a TOML string, with control characters replaced by `?`.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in SettingsDocument.printable(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  static func list(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ", ") + "]"
  }
}

extension Settings {
  static var monitorSettings: [MonitorSetting] { MonitorSetting.all }

  /// The keys that can be changed on the settings screen, in display order.
  package static var choosableKeys: [String] { MonitorSetting.all.map(\.key) }

  /// Returns the value of a key as TOML; nil when the settings have none.
  package func text(of key: String) -> String? {
    MonitorSetting.all.first { $0.key == key }?.text(self)
  }
}
