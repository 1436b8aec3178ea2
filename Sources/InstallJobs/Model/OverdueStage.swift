/// A stage of a job's work that takes much longer than on earlier runs on this machine.
public struct OverdueStage: Sendable, Hashable, Codable {
  /// The kinds of stages.
  public enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
    /// Connecting to the source of the archives, before the first byte.
    case connect
    /// The time before the first package.
    case prepare
    case unpack
    case configure
    /// A removal or a purge.
    case remove
    /// The time after the last package: triggers and verification.
    case conclude
  }

  /// The stage.
  public var stage: Stage
  /// The package of the stage; nil for a stage of the job as a whole.
  public var update: String?
  /// The expected duration in seconds: the median of the same package on this machine, else an
  /// estimate from its size and the median of all packages.
  package var usualSeconds: Double
  /// When the stage started.
  package var since: Timestamp

  /// Creates a value from its parts.
  package init(_ stage: Stage, of update: String?, usualSeconds: Double, since: Timestamp) {
    self.stage = stage
    self.update = update
    self.usualSeconds = usualSeconds
    self.since = since
  }
}
