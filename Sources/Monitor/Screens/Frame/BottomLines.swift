import Canvas
import InstallJobs
import JobText
import ThemeCatalog

/// Drawing of the lines at the bottom: message or prompt, function bar.
extension Painter {
  /// Draws the message in as many lines as it needs, over the region above if necessary.
  mutating func messageLine(_ state: MonitorState, _ layout: FrameLayout) {
    let rect = layout.message
    let (row, columns) = (rect.row + rect.size.rows - 1, rect.size.columns)
    let margin = columns >= 60 ? 1 : 0
    if let prompt = state.prompt {
      promptLine(prompt, state, row, margin)
      return
    }
    canvas.fill(rect, style: style(.text))
    let note = state.bottomNote(columns: columns)
    var lines = note.lines
    if let replay = state.replay, state.message == nil {
      let room = rect.size.rows - 1
      lines = lines.count - 1 <= room ? lines.dropLast() : note.limited(to: room)
      replayScale(replay, state, row)
    } else if lines.count > rect.size.rows {
      lines = note.limited(to: rect.size.rows)
    }
    for (offset, line) in lines.enumerated() {
      put(line.text, margin, rect.row + offset, line.role, to: columns - margin)
    }
  }

  mutating func functionBar(_ state: MonitorState, _ rect: Rect) {
    guard rect.isShown else { return }
    let columns = rect.size.columns
    let bar = FunctionBar(state, columns: columns)
    for item in bar.items {
      let start = item.columns.lowerBound
      let column = put(item.key, start, rect.row, item.isDisabled ? .keyDisabled : .key)
      put(item.label, column, rect.row, item.isDisabled ? .keyDisabled : .keyLabel)
    }
    let column = bar.end + (columns >= 100 ? 2 : 1)
    // The position of the selection, if the list is longer than the window.
    let list = state.shownBook.list(state.list)
    let rows = FrameLayout(state, size: canvas.size).list.size.rows
    guard state.screen.isList, list.count > rows, let selected = state.selected,
      let index = state.shownBook.index(of: selected, in: state.list)
    else { return }
    let position = "\(index + 1) of \(list.count)"
    if column + position.count < columns {
      putRight(position, endingAt: columns - 1, rect.row, .textDim)
    }
  }

  /// Draws the prompt; its end shows the number of matches of a filter, or a hint on a command.
  private mutating func promptLine(
    _ prompt: Prompt, _ state: MonitorState, _ row: Int, _ margin: Int
  ) {
    let columns = canvas.size.columns
    let start = put(prompt.label, margin, row, .filterText)
    var end = columns - 1
    if prompt.purpose == .filter {
      let problem = state.shownBook.filter.problem
      let count = state.shownBook.list(state.list).count
      let text = problem ?? Figures.count(count, "job")
      end =
        putRight(
          truncated(look.shown(text), to: max(8, columns / 2), marker: look.marker),
          endingAt: columns - margin, row,
          problem != nil || count == 0 ? .filterError : .textDim) - 2
    }
    let window = prompt.window(columns: max(1, end - start))
    let column = put(window.text, start, row, .filterText, to: end)
    canvas.cursor = Point(column: min(start + window.cursor, columns - 1), row: row)
    guard prompt.isAtEnd else { return }
    if let completion = prompt.completion { return candidates(completion, row - 1) }
    guard prompt.purpose == .command else { return }
    let rest = state.commandLine.completion(of: prompt.text)
    put(
      rest.isEmpty ? state.commandLine.hint(for: prompt.text) : rest, column, row, .textDim, to: end
    )
  }
}

extension MonitorState {
  /// Whether the abort key would cancel an abort.
  var abortKeyCancelsAbort: Bool {
    guard screen.job != nil || tags.isEmpty, let selected, let entry = book[selected] else {
      return false
    }
    return entry.job.isStopping
  }
}
