import HostSystem
internal import InstallJobs

/// Checks versions against dpkg's rules (deb-version(7)); apt accepts some versions that dpkg
/// rejects.
enum VersionSyntax {
  /// Returns dpkg's objection to a version, in dpkg's words; nil where dpkg accepts it.
  ///
  /// Runs dpkg only for unusual versions, because each check takes a process.
  static func objection(to version: String) async throws(InstallationError) -> String? {
    guard !isPlain(version) else { return nil }
    let run = try await Tool("/usr/bin/dpkg").run(
      ["--validate-version", "--", version], environment: Tool.plain, to: "check a version")
    guard run.status != 0 else { return nil }
    let words = run.errors.split(separator: "\n").first ?? ""
    let reason = words.firstRange(of: "has bad syntax: ").map { words[$0.upperBound...] } ?? words
    return reason.isEmpty ? "it has bad syntax" : Sanitised.line(reason, limit: 200)
  }

  /// Whether a version starts with a digit, has only permitted characters, has at most a short
  /// epoch and does not end in a hyphen.
  private static func isPlain(_ version: String) -> Bool {
    var rest = Substring(version).utf8
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      let epoch = rest[..<colon]
      guard (1...6).contains(epoch.count), epoch.allSatisfy(isDigit) else { return false }
      rest = rest[rest.index(after: colon)...]
    }
    guard let first = rest.first, isDigit(first), rest.last != UInt8(ascii: "-") else {
      return false
    }
    return rest.allSatisfy { byte in
      isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || ".+~-".utf8.contains(byte)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension AptPlanner {
  /// Refuses a package whose version dpkg would reject, at installation or in the expected database
  /// of later requests.
  func refuseBadVersions(_ draft: PlanDraft) async throws(InstallationError) {
    for step in draft.steps where step.action.unpacks {
      guard let version = step.toVersion,
        let objection = try await VersionSyntax.objection(to: version)
      else { continue }
      throw InstallationError(
        .unresolvable,
        "cannot \(step.action.rawValue) '\(step.name)': dpkg does not take its version "
          + "'\(Sanitised.line(version, limit: 100))': \(objection)",
        update: step.name,
        hint: "whoever publishes the index must correct it; then "
          + root.refreshAdvice)
    }
  }
}
