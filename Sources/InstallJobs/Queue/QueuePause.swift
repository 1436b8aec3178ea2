/// Why no further job of the queue begins: somebody asked for it, or the engine has to.
///
/// The job that is at work goes on to its end. What somebody asked for stands in the journal and
/// holds until it is taken back, also under the next engine.
public struct QueuePause: Sendable, Hashable, Codable {
  /// What keeps jobs from beginning; of several the first here is told.
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The journal cannot be written: no start could be recorded, and of the job at work nothing is.
    case journal
    /// Somebody paused the queue.
    case request
    /// The package index is being fetched.
    case index
  }

  /// What keeps jobs from beginning.
  public var cause: Cause
  /// Who asked for it, by the kernel; nil where the engine itself has to.
  public var by: Requester?
  /// Since when, by the engine's clock.
  package var since: Timestamp
  /// More of the cause, for people: why the journal cannot be written.
  public var detail: String?

  /// A value of its parts.
  package init(_ cause: Cause, by: Requester? = nil, since: Timestamp, detail: String? = nil) {
    self.cause = cause
    self.by = by
    self.since = since
    self.detail = detail
  }

  /// One line for people, without the time: `queue paused by root`.
  public var message: String {
    switch cause {
    case .request: "queue paused" + (by.map { " by \($0.user)" } ?? "")
    case .journal:
      detail.map { "nothing can be recorded: \($0)" } ?? "the journal cannot be written"
    case .index: "the package index is being fetched"
    }
  }
}

/// How the queue stands after it was paused or let go on.
public struct QueueStatus: Sendable, Hashable, Codable {
  /// Figures, and why no further job begins.
  public var queue: EngineStatus.Queue
  /// The job that has its turn.
  public var runningJob: JobID?
  /// The state of that job; `suspended` for one that is held.
  public var runningState: JobState?
  /// Whether the request changed anything; not where the queue was paused before.
  public var hasChanged: Bool

  /// A value of its parts.
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

/// Where a job that waits is to go in the queue.
///
/// The queue's order stays what it is, by priority and then by number: a move gives the job another
/// priority.
public enum QueueMove: Sendable, Hashable {
  /// Before all others that wait.
  case first
  /// After all others that wait.
  case last
  /// To the place that this priority gives it, -100...100.
  case priority(Int)
}
