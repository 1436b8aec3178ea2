/// Numbers of a plan's packages by result.
public struct ResultCounts: Sendable, Hashable, Codable {
  /// Packages that are as planned.
  public var succeeded: Int
  /// Packages that failed.
  public var failed: Int
  /// Packages whose work did not start or was aborted.
  public var notStarted: Int

  /// Creates a value from its parts.
  public init(succeeded: Int = 0, failed: Int = 0, notStarted: Int = 0) {
    self.succeeded = succeeded
    self.failed = failed
    self.notStarted = notStarted
  }

  /// Counts the packages of a plan after the end of the work.
  package init(_ plan: [UpdateStatus]) {
    self.init()
    for status in plan {
      switch status.resultCode {
      case .succeeded, .succeededWithErrors: succeeded += 1
      case .failed: failed += 1
      case .notStarted, .inProgress, .aborted: notStarted += 1
      }
    }
  }

  /// The total number of packages.
  public var total: Int { succeeded + failed + notStarted }
}
