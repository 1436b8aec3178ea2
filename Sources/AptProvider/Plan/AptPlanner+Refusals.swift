import HostSystem
internal import InstallJobs

extension AptPlanner {
  /// Refuses a request that changes an exclusive package together with other packages (row A17).
  func refuseExclusiveConflict(_ request: JobRequest) throws(InstallationError) {
    guard request.updates.count > 1, !request.options.isDownloadOnly,
      let exclusive = request.updates.first(where: { Self.exclusiveNames.contains($0.name) })
    else { return }
    throw InstallationError(
      .exclusiveConflict,
      "cannot \(request.operation.rawValue) '\(exclusive.name)' together with other packages: "
        + "the package tools themselves depend on it",
      update: exclusive.name, hint: "submit \(exclusive.name) as a job of its own")
  }

  /// Refuses to plan while an interrupted dpkg has left noted changes.
  ///
  /// apt would refuse too, but only when the work starts. A removal of all incomplete packages is
  /// allowed: it is the only way out where a package's script makes dpkg fail each time. While
  /// another process works on the database, the noted changes say nothing.
  func refuseInterrupted(_ request: JobRequest) async throws(InstallationError) {
    let names = root.journaledNames
    guard !names.isEmpty, root.lockHolder == nil else { return }
    let half = try await PackageDatabase.read(root).entries.filter {
      names.contains($0.name) && $0.incompleteReason != nil
    }
    let takesAllAway = half.allSatisfy { entry in
      request.updates.contains { $0.name == entry.name }
    }
    if request.operation.kind == .uninstallation, !half.isEmpty, takesAllAway { return }
    var hint = root.repairAdvice(for: .finishConfiguration)
    if !half.isEmpty, !half.contains(where: \.isInterrupted) {
      hint += "; where that fails, \(PackageRoot.removalAdvice(for: half.map(\.name)))"
    }
    throw InstallationError(
      .unresolvable,
      "the package database of \(root.path) was left in the middle of work on \(list(names))",
      update: names.first, hint: hint)
  }

  /// Warns of incomplete packages that this job does not repair.
  ///
  /// Gives no warning while another process works on the database, because states change then.
  func warnOfIncompletePackages(_ draft: inout PlanDraft) {
    guard draft.request.operation != .repair, root.lockHolder == nil else { return }
    for entry in draft.database.entries {
      guard let sentence = entry.incompleteReason,
        !draft.steps.contains(where: {
          $0.name == entry.name && $0.architecture == entry.architecture && $0.requested
        })
      else { continue }
      // apt completes these packages first; when that fails, the job's own work is not started.
      let isFirst = draft.steps.contains {
        $0.name == entry.name && $0.architecture == entry.architecture && $0.action == .configure
      }
      let advice =
        isFirst
        ? "apt completes that first, and where it fails nothing of this job may be done: mend it"
          + " before, \(root.repairAdvice(for: .finishConfiguration))"
        : "'fettle doctor' says what to do"
      draft.warnings.append(
        UpdateWarning(.unfinishedPackage, "\(sentence); \(advice)", update: entry.name))
    }
  }

  /// Refuses steps that apt would add beyond the request.
  func refuseSteps(of draft: PlanDraft) throws(InstallationError) {
    let request = draft.request
    for step in draft.steps {
      let entry = draft.database.entry(step.name, step.architecture)
      let isRemoval = step.action == .remove || step.action == .purge
      if isRemoval, entry?.isEssential == true { throw essential(step.name) }
      if let entry, step.action != .configure, root.isOnlyCounted(entry) {
        throw InstallationError(
          isRemoval ? .notUninstallable : .unresolvable,
          "cannot \(step.action.rawValue) '\(step.name)'\(requirementPhrase(of: step, in: draft)): it only counts as "
            + "installed in "
            + "\(root.path), its files are the host's",
          update: step.name, hint: "ask for packages that the host does not have")
      }
      if let entry, entry.isHeld, step.action != .configure, step.action != .reinstall {
        throw InstallationError(
          .unresolvable,
          "cannot \(step.action.rawValue) '\(step.name)'\(requirementPhrase(of: step, in: draft)): it is held at "
            + entry.version,
          update: step.name, hint: "'fettle unhold \(step.name)' takes the hold away")
      }
      if step.action == .downgrade, !request.options.planning.allowsDowngrades,
        !draft.isForced || !step.requested
      {
        throw InstallationError(
          .unresolvable,
          "cannot go on: \(step.name) would go back from \(step.fromVersion ?? "?") to "
            + "\(step.toVersion ?? "?"), which was not asked for",
          update: step.name, hint: "consent to older versions with --allow-downgrades")
      }
    }
    try refuseExcludedSteps(draft)
    try refuseDependants(draft)
    try refuseMissingSources(draft)
  }

  /// Names the requested package that needs an added step: `, which boxes needs`.
  private func requirementPhrase(of step: PlannedUpdate, in draft: PlanDraft) -> String {
    let names = draft.rows.compactMap { row -> String? in
      if case .work = row.decision { Sanitised.line(row.update.name, limit: 100) } else { nil }
    }
    guard !step.requested, step.action.unpacks, !draft.isEverything, let first = names.first else {
      return ""
    }
    return names.count == 1 ? ", which \(first) needs" : ", which one of \(list(names)) needs"
  }

  // The policy of row A25: only named packages are removed.
  private func refuseDependants(_ draft: PlanDraft) throws(InstallationError) {
    guard draft.isRemoval, !draft.request.options.planning.allowsRemovals else { return }
    let others = draft.steps.filter {
      !$0.requested && ($0.action == .remove || $0.action == .purge)
    }
    .map(\.name)
    guard !others.isEmpty else { return }
    let asked = draft.request.updates.map(\.name).joined(separator: ", ")
    throw InstallationError(
      .notUninstallable,
      "cannot \(draft.request.operation.rawValue) '\(Sanitised.line(asked, limit: 100))': "
        + "\(list(others)) \(others.count == 1 ? "needs" : "need") it",
      update: draft.request.updates.first?.name,
      hint: "name \(list(others)) too, or remove them all with --allow-removals")
  }

  // apt exits with 0 and does nothing when it has no archive for a reinstallation (measurement
  // E12).
  private func refuseMissingSources(_ draft: PlanDraft) throws(InstallationError) {
    guard
      draft.isForced && draft.request.operation == .install
        || draft.request.operation == .reinstall
    else { return }
    for row in draft.rows {
      guard case .work = row.decision, draft.stepIndex(for: row.update) == nil else { continue }
      let entry = draft.database.entry(row.update.name, row.update.architecture)
      throw withoutSource(row.update.name, entry?.version ?? "", draft)
    }
  }

  func refuseWithoutSpace(_ plan: JobPlan, _ request: JobRequest) throws(InstallationError) {
    let change = request.options.isDownloadOnly ? 0 : plan.installedSizeChange
    let needed = [change, plan.downloadSize].total
    guard needed > 0, let free = freeBytes(root.path), needed > free else { return }
    throw InstallationError(
      .noSpace,
      "cannot \(request.operation.rawValue): \(needed / 1024) KiB are needed in \(root.path), "
        + "\(free / 1024) KiB are free",
      hint: "free some space, or ask for fewer packages")
  }

  func essential(_ name: String) -> InstallationError {
    InstallationError(
      .notUninstallable, "cannot remove '\(name)': the system needs it", class: .fatal,
      update: name, hint: "leave \(name) out")
  }

  func withoutSource(
    _ name: String, _ version: String, _ draft: PlanDraft? = nil
  ) -> InstallationError {
    // apt completes an incomplete package instead and asks for no archive (measured).
    if let draft, draft.request.operation != .repair,
      let half = draft.database.entry(name)?.incompleteReason
    {
      return InstallationError(
        .unresolvable, "cannot install '\(name)' again: \(half)", update: name,
        hint: root.repairAdvice(for: .finishConfiguration))
    }
    return InstallationError(
      .sourceUnavailable,
      "cannot install '\(name)' \(version) again: no source has that archive",
      update: name, hint: "\(root.refreshAdvice), or add a source that has it")
  }

  /// Converts a failed simulation into an error.
  ///
  /// The existence of packages was checked before, so the remaining cause is unmet dependencies.
  func simulationError(of run: Tool.Run, _ draft: PlanDraft) -> InstallationError {
    let names = run.unmetDependencies.names
    var reasons = run.unmetDependencies.reasons
    if reasons.isEmpty { reasons = run.complaints }
    let asked =
      draft.request.updates.isEmpty
      ? "everything" : draft.request.updates.map { "'\($0)'" }.joined(separator: ", ")
    // A package left unpacked without its dependencies makes apt refuse all other work.
    let isLeft = names.contains { draft.database.entry($0)?.incompleteReason != nil }
    return InstallationError(
      .unresolvable,
      "cannot \(draft.request.operation.rawValue) \(Sanitised.line(asked, limit: 200)): "
        + (reasons.first ?? "apt ends with \(run.status)"),
      update: names.first, detail: reasons.count > 1 ? reasons.joined(separator: "\n") : nil,
      hint: isLeft && draft.request.operation != .repair
        ? "earlier work was left half done: 'fettle doctor' says what to do"
        : "leave out one of the packages named, or \(root.refreshAdvice)")
  }

  private func list(_ names: [String]) -> String {
    names.prefix(5).joined(separator: ", ")
      + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }
}
