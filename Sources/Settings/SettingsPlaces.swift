import FoundationEssentials
import HostSystem

/// The paths of settings, state, socket and themes, derived from the environment
/// alone.
package struct SettingsPlaces: Sendable, Hashable {
  /// Settings files in order of precedence, the strongest first; they need not exist.
  package var settingsFiles: [String]
  /// Theme folders of the user and of the machine, the strongest first; they need not exist.
  package var themeFolders: [String]
  /// The socket of the user's own engine; nil when the environment names no place for it.
  package var userSocket: String?
  /// The state folder of the user's own engine; nil when the environment names no place for it.
  package var userState: String?

  /// The file of ``MonitorMemory``; nil when there is no ``userState``.
  package var monitorMemory: String? { userState.map { "\($0)/monitor.toml" } }

  /// The system engine's socket.
  package static let systemSocket = "/run/fettle/engine.sock"
  /// The system engine's state folder.
  package static let systemState = "/var/lib/fettle"
  /// The system's settings file.
  package static let systemSettings = "/etc/fettle/config.toml"

  /// The machine's theme folder; further themes are inside the program.
  package static let systemThemes = "/usr/share/fettle/themes"

  /// Derives the paths from an environment.
  ///
  /// A relative path in a variable counts as unset, as the XDG base directory specification
  /// demands.
  ///
  /// - Parameter environment: The environment's variables.
  package init(environment: [String: String]) {
    func folder(_ variable: String) -> String? {
      guard let value = environment[variable], value.hasPrefix("/") else { return nil }
      var path = Substring(value)
      while path.count > 1, path.last == "/" { path = path.dropLast() }
      return String(path)
    }
    func base(_ variable: String, _ fallback: String) -> String? {
      folder(variable) ?? folder("HOME").map { $0 == "/" ? "/\(fallback)" : "\($0)/\(fallback)" }
    }
    let configuration = base("XDG_CONFIG_HOME", ".config").map { "\($0)/fettle" }
    settingsFiles = [configuration.map { "\($0)/config.toml" }, Self.systemSettings]
      .compactMap(\.self)
    themeFolders = [configuration.map { "\($0)/themes" }, Self.systemThemes].compactMap(\.self)
    userSocket = folder("XDG_RUNTIME_DIR").map { "\($0)/fettle/engine.sock" }
    userState = base("XDG_STATE_HOME", ".local/state").map { "\($0)/fettle" }
  }

  /// Reads the existing settings files; values of stronger files win.
  ///
  /// - Throws: ``SettingsError`` for the first file that cannot be used. A missing file is skipped.
  package func read() throws(SettingsError) -> ReadSettings {
    try Self.read(settingsFiles)
  }

  /// Reads the existing settings files as far as they are usable.
  ///
  /// For the monitor, which must start in spite of a typing error in a file.
  package func readUsable() -> ReadSettings { Self.readUsable(settingsFiles) }

  /// Reads the existing files as far as they are usable, the strongest first.
  package static func readUsable(_ files: [String]) -> ReadSettings {
    var result = ReadSettings()
    for file in files where FileManager.default.fileExists(atPath: file) {
      do {
        result.add(Settings.usable(try text(of: file), file: file))
      } catch {
        result.warnings.append("\(error); the defaults are used")
      }
    }
    return result
  }

  /// Reads the existing files, the strongest first.
  ///
  /// - Throws: ``SettingsError``, as ``read()``.
  package static func read(_ files: [String]) throws(SettingsError) -> ReadSettings {
    var result = ReadSettings()
    for file in files where FileManager.default.fileExists(atPath: file) {
      result.add(try Settings.parse(try text(of: file), file: file))
    }
    return result
  }

  /// Returns a file's text.
  ///
  /// - Throws: ``SettingsError``, also when root would use settings that another user can change.
  private static func text(of file: String) throws(SettingsError) -> String {
    do {
      try TrustedPath.requireForRoot(file)
    } catch {
      throw SettingsError(
        file: file,
        problem:
          "root does not use it: \(error); unset XDG_CONFIG_HOME, or set HOME to root's folder")
    }
    guard let bytes = RootFiles.bytes(of: file, limit: (1 << 20) + 1), bytes.count <= 1 << 20,
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw SettingsError(
        file: file, problem: "cannot be read as a text file in UTF-8 of at most 1 MiB")
    }
    return text
  }
}

extension ReadSettings {
  /// Adds the values and warnings of a weaker file.
  fileprivate mutating func add(_ weaker: ReadSettings) {
    settings = settings.over(weaker.settings)
    warnings += weaker.warnings
    places.merge(weaker.places) { stronger, _ in stronger }
  }
}
