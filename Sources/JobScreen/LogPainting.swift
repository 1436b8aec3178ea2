import Canvas
import InstallJobs
import ThemeCatalog

extension Painter {
  /// The log of the shown job under its rule, in the pane or full height.
  mutating func log(_ state: MonitorState, _ layout: FrameLayout) {
    guard layout.logRule.isShown, state.selected != nil else { return }
    let rows = layout.log.size.rows
    let view = state.logView
    let columns = layout.log.size.columns
    let margin = columns >= 60 ? 1 : 0
    let window = LogWindow(state.log, view, rows: rows, columns: columns - margin)
    var title =
      view.isFollowing
      ? "log, following" : "log, held" + (window.below > 0 ? ", \(window.below) below" : "")
    if view.isWrapped { title += ", wrapped" }
    if view.shift > 0 { title += ", from column \(view.shift + 1)" }
    let lines = state.log.lines.count + state.log.dropped
    rule(layout.logRule.row, title: title, right: Figures.count(lines, "line"))
    if state.log.lines.isEmpty {
      let text = state.isLogAwaited ? "the log is on its way" : "nothing is logged yet"
      put(text, margin, layout.log.row, .textDim)
    }
    for (offset, line) in window.rows.enumerated() {
      let row = layout.log.row + offset
      put(line, margin, row, role(of: line), to: columns)
      if !view.needle.isEmpty { mark(view.needle, row, from: margin) }
    }
  }

  private func role(of line: String) -> Role {
    if line.hasPrefix("E:") || line.hasPrefix("dpkg: error") { return .logError }
    if line.hasPrefix("W:") || line.hasPrefix("dpkg: warning") { return .logWarn }
    return .logInfo
  }

  /// Marks where the words that are looked for stand in a drawn row.
  private mutating func mark(_ needle: String, _ row: Int, from margin: Int) {
    let columns = canvas.size.columns
    let word = Array(needle.lowercased().unicodeScalars)
    let cells = (margin..<columns).map { column in
      canvas[Point(column: column, row: row)].base.properties.lowercaseMapping
    }
    guard !word.isEmpty, cells.count >= word.count else { return }
    for start in 0...(cells.count - word.count)
    where word.indices.allSatisfy({ cells[start + $0] == String(word[$0]) }) {
      let style = style(.logMatch)
      canvas.restyle(
        Rect(column: margin + start, row: row, columns: word.count, rows: 1)
      ) { $0 = style }
    }
  }
}
