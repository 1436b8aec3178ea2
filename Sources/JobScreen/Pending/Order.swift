package import InstallJobs

/// A command to the engine for one job or for the queue, with an answer.
///
/// An abort is not included: its answer says more than "done".
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

  /// The commands of an intent; empty for an intent that is not a command.
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

  /// Whether an event, in addition to the answer, confirms that the command is done.
  ///
  /// Answer and event arrive separately, in either order.
  var hasEvent: Bool {
    switch self {
    case .move, .cleanUp: true
    // The answer alone confirms these commands.
    case .hold, .release, .withdraw, .retry, .pauseQueue, .resumeQueue, .yield: false
    }
  }

  /// Whether the answer may take long: a retry is planned before it is accepted.
  var isSlow: Bool { if case .retry = self { true } else { false } }

  /// The job of the command; nil for a command to the queue or the lock holder.
  package var job: JobID? {
    switch self {
    case .hold(let id), .release(let id), .move(let id, _), .withdraw(let id), .retry(let id),
      .cleanUp(let id):
      id
    case .pauseQueue, .resumeQueue, .yield: nil
    }
  }

  /// The command's name on the command line.
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

  /// The command in a failure message: `hold of job 4`.
  package var name: String {
    switch self {
    case .withdraw(let id): "withdrawal of the abort of job \(id)"
    case .yield: "the request to yield"
    case _ where job != nil: "\(word) of job \(job.map { "\($0)" } ?? "")"
    default: "\(word) of the queue"
    }
  }

  /// The message that commands were sent, not that they are done: `hold: asked for job 3, 4`.
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
