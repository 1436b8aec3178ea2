import Canvas
import InstallJobs
import ThemeCatalog

/// The lines that frame every screen: title, overall, tabs, message, function bar.
extension Painter {
  mutating func titleLine(_ state: MonitorState, _ layout: FrameLayout) {
    let columns = layout.title.size.columns
    let isWide = columns >= 60
    var end = columns - (isWide ? 1 : 0)
    for (text, role) in flags(state, isWide: isWide).reversed() where !text.isEmpty {
      let width = TextWidth.columns(text)
      guard end - width > 24 || role == .titleAlert && end > width else { continue }
      end = putRight(text, endingAt: end, 0, role) - 2
    }
    var column = isWide ? 1 : 0
    if let id = state.screen.job {
      column = put(heading(state, id), column, 0, .title, to: end)
      return
    }
    if isWide { column = put("fettle", column, 0, .title, to: end) + 2 }
    column = put(linkWord(state.link, isWide: isWide), column, 0, linkRole(state.link), to: end)
    if state.list == .history {
      put(
        "history  \(Figures.count(state.shownBook.history.count, "ended job"))", column + 2, 0,
        .text, to: end)
      return
    }
    for (mark, count) in counts(state) {
      let word = isWide ? " " + mark.countWord : mark.shortWord
      let text = "\(count)\(word)"
      let next = column + (columns >= 100 ? 3 : isWide ? 2 : 1)
      guard next + TextWidth.columns(text) <= end else { return }
      column = put(text, next, 0, mark.role)
    }
  }

  /// `12 · hello +1 (4 packages) · by ops`.
  func heading(_ state: MonitorState, _ id: JobID) -> String {
    guard let entry = state.shownBook[id] else { return "\(id) · not known" }
    let words = JobWords(entry: entry)
    var parts = ["\(id)", words.what, "by \(entry.job.requestedBy.user)"]
    if entry.job.provider.isSimulated { parts.insert("simulated", at: 1) }
    if canvas.size.columns >= 100, let comment = entry.job.options.comment { parts.append(comment) }
    if let start = entry.job.startedAt {
      parts.append("started \(Figures.time(start, offset: state.timeOffset))")
    }
    return parts.joined(separator: " · ")
  }

  private func flags(_ state: MonitorState, isWide: Bool) -> [(String, Role)] {
    var flags: [(String, Role)] = []
    if state.screen.job != nil {
      flags.append((linkWord(state.link, isWide: isWide), linkRole(state.link)))
    }
    if state.engine?.queue.paused ?? false { flags.append(("queue paused", .notice)) }
    if state.isHeld { flags.append((isWide ? "display held" : "HELD", .notice)) }
    if state.readOnlyReason != nil { flags.append((isWide ? "read-only" : "ro", .notice)) }
    if let engine = state.engine?.engine {
      if engine.provider.isSimulated {
        flags.append((isWide ? "SIMULATED \(engine.root)" : "SIM", .titleAlert))
      } else if isWide {
        flags.append(("\(engine.provider) \(engine.root)", .textDim))
      }
    }
    return flags
  }

  private func linkWord(_ link: LinkState, isWide: Bool) -> String {
    switch link {
    case .connecting: isWide ? "connecting" : "…"
    case .live: "live"
    case .stale(let seconds): isWide ? "STALE \(seconds)s, engine silent (R)" : "STALE \(seconds)s"
    case .lost(let retry):
      if !isWide {
        "LOST"
      } else if let retry {
        "LOST, retry in \(retry)s (R now)"
      } else {
        "LOST (R reconnects)"
      }
    }
  }

  private func linkRole(_ link: LinkState) -> Role {
    switch link {
    case .live: .linkLive
    case .connecting, .stale: .linkStale
    case .lost: .linkLost
    }
  }

  private func counts(_ state: MonitorState) -> [(JobMark, Int)] {
    let tally = state.shownBook.tally
    let order: [JobMark] = [
      .asking, .running, .stopping, .failed, .interrupted, .waiting, .queued, .held, .warned,
      .aborted, .cleaning, .done,
    ]
    return order.compactMap { mark in
      let count = tally[mark] + (mark == .stopping ? tally[.abortAsked] : 0)
      return count > 0 ? (mark, count) : nil
    }
  }

  mutating func overallLine(_ state: MonitorState, _ rect: Rect) {
    guard rect.isShown else { return }
    let tally = state.shownBook.tally
    let columns = rect.size.columns
    let isWide = columns >= 60
    var text = Figures.percent(tally.fraction * 100)
    text = String(repeating: " ", count: max(0, 4 - text.count)) + text
    if isStale { text += "?" }
    if isWide { text += "   \(tally.over) of \(Figures.count(tally.jobs, "job")) over" }
    if tally.bytesPerSecond > 0, !isStale {
      text += "  " + Figures.rate(Double(tally.bytesPerSecond))
    }
    let label = isWide ? " All " : "All "
    put(label, 0, rect.row, .title)
    guard tally.jobs > 0 else {
      put("no jobs", label.count, rect.row, .textDim, to: columns)
      return
    }
    let width = min(60, columns - label.count - TextWidth.columns(text) - (isWide ? 2 : 0))
    guard width >= 4 else {
      put(text, label.count, rect.row, .text, to: columns)
      return
    }
    let role: Role = isStale ? .stateStale : .stateRunning
    bar(.measured(tally.fraction), label.count, rect.row, columns: width, state: role)
    put(
      text, label.count + width + (isWide ? 1 : 0), rect.row, isStale ? .stateStale : .text,
      to: columns)
  }

  mutating func tabs(_ state: MonitorState, _ rect: Rect) {
    guard rect.isShown else { return }
    var column = 1
    for (index, kind) in Screen.Kind.allCases.enumerated() {
      let isHere = kind == state.screen.kind
      let text = isHere ? "[\(index + 1) \(kind.title)]" : " \(index + 1) \(kind.title) "
      column = put(text, column, rect.row, isHere ? .headerSorted : .textDim) + 1
    }
    var right: [String] = []
    if !state.tags.isEmpty { right.append("\(state.tags.count) tagged") }
    if state.isFollowing, state.list == .queue { right.append("following") }
    let filter = state.shownBook.filter
    if !filter.isEmpty {
      let list = state.shownBook.list(state.list)
      let all = state.list == .history ? state.shownBook.history : state.shownBook.queue
      right.append("filter: \(filter.text) (\(list.count) of \(all.count))")
    }
    putRight(right.joined(separator: " · "), endingAt: rect.size.columns - 1, rect.row, .notice)
  }

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

extension String {
  /// Whether a provider of this name only plays a scenario.
  var isSimulated: Bool { hasPrefix("simulated") }
}

extension JobMark {
  /// The word for counts in narrow windows.
  var shortWord: String {
    switch self {
    case .held: "held"
    case .queued: "queue"
    case .waiting: "wait"
    case .running: "run"
    case .asking: "ask"
    case .abortAsked, .stopping: "stop"
    case .aborted: "abort"
    case .cleaning: "clean"
    case .done: "done"
    case .warned: "err"
    case .failed: "fail"
    case .interrupted: "intr"
    }
  }
}
