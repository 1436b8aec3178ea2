import Canvas
import JobText
import ThemeCatalog

extension Painter {
  mutating func settings(_ state: MonitorState, _ rect: Rect) {
    let (page, preferences) = (state.settings, state.preferences)
    let columns = rect.size.columns
    let name = columns >= 60 ? 22 : columns >= 36 ? 16 : 9
    let rows = SettingsPage.rows(preferences)
    let top = page.top(rows: rect.size.rows, preferences)
    for (offset, row) in rows.dropFirst(top).prefix(rect.size.rows).enumerated() {
      let line = rect.row + offset
      let isHere = row == page.row
      let isChanged = page.isChanged(row, preferences)
      put(isHere ? ">" : " ", 0, line, .text)
      if isChanged { put("*", 1, line, .settingChanged) }
      field(SettingsPage.name(of: row), 2, line, columns: name, isHere ? .headerSorted : .header)
      let value = SettingsPage.value(of: row, preferences)
      let shown = isHere ? "< \(value) >" : "  \(value)"
      let role: Role = isChanged ? .settingChanged : .text
      put(shown, 3 + name, line, isHere ? .dialogFocus : role, to: columns)
      if SettingsPage.hasNotes(columns: columns, state.actions) {
        let note = SettingsPage.note(on: row, state.actions)
        put(note, SettingsPage.noteColumn, line, .textDim, to: columns)
      }
    }
    let below = rect.row + rows.count
    if below < rect.row + rect.size.rows, rows.contains(where: { page.isChanged($0, preferences) })
    {
      put("* differs from the default", 1, below, .textDim, to: columns)
    }
    samples(rect, from: below + 1)
  }

  /// Draws samples of the theme: each state with its glyph, its word and a bar.
  private mutating func samples(_ rect: Rect, from row: Int) {
    let end = rect.row + rect.size.rows
    guard row + 2 < end else { return }
    rule(row, title: "states in this theme")
    for (offset, mark) in JobMark.shown.enumerated() {
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
