import InstallJobs
import Monitor

/// Commands for jobs and for the queue that wait to be sent to the engine, one after the other.
///
/// Commands keep their order, except for aborts and their cancellations: these go before all commands
/// for other jobs. Earlier commands for the same job still go before its abort, so that two
/// commands for one job never overtake each other. Pending moves of a job to be aborted are
/// dropped, since it needs no other place in the queue.
struct CommandQueue {
  private var urgent: [Intent] = []
  private var others: [Intent] = []
  // Number of entries at the front that were sent already; they are removed together at the end,
  // since removing each would move a long queue every time.
  private var sent = (urgent: 0, others: 0)

  /// Adds a command; false when the intent is not a queued command.
  mutating func append(_ intent: Intent) -> Bool {
    switch intent {
    case .requestAbort(let ids):
      dropMoves(of: Set(ids))
      put(ids) { .requestAbort([$0]) }
    case .cancelAbort(let id): put([id], Intent.cancelAbort)
    case .pauseJob, .resumeJob, .pauseQueue, .resumeQueue, .askToYield, .move:
      others.append(intent)
    default: return false
    }
    return true
  }

  /// Removes and returns the next command; nil when none waits.
  mutating func next() -> Intent? {
    if sent.urgent < urgent.count {
      defer { sent.urgent += 1 }
      return urgent[sent.urgent]
    }
    if sent.others < others.count {
      defer { sent.others += 1 }
      return others[sent.others]
    }
    (urgent, others, sent) = ([], [], (0, 0))
    return nil
  }

  /// Drops pending moves of jobs.
  private mutating func dropMoves(of ids: Set<JobID>) {
    let rest = others[sent.others...].filter { other in
      if case .move(let id, _) = other { !ids.contains(id) } else { true }
    }
    (others, sent.others) = (Array(rest), 0)
  }

  private mutating func put(_ ids: [JobID], _ command: (JobID) -> Intent) {
    let named = Set(ids)
    var before: [JobID: [Intent]] = [:]
    var rest: [Intent] = []
    for other in others[sent.others...] {
      if let id = other.orderedJob, named.contains(id) {
        before[id, default: []].append(other)
      } else {
        rest.append(other)
      }
    }
    (others, sent.others) = (rest, 0)
    for id in ids {
      urgent += before.removeValue(forKey: id) ?? []
      urgent.append(command(id))
    }
  }
}

extension Intent {
  /// The job that a command is for; nil for commands to the whole queue.
  fileprivate var orderedJob: JobID? {
    switch self {
    case .pauseJob(let id), .resumeJob(let id), .move(let id, _): id
    default: nil
    }
  }
}
