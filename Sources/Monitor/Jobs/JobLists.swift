import InstallJobs
import JobText

/// The lists of jobs: queue and history, whole and as the filter and the order of the user show
/// them.
///
/// Filtered and sorted lists are kept up to date like the whole ones.
struct JobLists: Sendable {
  /// Jobs that are not cleaned up.
  private(set) var queue = JobOrder()
  /// Ended jobs.
  private(set) var history = JobOrder()
  /// Ended, cleaned-up jobs, which only the history contains; the oldest ones are dropped.
  private(set) var past = JobOrder()
  /// The filter of the lists.
  private(set) var filter = JobFilter()
  /// The order of the lists.
  private(set) var sort = JobSort.standard
  private var arrangedQueue = JobOrder()
  private var arrangedHistory = JobOrder()
  // The lists with frozen row order; the lists above are still updated.
  private var frozen: FrozenLists?

  init() {}

  /// Whether the lists have no filter and their own order.
  private var isPlain: Bool { filter.isEmpty && sort == .standard }

  /// The filtered and sorted list of a screen, in frozen order if the order is frozen.
  func shown(_ kind: Screen.Kind) -> JobOrder { frozen?[kind].order ?? current(kind) }

  /// The filtered and sorted list of a screen, without the effect of frozen rows.
  private func current(_ kind: Screen.Kind) -> JobOrder {
    if kind == .history { return isPlain ? history : arrangedHistory }
    return isPlain ? queue : arrangedQueue
  }

  /// The index of a job in the list of a screen; nil if the list does not contain it.
  func index(of entry: JobStore.Entry, promised: JobPromise?, in kind: Screen.Kind) -> Int? {
    let place = sort.place(of: entry, promised: promised, isHistory: kind == .history)
    return frozen.map { $0[kind].index(of: entry.job.id, at: place) }
      ?? current(kind).index(of: place)
  }

  /// Whether the frozen order of a list differs from its current order.
  func isBehind(_ kind: Screen.Kind) -> Bool { frozen?[kind].isBehind ?? false }

  /// Freezes the row order until ``unfreeze()``: jobs keep their places, new jobs come last.
  mutating func freeze() {
    if frozen == nil { frozen = FrozenLists(queue: current(.queue), history: current(.history)) }
  }

  /// Ends the freeze: every row moves to its current place.
  mutating func unfreeze() { frozen = nil }

  /// Replaces the jobs of all lists; frozen rows keep their order.
  mutating func replaceAll(
    with entries: Dictionary<JobID, JobStore.Entry>.Values, promised: [JobID: JobPromise]
  ) {
    let over = entries.filter(\.job.state.isFinal)
    queue = JobOrder(entries.filter { !$0.job.isCleanedUp }.map { .queue($0.job) })
    history = JobOrder(over.map { .history($0.job) })
    past = JobOrder(over.filter(\.job.isCleanedUp).map { .history($0.job) })
    arrange(filter, sort, entries, promised: promised, keepingOrder: true)
  }

  /// Sets the filter and the order.
  ///
  /// This reads all jobs, so it runs at a key and not for each frame. Frozen rows are frozen in the
  /// new order, or with `keepingOrder` in the order they have.
  mutating func arrange(
    _ newFilter: JobFilter, _ newSort: JobSort,
    _ entries: Dictionary<JobID, JobStore.Entry>.Values, promised: [JobID: JobPromise],
    keepingOrder: Bool
  ) {
    defer {
      if let old = frozen {
        frozen = FrozenLists(
          queue: current(.queue), history: current(.history), keeping: keepingOrder ? old : nil)
      }
    }
    (filter, sort) = (newFilter, newSort)
    (arrangedQueue, arrangedHistory) = (JobOrder(), JobOrder())
    guard !isPlain else { return }
    let matching = filter.isEmpty ? Array(entries) : entries.filter(filter.matches)
    func places(_ entries: [JobStore.Entry], isHistory: Bool) -> [JobOrder.Place] {
      entries.map {
        newSort.place(of: $0, promised: promised[$0.job.id], isHistory: isHistory)
      }
    }
    arrangedQueue = JobOrder(places(matching.filter { !$0.job.isCleanedUp }, isHistory: false))
    arrangedHistory = JobOrder(places(matching.filter(\.job.state.isFinal), isHistory: true))
  }

  /// Moves a job from one placement to another; nil means not known.
  mutating func move(_ id: JobID, from old: ListPlacement?, to new: ListPlacement?) {
    queue.move(from: old?.queue, to: new?.queue)
    history.move(from: old?.history, to: new?.history)
    past.move(from: old?.past, to: new?.past)
    frozen?.move(id, from: old, to: new)
    guard !isPlain else { return }
    arrangedQueue.move(from: old?.listedQueue, to: new?.listedQueue)
    arrangedHistory.move(from: old?.listedHistory, to: new?.listedHistory)
  }
}
