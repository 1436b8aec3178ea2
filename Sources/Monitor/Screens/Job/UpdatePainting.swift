import Canvas
import InstallJobs
import JobText
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
      Track(.name, isWide ? 17 : columns >= 40 ? 12 : 8, minimum: 4, maximum: 30, shrinks: 1),
    ]
    if isWide { tracks.append(Track(.versions, 14, maximum: 34, leaves: 2)) }
    if columns >= 36 { tracks.append(Track(.stage, isWide ? 13 : 10, leaves: 3)) }
    if columns >= 40 { tracks.append(Track(.bar, columns >= 110 ? 20 : isWide ? 10 : 6)) }
    // Wide enough also for an elapsed time of up to a day.
    tracks.append(Track(.percent, isWide ? 6 : 5))
    if columns >= 70 { tracks.append(Track(.remark, 11, maximum: .max, leaves: 1)) }
    return arrange(tracks, in: columns, gap: 1)
  }
}

extension Painter {
  /// Draws a line with a bar for each package that fits.
  mutating func updates(_ state: MonitorState, _ id: JobID, _ rect: Rect) {
    guard rect.isShown, let job = state.shownBook[id]?.job else { return }
    let window = StepWindow(state, of: id, rows: rect.size.rows)
    let tracks = UpdateColumn.arranged(columns: rect.size.columns)
    for (offset, index) in window.shown.enumerated() {
      var words = UpdateWords(
        window.steps[index], isJobOver: job.state.isFinal, isCurrent: window.isAtWork(index))
      words.time = state.figuresTime
      if state.replay != nil { words.useRecordedTimes() }
      update(words, rect.row + offset, tracks, state)
    }
    guard let footer = window.footer else { return }
    put(footer, 4, rect.row + window.shown.count, .textDim, to: rect.size.columns)
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
      case .bar: updateBar(words, column, row, columns: width, role, pulse: state.shownPulse)
      case .percent:
        field(percent(words, columns: width), column, row, columns: width, .text, .right)
      case .remark:
        field(
          words.remark, column, row, columns: width, status.error == nil ? .textDim : .stateFailed)
      }
    }
  }

  /// The finished share in per cent; for work without a measure the elapsed time.
  func percent(_ words: UpdateWords, columns: Int) -> String {
    switch words.gauge {
    case _ where words.isUnbegun: "–"
    case .none: "–"
    case .unknown: words.elapsed(columns: columns) ?? "?"
    case .measured, .stepped: words.share.map { $0 + (isStale ? "?" : "") } ?? "–"
    case .over:
      words.status.percentComplete > 0 ? Figures.percent(words.status.percentComplete) : "–"
    }
  }

  mutating func updateBar(
    _ words: UpdateWords, _ column: Int, _ row: Int, columns: Int, _ role: Role, pulse: Int
  ) {
    let share = words.status.percentComplete / 100
    let steps = Bar.Value.stepped(done: Int(share.bounded(to: 0...1) * 10_000), of: 10_000)
    switch words.gauge {
    case _ where words.isUnbegun: break
    case .none: break
    case .measured:
      bar(.measured(share), column, row, columns: columns, state: role, isStarted: true)
    case .stepped:
      bar(steps, column, row, columns: columns, state: role, isStarted: true)
    case .unknown:
      bar(.unknown(tick: isStale ? nil : pulse), column, row, columns: columns, state: role)
    case .over:
      // A package that failed between two stages keeps its progress.
      let value = words.status.phase > .downloading ? steps : .measured(share)
      if share > 0 { bar(value, column, row, columns: columns, state: role) }
    }
  }
}
