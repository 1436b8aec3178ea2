/// The settings screen: a row for each setting, changed with left and right, effective at once.
struct SettingsPage: Sendable, Hashable {
  /// The settings.
  enum Row: Sendable, Hashable {
    case theme
    case column(ColumnChoice.Column)
    case frameRate
    case slowLink
    case motion
    case mouse
    case functionBar
    case cleanUp
    case bell

    /// One row of each kind; all column rows share one note.
    static let notable: [Row] = [
      .theme, .column(.job), .frameRate, .slowLink, .motion, .mouse, .functionBar, .cleanUp,
      .bell,
    ]
  }

  /// The names of the available themes.
  let themes: [String]
  /// The default preferences.
  let standard: Preferences
  /// The selected row; it stays selected when rows change places.
  private(set) var row = Row.theme

  init(themes: [String], standard: Preferences = Preferences()) {
    self.themes = themes
    self.standard = standard
  }

  /// The rows from the top: shown columns in their order, then the hidden ones.
  static func rows(_ preferences: Preferences) -> [Row] {
    let columns = preferences.columns
    return [.theme] + (columns.shown + columns.hidden).map { .column($0) } + [
      .frameRate, .slowLink, .motion, .mouse, .functionBar, .cleanUp, .bell,
    ]
  }

  func index(_ preferences: Preferences) -> Int {
    Self.rows(preferences).firstIndex(of: row) ?? 0
  }

  /// The first row shown in a window of `rows` rows.
  func top(rows: Int, _ preferences: Preferences) -> Int {
    max(0, index(preferences) - rows + 1)
  }

  mutating func move(by step: Int, _ preferences: Preferences) {
    let rows = Self.rows(preferences)
    row = rows[min(max(0, index(preferences) + step), rows.count - 1)]
  }

  /// The preferences with the value of the selected row changed by `step`.
  func changed(_ old: Preferences, by step: Int) -> Preferences {
    var new = old
    switch row {
    case .theme:
      guard !themes.isEmpty else { return old }
      let here = themes.firstIndex(of: old.theme) ?? 0
      new.theme = themes[(here + step + themes.count) % themes.count]
    case .column(let column): new.columns.toggle(column)
    case .frameRate: new.frameRate = min(20, max(1, old.frameRate + step))
    case .slowLink: new.isSlowLink.toggle()
    case .motion: new.isCalm.toggle()
    case .mouse: new.usesMouse.toggle()
    case .functionBar:
      let all = Preferences.BarStyle.allCases
      let here = all.firstIndex(of: old.barStyle) ?? 0
      new.barStyle = all[(here + step + all.count) % all.count]
    case .cleanUp: new.confirmsCleanUp.toggle()
    case .bell: new.ringsBell.toggle()
    }
    return new
  }

  /// The preferences with the column of the selected row moved; nil if it cannot be moved.
  func moved(_ old: Preferences, by step: Int) -> Preferences? {
    var new = old
    guard case .column(let column) = row, new.columns.move(column, by: step) else { return nil }
    return new
  }

  /// Whether the value of a row differs from the default.
  func isChanged(_ row: Row, _ preferences: Preferences) -> Bool {
    if case .column(let column) = row, preferences.columns.isMoved(column, in: standard.columns) {
      return true
    }
    return Self.value(of: row, preferences) != Self.value(of: row, standard)
  }

  static func name(of row: Row) -> String {
    switch row {
    case .theme: "theme"
    case .column(let column): "column \(column.heading)"
    case .frameRate: "frames a second"
    case .slowLink: "slow link"
    case .motion: "motion"
    case .mouse: "mouse"
    case .functionBar: "function bar"
    case .cleanUp: "clean up one job"
    case .bell: "bell"
    }
  }

  static func value(of row: Row, _ preferences: Preferences) -> String {
    switch row {
    case .theme: preferences.theme
    case .column(let column):
      if column.isAlwaysShown {
        "always"
      } else {
        preferences.columns.shown.contains(column) ? "shown" : "hidden"
      }
    case .frameRate: "\(preferences.frameRate)"
    case .slowLink: preferences.isSlowLink ? "on" : "off"
    case .motion: preferences.isCalm ? "calm" : "full"
    case .mouse: preferences.usesMouse ? "on" : "off"
    case .functionBar:
      switch preferences.barStyle {
      case .functionKeys: "function keys"
      case .letters: "letters"
      case .both: "both"
      }
    case .cleanUp: preferences.confirmsCleanUp ? "asks first" : "at once"
    case .bell: preferences.ringsBell ? "on" : "off"
    }
  }

  /// Whether a window has room for all notes beside the values, uncut.
  static func hasNotes(columns: Int, _ actions: ActionTable) -> Bool {
    columns >= noteColumn + (Row.notable.map { note(on: $0, actions).count }.max() ?? 0)
  }

  /// The first column of the notes.
  static let noteColumn = 50

  static func note(on row: Row, _ actions: ActionTable) -> String {
    switch row {
    case .theme: "colours of everything; more: fettle theme list"
    case .column:
      (actions.columnKeys.map { "\($0) moves it; " } ?? "") + "leaves where there is no room"
    case .frameRate: "at most, while something moves; keys are shown at once"
    case .slowLink: "on: one frame a second, no chart, no pulse"
    case .motion: "calm: nothing moves but what tells something"
    case .mouse: "on: click, wheel, headings; Shift selects text"
    case .functionBar: "which keys the bottom line names"
    case .cleanUp: "of several it always asks"
    case .bell: "on: rings once when a job fails"
    }
  }
}
