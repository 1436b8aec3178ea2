import Canvas
import InstallJobs

/// The columns of the job list.
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

  /// The heading; the history shows the duration in place of the time left.
  func title(isHistory: Bool) -> String { isHistory && self == .tail ? "TOOK" : title }

  /// The heading.
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

  /// The sort key that a click on the heading selects.
  var sortKey: JobSort.Key? {
    switch self {
    case .mark: .standard
    case .job: .job
    case .what: .what
    case .phase: .state
    case .bar, .percent: .done
    case .speed: .speed
    case .ended: .ended
    case .tail: .time
    case .by: .user
    }
  }

  /// The columns placed for the jobs that are visible.
  static func arranged(_ state: MonitorState, columns: Int) -> [PlacedTrack<JobColumn>] {
    let list = state.shownBook.list(state.list)
    let lines = state.listRows
    let rows = FrameLayout(state, size: state.size).list.size.rows
    let top = state.cursor.top(lines, rows: rows)
    let shown = top..<max(top, min(lines.count, top + rows))
    let digits =
      shown.map { String(list[lines.job(at: $0).index].rawValue).count }.max() ?? 1
    return arranged(
      columns: columns, digits: digits, isHistory: state.list == .history,
      wanted: state.preferences.columns)
  }

  /// The columns placed in a window.
  ///
  /// In a narrow window BY is left out first, then SPEED, then PHASE, then the time, whatever their
  /// position.
  static func arranged(
    columns: Int, digits: Int, isHistory: Bool, wanted: ColumnChoice = .standard
  ) -> [PlacedTrack<JobColumn>] {
    var choice = wanted
    // The history shows the end time in the place of the speed, even if that is hidden.
    if isHistory, choice.hidden.contains(.speed) { choice.toggle(.speed) }
    let placed = choice.shown.flatMap { column in
      Self.tracks(of: column, columns: columns, digits: digits, isHistory: isHistory)
    }
    return arrange([Track(.mark, 3)] + placed, in: columns, gap: 1)
  }

  private static func tracks(
    of column: ColumnChoice.Column, columns: Int, digits: Int, isHistory: Bool
  ) -> [Track<JobColumn>] {
    let isWide = columns >= 60
    switch column {
    case .job: return [Track(.job, max(4, digits))]
    case .what:
      let length = isWide ? (isHistory && columns < 100 ? 15 : 22) : columns >= 40 ? 8 : 5
      return [Track(.what, length, minimum: 4, maximum: .max, shrinks: 1)]
    case .phase: return isWide ? [Track(.phase, 12, leaves: 3)] : []
    case .done:
      let bar = columns >= 110 ? 20 : isWide ? 10 : 6
      return (columns >= 40 ? [Track(.bar, bar)] : []) + [Track(.percent, 5)]
    case .speed:
      guard isWide else { return [] }
      return [isHistory ? Track(.ended, 14, leaves: 2) : Track(.speed, 9, leaves: 2)]
    case .time: return columns >= 36 ? [Track(.tail, 8, leaves: 4)] : []
    case .by:
      return isWide ? [Track(.by, 8, maximum: columns >= 110 ? 10 : 8, leaves: 1)] : []
    }
  }
}
