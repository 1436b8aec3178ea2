import Canvas
import InstallJobs
import Monitor
import Settings

/// The settings of a running monitor: the values of the files, and the choices of the settings
/// screen, which are kept in the state folder (``MonitorMemory``).
@MainActor
final class MonitorPreferences {
  private let read: ReadSettings
  private let path: String?
  private var memory = MonitorMemory()
  /// The theme of the last ``keep(_:)``, so that only a change of theme is stored.
  var lastTheme: String?
  /// The slow-link setting of the last ``keep(_:)``, for the same reason.
  var lastSlowLink = false

  /// Reads settings and memory.
  ///
  /// A wrong value in a settings file becomes a warning and the default is used, so that the
  /// monitor opens in any case.
  init() {
    let places = SettingsPlaces(environment: ProcessEnvironment.all)
    read = places.readUsable()
    path = places.monitorMemory
    if let path { memory = MonitorMemory.read(path) }
  }

  /// Problems found in the files, one line each.
  var warnings: [String] { read.warnings }

  /// The effective settings.
  var settings: Settings { memory.applied(to: read.settings) }

  /// The keys whose effective value was chosen on the settings screen.
  var chosenKeys: [String] { memory.choices(over: read.settings) }

  /// The last view of the jobs: `sort`, `screen` and other keys that the monitor restores.
  var view: [String: String] { memory.view }

  /// Applies a value chosen on the settings screen, now and for the next start.
  ///
  /// - Parameters:
  ///   - key: One of `Settings.choosableKeys`.
  ///   - change: Sets the value.
  /// - Returns: One line when the value could not be stored; nil on success.
  func choose(_ key: String, _ change: (inout Settings) -> Void) -> String? {
    var settings = settings
    change(&settings)
    memory = memory.pruned(for: read.settings)
    memory.choose(key, in: settings, files: read.settings)
    return keep()
  }

  /// Stores the view of the jobs.
  ///
  /// - Returns: As ``choose(_:_:)``.
  func remember(_ view: [String: String]) -> String? {
    guard view != memory.view else { return nil }
    memory.view = view
    return keep()
  }

  /// Returns the place of a key's effective value in the files, `FILE:LINE`; nil when no file sets
  /// it.
  func place(of key: String) -> String? {
    if chosenKeys.contains(key) { return nil }
    return read.places[key].map { place in place.line.map { "\(place.file):\($0)" } ?? place.file }
  }

  /// Returns a line with file and line about a value that the Settings module cannot check, for
  /// example an unknown column.
  func problem(with key: String, _ problem: String) -> String {
    "\(read.problem(with: key, problem))"
  }

  /// Returns the actions with the keys of the settings, and the problems of those keys with file
  /// and line.
  func bound(_ table: ActionTable) -> (table: ActionTable, problems: [String]) {
    let bindings = KeyBindings(
      settings.keys,
      over: table.actions.map { action in
        KeyBindings.Action(
          name: action.name, keys: action.keys.compactMap { KeyName($0.name) },
          screens: action.screens.map { Set($0.map { "\($0)" }) })
      })
    var bound = table
    for action in table.actions {
      guard let keys = bindings.changed[action.name] else { continue }
      bound = bound.binding(action.id, to: keys.compactMap { Key(named: $0.description) })
    }
    return (bound, bindings.problems.map(\.description))
  }

  private func keep() -> String? {
    guard let path else { return "not kept: the environment names no place for it ($HOME)" }
    do {
      try memory.write(path)
      return nil
    } catch {
      return "not kept for the next start: \(error)"
    }
  }
}
