import InstallJobs

/// How far back the history is known: jobs that were cleaned up before this connection are not told
/// by the engine, but asked for page by page, the last ended first.
struct PastJobs: Sendable, Hashable {
  /// A page was asked for on this connection.
  private(set) var isAsked = false
  /// A page was asked for and has not come.
  private(set) var isAwaited = false
  /// There is nothing behind what is known.
  private(set) var isWhole = false
  /// The last job of the page that came last.
  private var last: JobID?

  /// Rows from the end of the list at which the next page is asked for.
  static let margin = 50

  init() {}

  /// Whether more is known to be behind, or not known not to be.
  var hasMore: Bool { isAsked && !isWhole }

  /// What is to be asked for now.
  ///
  /// - Parameter isNearEnd: Whether somebody has gone near the end of what is known.
  /// - Returns: The question; nil where nothing is to be asked.
  mutating func next(isNearEnd: Bool) -> Intent? {
    guard !isAwaited, !isWhole, !isAsked || isNearEnd else { return nil }
    (isAsked, isAwaited) = (true, true)
    return .fetchHistory(after: last)
  }

  /// Takes a page.
  mutating func take(_ jobs: [JobSnapshot], isWhole: Bool) {
    isAwaited = false
    last = jobs.last?.id ?? last
    self.isWhole = isWhole
  }
}

extension MonitorState {
  /// Takes a page of jobs that ended before; those that the engine tells of are known better.
  mutating func take(past jobs: [JobSnapshot], isWhole: Bool) {
    past.take(jobs, isWhole: isWhole)
    book.takePast(jobs)
    heldBook?.takePast(jobs)
  }

  /// Asks for jobs that ended before this connection: the first of them as soon as the history is
  /// looked at, more when a hand has brought the selection near the end.
  mutating func askForPast(isByHand: Bool) -> Intent? {
    guard list == .history, screen == .history, link.isLive, hasHeardJobs, arriving == nil else {
      return nil
    }
    let order = listBook.list(.history)
    let index = cursor.selected.flatMap { listBook.index(of: $0, in: .history) } ?? 0
    return past.next(isNearEnd: isByHand && index + PastJobs.margin >= order.count)
  }
}
