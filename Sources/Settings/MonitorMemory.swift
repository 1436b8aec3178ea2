/// What the monitor keeps by itself, beside the state: what was chosen on the settings screen and
/// how the operator looked at the jobs last.
///
/// The rule for a setting that stands in `config.toml` too: a choice counts as long as the file
/// says the same as when the choice was made. Whoever edits that key in the file afterwards is
/// obeyed, and the choice is forgotten. No clock and no file time takes part in it.
package struct MonitorMemory: Sendable, Hashable {
  /// What was chosen on the settings screen; nil for what was not.
  private var chosen = Settings()
  /// What the files said for each of these at that time.
  private var instead = Settings()
  /// How the jobs were looked at last (`sort`, `screen`), by names of letters, digits and hyphens.
  package var view: [String: String] = [:]

  package init() {}

  /// Notes a choice: the value of `key` in `settings`, which holds from now on in place of what
  /// the files say.
  ///
  /// - Parameters:
  ///   - key: One of ``Settings/choosableKeys``; others are ignored.
  ///   - settings: The settings with the value chosen.
  ///   - files: The settings as the files say them.
  package mutating func choose(_ key: String, in settings: Settings, files: Settings) {
    guard let setting = Settings.monitorSettings.first(where: { $0.key == key }) else { return }
    setting.copy(settings, &chosen)
    setting.copy(files, &instead)
  }

  /// Takes a choice back: the files decide again.
  package mutating func forget(_ key: String) {
    guard let setting = Settings.monitorSettings.first(where: { $0.key == key }) else { return }
    setting.copy(Settings(), &chosen)
    setting.copy(Settings(), &instead)
  }

  /// The keys of the choices that count over these files, in the order of the settings screen.
  package func choices(over files: Settings) -> [String] {
    Settings.monitorSettings
      .filter { $0.isSet(chosen) && $0.isSame(instead, files) }.map(\.key)
  }

  /// The settings that hold: those of the files, with the choices that count.
  package func applied(to files: Settings) -> Settings {
    var settings = files
    for setting in Settings.monitorSettings
    where setting.isSet(chosen) && setting.isSame(instead, files) {
      setting.copy(chosen, &settings)
    }
    return settings
  }

  /// Without the choices that count no more, since the files have changed.
  package func pruned(for files: Settings) -> MonitorMemory {
    let kept = choices(over: files)
    var memory = self
    for key in Settings.choosableKeys where !kept.contains(key) { memory.forget(key) }
    return memory
  }

  // MARK: As text

  /// Reads what ``text`` wrote; whatever is not understood is left out, since nobody wrote it by
  /// hand and nobody is to be stopped by it.
  package init(text: String) {
    guard
      let document = try? SettingsDocument(
        text, file: "monitor.toml", tables: ["chosen", "instead", "view"])
    else { return }
    for setting in Settings.monitorSettings {
      try? setting.read(document, "chosen." + setting.key, &chosen)
      try? setting.read(document, "instead." + setting.key, &instead)
    }
    for (key, value) in document.values where key.hasPrefix("view.") {
      let name = String(key.dropFirst("view.".count))
      guard Self.isName(name), case .text(let text) = value else { continue }
      view[name] = SettingsDocument.printable(text)
    }
  }

  /// The memory as TOML.
  package var text: String {
    var lines = [
      "# Written by fettle: what was chosen in the monitor. Your own settings belong into",
      "# config.toml, which fettle never writes; what you change there wins over a choice here.",
    ]
    func table(_ name: String, _ entries: [String]) {
      if !entries.isEmpty { lines += ["", "[\(name)]"] + entries }
    }
    for (name, settings) in [("chosen", chosen), ("instead", instead)] {
      table(
        name,
        Settings.monitorSettings.compactMap { setting in
          setting.text(settings).map { "\(setting.key) = \($0)" }
        })
    }
    table(
      "view",
      view.keys.sorted().filter(Self.isName).map { name in
        "\(name) = \(MonitorSetting.quoted(view[name] ?? ""))"
      })
    return lines.joined(separator: "\n") + "\n"
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default:
          false
        }
      }
  }
}
