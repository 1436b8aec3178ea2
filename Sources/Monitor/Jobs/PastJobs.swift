import InstallJobs

/// The loaded part of the history.
///
/// The engine's snapshot leaves out jobs that were cleaned up before. They are fetched in pages,
/// the last ended first. Jobs too far back are dropped, and fetched again when the selection gets
/// there.
package struct PastJobs: Sendable, Hashable {
  /// Whether a page was requested on this connection.
  private(set) var isAsked = false
  /// Whether a requested page has not arrived.
  private(set) var isAwaited = false
  /// Whether the loaded part reaches the oldest job.
  private(set) var isWhole = false
  /// Whether every ended job was counted once.
  private(set) var isCounted = false
  /// Number of cleaned-up jobs to keep; grows when the user scrolls further back.
  private(set) var depth = Self.kept
  // The oldest place up to which the history has no gap; nil before the first page.
  private var edge: JobOrder.Place?
  // The value of `edge` when the awaited page was requested.
  private var requestedAfter: JobOrder.Place?
  // Whether the next page is wanted without a move of the selection.
  private var isWanted = false
  // Number of pages that may still be fetched without a key.
  private var pagesToSkip = 0

  /// The highest number of jobs in a page; a smaller page is the last one.
  package static let page = 100
  /// Distance from the end of the list, in rows, at which the next page is fetched.
  static let margin = 50
  /// Number of cleaned-up jobs to keep if the user has not scrolled further back.
  static let kept = 1000
  /// Room for the jobs that arrive after a request: a page, and jobs that end meanwhile.
  static let slack = 400
  /// Number of pages without a matching row after which fetching stops until the next key.
  static let mostInVain = 25

  init() {}

  /// Whether the engine has, or may have, ended jobs that were not counted.
  var hasMore: Bool { isAsked && !isCounted }

  /// The next request for a page.
  ///
  /// - Parameters:
  ///   - isNearEnd: Whether a key moved the selection near the end of the loaded part.
  ///   - count: Number of loaded cleaned-up jobs.
  /// - Returns: The request; nil if nothing is to be fetched.
  mutating func next(isNearEnd: Bool, knowing count: Int) -> Intent? {
    if isNearEnd { pagesToSkip = Self.mostInVain }
    guard !isAwaited, !isWhole, !isAsked || isNearEnd || isWanted else { return nil }
    pagesToSkip -= 1
    (isAsked, isAwaited, isWanted) = (true, true, false)
    depth = max(depth, count + Self.slack)
    requestedAfter = edge
    return .fetchHistory(after: edge?.job)
  }

  /// Requests more pages, because the loaded jobs do not contain a search result.
  mutating func searchFurther() {
    isWanted = true
    pagesToSkip = Self.mostInVain
  }

  /// Applies a page.
  ///
  /// - Returns: Whether the page continues the loaded part; only then its jobs may be listed.
  mutating func apply(_ jobs: [JobSnapshot], isWhole: Bool) -> Bool {
    isAwaited = false
    guard requestedAfter == edge else {
      isWanted = pagesToSkip > 0
      return false
    }
    if let last = jobs.last { edge = .history(last) }
    self.isWhole = isWhole
    isCounted = isCounted || isWhole
    return true
  }

  /// Records that a page added no row to the list, so that the next one is fetched.
  mutating func recordEmptyPage() { isWanted = !isWhole && pagesToSkip > 0 }

  /// Records that the history is not shown any more.
  mutating func leave() {
    depth = Self.kept
    isWanted = false
  }

  /// Records that jobs were dropped.
  ///
  /// - Parameters:
  ///   - newest: The newest place that was dropped.
  ///   - before: The place before it.
  mutating func forget(_ newest: JobOrder.Place, before: JobOrder.Place?) {
    // Before the first page, the start of the loaded part is unknown.
    guard isWhole || edge.map({ newest <= $0 }) ?? false else { return }
    (edge, isWhole) = (before, false)
  }
}

extension MonitorState {
  /// Applies a page of older jobs; jobs known from the snapshot stay unchanged.
  mutating func apply(past jobs: [JobSnapshot], isWhole: Bool) {
    guard past.apply(jobs, isWhole: isWhole) else { return }
    let rows = listBook.list(.history).count
    book.addPast(jobs)
    pausedStore?.addPast(jobs)
    if listBook.list(.history).count == rows { past.recordEmptyPage() }
  }

  /// Requests older jobs: the first page as soon as the history is shown, the next page when a key
  /// moves the selection near the end.
  mutating func askForPast(isByHand: Bool) -> Intent? {
    guard list == .history, screen == .history, link.isLive, hasSnapshot, arriving == nil else {
      return nil
    }
    let order = listBook.list(.history)
    let index = cursor.selected.flatMap { listBook.index(of: $0, in: .history) } ?? 0
    return past.next(
      isNearEnd: isByHand && index + PastJobs.margin >= order.count, knowing: book.past.count)
  }

  /// Drops cleaned-up jobs beyond ``PastJobs/depth``, except tagged, selected and shown ones; the
  /// engine still has them.
  mutating func forgetPast() {
    if list != .history { past.leave() }
    guard book.past.count > past.depth else { return }
    let tags = tags
    let seen = Set(
      ([shown, lastFailedJob, jobToSelect, queueCursor.selected, historyCursor.selected]
        + (screens + returnScreens).map(\.job)).compactMap(\.self))
    let newest = book.forgetPast(beyond: past.depth) { tags.contains($0) || seen.contains($0) }
    guard let newest else { return }
    let index = book.past.lowerBound(newest)
    past.forget(newest, before: index > 0 ? book.past.places[index - 1] : nil)
  }

  /// The sentence for a job number that is not known.
  func unknown(_ id: JobID) -> String {
    guard book.isForgotten(id) else { return "no job has the number \(id)" }
    let text =
      "job \(id) is further back in the history than is kept here; 'fettle show \(id)' tells of it"
    return advice?(text) ?? text
  }
}
