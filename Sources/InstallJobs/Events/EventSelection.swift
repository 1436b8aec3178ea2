/// Selects the events of an engine to follow, and where to start.
public struct EventSelection: Sendable, Hashable {
  /// The number of the durable event after which to start; nil starts with the current jobs.
  public var after: Int?
  /// The jobs whose events are sent; nil sends the events of all jobs and of the engine itself.
  public var jobs: [JobID]?
  /// Whether the first snapshots contain the plans; only used if ``jobs`` is not nil.
  public var includesPlans: Bool
  /// Whether events about pauses of the queue are also sent if ``jobs`` is not nil; they are always
  /// sent if it is nil.
  public var includesQueue: Bool

  /// Creates a selection; the default selects everything from now on.
  public init(
    after: Int? = nil, jobs: [JobID]? = nil, includesPlans: Bool = false,
    includesQueue: Bool = false
  ) {
    self.after = after
    self.jobs = jobs
    self.includesPlans = includesPlans
    self.includesQueue = includesQueue
  }
}
