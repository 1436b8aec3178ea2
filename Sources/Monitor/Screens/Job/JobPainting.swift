import Canvas
import InstallJobs
import JobText
import ThemeCatalog

extension Painter {
  /// Draws the pane about the selected job, and the job's log below it if there is room.
  mutating func detail(_ state: MonitorState, _ layout: FrameLayout) {
    guard layout.detail.isShown else { return }
    let rect = layout.detail
    guard let id = state.selected, let entry = state.shownBook[id] else { return }
    let words = state.words(of: entry)
    let columns = rect.size.columns
    let tagged = state.tags.isEmpty ? "" : "\(state.tags.count) tagged"
    rule(rect.row, parts: heading(state, id), right: layout.tabs.isShown ? "" : tagged)
    guard let standing = state.statusLines(of: id, columns: columns) else { return }
    let isOver = entry.job.state.isFinal
    if rect.size.rows == 4 {
      smallDetail(words, standing, state, rect)
      return
    }
    stages(words, rect.row + 1)
    // A blank line below, and room for some packages.
    let least = isOver ? 2 : 1
    let rows = max(least, min(standing.lines.count, rect.size.rows - 5))
    self.paintStatusLines(standing, rect.row + 2, rows: rows)
    let first = rect.row + 3 + rows
    updates(
      state, id,
      Rect(column: 0, row: first, columns: columns, rows: rect.row + rect.size.rows - first))
  }

  /// Draws three lines about a job; a status that needs more than one line replaces less important
  /// lines.
  private mutating func smallDetail(
    _ words: JobWords, _ standing: JobStatusLines, _ state: MonitorState, _ rect: Rect
  ) {
    let job = words.job
    if job.state.isFinal {
      guard standing.lines.count <= 2 else {
        return self.paintStatusLines(standing, rect.row + 1, rows: 3)
      }
      self.paintStatusLines(standing.first, rect.row + 1, rows: 1)
      stages(words, rect.row + 2)
      if let rest = standing.part(1...) { self.paintStatusLines(rest, rect.row + 3, rows: 1) }
      return
    }
    updates(
      state, job.id, Rect(column: 0, row: rect.row + 1, columns: rect.size.columns, rows: 1))
    let rows = standing.lines.count > 1 ? 2 : 1
    if rows == 1 { stages(words, rect.row + 2) }
    self.paintStatusLines(standing, rect.row + 4 - rows, rows: rows)
  }

  /// Draws one job: its bar, its stages, where an abort would stop, and a bar for each package.
  mutating func jobScreen(_ state: MonitorState, _ id: JobID, _ layout: FrameLayout) {
    guard let entry = state.shownBook[id] else {
      put("no job has the number \(id)", 1, layout.list.row, .textDim)
      return
    }
    let words = state.words(of: entry)
    jobLine(words, layout.overall)
    if layout.phases.isShown { stages(words, layout.phases.row) }
    if layout.status.isShown,
      let standing = state.statusLines(of: id, columns: layout.status.size.columns)
    {
      self.paintStatusLines(standing, layout.status.row, rows: layout.status.size.rows)
    }
    if layout.header.isShown {
      for track in UpdateColumn.arranged(columns: layout.list.size.columns) {
        field(track.id.title, track.start, layout.header.row, columns: track.length, .header)
      }
    }
    updates(state, id, layout.list)
  }

  private mutating func jobLine(_ words: JobWords, _ rect: Rect) {
    let (job, mark) = (words.job, words.mark)
    let columns = rect.size.columns
    let isWide = columns >= 60
    // The age of this monitor's own abort request is known even without a connection.
    let role: Role = isStale && !words.isUnacknowledged ? .stateStale : mark.role
    let margin = isWide ? 1 : 0
    glyph(mark, margin, rect.row)
    let isTimed = !isStale || job.state.isFinal
    let isKnown = hasPercent || job.state.isFinal
    let share = isKnown ? words.share + (isStale && !job.state.isFinal ? "?" : "") : "–"
    var parts = [
      LinePart(words.phase, role: role, weight: 90), LinePart(share, role: role, weight: 80),
    ]
    if isTimed, isWide {
      parts.append(LinePart(words.elapsed ?? "", role: role, weight: 40))
      parts.append(LinePart(words.speed, role: role, weight: 50))
    }
    if isTimed {
      let tails = (isWide ? [words.spreadTail].compactMap(\.self) : []) + words.tails
      parts.append(LinePart(tails, role: role, weight: 60))
    }
    var column = margin + 2
    let right = fitted(parts, columns: columns - column)
    let width = min(60, columns - column - right.columns - 2)
    if width >= 6, isKnown {
      bar(
        .measured(words.fraction), column, rect.row, columns: width, state: role,
        isStarted: job.startedAt != nil)
      column += width + 2
    }
    put(right, column, rect.row)
  }

  /// Draws the stages: `plan ✓ ─ fetch ✓ ─ install ▸ 3/7 unpack ─ verify ∙`.
  mutating func stages(_ words: JobWords, _ row: Int) {
    let columns = canvas.size.columns
    let margin = columns >= 60 ? 1 : 0
    let stages = JobStages(words).stages
    let parts = stages.enumerated().map { index, stage in
      // The present stage is the most important one; of the done stages, the last.
      let (text, role, weight): (String, Role, Int) =
        switch stage.standing {
        case .ahead: ("\(stage.name) ∙", .textDim, 40 - index)
        case .done: ("\(stage.name) ✓", .stateDone, 20 + index)
        case .running(let step): ("\(stage.name) ▸\(step)", .stateRunning, 100)
        case .waiting(let why): ("\(stage.name) ⧗\(why)", .stateWait, 100)
        case .paused(let step): ("\(stage.name) =\(step) paused", .stateHeld, 100)
        case .ended(.warned): ("\(stage.name) \(JobMark.warned.countWord)", .stateWarn, 90)
        case .ended(let mark): ("\(stage.name) \(mark.glyph) \(mark.countWord)", mark.role, 90)
        }
      return LinePart(
        text, role: isStale ? .stateStale : role, weight: weight,
        joint: columns >= 60 ? " ─ " : " ")
    }
    put(parts, margin, row, to: columns)
  }
}
