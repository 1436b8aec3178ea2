package import InstallJobs

/// News about the replay of a job.
///
/// All cases but ``wanted(_:speed:)`` carry the request that they answer. The monitor ignores
/// replies to any request but the last one.
package enum ReplayNews: Sendable, Hashable {
  /// The caller of the monitor wants a job's replay, at this initial speed (1...64).
  case wanted(JobID, speed: Int)
  /// The job of ``Intent/fetchRecording(_:)``, with its plan; its events follow.
  case begin(RecordingRequest, JobSnapshot, logLength: Int64)
  /// Some of the job's durable events, in order; `leftOut` of them could not be read.
  case events(RecordingRequest, [JobEvent], leftOut: Int = 0)
  /// All events were sent; with `isCut` the engine has more events than are read for one job.
  case end(RecordingRequest, isCut: Bool = false)
  /// The job or its events cannot be fetched.
  case failed(RecordingRequest, InstallationError)
  /// The piece of the log that ``Intent/fetchRecordedLog(_:from:)`` requested from byte `asked`.
  case log(RecordingRequest, asked: Int64, offset: Int64, text: String)
  /// The piece of the log cannot be fetched.
  case noLog(RecordingRequest, InstallationError)
}

extension ReplayNews {
  /// Whether the news proves that the engine is alive.
  var isHeard: Bool {
    switch self {
    case .begin, .events, .end, .log: true
    case .wanted, .failed, .noLog: false
    }
  }
}
