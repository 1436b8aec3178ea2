import InstallJobs
import JobScreen
import Settings

/// The settings of a running monitor: what the files say, and what is chosen on the settings
/// screen, which is kept beside the state (``MonitorMemory``).
@MainActor
final class MonitorPreferences {
  private let read: ReadSettings
  private let path: String?
  private var memory = MonitorMemory()
  /// The theme worn last, so that only a change of it is kept.
  var lastTheme: String?
  /// Whether the link counted as slow last, likewise.
  var lastSlowLink = false

  /// Reads settings and memory; what is wrong with a settings file is told and left out, since jobs
  /// are to be seen all the same.
  init() {
    let places = SettingsPlaces(environment: ProcessEnvironment.all)
    read = places.readUsable()
    path = places.monitorMemory
    if let path { memory = MonitorMemory.read(path) }
  }

  /// What was odd about the files, one line each.
  var warnings: [String] { read.warnings }

  /// The settings that hold.
  var settings: Settings { memory.applied(to: read.settings) }

  /// The keys of the settings that were chosen on the settings screen and hold.
  var chosenKeys: [String] { memory.choices(over: read.settings) }

  /// How the jobs were looked at last: `sort`, `screen` and what else the monitor wants to find
  /// again.
  var view: [String: String] { memory.view }

  /// Chooses a value on the settings screen; it holds at once and at the next start.
  ///
  /// - Parameters:
  ///   - key: One of `Settings.choosableKeys`.
  ///   - change: Sets the value.
  /// - Returns: One line when it could not be kept for the next start; nil when it could.
  func choose(_ key: String, _ change: (inout Settings) -> Void) -> String? {
    var settings = settings
    change(&settings)
    memory = memory.pruned(for: read.settings)
    memory.choose(key, in: settings, files: read.settings)
    return keep()
  }

  /// Takes a choice back: the files decide again.
  ///
  /// - Returns: As ``choose(_:_:)``.
  func forget(_ key: String) -> String? {
    memory.forget(key)
    return keep()
  }

  /// Keeps how the jobs are looked at.
  ///
  /// - Returns: As ``choose(_:_:)``.
  func remember(_ view: [String: String]) -> String? {
    guard view != memory.view else { return nil }
    memory.view = view
    return keep()
  }

  /// Where the files say what holds of a key, `FILE:LINE`; nil where they do not.
  func place(of key: String) -> String? {
    if chosenKeys.contains(key) { return nil }
    return read.places[key].map { place in place.line.map { "\(place.file):\($0)" } ?? place.file }
  }

  /// A line about a setting that says something this module cannot judge, with file and line: a
  /// column that does not exist.
  func problem(with key: String, _ problem: String) -> String {
    "\(read.problem(with: key, problem))"
  }

  /// The actions with the keys of the settings, and what is odd about these, with file and line.
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
