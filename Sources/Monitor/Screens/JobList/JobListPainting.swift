import Canvas
import InstallJobs
import JobText
import ThemeCatalog

extension Painter {
  mutating func jobList(_ state: MonitorState, _ layout: FrameLayout) {
    let book = state.shownBook
    let list = book.list(state.list)
    let columns = layout.list.size.columns
    let lines = state.listRows
    let top = state.cursor.top(lines, rows: layout.list.size.rows)
    let shown = top..<max(top, min(lines.count, top + layout.list.size.rows))
    let tracks = JobColumn.arranged(state, columns: columns)
    if layout.header.isShown { headings(tracks, layout.header.row, state) }
    if list.count == 0 {
      let margin = min(3, columns / 10)
      let lines = wrapped(state.emptyListText, columns: columns - margin)
      for (offset, line) in lines.prefix(layout.list.size.rows).enumerated() {
        put(line, margin, layout.list.row + offset, .textDim, to: columns)
      }
    }
    for (offset, line) in shown.enumerated() {
      let (index, isBelow) = lines.job(at: line)
      guard let entry = book[list[index]] else { continue }
      let words = state.words(of: entry)
      guard !isBelow else {
        // While the order is frozen, an ended job keeps its two rows, but it has no package at
        // work.
        if !entry.job.state.isFinal { package(words, layout.list.row + offset, tracks, state) }
        continue
      }
      row(words, layout.list.row + offset, tracks, state)
    }
  }

  private mutating func headings(
    _ tracks: [PlacedTrack<JobColumn>], _ row: Int, _ state: MonitorState
  ) {
    let sort = state.preferences.sort
    for track in tracks {
      let isSorted = sort != .standard && track.id.sortKey == sort.key && !track.id.title.isEmpty
      let arrow = look.isASCII ? (sort.isDescending ? "v" : "^") : (sort.isDescending ? "▾" : "▴")
      field(
        track.id.title(isHistory: state.list == .history) + (isSorted ? arrow : ""), track.start,
        row, columns: track.length,
        isSorted ? .headerSorted : .header, track.id.isRight ? .right : .left)
    }
  }

  /// Draws the row below a running job: the package at work with its own bar.
  private mutating func package(
    _ words: JobWords, _ row: Int, _ tracks: [PlacedTrack<JobColumn>], _ state: MonitorState
  ) {
    let end = canvas.size.columns
    guard let current = words.current else {
      let text =
        words.waitReason(offset: state.timeOffset) ?? words.activity(offset: state.timeOffset)
      let start = tracks.first { $0.id == .what }?.start ?? 0
      put((look.isASCII ? "+ " : "└ ") + text, start, row, .textDim, to: end)
      return
    }
    var update = UpdateWords(current, isJobOver: false, isCurrent: true)
    update.time = state.figuresTime
    for track in tracks {
      let (column, width) = (track.start, track.length)
      switch track.id {
      case .what:
        let step = words.step.map { "\($0) " } ?? ""
        field(
          (look.isASCII ? "+ " : "└ ") + step + current.name, column, row, columns: width, .textDim)
      case .phase:
        field(
          width < 13 ? update.shortStage : update.stage, column, row, columns: width, .textDim)
      case .bar:
        updateBar(
          update, column, row, columns: width, isStale ? .stateStale : update.mark.role,
          pulse: state.pulse)
      case .percent:
        field(percent(update, columns: width), column, row, columns: width, .textDim, .right)
      case .mark, .job, .speed, .ended, .tail, .by: break
      }
    }
  }

  private mutating func row(
    _ words: JobWords, _ row: Int, _ tracks: [PlacedTrack<JobColumn>], _ state: MonitorState
  ) {
    let (job, mark) = (words.job, words.mark)
    // The age of this monitor's own abort request is known even without a connection.
    let role: Role = isStale && !words.isUnacknowledged ? .stateStale : mark.role
    let asked = abortAgeSpan(words, tracks)
    let ahead = prefetchSpan(words, tracks)
    let isSelected = state.cursor.selected == job.id
    let isTagged = state.tags.contains(job.id)
    let text: Role = isStale ? .stateStale : isTagged ? .rowTagged : .text
    let hasPhase = tracks.contains { $0.id == .phase }
    for track in tracks {
      let (column, width) = (track.start, track.length)
      guard asked?.contains(column) != true, ahead?.contains(column) != true else { continue }
      switch track.id {
      case .mark:
        put(isSelected ? ">" : " ", column, row, .text)
        let isFollowed = !isTagged && state.followed == job.id
        put(
          isTagged ? "*" : isFollowed ? look.followed : " ", column + 1, row,
          isFollowed ? .rowFollowed : .rowTagged)
        glyph(mark, column + 2, row)
      case .job: field("\(job.id)", column, row, columns: width, text, .right)
      case .what:
        var (start, end) = (column, column + width)
        if job.provider.isSimulated {
          // The title says it in full; here the name needs the room.
          let isRoomy = canvas.size.columns > 80 && width >= 20
          start = put(isRoomy ? "simulated " : "sim ", start, row, .notice, to: end)
        }
        end = max(start, end)
        if end > start {
          field(
            width < 16 ? words.shortPackages : words.packages, start, row, columns: end - start,
            text)
        }
      case .phase: field(words.phase, column, row, columns: width, role)
      case .bar:
        if hasBar(job) {
          bar(
            .measured(words.fraction), column, row, columns: width, state: role,
            isStarted: job.startedAt != nil)
        }
      case .percent:
        let isOpen = isStale && !job.state.isFinal
        let percent =
          hasBar(job) ? words.shortShare + (isOpen ? "?" : "") : "–"
        field(percent, column, row, columns: width, isStale ? .stateStale : .text, .right)
      case .speed: field(isStale ? "" : words.speed, column, row, columns: width, text, .right)
      case .ended:
        let time = job.workOverAt.map { Figures.date($0, offset: state.timeOffset) } ?? ""
        field(time, column, row, columns: width, text)
      case .tail:
        // The time left of a running job is not known without a connection.
        let isTimed = !isStale || job.state.isFinal
        guard hasPhase else {
          field(
            words.mergedTail(isTimed: isTimed, columns: width), column, row, columns: width, role,
            .right)
          continue
        }
        // A lateness may also use the column of an empty speed, if that is the neighbour.
        let before = tracks.last { $0.start < column }
        let speed = words.speed.isEmpty && before?.id == .speed ? before : nil
        let end = column + width
        let tail = isTimed ? words.tail(columns: end - min(column, speed?.start ?? column)) : ""
        let start = min(column, end - tail.count)
        field(tail, start, row, columns: end - start, words.isLate ? .stateWarn : text, .right)
      case .by: field(job.requestedBy.user, column, row, columns: width, text)
      }
    }
    if let asked {
      field(words.phase, asked.lowerBound, row, columns: asked.count, role)
    }
    if let ahead, let text = words.prefetchActivity {
      field(
        text, ahead.lowerBound, row, columns: ahead.count, isStale ? .stateStale : .textDim)
    }
    if isSelected {
      select(
        row, state.hasListKeys ? .rowSelected : .rowSelectedOther,
        bar: hasBar(job) && asked == nil ? tracks.first { $0.id == .bar } : nil)
    }
    if state.isUnderlined(job.id) {
      let all = Rect(column: 0, row: row, columns: canvas.size.columns, rows: 1)
      canvas.restyle(all) { $0 = $0.adding(.underline) }
    }
  }

  /// The columns for the age of an unanswered abort; nil if there is none, or no room.
  ///
  /// They begin at the phase or the bar, since the text is more important and longer than either.
  private func abortAgeSpan(
    _ words: JobWords, _ tracks: [PlacedTrack<JobColumn>]
  ) -> Range<Int>? {
    guard words.abortAge ?? 0 > 0 else { return nil }
    let bar = tracks.first { $0.id == .bar }
    if let phase = tracks.first(where: { $0.id == .phase }) {
      return joined(phase, bar, tracks)
    }
    guard let bar else { return nil }
    return joined(bar, tracks.first { $0.id == .tail }, tracks)
  }

  /// The columns for the work before the job's turn: those of bar, share and speed, which are empty
  /// then; nil if there is no text, or no room for all of it.
  private func prefetchSpan(
    _ words: JobWords, _ tracks: [PlacedTrack<JobColumn>]
  ) -> Range<Int>? {
    guard let text = words.prefetchActivity, !hasBar(words.job), words.abortAge ?? 0 == 0,
      let first = tracks.firstIndex(where: { $0.id == .bar })
    else { return nil }
    let own = tracks[first...].prefix { [.bar, .percent, .speed].contains($0.id) }
    guard let last = own.last else { return nil }
    let span = tracks[first].start..<(last.start + last.length)
    return TextWidth.columns(sanitize(text)) <= span.count ? span : nil
  }

  /// The columns from one track to another, including the share between them; only those of the
  /// first if any other track lies between.
  private func joined(
    _ first: PlacedTrack<JobColumn>, _ second: PlacedTrack<JobColumn>?,
    _ tracks: [PlacedTrack<JobColumn>]
  ) -> Range<Int> {
    let own = first.start..<(first.start + first.length)
    guard let second else { return own }
    let start = min(own.lowerBound, second.start)
    let end = max(own.upperBound, second.start + second.length)
    let between = tracks.filter {
      $0.start >= start && $0.start < end && ![first.id, second.id, .percent].contains($0.id)
    }
    return between.isEmpty ? start..<end : own
  }

  private func hasBar(_ job: JobSnapshot) -> Bool {
    job.percentComplete > 0 || (job.startedAt != nil && job.state != .waitingForLock)
  }

  /// Gives a row the single style of the selection; its bar keeps its colour on that background.
  ///
  /// State colours are chosen for the terminal's background, not for that of the selection; glyph
  /// and words show the state without them.
  private mutating func select(_ row: Int, _ role: Role, bar: PlacedTrack<JobColumn>?) {
    let selection = style(role)
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

extension MonitorState {
  /// The text of a list without jobs.
  var emptyListText: String {
    if !shownBook.filter.isEmpty { return "no job matches the filter (Esc shows all)" }
    if arriving != nil || link == .connecting { return "waiting for the engine" }
    if list == .history { return "no job has ended yet" }
    return "no jobs: i writes one" + (advice == nil ? ", or fettle install PACKAGE" : "")
  }
}

extension Style {
  /// This style with another text colour; if it is reversed, with another background.
  fileprivate func ground(under ink: Color) -> Style {
    var style = self
    if attributes.contains(.reverse) { style.background = ink } else { style.foreground = ink }
    return style
  }
}

extension JobWords {
  /// The end of the row if there is no room for the phase: at most 8 columns.
  func mergedTail(isTimed: Bool, columns: Int) -> String {
    switch mark {
    case .queued:
      let place = queuePlace.map { "#\($0)" } ?? "queued"
      // Position and time if both fit, else the position, which is certain.
      let whole = isTimed && !tail.isEmpty ? place + " " + tail : place
      return whole.count <= columns ? whole : place
    case .waiting: return "lock"
    case .asking: return "answer"
    case .abortAsked: return isUnacknowledged ? "no ack" : "asked"
    case .stopping: return "stopping"
    case .paused: return "paused"
    case .aborted: return "aborted"
    case .cleaning: return "cleaning"
    case .warned: return "errors"
    case .failed: return "failed"
    case .interrupted: return "interr."
    case .done: return tail(columns: columns)
    case .running:
      if isTimed, job.state != .finalizing, !tail.isEmpty { return tail(columns: columns) }
      return phase == "configure" ? "config" : phase
    }
  }
}
