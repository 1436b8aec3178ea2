/// The outcome of an operation or of one update in it, with the Windows Update Agent's numbers.
///
/// Clients persist and print the numbers, so they never change (rows D8 to D14). A number outside
/// 0...5 does not decode: it is an error at the edge, never an unknown state inside (row D14).
public enum OperationResultCode: Int, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing was done: not reached yet, or never reached because of an abort or an earlier failure.
  case notStarted = 0
  /// Work is under way. Never part of a final result.
  case inProgress = 1
  /// Done, and found in the package database as planned.
  case succeeded = 2
  /// The operation reached its end, and at least one update but not every one succeeded.
  case succeededWithErrors = 3
  /// Not done, or not what was planned.
  case failed = 4
  /// The abort of the operation was accepted and something was left undone.
  case aborted = 5

  /// Whether nothing more will happen under this code.
  ///
  /// False for `notStarted`, which an update that was never reached keeps in the final result of its job.
  public var isFinal: Bool {
    switch self {
    case .notStarted, .inProgress: false
    case .succeeded, .succeededWithErrors, .failed, .aborted: true
    }
  }

  /// The overall code of a job whose updates ended with `codes`.
  ///
  /// The rule the Windows Update Agent leaves open (reference 4.4): an abort that left something
  /// undone wins, then all or some success, then failure. A job without updates has nothing left to
  /// do and succeeded.
  ///
  /// - Parameters:
  ///   - codes: One verified code for each update of the job.
  ///   - wasAborted: Whether an abort of the job had been accepted and not withdrawn.
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
