import HostSystem
internal import InstallJobs

extension AptPlanner {
  /// Returns the update that a request means: the exact version for a version with `*` or a release,
  /// and the package that provides a virtual one, if it is the only one.
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
    if let release = update.release {
      update.version = try await version(of: update, from: release, tools)
      update.release = nil
    }
    guard let pattern = update.version, pattern.contains("*") else { return update }
    let versions = draft.index.records(for: update, native: native).filter(\.isAvailable)
      .map(\.version)
    // apt lists the versions newest first, and takes the first that matches.
    guard let version = versions.first(where: { Glob.matches($0, pattern) }) else {
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

  /// Returns the newest version of a package in a release.
  ///
  /// - Throws: `notApplicable` with the releases that have the package, if none of them is meant.
  private func version(
    of update: Update, from release: String, _ tools: AptTools
  ) async throws(InstallationError) -> String {
    let name = AptCommand.qualified(update.name, update.architecture)
    let (policy, sources) = try await Tool.both(
      { () throws(InstallationError) in try await tools.readIndex(["policy", "--", name]) },
      { () throws(InstallationError) in try await tools.readIndex(["policy"]) })
    let places = VersionPlaces(parsing: policy.output, sources: sources.output)
    if let version = places.newest(of: name, from: release) { return version }
    let others = places.releases(of: name)
    throw InstallationError(
      .notApplicable, "cannot install '\(update)': no source of \(release) has it", class: .fatal,
      update: update.name,
      hint: others.isEmpty
        ? root.refreshAdvice : "these have it: " + others.prefix(8).joined(separator: ", "))
  }
}
