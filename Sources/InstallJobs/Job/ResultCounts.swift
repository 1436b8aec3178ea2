/// How the packages of a job's plan ended, as numbers.
public struct ResultCounts: Sendable, Hashable, Codable {
  /// Packages that are as planned.
  public var succeeded: Int
  /// Packages that failed.
  public var failed: Int
  /// Packages that were not begun.
  public var notStarted: Int

  /// A value of its parts.
  public init(succeeded: Int = 0, failed: Int = 0, notStarted: Int = 0) {
    self.succeeded = succeeded
    self.failed = failed
    self.notStarted = notStarted
  }

  /// The counts of a plan whose work is over.
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

  /// How many packages the plan has.
  public var total: Int { succeeded + failed + notStarted }
}
