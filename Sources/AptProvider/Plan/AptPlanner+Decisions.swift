import HostSystem
internal import InstallJobs

extension AptPlanner {
  /// Decides for each row of the request whether apt is asked, and under which name.
  func decide(_ draft: inout PlanDraft, _ tools: AptTools) async throws(InstallationError) {
    if draft.request.operation == .repair {
      try await decideRepair(&draft, tools)
      return
    }
    if draft.request.operation == .upgrade { try refuseWithoutIndex() }
    for asked in draft.request.updates {
      let update = try await resolve(asked, &draft, tools)
      let decision =
        draft.isRemoval
        ? try await decideRemoval(update, draft, tools)
        : try await decideInstallation(update, &draft, tools)
      draft.rows.append((update, decision))
    }
    try refuseIfAllStay(draft)
    if draft.isEverything, !draft.isRemoval { try await keepBack(&draft, tools) }
  }

  /// Refuses a request in which every package stays as it is.
  private func refuseIfAllStay(_ draft: PlanDraft) throws(InstallationError) {
    var reasons: [(name: String, reason: String)] = []
    for row in draft.rows {
      guard case .stays(let reason, _) = row.decision else { return }
      reasons.append((row.update.name, reason))
    }
    guard let first = reasons.first else { return }
    let more = reasons.count > 1 ? " (and \(reasons.count - 1) more)" : ""
    throw InstallationError(
      .unresolvable,
      "cannot \(draft.request.operation.rawValue) '\(first.name)': \(first.reason)\(more)",
      update: first.name,
      detail: reasons.count > 1
        ? reasons.map { "\($0.name): \($0.reason)" }.joined(separator: "\n") : nil,
      hint: draft.database.entry(first.name)?.isHeld == true
        ? "'fettle unhold \(first.name)' takes the hold away" : "'fettle updates' says more")
  }

  /// Decides about one package.
  ///
  /// Packages that a retry adds automatically and that are not available are left out with a
  /// warning.
  private func decideInstallation(
    _ update: Update, _ draft: inout PlanDraft, _ tools: AptTools
  ) async throws(InstallationError) -> PlanDraft.Decision {
    do throws(InstallationError) {
      return try await decideNamed(update, &draft, tools)
    } catch {
      guard update.isAutomatic, error.code == .notApplicable || error.code == .sourceUnavailable
      else { throw error }
      draft.warnings.append(
        UpdateWarning(
          .leftOutOfRetry, "left out of the retry: \(error.message)", update: update.name))
      return .stays(error.message, found: nil)
    }
  }

  private func decideNamed(
    _ update: Update, _ draft: inout PlanDraft, _ tools: AptTools
  ) async throws(InstallationError) -> PlanDraft.Decision {
    let operation = draft.request.operation
    let archive = draft.archives[update]
    let entry = draft.database.entry(update.name, update.architecture ?? archive?.architecture)
    let installed = entry.flatMap { $0.isPresent ? $0 : nil }
    let records = draft.index.records(
      for: update, native: draft.database.nativeArchitecture)
    guard archive != nil || !records.isEmpty || installed != nil else {
      throw try await unknown(update, draft, tools)
    }
    if operation == .reinstall, installed == nil {
      throw InstallationError(
        .notApplicable, "cannot reinstall '\(update)': it is not installed", class: .fatal,
        update: update.name, hint: "install it with 'fettle install \(update.name)'")
    }
    // A retry may add packages automatically, installed or not; held packages stay as they are, as
    // in an upgrade.
    if operation == .upgrade || operation == .install && update.isAutomatic {
      guard installed != nil || update.isAutomatic else {
        return .nothing(.notInstalled, found: nil)
      }
      if let installed, installed.isHeld {
        let names = [AptCommand.qualified(installed.name, installed.architecture)]
        guard try await !upgradable(names, tools, draft.database).isEmpty else {
          return .nothing(.alreadyInstalled, found: installed.version)
        }
        draft.warnings.append(
          UpdateWarning(.held, "kept back because held: \(update.name)", update: update.name))
        return .stays("it is held at \(installed.version)", found: installed.version)
      }
    }
    let isAgain = draft.isForced || operation == .reinstall
    let version =
      archive?.version ?? update.version ?? (operation == .reinstall ? installed?.version : nil)
    if let version {
      if let installed, installed.isWhole, installed.version == version, !isAgain {
        return .nothing(.alreadyInstalled, found: version)
      }
      if archive == nil {
        try refuseUnavailable(version, of: update, installed: installed, records)
      }
      try await refuseDowngrade(to: version, of: update, installed: installed, &draft)
    }
    if let archive = update.archive { return .work("\(archiveStore)/\(archive.sha256).deb") }
    let name = AptCommand.qualified(update.name, update.architecture)
    return .work(version.map { name + "=" + $0 } ?? name)
  }

  private func refuseUnavailable(
    _ version: String, of update: Update, installed: PackageDatabase.Entry?,
    _ records: [PackageIndex.Record]
  ) throws(InstallationError) {
    guard !records.contains(where: { $0.version == version && $0.isAvailable }) else { return }
    if installed?.version == version { throw withoutSource(update.name, version) }
    let offered = records.filter(\.isAvailable).map(\.version).prefix(5).joined(separator: ", ")
    throw InstallationError(
      .notApplicable,
      "cannot install '\(update)': the index of \(root.path) has no version \(version) of "
        + update.name, class: .fatal, update: update.name,
      hint: offered.isEmpty ? root.refreshAdvice : "on offer: \(offered)")
  }

  private func refuseDowngrade(
    to version: String, of update: Update, installed: PackageDatabase.Entry?,
    _ draft: inout PlanDraft
  ) async throws(InstallationError) {
    guard let installed, installed.version != version else { return }
    guard try await VersionOrder.isOlder(version, than: installed.version) else { return }
    guard draft.allowsDowngrades else {
      // The hint names the submitted file: no source needs to have that version.
      let again =
        update.archive.map { "./" + $0.fileName }
        ?? Update(update.name, version: version, architecture: update.architecture).description
      throw InstallationError(
        .notApplicable,
        "cannot install '\(update.name)' \(version): \(installed.version) is installed and newer",
        update: update.name,
        hint: "'fettle install --allow-downgrades \(again)' goes back to it")
    }
    draft.isDowngrade = true
  }

  private func decideRemoval(_ update: Update, _ draft: PlanDraft, _ tools: AptTools)
    async throws(InstallationError) -> PlanDraft.Decision
  {
    guard let entry = draft.database.entry(update.name, update.architecture),
      entry.state != "not-installed"
    else {
      let records = draft.index.records(for: update, native: draft.database.nativeArchitecture)
      // Without an index a package that is not installed cannot be distinguished from an unknown
      // name.
      guard !records.isEmpty || !hasIndex else {
        throw try await unknown(update, draft, tools)
      }
      return .nothing(.notInstalled, found: nil)
    }
    guard entry.isPresent || draft.purges else { return .nothing(.notInstalled, found: nil) }
    if let release = update.release {
      throw InstallationError(
        .notApplicable, "cannot remove '\(update)': a removal has no release", class: .fatal,
        update: update.name, hint: "leave /\(release) out")
    }
    if let version = update.version, version != entry.version {
      throw InstallationError(
        .notApplicable,
        "cannot remove '\(update)': version \(entry.version) is installed", class: .fatal,
        update: update.name, hint: "name \(update.name) without a version")
    }
    if entry.isEssential { throw essential(update.name) }
    return .work(AptCommand.qualified(entry.name, entry.architecture))
  }

  private func decideRepair(_ draft: inout PlanDraft, _ tools: AptTools)
    async throws(InstallationError)
  {
    let journaled = root.lockHolder == nil ? Set(root.journaledNames) : []
    draft.journaled = journaled
    let broken = draft.database.entries.filter {
      $0.isPresent && (!$0.isWhole || journaled.contains($0.name))
    }
    var wanted = broken
    if !draft.isEverything {
      wanted = []
      for update in draft.request.updates {
        guard let entry = draft.database.entry(update.name, update.architecture), entry.isPresent
        else { throw try await unknown(update, draft, tools) }
        if !broken.contains(entry) {
          draft.rows.append((update, .nothing(.alreadyInstalled, found: entry.version)))
        } else {
          wanted.append(entry)
        }
      }
    }
    draft.index = try await PackageIndex.read(
      Set(wanted.map { AptCommand.qualified($0.name, $0.architecture) }), with: tools)
    for entry in wanted where entry.isInterrupted {
      let records = draft.index.records[entry.name] ?? []
      guard
        let record = records.first(where: { $0.isAvailable && $0.version == entry.version })
          ?? records.first(where: \.isAvailable)
      else { throw withoutSource(entry.name, entry.version) }
      let name = AptCommand.qualified(entry.name, entry.architecture) + "=" + record.version
      draft.rows.append((Update(entry.name, architecture: entry.architecture), .work(name)))
    }
    draft.broken = wanted
  }

  /// Returns the packages among `names` for which the index has a newer version.
  func upgradable(_ names: [String], _ tools: AptTools, _ database: PackageDatabase)
    async throws(InstallationError) -> [String]
  {
    guard !names.isEmpty else { return [] }
    return try await AptPolicy.read(names, with: tools).upgradable(in: database).map(\.name)
  }

  private func unknown(_ update: Update, _ draft: PlanDraft, _ tools: AptTools)
    async throws(InstallationError) -> InstallationError
  {
    let operation = draft.request.operation
    let refresh = root.refreshAdvice
    let name = "cannot \(operation.rawValue) '\(update)'"
    if let architecture = update.architecture, !draft.database.isNative(architecture),
      !root.foreignArchitectures.contains(architecture)
    {
      return InstallationError(
        .notApplicable,
        "\(name): packages for \(architecture) are not enabled in \(root.path), which is"
          + " \(draft.database.nativeArchitecture)",
        class: .fatal, update: update.name, hint: root.enablingAdvice(for: architecture))
    }
    guard hasIndex else {
      return InstallationError(
        .notApplicable, "\(name): the package index of \(root.path) is empty", update: update.name,
        hint: refresh)
    }
    try await refuseDamagedIndex()
    if let architecture = update.architecture {
      return InstallationError(
        .notApplicable,
        "\(name): no \(update.name) for \(architecture) in the index of \(root.path)",
        class: .fatal, update: update.name, hint: refresh)
    }
    let lack = operation.kind == .uninstallation ? "it is not installed, and there is " : ""
    let providers = try await providers(of: update.name, tools)
    if !providers.isEmpty {
      return InstallationError(
        .notApplicable, "\(name): it is a virtual package", class: .fatal, update: update.name,
        hint: "name one of those that provide it: "
          + providers.prefix(5).joined(separator: ", "))
    }
    return InstallationError(
      .notApplicable, "\(name): \(lack)no such package in the index of \(root.path)", class: .fatal,
      update: update.name, hint: refresh)
  }

  func providers(of name: String, _ tools: AptTools)
    async throws(InstallationError) -> [String]
  {
    let run = try await tools.readIndex(["showpkg", "--", name])
    // apt-cache may treat an unknown name as a pattern; only the section of this name counts.
    let own = run.lines.drop { $0 != "Package: \(name)" }.dropFirst()
      .prefix { !$0.hasPrefix("Package: ") }
    let lines = own.drop { !$0.hasPrefix("Reverse Provides:") }.dropFirst()
    return Set(lines.map { $0.prefix { $0 != " " } }.filter { Update.isPackageName($0) })
      .map(String.init).sorted()
  }

  /// Throws `notApplicable` without an index, because an upgrade would then find nothing.
  func refuseWithoutIndex() throws(InstallationError) {
    guard !hasIndex else { return }
    throw InstallationError(
      .notApplicable, "cannot upgrade: the package index of \(root.path) is empty",
      hint: root.refreshAdvice)
  }

  /// Throws `unresolvable` for a damaged index, which says nothing about what there is.
  func refuseDamagedIndex() async throws(InstallationError) {
    guard let first = try await integrity.damagedFiles(of: root).first else { return }
    throw InstallationError(
      .unresolvable,
      "the package index of \(root.path) is damaged: "
        + "\(Sanitised.line(first, limit: 200)) is not what was fetched",
      hint: root.refreshAdvice)
  }

  private var hasIndex: Bool {
    RootFiles.names(in: root.listsDirectory).contains { name in
      name.contains("_Packages")
        && (RootFiles.status(root.listsDirectory + "/" + name)?.size ?? 0) > 0
    }
  }
}
