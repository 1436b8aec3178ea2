import Canvas
import InstallJobs
import ThemeCatalog

/// The lines at the top: title, overall, tabs.
extension Painter {
  mutating func titleLine(_ state: MonitorState, _ layout: FrameLayout) {
    let columns = layout.title.size.columns
    let isWide = columns >= 60
    var end = columns - (isWide ? 1 : 0)
    for (text, role) in flags(state, columns: columns).reversed() where !text.isEmpty {
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
    if !state.screen.isList {
      let title = state.screen.kind.title
      column = put(title, column, 0, .title, to: end) + 2
    }
    column = put(linkWord(state.link, isWide: isWide), column, 0, linkRole(state.link), to: end)
    guard state.screen.isList else { return }
    if state.list == .history {
      column = put("history", column + 2, 0, .text, to: end) + 2
      let endings = state.shownBook.endings
      let words = endings.words(columns: end - column, hasMore: state.past.hasMore)
      put(words, column, 0, .text, to: end)
      return
    }
    for (mark, count) in counts(state) {
      let word = isWide ? " " + mark.countWord : mark.shortWord
      // An end that was heard of stays; what was under way then may be over by now.
      let text = "\(count)\(word)" + (isStale && !mark.isOver ? "?" : "")
      let next = column + (columns >= 100 ? 3 : isWide ? 2 : 1)
      guard next + TextWidth.columns(text) <= end else { return }
      column = put(text, next, 0, isStale ? .stateStale : mark.role)
    }
  }

  /// `12 · hello +1 (4 packages) · by ops`.
  func heading(_ state: MonitorState, _ id: JobID) -> String {
    guard let entry = state.shownBook[id] else { return "\(id) · not known" }
    let words = JobWords(entry: entry)
    let what = canvas.size.columns >= 100 ? words.asked : words.what
    var parts = ["\(id)", what, "by \(entry.job.requestedBy.user)"]
    if entry.job.provider.isSimulated { parts.insert("simulated", at: 1) }
    if canvas.size.columns >= 100, let comment = entry.job.options.comment { parts.append(comment) }
    if let start = entry.job.startedAt {
      parts.append("started \(Figures.time(start, offset: state.timeOffset))")
    }
    return parts.joined(separator: " · ")
  }

  private func flags(_ state: MonitorState, columns: Int) -> [(String, Role)] {
    var flags: [(String, Role)] = []
    let isWide = columns >= 60
    if state.screen.job != nil {
      flags.append((linkWord(state.link, isWide: isWide), linkRole(state.link)))
    }
    if state.engine?.rebootRequired ?? false, isWide { flags.append(("restart needed", .notice)) }
    if state.screen.isList, !state.tags.isEmpty {
      // Said where it makes a difference: rows that stand still are not all where they belong.
      let isBehind = isWide && state.shownBook.isBehind(state.list)
      flags.append(("\(state.tags.count) tagged" + (isBehind ? ", order held" : ""), .rowTagged))
    }
    if state.screen.isList, !state.shownBook.filter.isEmpty {
      flags.append((isWide ? "filtered" : "filt", .notice))
    }
    if state.isHeld { flags.append((isWide ? "display held" : "HELD", .notice)) }
    if state.readOnlyReason != nil { flags.append((isWide ? "read-only" : "ro", .notice)) }
    // The rightmost but one: what no narrow window leaves out.
    if let pause = state.queuePauseWords {
      let isLong = columns >= 100 && state.screen.isList
      let text = isLong ? pause.long : isWide ? pause.middle : pause.short
      flags.append((text, .titleAlert))
    }
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
    case .stale(let seconds):
      (link.isTakenForLost ? "LOST " : "STALE ") + Figures.duration(Double(seconds))
        + (isWide ? ", engine silent (R)" : "")
    case .lost(let retry):
      if !isWide {
        "LOST"
      } else if let retry {
        "LOST, retry in \(retry)s (R now)"
      } else {
        "LOST (R reconnects)"
      }
    case .refused(let refusal, let retry):
      isWide ? "\(refusal.word), retry in \(retry)s (R now)" : refusal.shortWord
    }
  }

  private func linkRole(_ link: LinkState) -> Role {
    switch link {
    case .live: .linkLive
    case .stale where link.isTakenForLost: .linkLost
    case .connecting, .stale: .linkStale
    case .lost, .refused: .linkLost
    }
  }

  private func counts(_ state: MonitorState) -> [(JobMark, Int)] {
    let tally = state.shownBook.tally
    let order: [JobMark] = [
      .asking, .running, .abortAsked, .stopping, .failed, .interrupted, .waiting, .queued, .held,
      .warned, .aborted, .cleaning, .done,
    ]
    return order.filter { tally[$0] > 0 }.map { ($0, tally[$0]) }
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
    if isStale, isWide, let last = state.time.lastHeard {
      text += "   as of \(Figures.time(last, offset: state.timeOffset))"
    }
    if !isStale, let eta = state.shownBook.overallEta(at: state.figuresTime) {
      text += (isWide ? "   eta " : " ") + Figures.duration(eta)
    }
    if tally.bytesPerSecond > 0, !isStale {
      text += "  " + Figures.rate(Double(tally.bytesPerSecond))
    }
    guard tally.jobs > 0 else { return }
    let label = isWide ? " All " : "All "
    put(label, 0, rect.row, .title)
    // The last minute of downloads, where there is room and something was downloaded.
    let isCharted =
      columns >= 100 && !isStale && !state.preferences.isSlowLink
      && state.rates.samples.contains { $0 ?? 0 > 0 }
    let spark = Sparkline(state.rates.samples, columns: RateHistory.capacity, level: look.blocks)
    let chart = isCharted ? RateHistory.capacity + 2 : 0
    let room = columns - label.count - TextWidth.columns(text) - chart - (isWide ? 2 : 0)
    // What the highest column stands for, where the bar does not need the room.
    let scale = "max " + Figures.rate(spark.scale)
    let isScaled = isCharted && room - scale.count - 1 >= 30
    let width = min(60, isScaled ? room - scale.count - 1 : room)
    guard width >= 4 else {
      put(text, label.count, rect.row, .text, to: columns)
      return
    }
    let role: Role = isStale ? .stateStale : .stateRunning
    bar(.measured(tally.fraction), label.count, rect.row, columns: width, state: role)
    let column = put(
      text, label.count + width + (isWide ? 1 : 0), rect.row, isStale ? .stateStale : .text,
      to: columns)
    guard isCharted else { return }
    canvas.draw(
      spark, at: Point(column: column + 2, row: rect.row), style: style(.spark),
      gap: style(.sparkGap))
    if isScaled { put(scale, column + 2 + chart - 1, rect.row, .textDim, to: columns) }
  }

  mutating func tabs(_ state: MonitorState, _ rect: Rect) {
    guard rect.isShown else { return }
    for item in TabLine(state.screen.kind).items {
      let role: Role = item.kind == state.screen.kind ? .headerSorted : .textDim
      put(item.text, item.columns.lowerBound, rect.row, role)
    }
    var right: [String] = []
    if state.preferences.sort != .standard {
      right.append("by \(state.preferences.sort.key.word)")
    }
    if state.isFollowing, state.list == .queue { right.append("following") }
    let filter = state.shownBook.filter
    if !filter.isEmpty {
      let list = state.shownBook.list(state.list)
      let all = state.list == .history ? state.shownBook.history : state.shownBook.queue
      right.append("filter: \(filter.text) (\(list.count) of \(all.count))")
    }
    putRight(right.joined(separator: " · "), endingAt: rect.size.columns - 1, rect.row, .notice)
  }
}

extension String {
  /// Whether a provider of this name only plays a scenario.
  var isSimulated: Bool { hasPrefix("simulated") }
}

extension LinkState.Refusal {
  /// The word for the title.
  fileprivate var word: String {
    switch self {
    case .otherVersion: "OTHER VERSION"
    case .notPermitted: "NOT PERMITTED"
    }
  }

  /// The same where there is little room.
  fileprivate var shortWord: String {
    switch self {
    case .otherVersion: "VERSION"
    case .notPermitted: "NO RIGHT"
    }
  }
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
    case .abortAsked: "asked"
    case .stopping: "stop"
    case .aborted: "abort"
    case .cleaning: "clean"
    case .done: "done"
    case .warned: "err"
    case .failed: "fail"
    case .interrupted: "intr"
    }
  }
}
