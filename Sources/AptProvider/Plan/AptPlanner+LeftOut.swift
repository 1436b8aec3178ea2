import HostSystem
internal import InstallJobs

// What an upgrade of everything leaves as it is, and what is said about it.
extension AptPlanner {
  /// Determines the packages that an upgrade of everything leaves as they are: held ones, those that
  /// only count as installed, and those that the request excludes.
  ///
  /// - Throws: `notApplicable` where an excluded name matches no installed package.
  func keepBack(_ draft: inout PlanDraft, _ tools: AptTools) async throws(InstallationError) {
    let present = draft.database.entries.filter(\.isPresent)
    let excluded = try excludedPackages(draft.request, among: present)
    let text = try await tools.readIndex(
      ["policy", "--"] + present.map { AptCommand.qualified($0.name, $0.architecture) }
    ).output
    let policy = AptPolicy(parsing: text)
    var upgradable = try await policy.upgradable(in: draft.database)
    leaveOut(upgradable.filter(excluded.contains), .excluded, of: &upgradable, in: &draft)
    if draft.request.options.planning.isSecurityOnly {
      let sources = try await tools.readIndex(["policy"]).output
      let places = VersionPlaces(parsing: text, sources: sources)
      try await leaveNewerThanSecurity(&upgradable, policy, places, &draft)
    }
    draft.held = upgradable.filter(\.isHeld)
    if !draft.held.isEmpty {
      draft.warnings.append(UpdateWarning(.held, "kept back because held: " + names(draft.held)))
    }
    let counted =
      root.kind == .privateRoot
      ? upgradable.filter { !$0.isHeld && root.isOnlyCounted($0) } : []
    upgradable.removeAll(where: \.isHeld)
    leaveOut(counted, .onlyCounted, of: &upgradable, in: &draft)
    draft.upgradable = upgradable
  }

  /// Removes packages from those to be upgraded, with a warning.
  private func leaveOut(
    _ entries: [PackageDatabase.Entry], _ reason: JobPlan.LeftOut.Reason,
    of upgradable: inout [PackageDatabase.Entry], in draft: inout PlanDraft
  ) {
    guard !entries.isEmpty else { return }
    upgradable.removeAll(where: entries.contains)
    draft.leftOut += entries.map { entry in
      JobPlan.LeftOut(
        name: entry.name, architecture: entry.architecture, version: entry.version,
        reason: reason)
    }
    let warning =
      switch reason {
      case .excluded: UpdateWarning(.excluded, "left out as asked: " + names(entries))
      case .notSecurity:
        UpdateWarning(
          .notSecurity, "left out because no security update is newer: " + names(entries))
      case .onlyCounted:
        UpdateWarning(
          .onlyCounted,
          "left out because they only count as installed in \(root.path), their files are the "
            + "host's: " + names(entries))
      }
    draft.warnings.append(warning)
  }

  /// Returns the installed packages that a request excludes.
  private func excludedPackages(
    _ request: JobRequest, among present: [PackageDatabase.Entry]
  ) throws(InstallationError) -> Set<PackageDatabase.Entry> {
    var excluded: Set<PackageDatabase.Entry> = []
    for pattern in request.options.planning.excluded {
      let parts = pattern.split(separator: ":", maxSplits: 1)
      let found = present.filter { entry in
        Glob.matches(entry.name, parts[0]) && (parts.count < 2 || parts[1] == entry.architecture)
      }
      guard !found.isEmpty else {
        throw InstallationError(
          .notApplicable, "cannot leave out '\(pattern)': no installed package has that name",
          class: .fatal, hint: "'fettle list --installed' lists what is installed")
      }
      excluded.formUnion(found)
    }
    return excluded
  }

  /// Leaves out the packages for which no source of security updates has a newer version, and limits
  /// the others to the newest version of such a source.
  private func leaveNewerThanSecurity(
    _ upgradable: inout [PackageDatabase.Entry], _ policy: AptPolicy, _ places: VersionPlaces,
    _ draft: inout PlanDraft
  ) async throws(InstallationError) {
    let database = draft.database
    guard places.hasSecuritySource else {
      throw InstallationError(
        .notApplicable,
        "cannot upgrade by security updates alone: no source of \(root.path) provides them",
        hint: "add such a source, or leave the option out")
    }
    let offers = upgradable.map { entry in
      places.newestSecurity(of: entry.name + ":" + entry.architecture)
        ?? (database.isNative(entry.architecture) ? places.newestSecurity(of: entry.name) : nil)
    }
    let areNewer = try await VersionOrder.areOlder(
      zip(upgradable, offers).map { ($0.version, $1 ?? $0.version) })
    var others: [PackageDatabase.Entry] = []
    for (index, entry) in upgradable.enumerated() {
      guard areNewer[index], let offer = offers[index] else {
        others.append(entry)
        continue
      }
      guard offer != policy.candidate(of: entry, in: database) else { continue }
      draft.leftOut.append(
        JobPlan.LeftOut(
          name: entry.name, architecture: entry.architecture, version: offer, reason: .notSecurity))
    }
    leaveOut(others, .notSecurity, of: &upgradable, in: &draft)
  }

  /// Refuses an upgrade of everything that would upgrade nothing although newer versions exist.
  func refuseIfAllKeptBack(_ draft: PlanDraft) throws(InstallationError) {
    guard refusesEmptyUpgrade, draft.request.operation == .upgrade, draft.isEverything,
      draft.steps.isEmpty
    else { return }
    let staying = draft.upgradable ?? []
    let count = draft.held.count + staying.count
    guard count > 0 else { return }
    var parts: [String] = []
    if !draft.held.isEmpty { parts.append("held: " + shortList(draft.held)) }
    if !staying.isEmpty {
      parts.append("not possible without installing or removing others: " + shortList(staying))
    }
    throw InstallationError(
      .unresolvable,
      "cannot upgrade: \(count) package\(count == 1 ? " is" : "s are") kept back, "
        + parts.joined(separator: "; "), update: (draft.held + staying).first?.name,
      hint: "'fettle updates' says why for each")
  }

  /// Refuses steps that change an excluded package because another package needs that.
  func refuseExcludedSteps(_ draft: PlanDraft) throws(InstallationError) {
    for step in draft.steps where step.action != .configure {
      guard
        draft.leftOut.contains(where: {
          $0.reason == .excluded && $0.name == step.name && $0.architecture == step.architecture
        })
      else { continue }
      throw InstallationError(
        .unresolvable,
        "cannot leave out '\(step.name)': others would \(step.action.removes ? "remove" : "change") it",
        update: step.name, hint: "leave out those that need it, too, or do not leave it out")
    }
  }

  /// Warns of upgradable packages that are not among the steps.
  func warnOfKeptBack(_ draft: inout PlanDraft) {
    guard let upgradable = draft.upgradable else { return }
    let staying = upgradable.filter { entry in
      !draft.steps.contains { $0.name == entry.name && $0.architecture == entry.architecture }
    }
    guard !staying.isEmpty else { return }
    draft.warnings.append(
      UpdateWarning(
        .keptBack, "left as they are by an upgrade that removes nothing: " + names(staying)))
  }

  private func shortList(_ entries: [PackageDatabase.Entry]) -> String {
    let names = entries.prefix(5).map(\.name).joined(separator: ", ")
    return names + (entries.count > 5 ? " and \(entries.count - 5) more" : "")
  }

  private func names(_ entries: [PackageDatabase.Entry]) -> String {
    entries.map(\.name).joined(separator: ", ")
  }
}
