internal import InstallJobs

// A root where packages of the host only count as installed: these have no files there. An upgrade of
// everything leaves them, and what needs a newer one of them, as they are; scripts find the host's.
extension AptPlanner {
  /// Has each package stay that is upgradable and only counts as installed.
  func leaveOutCounted(
    _ draft: inout PlanDraft, _ tools: AptTools
  ) async throws(InstallationError) {
    let present = draft.database.entries.filter(\.isPresent)
    guard root.kind == .privateRoot, present.contains(where: root.isOnlyCounted) else { return }
    let upgradable = try await AptPolicy.read(
      present.map { AptCommand.qualified($0.name, $0.architecture) }, with: tools
    ).upgradable(in: draft.database).filter { !$0.isHeld }
    let counted = upgradable.filter(root.isOnlyCounted)
    guard !counted.isEmpty else { return }
    draft.leftOut = counted.map { entry in
      JobPlan.LeftOut(
        name: entry.name, architecture: entry.architecture, version: entry.version,
        reason: .onlyCounted)
    }
    draft.warnings.append(
      "left out because they only count as installed in \(root.path), their files are the host's: "
        + names(counted))
    draft.upgradable = upgradable.filter { !root.isOnlyCounted($0) }
  }

  /// Names what was upgradable and is not among the steps.
  func warnOfStaying(_ draft: inout PlanDraft) {
    guard let upgradable = draft.upgradable else { return }
    let staying = upgradable.filter { entry in
      !draft.steps.contains { $0.name == entry.name && $0.architecture == entry.architecture }
    }
    guard !staying.isEmpty else { return }
    draft.warnings.append("left as they are by an upgrade that removes nothing: " + names(staying))
  }

  /// Names the packages whose scripts ask debconf, where that is the host's: it keeps its answers in
  /// the host's database, which scripts of this root must not write, so that they fail (measured).
  func warnOfDebconf(_ draft: inout PlanDraft, _ index: PackageIndex) {
    guard let debconf = draft.database.entry("debconf"), root.isOnlyCounted(debconf) else { return }
    let asking = draft.steps.filter { step in
      step.action.unpacks
        && index.records[step.name]?.contains { $0.version == step.toVersion && $0.usesDebconf }
          == true
    }
    guard !asking.isEmpty else { return }
    draft.warnings.append(
      "scripts of \(Sanitised.line(asking.map(\.name).joined(separator: ", "), limit: 200)) use debconf, which only counts as "
        + "installed in \(root.path): they may fail, as the host's database is closed to them")
  }

  private func names(_ entries: [PackageDatabase.Entry]) -> String {
    entries.map(\.name).joined(separator: ", ")
  }
}
