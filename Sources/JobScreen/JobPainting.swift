import Canvas
import InstallJobs
import ThemeCatalog

extension Painter {
  /// The pane about the selected job, and the job's log below it where there is room.
  mutating func detail(_ state: MonitorState, _ layout: FrameLayout) {
    guard layout.detail.isShown else { return }
    let rect = layout.detail
    guard let id = state.selected, let entry = state.shownBook[id] else { return }
    let words = state.words(of: entry)
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
    var first = rect.row + 4
    if entry.job.state.isFinal {
      ending(words, rect.row + 2)
      first += 1
    }
    standing(words, state, first - 2)
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
    let words = state.words(of: entry)
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
    // How long ago an abort was asked for here is known, whatever else is out of date.
    let role: Role = isStale && !words.isUnacknowledged ? .stateStale : mark.role
    let margin = isWide ? 1 : 0
    glyph(mark, margin, rect.row)
    let times = isWide ? [words.elapsed ?? "", words.speed, words.tail] : [words.tail]
    let tail = isStale && !job.state.isFinal ? [] : times.filter { !$0.isEmpty }
    let isKnown = hasPercent || job.state.isFinal
    let percent = isKnown ? Figures.percent(job.percentComplete) + (isStale ? "?" : "") : "–"
    let right = ([words.phase, percent] + tail).joined(separator: "  ")
    let width = min(60, columns - margin - 4 - TextWidth.columns(right))
    var column = margin + 2
    if width >= 6, isKnown {
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
        case .ended(.warned): ("\(stage.name) \(JobMark.warned.countWord)", .stateWarn)
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
      put(afterwards(job, offset: state.timeOffset), margin, row, .textDim, to: columns)
      return
    }
    var safe = words.safePoint(offset: state.timeOffset)
    if mark == .stopping, let answer = AbortCourse(job)?.answer(offset: state.timeOffset),
      !answer.isEmpty
    {
      safe += ", " + answer
    }
    let role: Role = mark == .stopping || mark == .abortAsked ? .stateAbort : .textDim
    guard let wait = words.wait(offset: state.timeOffset) else {
      put(safe, margin, row, role, to: columns)
      return
    }
    let end = put(wait, margin, row, job.isStalled ? .stateWarn : .stateWait, to: columns)
    if end + 3 < columns { put(" · " + safe, end, row, role, to: columns) }
  }

  private func afterwards(_ job: JobSnapshot, offset: Int) -> String {
    var parts: [String] = []
    if let abort = AbortCourse(job) { parts.append(abort.sentence(offset: offset)) }
    if let hint = job.error?.hint { parts.append(hint) }
    if let detail = job.error?.detail { parts.append(detail) }
    if job.rebootRequired {
      let reasons = job.rebootReasons.isEmpty ? "" : ": " + JobEnding.list(job.rebootReasons)
      parts.append("restart needed\(reasons)")
    }
    if job.isCleanedUp {
      parts.append("cleaned up")
    } else if job.startedAt != nil {
      parts.append("its files are kept until clean up")
    }
    if !job.repairs.isEmpty, !job.isCleanedUp { parts.append("! repairs what is left half done") }
    return parts.joined(separator: " · ")
  }

  private mutating func ending(_ words: JobWords, _ row: Int) {
    let columns = canvas.size.columns
    put(words.ending ?? "", columns >= 60 ? 1 : 0, row, words.entry.mark.role, to: columns)
  }
}
