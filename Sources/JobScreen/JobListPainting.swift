import Canvas
import InstallJobs
import ThemeCatalog

/// The columns of the list of jobs.
enum JobColumn: Sendable, Hashable {
  case mark
  case job
  case what
  case phase
  case bar
  case percent
  case speed
  case ended
  case tail
  case by

  var title: String {
    switch self {
    case .mark: ""
    case .job: "JOB"
    case .what: "WHAT"
    case .phase: "PHASE"
    case .bar: "PROGRESS"
    case .percent: ""
    case .speed: "SPEED"
    case .ended: "ENDED"
    case .tail: "ETA/TOOK"
    case .by: "BY"
    }
  }

  var isRight: Bool { self == .job || self == .speed || self == .tail || self == .percent }

  /// Where the columns stand in a window: BY leaves first, then SPEED, PHASE, at last the bar.
  static func arranged(
    columns: Int, digits: Int, isHistory: Bool
  ) -> [PlacedTrack<JobColumn>] {
    let isWide = columns >= 60
    let bar = columns >= 110 ? 20 : isWide ? 10 : 6
    var tracks: [Track<JobColumn>] = [
      Track(.mark, 3), Track(.job, max(4, digits)),
      Track(.what, isWide ? 22 : columns >= 40 ? 8 : 5, minimum: 4, maximum: .max, shrinks: 1),
    ]
    if isWide { tracks.append(Track(.phase, 12, leaves: 3)) }
    if columns >= 40 { tracks.append(Track(.bar, bar)) }
    tracks.append(Track(.percent, 5))
    if isWide {
      tracks.append(isHistory ? Track(.ended, 14, leaves: 2) : Track(.speed, 9, leaves: 2))
    }
    if columns >= 36 { tracks.append(Track(.tail, 8, leaves: 4)) }
    if isWide { tracks.append(Track(.by, 8, maximum: columns >= 110 ? 10 : 8, leaves: 1)) }
    return arrange(tracks, in: columns, gap: 1)
  }
}

extension Painter {
  mutating func jobList(_ state: MonitorState, _ layout: FrameLayout) {
    let book = state.shownBook
    let list = book.list(state.list)
    let columns = layout.list.size.columns
    let top = state.cursor.top(rows: layout.list.size.rows, count: list.count)
    let shown = top..<min(list.count, top + layout.list.size.rows)
    let digits = shown.map { String(list[$0].rawValue).count }.max() ?? 1
    let tracks = JobColumn.arranged(
      columns: columns, digits: digits, isHistory: state.list == .history)
    if layout.header.isShown {
      for track in tracks {
        field(
          track.id.title, track.start, layout.header.row, columns: track.length, .header,
          track.id.isRight ? .right : .left)
      }
    }
    if list.count == 0 {
      put(emptyText(state), min(3, columns / 10), layout.list.row, .textDim, to: columns)
    }
    for (offset, index) in shown.enumerated() {
      guard let entry = book[list[index]] else { continue }
      var words = JobWords(entry: entry)
      words.queuePlace = book.queuePlace(of: entry.job)
      row(words, layout.list.row + offset, tracks, state)
    }
  }

  private func emptyText(_ state: MonitorState) -> String {
    if !state.shownBook.filter.isEmpty { return "no job matches the filter (Esc shows all)" }
    if state.arriving != nil || state.link == .connecting { return "waiting for the engine" }
    if state.list == .history { return "no job has ended yet" }
    return "no jobs: fettle install PACKAGE begins one"
  }

  private mutating func row(
    _ words: JobWords, _ row: Int, _ tracks: [PlacedTrack<JobColumn>], _ state: MonitorState
  ) {
    let (entry, job) = (words.entry, words.entry.job)
    let mark = entry.mark
    let role: Role = isStale ? .stateStale : mark.role
    let isSelected = state.cursor.selected == job.id
    let isTagged = state.tags.contains(job.id)
    let text: Role = isStale ? .stateStale : isTagged ? .rowTagged : .text
    let hasPhase = tracks.contains { $0.id == .phase }
    for track in tracks {
      let (column, width) = (track.start, track.length)
      switch track.id {
      case .mark:
        put(isSelected ? ">" : " ", column, row, .text)
        put(isTagged ? "*" : " ", column + 1, row, .rowTagged)
        glyph(mark, column + 2, row)
      case .job: field("\(job.id)", column, row, columns: width, text, .right)
      case .what:
        var (start, end) = (column, column + width)
        if job.provider.isSimulated {
          start = put(width >= 20 ? "simulated " : "sim ", start, row, .notice, to: end)
        }
        end = max(start, end)
        if end > start { field(words.what, start, row, columns: end - start, text) }
      case .phase: field(words.phase, column, row, columns: width, role)
      case .bar:
        if hasBar(job) {
          bar(
            .measured(job.percentComplete / 100), column, row, columns: width, state: role,
            isStarted: job.startedAt != nil)
        }
      case .percent:
        let isOpen = isStale && !job.state.isFinal
        let percent =
          hasBar(job) ? Figures.percent(job.percentComplete) + (isOpen ? "?" : "") : "–"
        field(percent, column, row, columns: width, isStale ? .stateStale : .text, .right)
      case .speed: field(isStale ? "" : words.speed, column, row, columns: width, text, .right)
      case .ended:
        let time = job.endedAt.map { Figures.date($0, offset: state.timeOffset) } ?? ""
        field(time, column, row, columns: width, text)
      case .tail:
        // What is left of a job that nobody hears of is not known.
        let isTimed = !isStale || job.state.isFinal
        let tail = hasPhase ? isTimed ? words.tail : "" : words.mergedTail(isTimed: isTimed)
        field(tail, column, row, columns: width, hasPhase ? text : role, .right)
      case .by: field(job.requestedBy.user, column, row, columns: width, text)
      }
    }
    if isSelected { select(row, bar: hasBar(job) ? tracks.first { $0.id == .bar } : nil) }
  }

  private func hasBar(_ job: JobSnapshot) -> Bool {
    job.percentComplete > 0 || (job.startedAt != nil && job.state != .waitingForLock)
  }

  /// Gives a row the one look of the selection, its bar its own colour on the same ground.
  ///
  /// State colours are chosen for the terminal's ground, not for that of the selection; glyph and
  /// words say the state without them.
  private mutating func select(_ row: Int, bar: PlacedTrack<JobColumn>?) {
    let selection = style(.rowSelected)
    let (start, end) = bar.map { ($0.start, $0.start + $0.length) } ?? (0, 0)
    for span in [0..<start, end..<canvas.size.columns] {
      let rect = Rect(column: span.lowerBound, row: row, columns: span.count, rows: 1)
      canvas.restyle(rect) { $0 = selection }
    }
    let track = style(.barTrack).foreground
    canvas.restyle(Rect(column: start, row: row, columns: end - start, rows: 1)) { style in
      style = style.foreground == track ? selection : selection.ground(under: style.foreground)
    }
  }
}

extension Style {
  /// This look with another colour for what is written; reversed, that is the background.
  fileprivate func ground(under ink: Color) -> Style {
    var style = self
    if attributes.contains(.reverse) { style.background = ink } else { style.foreground = ink }
    return style
  }
}

extension JobWords {
  /// What stands at the end of the row where there is no room for the phase: at most 8 columns.
  func mergedTail(isTimed: Bool) -> String {
    let job = entry.job
    switch entry.mark {
    case .queued: return queuePlace.map { "#\($0)" } ?? "queued"
    case .waiting: return "lock"
    case .asking: return "answer"
    case .abortAsked: return "asked"
    case .stopping: return "stopping"
    case .held: return "held"
    case .aborted: return "aborted"
    case .cleaning: return "cleaning"
    case .warned: return "errors"
    case .failed: return "failed"
    case .interrupted: return "interr."
    case .done: return tail
    case .running:
      if isTimed, job.state != .finalizing, !tail.isEmpty { return tail }
      return phase == "configure" ? "config" : phase
    }
  }
}
