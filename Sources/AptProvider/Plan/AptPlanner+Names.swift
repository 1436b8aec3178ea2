internal import InstallJobs

extension AptPlanner {
  /// Returns the update that a request means: the exact version for a version with `*`, and the
  /// package that provides a virtual one, if it is the only one.
  ///
  /// Reads the records of such a package into the draft's index.
  ///
  /// - Throws: `notApplicable` where no version on offer matches.
  func resolve(
    _ update: Update, _ draft: inout PlanDraft, _ tools: AptTools
  ) async throws(InstallationError) -> Update {
    guard update.archive == nil, !draft.isRemoval else { return update }
    var update = update
    let native = draft.database.nativeArchitecture
    let isKnown =
      !draft.index.records(for: update, native: native).isEmpty
      || draft.database.entry(update.name, update.architecture)?.isPresent == true
    if !isKnown {
      let providers = try await providers(of: update.name, tools)
      if providers.count == 1, let provider = providers.first {
        draft.warnings.append(
          UpdateWarning(
            .providedBy, "'\(update.name)' is a virtual package: \(provider) provides it",
            update: provider))
        update.name = provider
        draft.index = try await draft.index.reading(
          [AptCommand.qualified(provider, update.architecture)], with: tools)
      }
    }
    guard let pattern = update.version, pattern.contains("*") else { return update }
    let versions = draft.index.records(for: update, native: native).filter(\.isAvailable)
      .map(\.version)
    // apt lists the versions newest first, and takes the first that matches.
    guard let version = versions.first(where: { Self.matches($0, pattern) }) else {
      throw InstallationError(
        .notApplicable,
        "cannot \(draft.request.operation.rawValue) '\(update)': no version on offer matches",
        class: .fatal, update: update.name,
        hint: versions.isEmpty
          ? root.refreshAdvice : "on offer: " + versions.prefix(5).joined(separator: ", "))
    }
    update.version = version
    return update
  }

  /// Whether a text matches a pattern in which `*` stands for any text.
  static func matches(_ text: some StringProtocol, _ pattern: some StringProtocol) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else {
      return text == pattern
    }
    guard text.hasPrefix(first), text.count >= first.count + last.count, text.hasSuffix(last) else {
      return false
    }
    var rest = Substring(text.dropFirst(first.count).dropLast(last.count))
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
