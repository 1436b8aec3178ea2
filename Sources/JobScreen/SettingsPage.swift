import Canvas
import ThemeCatalog

/// The settings screen: a row for each setting, changed with left and right, in force at once.
struct SettingsPage: Sendable, Hashable {
  /// What can be set, in the order of the rows.
  enum Row: Sendable, Hashable {
    case theme
    case column(Preferences.OptionalColumn)
    case frameRate
    case motion
    case mouse
    case functionBar
    case cleanUp

    static let all: [Row] =
      [.theme] + Preferences.OptionalColumn.allCases.map { .column($0) } + [
        .frameRate, .motion, .mouse, .functionBar, .cleanUp,
      ]
  }

  /// The names of the themes there are.
  let themes: [String]
  private(set) var index = 0

  init(themes: [String]) { self.themes = themes }

  var row: Row { Row.all[index] }

  /// The first row shown in a window of `rows` rows.
  func top(rows: Int) -> Int { max(0, index - rows + 1) }

  mutating func move(by step: Int) { index = min(max(0, index + step), Row.all.count - 1) }

  /// The preferences with the present row's value one further.
  func changed(_ old: Preferences, by step: Int) -> Preferences {
    var new = old
    switch row {
    case .theme:
      guard !themes.isEmpty else { return old }
      let here = themes.firstIndex(of: old.theme) ?? 0
      new.theme = themes[(here + step + themes.count) % themes.count]
    case .column(let column):
      if new.columns.remove(column) == nil { new.columns.insert(column) }
    case .frameRate: new.frameRate = min(20, max(1, old.frameRate + step))
    case .motion: new.isCalm.toggle()
    case .mouse: new.usesMouse.toggle()
    case .functionBar:
      let all = Preferences.BarStyle.allCases
      let here = all.firstIndex(of: old.barStyle) ?? 0
      new.barStyle = all[(here + step + all.count) % all.count]
    case .cleanUp: new.confirmsCleanUp.toggle()
    }
    return new
  }

  static func name(of row: Row) -> String {
    switch row {
    case .theme: "theme"
    case .column(let column): "column \(column.rawValue)"
    case .frameRate: "frames a second"
    case .motion: "motion"
    case .mouse: "mouse"
    case .functionBar: "function bar"
    case .cleanUp: "clean up one job"
    }
  }

  static func value(of row: Row, _ preferences: Preferences) -> String {
    switch row {
    case .theme: preferences.theme
    case .column(let column): preferences.columns.contains(column) ? "shown" : "hidden"
    case .frameRate: "\(preferences.frameRate)"
    case .motion: preferences.isCalm ? "calm" : "full"
    case .mouse: preferences.usesMouse ? "on" : "off"
    case .functionBar:
      switch preferences.barStyle {
      case .functionKeys: "function keys"
      case .letters: "letters"
      case .both: "both"
      }
    case .cleanUp: preferences.confirmsCleanUp ? "asks first" : "at once"
    }
  }

  static func note(on row: Row) -> String {
    switch row {
    case .theme: "colours of everything; more: fettle theme list"
    case .column: "leaves by itself where there is no room"
    case .frameRate: "at most, while something moves; keys are shown at once"
    case .motion: "calm: nothing moves but what tells something"
    case .mouse: "on: click, wheel, headings; Shift selects text"
    case .functionBar: "which keys the bottom line names"
    case .cleanUp: "of several it always asks"
    }
  }
}

extension Painter {
  mutating func settings(_ page: SettingsPage, _ preferences: Preferences, _ rect: Rect) {
    let columns = rect.size.columns
    let name = columns >= 60 ? 22 : columns >= 36 ? 16 : 9
    let top = page.top(rows: rect.size.rows)
    for (offset, row) in SettingsPage.Row.all.dropFirst(top).prefix(rect.size.rows).enumerated() {
      let line = rect.row + offset
      let isHere = row == page.row
      put(isHere ? ">" : " ", 0, line, .text)
      field(SettingsPage.name(of: row), 2, line, columns: name, isHere ? .headerSorted : .header)
      let value = SettingsPage.value(of: row, preferences)
      let shown = isHere ? "< \(value) >" : "  \(value)"
      put(shown, 3 + name, line, isHere ? .dialogFocus : .text, to: columns)
      if columns >= 76 { put(SettingsPage.note(on: row), 28 + name, line, .textDim, to: columns) }
    }
    samples(rect, from: rect.row + SettingsPage.Row.all.count + 1)
  }

  /// What the theme looks like: each state with its glyph, word and a bar.
  private mutating func samples(_ rect: Rect, from row: Int) {
    let end = rect.row + rect.size.rows
    guard row + 2 < end else { return }
    rule(row, title: "states in this theme")
    for (offset, mark) in JobMark.told.enumerated() {
      let column = 2 + (offset % 3) * (rect.size.columns / 3)
      let line = row + 1 + offset / 3
      guard line < end else { return }
      glyph(mark, column, line)
      let next = put(mark.countWord, column + 2, line, mark.role, to: rect.size.columns)
      guard rect.size.columns >= 76 else { continue }
      bar(.measured(0.6), max(next + 1, column + 15), line, columns: 8, state: mark.role)
    }
  }
}
