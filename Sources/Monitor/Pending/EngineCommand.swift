package import InstallJobs
import JobText

/// A command to the engine for one job or for the queue, with an answer.
///
/// An abort is not included: its answer says more than "done".
package enum EngineCommand: Sendable, Hashable {
  case pauseJob(JobID)
  case resumeJob(JobID)
  case move(JobID, QueueMove)
  case cancelAbort(JobID)
  case retry(JobID)
  case cleanUp(JobID)
  case pauseQueue
  case resumeQueue
  case yield

  /// The commands of an intent; empty for an intent that is not a command.
  static func all(_ intent: Intent) -> [EngineCommand] {
    switch intent {
    case .pauseJob(let id): [.pauseJob(id)]
    case .resumeJob(let id): [.resumeJob(id)]
    case .move(let id, let place): [.move(id, place)]
    case .cancelAbort(let id): [.cancelAbort(id)]
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
    case .pauseJob, .resumeJob, .cancelAbort, .retry, .pauseQueue, .resumeQueue, .yield: false
    }
  }

  /// Whether the answer may take long: a retry is planned before it is accepted.
  var isSlow: Bool { if case .retry = self { true } else { false } }

  /// The job of the command; nil for a command to the queue or the lock holder.
  package var job: JobID? {
    switch self {
    case .pauseJob(let id), .resumeJob(let id), .move(let id, _), .cancelAbort(let id),
      .retry(let id), .cleanUp(let id):
      id
    case .pauseQueue, .resumeQueue, .yield: nil
    }
  }

  /// The command's verb in messages.
  var word: String {
    switch self {
    case .pauseJob, .pauseQueue: "pause"
    case .resumeJob, .resumeQueue: "resume"
    case .move: "move"
    case .cancelAbort: "cancel the abort"
    case .retry: "retry"
    case .cleanUp: "cleanup"
    case .yield: "yield"
    }
  }

  /// The command in a failure message: `pause of job 4`.
  package var name: String {
    switch self {
    case .cancelAbort(let id): "cancelling the abort of job \(id)"
    case .yield: "the request to yield"
    case _ where job != nil: "\(word) of job \(job.map { "\($0)" } ?? "")"
    default: "\(word) of the queue"
    }
  }

  /// The message that commands were sent, not that they are done: `pause: asked for job 3, 4`.
  static func asked(_ commands: [EngineCommand]) -> String {
    guard let first = commands.first else { return "" }
    let jobs = commands.compactMap(\.job).map { "\($0)" }
    let what =
      first == .yield
      ? "the package lock" : jobs.isEmpty ? "the queue" : "job \(JobEnding.list(jobs))"
    guard case .move(_, let place) = first else { return "\(first.word): asked for \(what)" }
    return "\(first.word): asked for \(what), \(QueueWords.place(place))"
  }
}
