import InstallJobs

/// A list whose row order is frozen, so that no row moves while the user aims at it.
///
/// Existing jobs keep their places, new jobs are appended, and jobs that left the list are removed.
/// Freezing shares the list's storage; the first change copies it, once per freeze. Later changes
/// cost as much as in the list itself, and a frame reads only the visible rows.
struct FrozenOrder: Sendable {
  /// The rows in the order shown.
  private(set) var order: JobOrder
  // Places in `order` of jobs whose place in the list is another.
  private var kept: [JobID: JobOrder.Place] = [:]
  // Number of appended jobs.
  private var late: Int64 = 0

  /// Freezes a list in its current order.
  init(_ list: JobOrder) { order = list }

  /// Freezes a rebuilt list in the order of an earlier freeze.
  init(_ list: JobOrder, keeping old: FrozenOrder) {
    var left = Dictionary(list.places.map { ($0.job, $0) }) { first, _ in first }
    order = JobOrder()
    var places: [JobOrder.Place] = []
    for place in old.order.places {
      guard let now = left.removeValue(forKey: place.job) else { continue }
      places.append(place)
      if now != place { kept[place.job] = place }
    }
    late = old.late
    for place in list.places where left[place.job] != nil { places.append(append(place.job)) }
    order = JobOrder(places)
  }

  /// Whether the frozen order differs from that of the list.
  var isBehind: Bool { !kept.isEmpty }

  /// The row of a job whose place in the list is `place`; nil if the job is not in the list.
  func index(of job: JobID, at place: JobOrder.Place) -> Int? {
    order.index(of: kept[job] ?? place)
  }

  /// Applies a change of a job's place in the list.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - old: Its place before; nil if it was not in the list.
  ///   - new: Its place now; nil if it is not in the list.
  mutating func change(_ job: JobID, from old: JobOrder.Place?, to new: JobOrder.Place?) {
    let shown = (kept[job] ?? old).flatMap { order.index(of: $0) == nil ? nil : $0 }
    guard let new else {
      if let shown { order.remove(shown) }
      kept[job] = nil
      return
    }
    guard let shown else {
      order.insert(append(job))
      return
    }
    kept[job] = shown == new ? nil : shown
  }

  private mutating func append(_ job: JobID) -> JobOrder.Place {
    let place = JobOrder.Place(section: .max, rank: late, id: job.rawValue)
    late += 1
    kept[job] = place
    return place
  }
}

/// The frozen orders of queue and history.
struct FrozenLists: Sendable {
  private var queue: FrozenOrder
  private var history: FrozenOrder

  /// Freezes both lists; `old` gives the order of an earlier freeze.
  init(queue: JobOrder, history: JobOrder, keeping old: FrozenLists? = nil) {
    self.queue = old.map { FrozenOrder(queue, keeping: $0.queue) } ?? FrozenOrder(queue)
    self.history = old.map { FrozenOrder(history, keeping: $0.history) } ?? FrozenOrder(history)
  }

  subscript(kind: Screen.Kind) -> FrozenOrder { kind == .history ? history : queue }

  /// Applies a change of a job's places in both lists.
  mutating func move(_ job: JobID, from old: ListPlacement?, to new: ListPlacement?) {
    queue.change(job, from: old?.listedQueue, to: new?.listedQueue)
    history.change(job, from: old?.listedHistory, to: new?.listedHistory)
  }
}
