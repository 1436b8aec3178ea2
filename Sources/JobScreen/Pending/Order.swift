package import InstallJobs

/// Something that is asked of the engine for one job or for the queue, and answered.
///
/// An abort is none of these: its answer says more than that it was done.
package enum Order: Sendable, Hashable {
  case hold(JobID)
  case release(JobID)
  case move(JobID, QueueMove)
  case withdraw(JobID)
  case retry(JobID)
  case cleanUp(JobID)
  case pauseQueue
  case resumeQueue
  case yield

  /// The orders that an intent stands for; empty for what is none.
  static func all(_ intent: Intent) -> [Order] {
    switch intent {
    case .hold(let id): [.hold(id)]
    case .release(let id): [.release(id)]
    case .move(let id, let place): [.move(id, place)]
    case .withdrawAbort(let id): [.withdraw(id)]
    case .retry(let id): [.retry(id)]
    case .cleanUp(let ids): ids.map { .cleanUp($0) }
    case .pauseQueue: [.pauseQueue]
    case .resumeQueue: [.resumeQueue]
    case .askToYield: [.yield]
    default: []
    }
  }

  /// Whether an event tells everybody that it was done, beside the engine's answer.
  ///
  /// Answer and event come on separate ways, in either order.
  var hasEvent: Bool {
    switch self {
    case .move, .cleanUp: true
    // That a job is held or goes on, and that the queue is, its answer tells as well.
    case .hold, .release, .withdraw, .retry, .pauseQueue, .resumeQueue, .yield: false
    }
  }

  /// Whether the engine may take long to answer it: a new job is planned before it is taken.
  var isSlow: Bool { if case .retry = self { true } else { false } }

  /// The job that it is for; nil for the queue as a whole.
  package var job: JobID? {
    switch self {
    case .hold(let id), .release(let id), .move(let id, _), .withdraw(let id), .retry(let id),
      .cleanUp(let id):
      id
    case .pauseQueue, .resumeQueue, .yield: nil
    }
  }

  /// The word for what is asked: that of the command line.
  var word: String {
    switch self {
    case .hold: "hold"
    case .release: "release"
    case .move: "move"
    case .withdraw: "withdraw"
    case .retry: "retry"
    case .cleanUp: "cleanup"
    case .pauseQueue: "pause"
    case .resumeQueue: "resume"
    case .yield: "yield"
    }
  }

  /// What did not work, where it did not: `hold of job 4`.
  package var name: String {
    switch self {
    case .withdraw(let id): "withdrawal of the abort of job \(id)"
    case .yield: "the request to yield"
    case _ where job != nil: "\(word) of job \(job.map { "\($0)" } ?? "")"
    default: "\(word) of the queue"
    }
  }

  /// That it was asked for, which is not that it was done: `hold: asked for job 3, 4`.
  static func asked(_ orders: [Order]) -> String {
    guard let first = orders.first else { return "" }
    let jobs = orders.compactMap(\.job).map { "\($0)" }
    let what =
      first == .yield
      ? "the package lock" : jobs.isEmpty ? "the queue" : "job \(JobEnding.list(jobs))"
    guard case .move(_, let place) = first else { return "\(first.word): asked for \(what)" }
    return "\(first.word): asked for \(what), \(QueueWords.place(place))"
  }
}
