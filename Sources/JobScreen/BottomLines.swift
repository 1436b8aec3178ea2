import Canvas
import InstallJobs
import ThemeCatalog

/// The lines at the bottom: message or what is typed, function bar.
extension Painter {
  mutating func messageLine(_ state: MonitorState, _ layout: FrameLayout) {
    let (row, columns) = (layout.message.row, layout.message.size.columns)
    let margin = columns >= 60 ? 1 : 0
    if let prompt = state.prompt {
      typed(prompt, state, row, margin)
    } else if let message = state.message,
      message.isAlert || state.outdatedNotes.isEmpty || state.replay != nil
    {
      put(message.text, margin, row, message.isAlert ? .titleAlert : .notice, to: columns - margin)
    } else if let replay = state.replay {
      replayScale(replay, state, layout)
    } else if let longest = state.outdatedNotes.last {
      let note = state.outdatedNotes.first { $0.count <= columns - 2 * margin } ?? longest
      put(note, margin, row, .linkStale, to: columns - margin)
    } else if !layout.detail.isShown, state.screen.isList, let id = state.selected,
      let entry = state.shownBook[id]
    {
      let words = state.words(of: entry)
      let wait = entry.isAbortAsked ? nil : words.wait(offset: state.timeOffset)
      let text = wait ?? words.ending ?? words.safePoint(offset: state.timeOffset)
      put("\(id): \(text)", margin, row, .textDim, to: columns - margin)
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
    var column = bar.end + (columns >= 100 ? 2 : 1)
    for hint in hints(state) where column + hint.count < columns {
      column = put(hint, column, rect.row, .keyLabel) + (columns >= 100 ? 2 : 1)
    }
    // How far down the list one is, where it goes beyond the window.
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

  /// Keys that are no actions of the table but hold on this screen.
  private func hints(_ state: MonitorState) -> [String] {
    switch state.screen {
    case _ where state.replay != nil: ["\(state.leavingKey) Leave"]
    case .compose: [state.draft.isReady ? "Enter Submit" : "Enter Plan", "Tab Next", "Esc Back"]
    case .settings:
      ["Left Right Change", state.actions.columnKeys.map { "\($0) Move" }, "Esc Back"]
        .compactMap(\.self)
    case .queue, .history: []
    case .job, .log, .timeline: ["Esc Back"]
    }
  }

  /// The line being typed: its end says what a filter leaves, or what a command would be.
  private mutating func typed(_ prompt: Prompt, _ state: MonitorState, _ row: Int, _ margin: Int) {
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
    guard prompt.purpose == .command, prompt.isAtEnd else { return }
    let rest = state.commandLine.completion(of: prompt.text)
    put(
      rest.isEmpty ? state.commandLine.hint(for: prompt.text) : rest, column, row, .textDim, to: end
    )
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
