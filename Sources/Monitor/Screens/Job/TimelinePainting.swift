import Canvas
import InstallJobs
import JobText
import ThemeCatalog

extension Painter {
  /// Draws the timeline: a scale, a row for each package, a legend.
  mutating func timeline(_ state: MonitorState, _ id: JobID, _ layout: FrameLayout) {
    let rect = layout.list
    guard rect.isShown, let job = state.shownBook[id]?.job else { return }
    guard let timeline = JobTimeline(job) else {
      put("the job has not begun", 1, rect.row, .textDim)
      return
    }
    let columns = rect.size.columns
    let name = columns >= 110 ? 30 : columns >= 60 ? 20 : 10
    let start = name + 4
    let width = columns - start - (columns >= 80 ? 8 : 1)
    guard width >= 8 else {
      put(
        [LinePart("too narrow for a timeline", "too narrow", role: .textDim, weight: 0)], 0,
        rect.row, to: columns)
      return
    }
    if layout.header.isShown {
      field("PACKAGE", 4, layout.header.row, columns: name, .header)
      var free = start
      for mark in timeline.marks(most: width / 10) {
        let column = start + Int(mark / timeline.length * Double(width))
        let text = Figures.duration(mark)
        guard column >= free, column + text.count <= start + width else { continue }
        free = put(text, column, layout.header.row, .header) + 2
      }
      if columns >= 80 {
        field("TOOK", columns - 7, layout.header.row, columns: 6, .header, .right)
      }
    }
    let window = StepWindow(state, of: id, rows: max(1, rect.size.rows - 1))
    let cursor = state.stepCursor(in: window)
    for (offset, index) in window.shown.enumerated() {
      let row = rect.row + offset
      let status = window.steps[index]
      let words = UpdateWords(
        status, isJobOver: job.state.isFinal, isCurrent: window.isAtWork(index))
      let isCursor = index == cursor
      put(isCursor ? ">" : " ", 0, row, .text)
      glyph(words.mark, 2, row)
      field(
        status.name, 4, row, columns: name - 1,
        isCursor ? .timelineCursor : status.planned.requested ? .text : .textDim)
      cells(timeline.cells(of: status, columns: width), start, row)
      // The time worked on the package, without waiting.
      let work = timeline.spans(of: status).filter { $0.activity != .wait }
      if columns >= 80, !work.isEmpty {
        let seconds = work.reduce(0) { $0 + $1.end - $1.start }
        field(Figures.shortDuration(seconds), columns - 7, row, columns: 6, .textDim, .right)
      }
    }
    if let footer = window.footer {
      put(footer, 4, rect.row + window.shown.count, .textDim, to: columns)
    }
    legend(rect.row + rect.size.rows - 1)
  }

  private mutating func cells(_ cells: [JobTimeline.Activity?], _ column: Int, _ row: Int) {
    for (offset, activity) in cells.enumerated() {
      let point = Point(column: column + offset, row: row)
      guard let activity else {
        canvas.draw(look.isASCII ? " " : "·", at: point, style: style(.timelineAxis))
        continue
      }
      canvas.draw(String(glyph(of: activity)), at: point, style: style(role(of: activity)))
    }
  }

  private mutating func legend(_ row: Int) {
    var column = 4
    for activity in JobTimeline.Activity.allCases {
      let text = "\(glyph(of: activity)) \(activity.word)"
      guard column + text.count < canvas.size.columns else { return }
      column = put(text, column, row, role(of: activity)) + 3
    }
  }

  // The glyphs differ, so that activities are distinct without colours.
  private func glyph(of activity: JobTimeline.Activity) -> Unicode.Scalar {
    guard !look.isASCII else { return activity.letter }
    return switch activity {
    case .download: "▒"
    case .unpack: "▓"
    case .configure: "█"
    case .remove: "▚"
    case .wait: "─"
    }
  }

  private func role(of activity: JobTimeline.Activity) -> Role {
    switch activity {
    case .download: .timelineDownload
    case .unpack: .timelineUnpack
    case .configure: .timelineConfigure
    case .remove: .planRemove
    case .wait: .timelineWait
    }
  }
}
