/// A pause of the queue: why no further job starts.
///
/// The running job continues to its end. A pause that a user requested is stored in the journal and
/// lasts until the queue is resumed, also in the next engine.
public struct QueuePause: Sendable, Hashable, Codable {
  /// The causes of a pause; if several apply, the first in this order is reported.
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The journal cannot be written, so neither a start nor the progress of the running job is
    /// recorded.
    case journal
    /// A user paused the queue.
    case request
    /// The package index is being fetched.
    case index
  }

  /// The cause of the pause.
  public var cause: Cause
  /// The user who requested the pause, as identified by the kernel; nil if the engine itself
  /// paused.
  public var by: Requester?
  /// When the pause started, by the engine's clock.
  package var since: Timestamp
  /// Details of the cause for display: why the journal cannot be written.
  public var detail: String?

  /// Creates a value from its parts.
  package init(_ cause: Cause, by: Requester? = nil, since: Timestamp, detail: String? = nil) {
    self.cause = cause
    self.by = by
    self.since = since
    self.detail = detail
  }

  /// One line for display, without the time: `queue paused by root`.
  public var message: String {
    switch cause {
    case .request: "queue paused" + (by.map { " by \($0.user)" } ?? "")
    case .journal:
      detail.map { "nothing can be recorded: \($0)" } ?? "the journal cannot be written"
    case .index: "the package index is being fetched"
    }
  }
}

/// The state of the queue after a request to pause or resume it.
public struct QueueStatus: Sendable, Hashable, Codable {
  /// Numbers of jobs, and the pause if there is one.
  public var queue: EngineStatus.Queue
  /// The running job.
  public var runningJob: JobID?
  /// The state of the running job; `suspended` for a paused one.
  public var runningState: JobState?
  /// Whether the request changed anything; false if the queue was already paused.
  public var hasChanged: Bool

  /// Creates a value from its parts.
  public init(
    queue: EngineStatus.Queue, runningJob: JobID?, runningState: JobState?,
    hasChanged: Bool = true
  ) {
    self.queue = queue
    self.hasChanged = hasChanged
    self.runningJob = runningJob
    self.runningState = runningState
  }
}

/// The target place of a waiting job that is moved in the queue.
///
/// The queue stays ordered by priority and then by number: a move changes the job's priority.
public enum QueueMove: Sendable, Hashable {
  /// Before all other waiting jobs.
  case first
  /// After all other waiting jobs.
  case last
  /// The place that this priority gives, -100...100.
  case priority(Int)
}
