package import InstallJobs

/// What comes to the monitor about the replay of a job.
///
/// All but the wish carries the request that it answers; what answers another than the last one is
/// not taken.
package enum ReplayNews: Sendable, Hashable {
  /// Whoever runs the monitor wants this job's replay, so fast at first (1...64).
  case wanted(JobID, speed: Int)
  /// The job that ``Intent/fetchRecording(_:)`` asked for, with its plan; its events follow.
  case begin(RecordingRequest, JobSnapshot, logLength: Int64)
  /// Some of its durable events, in order; so many between them could not be read.
  case events(RecordingRequest, [JobEvent], leftOut: Int = 0)
  /// All of its events were told; with `isCut` the engine has more than is read of one job.
  case end(RecordingRequest, isCut: Bool = false)
  /// The job or its events cannot be had.
  case failed(RecordingRequest, InstallationError)
  /// The piece of the log that ``Intent/fetchRecordedLog(_:from:)`` asked for from the byte `asked`.
  case log(RecordingRequest, asked: Int64, offset: Int64, text: String)
  /// The piece cannot be had.
  case noLog(RecordingRequest, InstallationError)
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
