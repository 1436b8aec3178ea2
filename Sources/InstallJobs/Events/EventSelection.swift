/// Which events of an engine are followed, and from where on.
public struct EventSelection: Sendable, Hashable {
  /// The number of the durable event behind which to begin; nil begins with how the jobs stand now.
  public var after: Int?
  /// Only the events of these jobs; nil for those of all jobs and of the engine itself.
  public var jobs: [JobID]?
  /// Whether the jobs come with their plans; only where ``jobs`` are named.
  public var includesPlans: Bool
  /// Whether the queue's pauses are told where ``jobs`` are named; else they come anyway.
  public var includesQueue: Bool

  /// A selection of its parts; the default is everything from now on.
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
