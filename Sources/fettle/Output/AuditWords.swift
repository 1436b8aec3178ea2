import ArgumentParser
import InstallJobs
import JobWire

/// The acts and outcomes that `audit` asks for, by the words on record or the names of commands.
struct AuditWords: Sendable, Hashable {
  /// The acts on record that are asked for; nil for all.
  let acts: [String]?
  /// What a submission among them asked for; nil for anything.
  let operation: JobOperation?

  // Requests that change something, the handshake of those without rights, and counted refusals.
  private static let recorded =
    WireRequest.Method.allCases.filter { $0.acts || $0 == .audit || $0 == .hello }.map(\.rawValue)

  private static let commands = [
    "cleanup": ["cleanUp"], "pause": ["suspend", "pauseQueue"],
    "resume": ["resume", "resumeQueue"],
  ]

  private static let operations: [String: JobOperation] = [
    "install": .install, "reinstall": .reinstall, "upgrade": .upgrade, "remove": .remove,
    "purge": .purge, "repair": .repair,
  ]

  /// - Parameter act: What was typed; nil asks for everything.
  /// - Throws: `ValidationError` with the words for one that is neither on record nor a command.
  init(act: String?) throws {
    operation = act.flatMap { Self.operations[$0] }
    guard let act else {
      acts = nil
      return
    }
    if operation != nil {
      acts = [WireRequest.Method.submit.rawValue]
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
  /// - Returns: The same.
  /// - Throws: `ValidationError` with the words for one that is never on record.
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
