/// A stage of a job's work that takes much longer than it did before on this machine.
public struct OverdueStage: Sendable, Hashable, Codable {
  /// What is being done.
  public enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
    /// The way to the source of the archives, before the first byte.
    case connect
    /// What comes before the first package.
    case prepare
    case unpack
    case configure
    /// A removal or a purge.
    case remove
    /// What comes after the last package: triggers and verification.
    case conclude
  }

  /// What is being done.
  public var stage: Stage
  /// The package that it is done to; nil for what is the job's as a whole.
  public var update: String?
  /// How long it was expected to take, in seconds: the median of the same package on this machine,
  /// else what its size lets expect of one by the median of all packages here.
  package var usualSeconds: Double
  /// Since when it goes on.
  package var since: Timestamp

  /// A value of its parts.
  package init(_ stage: Stage, of update: String?, usualSeconds: Double, since: Timestamp) {
    self.stage = stage
    self.update = update
    self.usualSeconds = usualSeconds
    self.since = since
  }
}
