import Canvas
import InstallJobs

/// The regions of the present screen; a region without room is empty.
struct FrameLayout: Sendable, Hashable {
  private(set) var title = Rect(column: 0, row: 0, columns: 0, rows: 0)
  private(set) var overall = Rect(column: 0, row: 0, columns: 0, rows: 0)
  private(set) var tabs = Rect(column: 0, row: 0, columns: 0, rows: 0)
  /// The line of stages on the job screen.
  private(set) var phases = Rect(column: 0, row: 0, columns: 0, rows: 0)
  /// The line on the job screen that shows where an abort would stop.
  private(set) var status = Rect(column: 0, row: 0, columns: 0, rows: 0)
  private(set) var header = Rect(column: 0, row: 0, columns: 0, rows: 0)
  /// Rows of jobs, or of packages on the job screen.
  private(set) var list = Rect(column: 0, row: 0, columns: 0, rows: 0)
  /// The pane about the selected job, including its heading rule.
  private(set) var detail = Rect(column: 0, row: 0, columns: 0, rows: 0)
  /// The heading rule of the log.
  private(set) var logRule = Rect(column: 0, row: 0, columns: 0, rows: 0)
  /// Lines of the log.
  private(set) var log = Rect(column: 0, row: 0, columns: 0, rows: 0)
  private(set) var message = Rect(column: 0, row: 0, columns: 0, rows: 0)
  private(set) var bar = Rect(column: 0, row: 0, columns: 0, rows: 0)

  /// A smaller window shows a single line only.
  static let smallest = Size(columns: 20, rows: 5)

  /// Whether only a single line fits.
  let isLine: Bool
  private let columns: Int

  init(_ state: MonitorState, size: Size) {
    columns = size.columns
    isLine = size.columns < Self.smallest.columns || size.rows < Self.smallest.rows
    guard !isLine else {
      title = Rect(column: 0, row: 0, columns: size.columns, rows: min(1, size.rows))
      return
    }
    var top = 0
    var bottom = size.rows
    title = reserve(1, &top)
    if size.rows >= 8 {
      bottom -= 1
      bar = rect(bottom, 1)
    }
    bottom -= 1
    message = rect(bottom, 1)
    switch state.screen.kind {
    case .queue, .history: placeList(state, size, &top, &bottom)
    case .job:
      placeTabs(state, size, &top)
      placeJob(state, size, &top, &bottom)
    case .log:
      placeTabs(state, size, &top)
      placeLog(size, &top, bottom)
    case .timeline:
      placeTabs(state, size, &top)
      if size.rows >= 8 { header = reserve(1, &top) }
      list = rect(top, bottom - top)
    case .compose, .settings, .replay:
      if size.rows >= 16 { top += 1 }
      list = rect(top, bottom - top)
    }
    growMessage(state, size)
  }

  /// Enlarges the message to the rows it needs: from the log or the list above, which keep some
  /// rows, or over the pane above.
  private mutating func growMessage(_ state: MonitorState, _ size: Size) {
    guard state.prompt == nil else { return }
    let wanted = state.bottomNote(columns: columns).lines.count
    let rows = min(wanted, max(1, size.rows / 3))
    guard rows > 1 else { return }
    let top = message.row - rows + 1
    if log.isShown, log.row + log.size.rows == message.row {
      log.size.rows = max(0, top - log.row)
    }
    if list.isShown, list.row + list.size.rows == message.row {
      list.size.rows = max(0, top - list.row)
    }
    message = rect(top, rows)
  }

  private mutating func placeList(
    _ state: MonitorState, _ size: Size, _ top: inout Int, _ bottom: inout Int
  ) {
    if size.rows >= 8 { overall = reserve(1, &top) }
    if size.rows >= 30 { tabs = reserve(1, &top) }
    if size.columns >= 60, size.rows >= 10 { header = reserve(1, &top) }
    // A free row below a short list names the keys that a user cannot guess.
    let rows = state.listRows.count
    let used = rows > 0 ? rows : wrapped(state.emptyListText, columns: size.columns).count
    if Self.hasTinyBar(size), used < bottom - top {
      bar = message
      bottom -= 1
      message = rect(bottom, 1)
    }
    // Free rows below a short list go to the detail pane.
    let spare = bottom - top - max(6, state.listRows.count + 1)
    if size.rows >= 34 || (size.rows >= 20 && spare >= 12) {
      let rows = max(size.rows >= 34 ? (bottom - top) / 2 : 0, spare)
      let lines = (rows - 3) / 3
      bottom -= lines
      log = rect(bottom, lines)
      bottom -= 1
      logRule = rect(bottom, 1)
      bottom -= rows - lines - 1
      detail = rect(bottom, rows - lines - 1)
    } else if size.rows >= 16 {
      bottom -= 4
      detail = rect(bottom, 4)
    }
    list = rect(top, bottom - top)
  }

  /// Whether the function bar has room only below a short list, and then only for two keys.
  static func hasTinyBar(_ size: Size) -> Bool { size.rows < 8 }

  /// Places the tabs on the screens of one job, if enough rows are left for the job, log or
  /// packages.
  private mutating func placeTabs(_ state: MonitorState, _ size: Size, _ top: inout Int) {
    let width = TabLine(state.screen.kind).items.last?.columns.upperBound ?? 0
    guard size.rows >= (state.screen.kind == .job ? 24 : 30), size.columns >= width else { return }
    tabs = reserve(1, &top)
  }

  private mutating func placeJob(
    _ state: MonitorState, _ size: Size, _ top: inout Int, _ bottom: inout Int
  ) {
    overall = reserve(1, &top)
    if size.rows >= 8 { phases = reserve(1, &top) }
    if size.rows >= 10 { status = reserve(statusRows(state, size), &top) }
    if size.columns >= 60, size.rows >= 16 { header = reserve(1, &top) }
    if size.rows >= 20 {
      let lines = (bottom - top) / 3
      bottom -= lines
      log = rect(bottom, lines)
      bottom -= 1
      logRule = rect(bottom, 1)
    }
    list = rect(top, bottom - top)
  }

  /// Number of rows for the job's status, as long as the packages have room too.
  private func statusRows(_ state: MonitorState, _ size: Size) -> Int {
    guard let id = state.screen.job, let job = state.shownBook[id]?.job,
      let standing = state.statusLines(of: id, columns: size.columns)
    else { return 1 }
    let least = job.state.isFinal && size.rows >= 16 ? 2 : 1
    let most = size.rows >= 16 ? size.rows / 3 : size.rows - 7
    return max(least, min(standing.lines.count, most))
  }

  private mutating func placeLog(_ size: Size, _ top: inout Int, _ bottom: Int) {
    logRule = reserve(1, &top)
    log = rect(top, bottom - top)
    list = log
  }

  private func rect(_ row: Int, _ rows: Int) -> Rect {
    Rect(column: 0, row: row, columns: columns, rows: rows)
  }

  private func reserve(_ rows: Int, _ top: inout Int) -> Rect {
    top += rows
    return rect(top - rows, rows)
  }
}

extension Rect {
  var row: Int { origin.row }
  var isShown: Bool { size.rows > 0 && size.columns > 0 }
}
