public import FoundationEssentials

/// The texts that Foundation shows for an error, such as `localizedDescription`.
extension InstallationError: LocalizedError {
  /// The message, without the hint.
  public var errorDescription: String? { message }
  /// The hint.
  public var recoverySuggestion: String? { hint }
}
