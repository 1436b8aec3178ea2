import HostSystem
internal import InstallJobs

// In a private root like the host, packages of the host only count as installed and have no files
// there. An upgrade of everything leaves these packages, and packages that need newer versions of
// them, as they are. Scripts use the host's files.
extension AptPlanner {
  /// Determines the packages that an upgrade of everything leaves as they are: held packages, and
  /// packages that only count as installed.
  func keepBack(_ draft: inout PlanDraft, _ tools: AptTools) async throws(InstallationError) {
    let present = draft.database.entries.filter(\.isPresent)
    let upgradable = try await AptPolicy.read(
      present.map { AptCommand.qualified($0.name, $0.architecture) }, with: tools
    ).upgradable(in: draft.database)
    draft.held = upgradable.filter(\.isHeld)
    if !draft.held.isEmpty {
      draft.warnings.append(UpdateWarning(.held, "kept back because held: " + names(draft.held)))
    }
    let counted =
      root.kind == .privateRoot
      ? upgradable.filter { !$0.isHeld && root.isOnlyCounted($0) } : []
    draft.upgradable = upgradable.filter { !$0.isHeld && !counted.contains($0) }
    guard !counted.isEmpty else { return }
    draft.leftOut = counted.map { entry in
      JobPlan.LeftOut(
        name: entry.name, architecture: entry.architecture, version: entry.version,
        reason: .onlyCounted)
    }
    draft.warnings.append(
      UpdateWarning(
        .onlyCounted,
        "left out because they only count as installed in \(root.path), their files are the host's: "
          + names(counted)))
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

  private func shortList(_ entries: [PackageDatabase.Entry]) -> String {
    let names = entries.prefix(5).map(\.name).joined(separator: ", ")
    return names + (entries.count > 5 ? " and \(entries.count - 5) more" : "")
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

  /// Warns of packages whose scripts use debconf where debconf only counts as installed.
  ///
  /// debconf stores its answers in the host's database, which scripts of this root must not write,
  /// so they fail (measured).
  func warnOfDebconf(_ draft: inout PlanDraft, _ index: PackageIndex) {
    guard let debconf = draft.database.entry("debconf"), root.isOnlyCounted(debconf) else { return }
    let asking = draft.steps.filter { step in
      step.action.unpacks
        && index.records[step.name]?.contains { $0.version == step.toVersion && $0.usesDebconf }
          == true
    }
    guard !asking.isEmpty else { return }
    let who = Sanitised.line(asking.map(\.name).joined(separator: ", "), limit: 200)
    draft.warnings.append(
      UpdateWarning(
        .hostDebconf,
        "scripts of \(who) use debconf, which only counts as installed in \(root.path): they may"
          + " fail, as the host's database is closed to them",
        update: asking.count == 1 ? asking[0].name : nil))
  }

  private func names(_ entries: [PackageDatabase.Entry]) -> String {
    entries.map(\.name).joined(separator: ", ")
  }
}
