import Canvas
import InstallJobs
import ThemeCatalog

/// The columns of the list of packages.
enum UpdateColumn: Sendable, Hashable {
  case mark
  case name
  case versions
  case stage
  case bar
  case percent
  case remark

  var title: String {
    switch self {
    case .mark, .percent: ""
    case .name: "PACKAGE"
    case .versions: "VERSION"
    case .stage: "STAGE"
    case .bar: "PROGRESS"
    case .remark: ""
    }
  }

  static func arranged(columns: Int) -> [PlacedTrack<UpdateColumn>] {
    let isWide = columns >= 60
    var tracks: [Track<UpdateColumn>] = [
      Track(.mark, 3),
      Track(.name, isWide ? 18 : columns >= 40 ? 12 : 8, minimum: 4, maximum: 30, shrinks: 1),
    ]
    if isWide { tracks.append(Track(.versions, 14, maximum: 34, leaves: 2)) }
    if columns >= 36 { tracks.append(Track(.stage, isWide ? 13 : 10, leaves: 3)) }
    if columns >= 40 { tracks.append(Track(.bar, columns >= 110 ? 20 : isWide ? 10 : 6)) }
    tracks.append(Track(.percent, 5))
    if columns >= 70 { tracks.append(Track(.remark, 11, maximum: .max, leaves: 1)) }
    return arrange(tracks, in: columns, gap: 1)
  }
}

extension Painter {
  /// The pane about the selected job, and the job's log below it where there is room.
  mutating func detail(_ state: MonitorState, _ layout: FrameLayout) {
    guard layout.detail.isShown else { return }
    let rect = layout.detail
    guard let id = state.selected, let entry = state.shownBook[id] else {
      rule(rect.row, title: "no job")
      return
    }
    var words = JobWords(entry: entry)
    words.queuePlace = state.shownBook.queuePlace(of: entry.job)
    let tagged = state.tags.isEmpty ? "" : "\(state.tags.count) tagged"
    rule(
      rect.row, title: heading(state, id),
      right: layout.tabs.isShown ? "" : tagged)
    let columns = rect.size.columns
    if rect.size.rows == 4 {
      if entry.job.state.isFinal {
        ending(words, rect.row + 1)
      } else {
        updates(state, id, Rect(column: 0, row: rect.row + 1, columns: columns, rows: 1))
      }
      stages(words, rect.row + 2)
      standing(words, state, rect.row + 3)
      return
    }
    stages(words, rect.row + 1)
    standing(words, state, rect.row + 2)
    var first = rect.row + 4
    if entry.job.state.isFinal {
      ending(words, rect.row + 3)
      first += 1
    }
    updates(
      state, id,
      Rect(column: 0, row: first, columns: columns, rows: rect.row + rect.size.rows - first))
  }

  /// One job: its bar, its stages, where an abort would stop, a bar for each package.
  mutating func jobScreen(_ state: MonitorState, _ id: JobID, _ layout: FrameLayout) {
    guard let entry = state.shownBook[id] else {
      put("no job has the number \(id)", 1, layout.list.row, .textDim)
      return
    }
    var words = JobWords(entry: entry)
    words.queuePlace = state.shownBook.queuePlace(of: entry.job)
    jobLine(words, layout.overall)
    if layout.phases.isShown { stages(words, layout.phases.row) }
    if layout.status.isShown {
      if entry.job.state.isFinal {
        ending(words, layout.status.row)
        if layout.status.size.rows > 1 { standing(words, state, layout.status.row + 1) }
      } else {
        standing(words, state, layout.status.row)
      }
    }
    if layout.header.isShown {
      for track in UpdateColumn.arranged(columns: layout.list.size.columns) {
        field(track.id.title, track.start, layout.header.row, columns: track.length, .header)
      }
    }
    updates(state, id, layout.list)
  }

  private mutating func jobLine(_ words: JobWords, _ rect: Rect) {
    let (job, mark) = (words.entry.job, words.entry.mark)
    let columns = rect.size.columns
    let isWide = columns >= 60
    let role: Role = isStale ? .stateStale : mark.role
    let margin = isWide ? 1 : 0
    glyph(mark, margin, rect.row)
    let times = isWide ? [words.speed, words.tail] : [words.tail]
    let tail = isStale && !job.state.isFinal ? [] : times.filter { !$0.isEmpty }
    let percent = Figures.percent(job.percentComplete) + (isStale ? "?" : "")
    let right = ([words.phase, percent] + tail).joined(separator: "  ")
    let width = min(60, columns - margin - 4 - TextWidth.columns(right))
    var column = margin + 2
    if width >= 6 {
      bar(
        .measured(job.percentComplete / 100), column, rect.row, columns: width, state: role,
        isStarted: job.startedAt != nil)
      column += width + 2
    }
    put(right, column, rect.row, role, to: columns)
  }

  /// `plan ✓ ─ fetch ✓ ─ install ▸ 3/7 unpack ─ verify ∙`.
  mutating func stages(_ words: JobWords, _ row: Int) {
    let columns = canvas.size.columns
    var column = columns >= 60 ? 1 : 0
    for (index, stage) in JobStages(words).stages.enumerated() {
      if index > 0 { column = put(columns >= 60 ? " ─ " : " ", column, row, .textDim, to: columns) }
      let (text, role): (String, Role) =
        switch stage.standing {
        case .ahead: ("\(stage.name) ∙", .textDim)
        case .done: ("\(stage.name) ✓", .stateDone)
        case .under(let step): ("\(stage.name) ▸\(step)", .stateRunning)
        case .waiting(let why): ("\(stage.name) ⧗\(why)", .stateWait)
        case .ended(let mark): ("\(stage.name) \(mark.glyph) \(mark.countWord)", mark.role)
        }
      column = put(text, column, row, isStale ? .stateStale : role, to: columns)
    }
  }

  /// Why the job waits, and where an abort would stop it.
  private mutating func standing(_ words: JobWords, _ state: MonitorState, _ row: Int) {
    let columns = canvas.size.columns
    let margin = columns >= 60 ? 1 : 0
    let (job, mark) = (words.entry.job, words.entry.mark)
    if job.state.isFinal {
      put(afterwards(job), margin, row, .textDim, to: columns)
      return
    }
    let safe = words.safePoint
    let role: Role = mark == .stopping ? .stateAbort : .textDim
    guard let wait = words.wait(offset: state.timeOffset) else {
      put(safe, margin, row, role, to: columns)
      return
    }
    let end = put(wait, margin, row, job.isStalled ? .stateWarn : .stateWait, to: columns)
    if end + 3 < columns { put(" · " + safe, end, row, role, to: columns) }
  }

  private func afterwards(_ job: JobSnapshot) -> String {
    var parts: [String] = []
    if let hint = job.error?.hint { parts.append(hint) }
    if let detail = job.error?.detail { parts.append(detail) }
    if job.rebootRequired {
      let reasons = job.rebootReasons.isEmpty ? "" : ": " + JobEnding.list(job.rebootReasons)
      parts.append("restart needed\(reasons)")
    }
    parts.append(job.isCleanedUp ? "cleaned up" : "archives and work files are kept until clean up")
    return parts.joined(separator: " · ")
  }

  private mutating func ending(_ words: JobWords, _ row: Int) {
    let columns = canvas.size.columns
    put(words.ending ?? "", columns >= 60 ? 1 : 0, row, words.entry.mark.role, to: columns)
  }

  /// A line with a bar for each package that fits.
  private mutating func updates(_ state: MonitorState, _ id: JobID, _ rect: Rect) {
    guard rect.isShown, let job = state.shownBook[id]?.job else { return }
    let rows = rect.size.rows
    // A single row has no place for how many more there are.
    let window = StepWindow(state, of: id, rows: rows > 2 ? rows - 1 : rows)
    let fits = window.steps.count <= rows
    let last = min(window.steps.count, window.top + (fits || rows <= 2 ? rows : rows - 1))
    let first = fits ? 0 : rows <= 2 ? min(window.current ?? 0, max(0, last - 1)) : window.top
    let tracks = UpdateColumn.arranged(columns: rect.size.columns)
    var row = rect.row
    for index in first..<min(window.steps.count, max(last, first + rows))
    where row < rect.row + rows {
      if !fits, rows > 2, row == rect.row + rows - 1 { break }
      update(
        UpdateWords(
          window.steps[index], isJobOver: job.state.isFinal, isCurrent: index == window.current),
        row, tracks, state)
      row += 1
    }
    if !fits, rows > 2 {
      let below = window.steps.count - last
      var text = "\(first) above, \(below) below"
      if !window.isPlan { text += " · the plan of \(job.planCount) packages is on its way" }
      put(text, 4, rect.row + rows - 1, .textDim, to: rect.size.columns)
    }
  }

  private mutating func update(
    _ words: UpdateWords, _ row: Int, _ tracks: [PlacedTrack<UpdateColumn>], _ state: MonitorState
  ) {
    let (status, mark) = (words.status, words.mark)
    let role: Role = isStale ? .stateStale : mark.role
    for track in tracks {
      let (column, width) = (track.start, track.length)
      switch track.id {
      case .mark:
        put(words.isCurrent ? ">" : " ", column, row, .text)
        glyph(mark, column + 2, row)
      case .name:
        field(status.name, column, row, columns: width, status.planned.requested ? .text : .textDim)
      case .versions: field(words.versions, column, row, columns: width, .textDim)
      case .stage:
        field(width < 13 ? words.shortStage : words.stage, column, row, columns: width, role)
      case .bar: updateBar(words, column, row, columns: width, role, pulse: state.pulse)
      case .percent: field(percent(words), column, row, columns: width, .text, .right)
      case .remark:
        field(
          words.remark, column, row, columns: width, status.error == nil ? .textDim : .stateFailed)
      }
    }
  }

  private func percent(_ words: UpdateWords) -> String {
    switch words.gauge {
    case .none: "–"
    case .unknown: "?"
    case .measured, .stepped: Figures.percent(words.status.percentComplete) + (isStale ? "?" : "")
    case .over:
      words.status.percentComplete > 0 ? Figures.percent(words.status.percentComplete) : "–"
    }
  }

  private mutating func updateBar(
    _ words: UpdateWords, _ column: Int, _ row: Int, columns: Int, _ role: Role, pulse: Int
  ) {
    let share = words.status.percentComplete / 100
    switch words.gauge {
    case .none: break
    case .measured:
      bar(.measured(share), column, row, columns: columns, state: role, isStarted: true)
    case .stepped:
      bar(
        .stepped(done: Int(share.bounded(to: 0...1) * 10_000), of: 10_000), column, row,
        columns: columns, state: role, isStarted: true)
    case .unknown:
      bar(.unknown(tick: isStale ? nil : pulse), column, row, columns: columns, state: role)
    case .over:
      if share > 0 { bar(.measured(share), column, row, columns: columns, state: role) }
    }
  }
}
