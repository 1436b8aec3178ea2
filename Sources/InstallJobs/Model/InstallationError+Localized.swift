public import FoundationEssentials

/// What Foundation shows of an error (`localizedDescription`).
extension InstallationError: LocalizedError {
  /// The message, without the next step.
  public var errorDescription: String? { message }
  /// The next step.
  public var recoverySuggestion: String? { hint }
}
