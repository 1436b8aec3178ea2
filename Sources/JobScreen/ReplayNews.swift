package import InstallJobs

/// What comes to the monitor about the replay of a job.
package enum ReplayNews: Sendable, Hashable {
  /// Whoever runs the monitor wants this job's replay, so fast at first (1...64).
  case wanted(JobID, speed: Int)
  /// The job that ``Intent/fetchRecording(_:)`` asked for, with its plan; its events follow.
  case begin(JobSnapshot, logLength: Int64)
  /// Some of its durable events, in order.
  case events(JobID, [JobEvent])
  /// All of its events were told.
  case end(JobID)
  /// The job or its events cannot be had.
  case failed(JobID, InstallationError)
  /// The piece of the log that ``Intent/fetchRecordedLog(_:from:)`` asked for from the byte `asked`.
  case log(JobID, asked: Int64, offset: Int64, text: String)
  /// The piece cannot be had.
  case noLog(JobID, InstallationError)
}

extension ReplayNews {
  /// Whether it is a sign of life of the engine.
  var isHeard: Bool {
    switch self {
    case .begin, .events, .end, .log: true
    case .wanted, .failed, .noLog: false
    }
  }
}
