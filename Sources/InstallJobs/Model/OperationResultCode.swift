/// The outcome of an operation or of one update, with the numbers of the Windows Update Agent.
///
/// Clients store and print the numbers, so they never change (rows D8 to D14). A number outside
/// 0...5 cannot be decoded: it causes an error at the boundary instead of an unknown state (row
/// D14).
public enum OperationResultCode: Int, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing was done: the work has not got there yet, or never did because of an abort or an
  /// earlier failure.
  case notStarted = 0
  /// Work is in progress. Never part of a final result.
  case inProgress = 1
  /// Done, and verified in the package database.
  case succeeded = 2
  /// The operation ended, and at least one update but not all succeeded.
  case succeededWithErrors = 3
  /// Not done, or the outcome differs from the plan.
  case failed = 4
  /// An abort of the operation was accepted and left something undone.
  case aborted = 5

  /// Whether the code is final.
  ///
  /// False for `notStarted`, although an update that was never reached keeps it in the final result
  /// of its job.
  public var isFinal: Bool {
    switch self {
    case .notStarted, .inProgress: false
    case .succeeded, .succeededWithErrors, .failed, .aborted: true
    }
  }

  /// Returns the overall code of a job whose updates ended with `codes`.
  ///
  /// The Windows Update Agent leaves this rule open (reference 4.4). Here an abort that left
  /// something undone comes first, then full or partial success, then failure. A job without
  /// updates succeeded.
  ///
  /// - Parameters:
  ///   - codes: One verified code for each update of the job.
  ///   - wasAborted: Whether an abort of the job was accepted and not cancelled.
  /// - Returns: A final code.
  public static func overall(of codes: [OperationResultCode], wasAborted: Bool)
    -> OperationResultCode
  {
    if wasAborted, codes.contains(where: { !$0.isFinal || $0 == .aborted }) { return .aborted }
    if codes.allSatisfy({ $0 == .succeeded }) { return .succeeded }
    if codes.contains(where: { $0 == .succeeded || $0 == .succeededWithErrors }) {
      return .succeededWithErrors
    }
    return .failed
  }
}
