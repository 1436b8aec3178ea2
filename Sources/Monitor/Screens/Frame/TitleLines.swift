import Canvas
import InstallJobs
import JobText
import ThemeCatalog

/// Drawing of the lines at the top: title, overall progress, tabs.
extension Painter {
  mutating func titleLine(_ state: MonitorState, _ layout: FrameLayout) {
    let columns = layout.title.size.columns
    let margin = columns >= 60 ? 1 : 0
    // The subject of the screen has room reserved; the flags of the whole monitor get the rest.
    let reserve = columns >= 60 ? 26 : columns >= 36 ? 14 : 10
    let flags = fitted(flags(state), columns: columns - 2 * margin - reserve)
    let end = columns - margin - (flags.columns > 0 ? flags.columns + 2 : 0)
    put(flags, columns - margin - flags.columns, 0)
    let parts = state.screen.job.map { heading(state, $0) } ?? headline(state, columns: columns)
    put(parts, margin, 0, to: end)
  }

  /// The left part of the title on screens that do not show one job.
  private func headline(_ state: MonitorState, columns: Int) -> [LinePart] {
    let isWide = columns >= 60
    var parts = isWide ? [LinePart("fettle", role: .title, weight: 1)] : []
    if !state.screen.isList {
      parts.append(LinePart(state.screen.kind.title, role: .title, weight: 90))
    }
    parts.append(linkPart(state, isWide: isWide, weight: 100))
    guard state.screen.isList else { return parts }
    if state.list == .history {
      let endings = state.shownBook.resultCounts.phrases(hasMore: state.past.hasMore)
      return parts + [LinePart("history", weight: 60), LinePart(endings, weight: 50)]
    }
    let joint = String(repeating: " ", count: columns >= 100 ? 3 : isWide ? 2 : 1)
    let counts = counts(state)
    return parts
      + counts.enumerated().map { index, count in
        // A job that was reported as ended stays so; any other may have ended since the connection
        // was lost.
        let doubt = isStale && !count.mark.isOver ? "?" : ""
        let short = "\(count.number) \(count.mark.shortWord)" + doubt
        let texts = isWide ? ["\(count.number) \(count.mark.countWord)" + doubt, short] : [short]
        return LinePart(
          texts, role: isStale ? .stateStale : count.mark.role, weight: 50 - index, joint: joint)
      }
  }

  /// `12 · hello +1 (4 packages) · by ops · started 18:22:05`; number and name are left out last.
  func heading(_ state: MonitorState, _ id: JobID) -> [LinePart] {
    func part(
      _ texts: [String], _ weight: Int, isName: Bool = false
    ) -> LinePart {
      LinePart(texts, role: .title, weight: weight, isName: isName, joint: " · ")
    }
    guard let entry = state.shownBook[id] else {
      return [part(["\(id) · not known"], 100)]
    }
    let words = JobWords(entry: entry)
    var names = [words.packages, words.operationAndPackages, words.shortPackages]
    if canvas.size.columns >= 100 { names.insert(words.requestedPackages, at: 0) }
    var parts = [part(["\(id)"], 100), part(names, 90, isName: true)]
    if entry.job.provider.isSimulated {
      // A simulated engine is also marked at the end of the title line.
      let isSaid = state.engine?.engine.provider.isSimulated ?? false && state.screen.job != nil
      parts.insert(part(["simulated", "sim"], isSaid ? 10 : 80), at: 1)
    }
    parts.append(part(["by \(entry.job.requestedBy.user)"], 40))
    if let start = entry.job.startedAt {
      parts.append(part(["started \(Figures.time(start, offset: state.timeOffset))"], 30))
    }
    if canvas.size.columns >= 100, let comment = entry.job.options.comment {
      // In quotes, since these are the requester's words and not the monitor's.
      parts.append(part(["\"\(comment)\""], 20, isName: true))
    }
    return parts
  }

  /// The flags of the whole monitor, at the right end.
  private func flags(_ state: MonitorState) -> [LinePart] {
    let isWide = canvas.size.columns >= 60
    var flags: [LinePart] = []
    func add(_ texts: [String], _ role: Role, _ weight: Int) {
      flags.append(LinePart(isWide ? texts : texts.suffix(1), role: role, weight: weight))
    }
    if state.screen.job != nil {
      flags.append(linkPart(state, isWide: isWide, weight: state.link.isLive ? 20 : 100))
    }
    if state.engine?.requiresReboot ?? false, isWide { add(["restart needed"], .notice, 30) }
    if state.screen.isList, !state.tags.isEmpty {
      // Shown only if it matters: some rows are not at their sorted position.
      let isBehind = state.shownBook.isBehind(state.list)
      let tagged = "\(state.tags.count) tagged"
      add(isBehind ? [tagged + ", order frozen", tagged] : [tagged], .rowTagged, 70)
    }
    if state.screen.isList, !state.shownBook.filter.isEmpty {
      add(["filtered", "filt"], .notice, 60)
    }
    if state.isDisplayPaused { add(["display paused", "FROZEN"], .notice, 75) }
    if state.readOnlyReason != nil { add(["read-only", "ro"], .notice, 50) }
    // The last but one from the right: no narrow window leaves it out.
    if let pause = state.queuePauseWords {
      let isLong = canvas.size.columns >= 100 && state.screen.isList
      add((isLong ? [pause.long] : []) + [pause.middle, pause.short], .titleAlert, 95)
    }
    if let engine = state.engine?.engine {
      if engine.provider.isSimulated {
        add(["SIMULATED \(engine.root)", "SIMULATED", "SIM"], .titleAlert, 90)
      } else if isWide {
        add(["\(engine.provider) \(engine.root)"], .textDim, 10)
      }
    }
    return flags
  }

  private func linkPart(_ state: MonitorState, isWide: Bool, weight: Int) -> LinePart {
    let link = state.link
    // A request has no reply yet, so it is not known whether the engine is alive.
    if link.isLive, state.pendingCommands.isAnswerLate {
      return LinePart(isWide ? "live? no answer yet" : "live?", role: .linkStale, weight: weight)
    }
    let short = linkWord(link, isWide: false)
    return LinePart(
      isWide ? [linkWord(link, isWide: true), short] : [short], role: linkRole(link),
      weight: weight)
  }

  private func linkWord(_ link: LinkState, isWide: Bool) -> String {
    switch link {
    case .connecting: isWide ? "connecting" : "…"
    case .live: "live"
    case .stale(let seconds):
      (link.isSilentTooLong ? "LOST " : "STALE ") + Figures.duration(Double(seconds))
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
    case .stale where link.isSilentTooLong: .linkLost
    case .connecting, .stale: .linkStale
    case .lost, .refused: .linkLost
    }
  }

  private func counts(_ state: MonitorState) -> [(mark: JobMark, number: Int)] {
    let tally = state.shownBook.tally
    let order: [JobMark] = [
      .asking, .running, .abortAsked, .stopping, .failed, .interrupted, .waiting, .queued, .paused,
      .warned, .aborted, .cleaning, .done,
    ]
    return order.filter { tally[$0] > 0 }.map { ($0, tally[$0]) }
  }

  /// Width of a rate: `12.3 MB/s`.
  private static var rateColumns: Int { 9 }

  mutating func overallLine(_ state: MonitorState, _ rect: Rect) {
    guard rect.isShown else { return }
    let tally = state.shownBook.overall
    let columns = rect.size.columns
    let isWide = columns >= 60
    var text = Figures.percent(tally.fraction * 100)
    text = String(repeating: " ", count: max(0, 4 - text.count)) + text
    if isStale { text += "?" }
    if isWide {
      let jobs = columns >= 80 ? Figures.count(tally.jobs, "job") : "\(tally.jobs)"
      text += "   \(tally.over) of \(jobs) over"
    }
    if isWide {
      for (mark, word) in [(JobMark.failed, "failed"), (.interrupted, "interrupted")]
      where tally[mark] > 0 { text += ", \(tally[mark]) \(word)" }
    }
    // Cleaned-up jobs are no longer in the list.
    let cleaned = state.shownBook.cleanedUpCount
    if columns >= 100, cleaned > 0 { text += ", \(cleaned) cleaned up" }
    if isStale, isWide, let last = state.time.lastHeard {
      text += "   as of \(Figures.time(last, offset: state.timeOffset))"
    }
    if !isStale, let eta = state.overallEta { text += (isWide ? "   eta " : " ") + eta }
    let rate =
      tally.bytesPerSecond > 0 && !isStale ? Figures.rate(Double(tally.bytesPerSecond)) : ""
    // The rate has a fixed width, so that the length of the bar does not change with its digits.
    if !rate.isEmpty || (isWide && tally[.running] > 0 && !isStale) {
      text += "  " + padded(rate, to: Self.rateColumns)
    }
    guard state.shownBook.tally.jobs > 0 else { return }
    let label = isWide ? " All " : "All "
    put(label, 0, rect.row, .title)
    // A chart of the download rate of the last minute, if there is room and any download.
    let isCharted =
      columns >= 100 && !isStale && !state.preferences.isSlowLink
      && state.shownRates.samples.contains { $0 ?? 0 > 0 }
    let spark = Sparkline(
      state.shownRates.samples, columns: RateHistory.capacity, level: look.blocks)
    let chart = isCharted ? RateHistory.capacity + 2 : 0
    let room = columns - label.count - TextWidth.columns(text) - chart - (isWide ? 2 : 0)
    // The rate of the highest column, if the bar does not need the room.
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
    guard state.screen.isList else { return }
    var right: [LinePart] = []
    func add(_ text: String, _ weight: Int, isName: Bool = false) {
      right.append(
        LinePart(text, role: .notice, weight: weight, isName: isName, joint: " · "))
    }
    if state.preferences.sort != .standard { add("by \(state.preferences.sort.key.word)", 30) }
    if state.isFollowing, state.list == .queue { add("following", 10) }
    let filter = state.shownBook.filter
    if !filter.isEmpty {
      let list = state.shownBook.list(state.list)
      let all = state.list == .history ? state.shownBook.history : state.shownBook.queue
      add("filter: \(filter.text)", 20, isName: true)
      add("\(list.count) of \(all.count)", 40)
    }
    let start = (TabLine(state.screen.kind).items.last?.columns.upperBound ?? 0) + 2
    let line = fitted(right, columns: rect.size.columns - 1 - start)
    put(line, rect.size.columns - 1 - line.columns, rect.row)
  }
}

extension LinkState.Refusal {
  /// The word for the title.
  fileprivate var word: String {
    switch self {
    case .otherVersion: "OTHER VERSION"
    case .notPermitted: "NOT PERMITTED"
    }
  }

  /// The word for the title of a narrow window.
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
    case .paused: "paused"
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
