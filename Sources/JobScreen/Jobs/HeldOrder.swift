import InstallJobs

/// A list whose rows stand still for a while, so that none moves under the finger.
///
/// It is the order as it was when the holding began: a job that would stand elsewhere by now keeps its
/// place, a new one comes after all others, and one that is not in the list any more leaves. Beginning
/// shares the list's storage; the first change of the list then copies it, once for each holding.
/// After that a change costs as much as it does in the list itself, and a frame looks at the rows
/// in sight.
struct HeldOrder: Sendable {
  /// The rows as they are shown.
  private(set) var order: JobOrder
  // The places in `order` of jobs that have another in the list.
  private var kept: [JobID: JobOrder.Place] = [:]
  // How many came after all others.
  private var late: Int64 = 0

  /// Holds a list as it is.
  init(_ list: JobOrder) { order = list }

  /// Holds a list that was built anew in the order that was held before.
  init(_ list: JobOrder, keeping old: HeldOrder) {
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

  /// Whether it differs from the list that it holds.
  var isBehind: Bool { !kept.isEmpty }

  /// Where a job stands whose place in the list is `place`; nil when it is not in it.
  func index(of job: JobID, at place: JobOrder.Place) -> Int? {
    order.index(of: kept[job] ?? place)
  }

  /// Takes over what became of a job.
  ///
  /// - Parameters:
  ///   - job: Its number.
  ///   - old: Its place before; nil when it was not in the list.
  ///   - new: Its place now; nil when it is not in the list.
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

/// Queue and history held at the same time.
struct HeldLists: Sendable {
  private var queue: HeldOrder
  private var history: HeldOrder

  /// Holds both lists, in the order that was held before, if any.
  init(queue: JobOrder, history: JobOrder, keeping old: HeldLists? = nil) {
    self.queue = old.map { HeldOrder(queue, keeping: $0.queue) } ?? HeldOrder(queue)
    self.history = old.map { HeldOrder(history, keeping: $0.history) } ?? HeldOrder(history)
  }

  subscript(kind: Screen.Kind) -> HeldOrder { kind == .history ? history : queue }

  /// Takes over what became of a job.
  mutating func move(_ job: JobID, from old: ListPlacement?, to new: ListPlacement?) {
    queue.change(job, from: old?.listedQueue, to: new?.listedQueue)
    history.change(job, from: old?.listedHistory, to: new?.listedHistory)
  }
}
