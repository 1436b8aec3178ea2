import Canvas
import InstallJobs
import ThemeCatalog

/// The lines at the bottom: message or what is typed, function bar.
extension Painter {
  mutating func messageLine(_ state: MonitorState, _ layout: FrameLayout) {
    let (row, columns) = (layout.message.row, layout.message.size.columns)
    let margin = columns >= 60 ? 1 : 0
    if let prompt = state.prompt {
      let label = prompt.purpose == .filter ? "Filter: " : "Find: "
      var column = put(label, margin, row, .filterText)
      var end = columns - 1
      if prompt.purpose == .filter {
        let count = state.shownBook.list(state.list).count
        end =
          putRight(
            Figures.count(count, "job"), endingAt: columns - margin, row,
            count == 0 ? .filterError : .textDim) - 2
      }
      let room = max(1, end - column)
      var shown = prompt.text
      while TextWidth.columns(shown) > room { shown.removeFirst() }
      column = put(shown, column, row, .filterText, to: columns)
      canvas.cursor = Point(column: min(column, columns - 1), row: row)
    } else if let message = state.message {
      put(message.text, margin, row, message.isAlert ? .titleAlert : .notice, to: columns - margin)
    } else if !layout.detail.isShown, state.screen.job == nil, let id = state.selected,
      let entry = state.shownBook[id]
    {
      let words = JobWords(entry: entry)
      let text = words.wait(offset: state.timeOffset) ?? words.ending ?? words.safePoint
      put("\(id): \(text)", margin, row, .textDim, to: columns - margin)
    }
  }

  mutating func functionBar(_ state: MonitorState, _ rect: Rect) {
    guard rect.isShown else { return }
    let columns = rect.size.columns
    let isWide = columns >= 60
    var column = 0
    for action in state.actions.functionBar(on: state.screen.kind) {
      guard let bar = action.bar else { continue }
      let isDisabled = state.disabledReason(action) != nil
      let label = action.id == .abort && state.abortTakesBack ? "Undo abort" : bar.label
      var key = isWide ? "F\(bar.number)" : letter(of: action)
      if columns >= 100 || (!isWide && key.first?.isLetter ?? false) { key += " " }
      let text = isWide ? label : bar.short
      guard column + key.count + text.count <= columns else { break }
      column = put(key, column, rect.row, isDisabled ? .keyDisabled : .key)
      column = put(text, column, rect.row, isDisabled ? .keyDisabled : .keyLabel) + 1
      if columns >= 100 { column += 1 }
    }
    let back = state.screens.count > 1 ? "Esc Back" : ""
    if !back.isEmpty, column + back.count < columns {
      column = put(back, column, rect.row, .keyLabel) + 1
    }
    // How far down the list one is, where it goes beyond the window.
    let list = state.shownBook.list(state.list)
    let rows = FrameLayout(state, size: canvas.size).list.size.rows
    guard state.screen.job == nil, list.count > rows, let selected = state.selected,
      let index = state.shownBook.index(of: selected, in: state.list)
    else { return }
    let position = "\(index + 1) of \(list.count)"
    if column + position.count < columns {
      putRight(position, endingAt: columns - 1, rect.row, .textDim)
    }
  }

  private func letter(of action: Action) -> String {
    let key = action.keys.first { key in
      if case .function = key { false } else { true }
    }
    return key?.name ?? ""
  }
}

extension MonitorState {
  /// Whether the abort key would take an abort back.
  var abortTakesBack: Bool {
    guard screen.job != nil || tags.isEmpty, let selected, let entry = book[selected] else {
      return false
    }
    return entry.job.isStopping
  }
}
