import InstallJobs

/// How far back the history is known.
///
/// Jobs that were cleaned up before this connection are not told by the engine, but asked for page by
/// page, the last ended first. Those that are too far back are forgotten, and asked for again where
/// somebody goes there.
package struct PastJobs: Sendable, Hashable {
  /// A page was asked for on this connection.
  private(set) var isAsked = false
  /// A page was asked for and has not come.
  private(set) var isAwaited = false
  /// There is nothing behind what is known.
  private(set) var isWhole = false
  /// Every job that is over was counted once.
  private(set) var isCounted = false
  /// How many jobs that only the history has are kept; more where somebody has gone further back.
  private(set) var depth = Self.kept
  // Up to here nothing is missing; nil before the first page came.
  private var edge: JobOrder.Place?
  private var requestedAfter: JobOrder.Place?
  // More is wanted though nobody has moved since.
  private var isWanted = false
  // Pages that may still be asked for without a hand.
  private var pagesToSkip = 0

  /// Jobs of a page, at most; fewer are the last ones there are.
  package static let page = 100
  /// Rows from the end of the list at which the next page is asked for.
  static let margin = 50
  /// How many jobs that only the history has are kept when nobody has gone further back.
  static let kept = 1000
  /// What may come between a question and its answer: the page, and as many that end meanwhile.
  static let slack = 400
  /// Pages without a row for the list after which a hand has to ask for more.
  static let mostInVain = 25

  init() {}

  /// Whether more is known to be behind what was counted, or not known not to be.
  var hasMore: Bool { isAsked && !isCounted }

  /// What is to be asked for now.
  ///
  /// - Parameters:
  ///   - isNearEnd: Whether somebody has gone near the end of what is known.
  ///   - count: How many jobs are known that only the history has.
  /// - Returns: The question; nil where nothing is to be asked.
  mutating func next(isNearEnd: Bool, knowing count: Int) -> Intent? {
    if isNearEnd { pagesToSkip = Self.mostInVain }
    guard !isAwaited, !isWhole, !isAsked || isNearEnd || isWanted else { return nil }
    pagesToSkip -= 1
    (isAsked, isAwaited, isWanted) = (true, true, false)
    depth = max(depth, count + Self.slack)
    requestedAfter = edge
    return .fetchHistory(after: edge?.job)
  }

  /// Has more asked for, since what is looked for is not in what is known.
  mutating func searchFurther() {
    isWanted = true
    pagesToSkip = Self.mostInVain
  }

  /// Takes a page.
  ///
  /// - Returns: Whether it goes on where what is known ends: only then its jobs may be listed.
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

  /// Notes that a page brought no row: what is wanted lies further back.
  mutating func noteInVain() { isWanted = !isWhole && pagesToSkip > 0 }

  /// Notes that nobody looks at the history.
  mutating func leave() {
    depth = Self.kept
    isWanted = false
  }

  /// Notes that jobs were forgotten.
  ///
  /// - Parameters:
  ///   - newest: The newest place that was given up.
  ///   - before: The place before it.
  mutating func forget(_ newest: JobOrder.Place, before: JobOrder.Place?) {
    // Before the first page it is not known from where on nothing is missing.
    guard isWhole || edge.map({ newest <= $0 }) ?? false else { return }
    (edge, isWhole) = (before, false)
  }
}

extension MonitorState {
  /// Takes a page of jobs that ended before; those that the engine tells of are known better.
  mutating func apply(past jobs: [JobSnapshot], isWhole: Bool) {
    guard past.apply(jobs, isWhole: isWhole) else { return }
    let rows = listBook.list(.history).count
    book.addPast(jobs)
    heldBook?.addPast(jobs)
    if listBook.list(.history).count == rows { past.noteInVain() }
  }

  /// Asks for jobs that ended before this connection: the first of them as soon as the history is
  /// looked at, more when a hand has brought the selection near the end.
  mutating func askForPast(isByHand: Bool) -> Intent? {
    guard list == .history, screen == .history, link.isLive, hasHeardJobs, arriving == nil else {
      return nil
    }
    let order = listBook.list(.history)
    let index = cursor.selected.flatMap { listBook.index(of: $0, in: .history) } ?? 0
    return past.next(
      isNearEnd: isByHand && index + PastJobs.margin >= order.count, knowing: book.past.count)
  }

  /// Forgets jobs that are over, cleaned up and further back than anybody looks; the engine has them.
  mutating func forgetPast() {
    if list != .history { past.leave() }
    guard book.past.count > past.depth else { return }
    let tags = tags
    let seen = Set(
      ([shown, failed, wanted, queueCursor.selected, historyCursor.selected]
        + (screens + returnScreens).map(\.job)).compactMap(\.self))
    let newest = book.forgetPast(beyond: past.depth) { tags.contains($0) || seen.contains($0) }
    guard let newest else { return }
    let index = book.past.lowerBound(newest)
    past.forget(newest, before: index > 0 ? book.past.places[index - 1] : nil)
  }

  /// Why a job that was named is not known.
  func unknown(_ id: JobID) -> String {
    guard book.isForgotten(id) else { return "no job has the number \(id)" }
    let text =
      "job \(id) is further back in the history than is kept here; 'fettle show \(id)' tells of it"
    return advice?(text) ?? text
  }
}
