import InstallJobs
import JobScreen

/// Orders to jobs and to the queue that wait to be given to the engine, one after the other.
///
/// They keep their order, but for aborts and their withdrawals: these go before all that waits for
/// other jobs. What was ordered before for the same job still comes before them, so that no two
/// orders for one job ever overtake each other; but a job that is to stop needs no other place in
/// the queue, and its moves are dropped.
struct OrderQueue {
  private var urgent: [Intent] = []
  private var others: [Intent] = []
  // How many at the front are given; a long queue is not moved for each.
  private var given = (urgent: 0, others: 0)

  /// Takes an order; false for what is none.
  mutating func append(_ intent: Intent) -> Bool {
    switch intent {
    case .requestAbort(let ids):
      dropMoves(of: Set(ids))
      put(ids) { .requestAbort([$0]) }
    case .withdrawAbort(let id): put([id], Intent.withdrawAbort)
    case .hold, .release, .pauseQueue, .resumeQueue, .askToYield, .move: others.append(intent)
    default: return false
    }
    return true
  }

  /// The order to give next; nil when none waits.
  mutating func next() -> Intent? {
    if given.urgent < urgent.count {
      defer { given.urgent += 1 }
      return urgent[given.urgent]
    }
    if given.others < others.count {
      defer { given.others += 1 }
      return others[given.others]
    }
    (urgent, others, given) = ([], [], (0, 0))
    return nil
  }

  /// Drops moves of jobs that were not given yet.
  private mutating func dropMoves(of ids: Set<JobID>) {
    let rest = others[given.others...].filter { other in
      if case .move(let id, _) = other { !ids.contains(id) } else { true }
    }
    (others, given.others) = (Array(rest), 0)
  }

  private mutating func put(_ ids: [JobID], _ order: (JobID) -> Intent) {
    let named = Set(ids)
    var before: [JobID: [Intent]] = [:]
    var rest: [Intent] = []
    for other in others[given.others...] {
      if let id = other.orderedJob, named.contains(id) {
        before[id, default: []].append(other)
      } else {
        rest.append(other)
      }
    }
    (others, given.others) = (rest, 0)
    for id in ids {
      urgent += before.removeValue(forKey: id) ?? []
      urgent.append(order(id))
    }
  }
}

extension Intent {
  /// The job that an order which may wait is for; nil for the queue as a whole.
  fileprivate var orderedJob: JobID? {
    switch self {
    case .hold(let id), .release(let id), .move(let id, _): id
    default: nil
    }
  }
}
