import Canvas
import InstallJobs
import JobText
import ThemeCatalog

extension Painter {
  /// Draws the log of the shown job below its title rule, in the pane or at full height.
  mutating func log(_ state: MonitorState, _ layout: FrameLayout) {
    guard layout.logRule.isShown, state.selected != nil else { return }
    let rows = layout.log.size.rows
    let view = state.logView
    let columns = layout.log.size.columns
    let margin = columns >= 60 ? 1 : 0
    let log = state.shownLog
    let window = LogWindow(log, view, rows: rows, columns: columns - margin)
    rule(
      layout.logRule.row, parts: logTitle(view, log, below: window.below, state),
      right: logCount(view, log))
    if window.rows.isEmpty {
      let text =
        if state.replay?.isLogAwaited ?? state.isLogAwaited {
          "the log is on its way"
        } else if state.replay?.isLogMissing ?? false {
          "this part of the log is not at hand"
        } else if log.lines.isEmpty {
          "nothing is logged yet"
        } else {
          "no \(view.level == .error ? "errors" : "warnings or errors") in the lines at hand"
        }
      put(text, margin, layout.log.row, .textDim, to: columns)
    }
    for (offset, line) in window.rows.enumerated() {
      let row = layout.log.row + offset
      let origin = window.origins[offset]
      put(line, margin, row, origin.level.role, to: columns)
      if margin > 0, origin.number != nil, origin.number == view.found { put(">", 0, row, .text) }
      mark(view.needle, row, margin..<columns)
    }
  }

  /// `log, paused, 37 new below, errors only`.
  private func logTitle(
    _ view: LogView, _ log: LogTail, below: Int, _ state: MonitorState
  ) -> [LinePart] {
    var parts: [LinePart] = []
    func add(_ text: String, _ weight: Int) {
      parts.append(LinePart(text, role: .header, weight: weight, joint: ", "))
    }
    add("log", 90)
    if let replay = state.replay, !replay.isAtEnd {
      let read = replay.logRead.map { "as read at \(Figures.time($0, offset: state.timeOffset))" }
      add((read ?? "whole, not as it was then") + (view.isFollowing ? "" : ", paused"), 80)
    } else {
      add(view.isFollowing ? "following" : "paused", 80)
    }
    let new = min(below, view.new(in: log))
    if below > 0 { add(new > 0 ? "\(new) new below" : "\(below) below", 70) }
    if view.level > .info { add(view.level.words, 60) }
    if view.isWrapped { add("wrapped", 20) }
    if view.shift > 0 { add("from column \(view.shift + 1)", 40) }
    return parts
  }

  /// `match 3 of 17 · 214 lines`.
  private func logCount(_ view: LogView, _ log: LogTail) -> String {
    let all = Figures.count(log.nextNumber, "line")
    let lines =
      view.level == .info ? all : "\(LogLines(log, atLeast: view.level).count) of \(all)"
    return [view.matchWords, lines].compactMap(\.self).joined(separator: " · ")
  }

  /// Highlights the matches of a search text in a drawn row.
  mutating func mark(_ needle: String, _ row: Int, _ columns: Range<Int>) {
    let word = Array(needle.lowercased().unicodeScalars)
    guard !word.isEmpty, columns.count >= word.count else { return }
    let cells = columns.map { column in
      canvas[Point(column: column, row: row)].base.properties.lowercaseMapping
    }
    for start in 0...(cells.count - word.count)
    where word.indices.allSatisfy({ cells[start + $0] == String(word[$0]) }) {
      let style = style(.logMatch)
      canvas.restyle(
        Rect(column: columns.lowerBound + start, row: row, columns: word.count, rows: 1)
      ) { $0 = style }
    }
  }
}
