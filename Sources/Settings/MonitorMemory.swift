import TOMLText

/// The monitor's own file in the state folder: the choices of the settings screen and the last view
/// of the jobs.
///
/// A choice for a key that `config.toml` also sets is valid while the file has the same value as
/// when the choice was made. If the operator edits that key afterwards, the file wins and the
/// choice is dropped. Neither the clock nor file times are used for this.
package struct MonitorMemory: Sendable, Hashable {
  /// The chosen values; nil for other keys.
  private var chosen = Settings()
  /// The files' values of the chosen keys at the time of the choice.
  private var replacedValues = Settings()
  /// The last view of the jobs (`sort`, `screen`), by names of letters, digits and hyphens.
  package var view: [String: String] = [:]

  /// Creates an empty memory.
  package init() {}

  /// Records a choice: the value of `key` in `settings`, which replaces the files' value from now
  /// on.
  ///
  /// - Parameters:
  ///   - key: One of ``Settings/choosableKeys``; other keys are ignored.
  ///   - settings: The settings with the chosen value.
  ///   - files: The settings of the files.
  package mutating func choose(_ key: String, in settings: Settings, files: Settings) {
    guard let setting = Settings.monitorSettings.first(where: { $0.key == key }) else { return }
    setting.copy(settings, &chosen)
    setting.copy(files, &replacedValues)
  }

  /// Removes a choice, so that the files decide again.
  package mutating func forget(_ key: String) {
    guard let setting = Settings.monitorSettings.first(where: { $0.key == key }) else { return }
    setting.copy(Settings(), &chosen)
    setting.copy(Settings(), &replacedValues)
  }

  /// Returns the keys of the valid choices, in the order of the settings screen.
  package func choices(over files: Settings) -> [String] {
    Settings.monitorSettings
      .filter { $0.isSet(chosen) && $0.isSame(replacedValues, files) }.map(\.key)
  }

  /// Returns the effective settings: the files' values, replaced by the valid choices.
  package func applied(to files: Settings) -> Settings {
    var settings = files
    for setting in Settings.monitorSettings
    where setting.isSet(chosen) && setting.isSame(replacedValues, files) {
      setting.copy(chosen, &settings)
    }
    return settings
  }

  /// Returns the memory without choices that are no longer valid because the files changed.
  package func pruned(for files: Settings) -> MonitorMemory {
    let kept = choices(over: files)
    var memory = self
    for key in Settings.choosableKeys where !kept.contains(key) { memory.forget(key) }
    return memory
  }

  // MARK: As text

  /// Parses the output of ``text``; entries that cannot be parsed are skipped, since the user did
  /// not write the file and cannot be asked to correct it.
  package init(text: String) {
    guard
      let document = try? SettingsDocument(
        text, file: "monitor.toml", tables: ["chosen", "instead", "view"])
    else { return }
    for setting in Settings.monitorSettings {
      try? setting.read(document, "chosen." + setting.key, &chosen)
      try? setting.read(document, "instead." + setting.key, &replacedValues)
    }
    for (key, value) in document.values where key.hasPrefix("view.") {
      let name = String(key.dropFirst("view.".count))
      guard Self.isName(name), case .text(let text) = value else { continue }
      view[name] = SettingsDocument.printable(text)
    }
  }

  /// The content as TOML.
  package var text: String {
    var lines = [
      "# Written by fettle: what was chosen in the monitor. Your own settings belong into",
      "# config.toml, which fettle never writes; what you change there wins over a choice here.",
    ]
    func table(_ name: String, _ entries: [String]) {
      if !entries.isEmpty { lines += ["", "[\(name)]"] + entries }
    }
    for (name, settings) in [("chosen", chosen), ("instead", replacedValues)] {
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
