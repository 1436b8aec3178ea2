import Monitor
import Settings

extension MonitorPreferences {
  /// The problem with the columns of the settings, in one line; nil when there is none.
  var columnProblem: String? {
    settings.columns.flatMap { ColumnChoice.parse($0).problem }.map {
      problem(with: "columns", $0)
    }
  }

  /// Returns the settings and the last view as the screen's preferences.
  ///
  /// - Parameter theme: The name of the theme in use.
  /// - Returns: The initial preferences of the screen.
  func shown(theme: String) -> Preferences {
    let settings = settings
    var shown = Preferences(theme: theme)
    if let columns = settings.columns { shown.columns = ColumnChoice.parse(columns).choice }
    if let rate = settings.frameRate { shown.frameRate = rate }
    shown.isSlowLink = settings.slowLink == true
    shown.isCalm = settings.motion == .calm
    shown.usesMouse = settings.mouse == true
    shown.barStyle =
      settings.functionBar.flatMap { Preferences.BarStyle(rawValue: $0.rawValue) } ?? .functionKeys
    shown.confirmsCleanUp = settings.confirmations == .always
    shown.ringsBell = settings.bell != false
    if let key = view["sort"].flatMap(JobSort.Key.init(rawValue:)) {
      shown.sort = JobSort(key, isDescending: view["direction"] == "down")
    }
    shown.isTree = view["tree"] == "yes"
    return shown
  }

  /// Stores the changed values of `wanted` for the next start.
  ///
  /// - Returns: One line when a value could not be stored; nil on success.
  func keep(_ wanted: Preferences) -> String? {
    let known = shown(theme: settings.theme ?? "")
    var problem: String?
    func choose(_ key: String, _ change: (inout Settings) -> Void) {
      problem = self.choose(key, change) ?? problem
    }
    // A theme of the command line is not a choice for the next start.
    if wanted.theme != lastTheme {
      choose("theme") { $0.theme = wanted.theme }
    }
    lastTheme = wanted.theme
    if wanted.columns != known.columns {
      choose("columns") { $0.columns = wanted.columns.shown.map(\.rawValue) }
    }
    if wanted.frameRate != known.frameRate {
      choose("frameRate") { $0.frameRate = wanted.frameRate }
    }
    // Neither is a slow link of the command line.
    if wanted.isSlowLink != lastSlowLink { choose("slowLink") { $0.slowLink = wanted.isSlowLink } }
    lastSlowLink = wanted.isSlowLink
    if wanted.isCalm != known.isCalm {
      choose("motion") { $0.motion = wanted.isCalm ? .calm : .full }
    }
    if wanted.usesMouse != known.usesMouse { choose("mouse") { $0.mouse = wanted.usesMouse } }
    if wanted.barStyle != known.barStyle {
      choose("functionBar") {
        $0.functionBar = Settings.FunctionBar(rawValue: wanted.barStyle.rawValue)
      }
    }
    if wanted.confirmsCleanUp != known.confirmsCleanUp {
      choose("confirmations") { $0.confirmations = wanted.confirmsCleanUp ? .always : .dangerous }
    }
    if wanted.ringsBell != known.ringsBell { choose("bell") { $0.bell = wanted.ringsBell } }
    var looks = view
    looks["sort"] = wanted.sort.key.rawValue
    looks["direction"] = wanted.sort.isDescending ? "down" : "up"
    looks["tree"] = wanted.isTree ? "yes" : "no"
    return remember(looks) ?? problem
  }
}
