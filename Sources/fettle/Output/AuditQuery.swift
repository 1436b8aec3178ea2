import ArgumentParser
import InstallJobs
import JobWire

/// The filter of `fettle audit`: actions and outcomes, by the audit log's words or the names of
/// commands.
struct AuditQuery: Sendable, Hashable {
  /// The audited actions to show; nil for all.
  let acts: [String]?
  /// The operation of submissions to show; nil for all.
  let operation: JobOperation?

  // Requests that change something, `hello` for refused handshakes, and `audit` for notes on
  // suppressed entries.
  private static let recorded =
    WireRequests.types.filter { $0.kind == .act }.map { $0.method }
    + [AuditRequest.method, HelloRequest.method]

  private static let commands = [
    "cleanup": ["cleanUp"], "pause": ["suspend", "pauseQueue"],
    "resume": ["resume", "resumeQueue"],
  ]

  private static let operations: [String: JobOperation] = [
    "install": .install, "reinstall": .reinstall, "upgrade": .upgrade, "remove": .remove,
    "purge": .purge, "repair": .repair,
  ]

  /// - Parameter act: What was typed; nil selects everything.
  /// - Throws: `ValidationError` with the valid words for an unknown word.
  init(act: String?) throws {
    operation = act.flatMap { Self.operations[$0] }
    guard let act else {
      acts = nil
      return
    }
    if operation != nil {
      acts = [SubmitRequest.method]
    } else if let stored = Self.commands[act] {
      acts = stored
    } else if Self.recorded.contains(act) {
      acts = [act]
    } else {
      let words = Set(Self.recorded + Self.commands.keys + Self.operations.keys).sorted()
      throw ValidationError(
        "there is no act '\(act)'; the acts are \(words.joined(separator: ", "))")
    }
  }

  /// Checks a word for an outcome.
  ///
  /// - Parameter outcome: What was typed.
  /// - Returns: The same word.
  /// - Throws: `ValidationError` with the valid words for an unknown word.
  static func outcome(_ outcome: String) throws -> String {
    let codes = InstallationError.Code.known.map(\.rawValue)
    guard ["permitted", "refused"].contains(outcome) || codes.contains(outcome) else {
      throw ValidationError(
        "there is no outcome '\(outcome)'; the outcomes are permitted, refused (everything else), "
          + codes.joined(separator: ", "))
    }
    return outcome
  }
}
