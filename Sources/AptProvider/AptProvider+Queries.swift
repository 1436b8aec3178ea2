import HostSystem
package import InstallJobs
package import PackageProvider

extension AptProvider {
  /// Compares the package database with the plan, independently of the tools' exit status.
  ///
  /// When the database cannot be read, each finding has the state `unknown` and is neither as
  /// planned nor untouched, and the audit is the reason.
  package func verify(_ plan: JobPlan) async -> Verification {
    do {
      let database = try await PackageDatabase.read(packageRoot)
      let audit = try await Tool("/usr/bin/dpkg").run(
        ["--admindir=" + packageRoot.adminDirectory, "--audit"], environment: Tool.plain)
      var repairs: [RepairAction] = []
      for step in plan.steps {
        guard let repair = step.repair(in: database), !repairs.contains(repair) else { continue }
        repairs.append(repair)
      }
      // The next dpkg that ends without an error merges the noted changes; until then apt refuses
      // to work.
      let isNoted = packageRoot.lockHolder == nil && !packageRoot.journaledNames.isEmpty
      if isNoted, !repairs.contains(.finishConfiguration) { repairs.append(.finishConfiguration) }
      let contradicted = plan.contradicted { update in
        database.entry(update.name, update.architecture).flatMap { entry in
          entry.isWhole ? .some(entry.version) : entry.isPresent ? .some(nil) : nil
        }
      }
      return Verification(
        findings: plan.steps.map { $0.finding(in: database) },
        contradicted: contradicted.union(try unmarked(in: plan, database)),
        audit: audit.output.isEmpty && audit.status == 0
          ? "" : Sanitised.text(audit.output.isEmpty ? audit.errors : audit.output),
        repairs: repairs)
    } catch {
      let finding = Verification.Finding(
        isAsPlanned: false, isUntouched: false, state: "unknown", version: nil)
      return Verification(
        findings: plan.steps.map { _ in finding }, audit: error.message)
    }
  }

  /// Returns the requests whose packages should be marked as wanted for themselves and are not.
  private func unmarked(
    in plan: JobPlan, _ database: PackageDatabase
  ) throws(InstallationError) -> Set<Int> {
    guard plan.hasMarks else { return [] }
    let automatic = try packageRoot.automaticPackages()
    return Set(
      plan.requests.indices.filter { index in
        let request = plan.requests[index]
        guard request.marksManual == true else { return false }
        let entry = database.entry(request.update.name, request.update.architecture)
        return entry.map {
          automatic.contains(AptCommand.qualified($0.name, $0.architecture))
        } ?? true
      })
  }

  /// Returns the installed packages for which the index has a newer version (row A7), held packages
  /// included.
  ///
  /// Packages that only count as installed are marked as kept back, because an upgrade of
  /// everything leaves them out.
  ///
  /// - Throws: `notApplicable` when there is no index.
  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    let database = try await PackageDatabase.read(packageRoot)
    let entries = database.entries.filter(\.isPresent)
    try planner.refuseWithoutIndex()
    guard !entries.isEmpty else { return [] }
    let tools = try AptTools(AptConfiguration(root: packageRoot), cache: cache)
    defer { tools.close() }
    let policy = try await AptPolicy.read(
      entries.map { AptCommand.qualified($0.name, $0.architecture) }, with: tools)
    let upgradable = try await policy.upgradable(in: database)
    let index = try await PackageIndex.read(
      Set(upgradable.map { AptCommand.qualified($0.name, $0.architecture) }), with: tools)
    guard !upgradable.isEmpty else {
      try await planner.refuseDamagedIndex()
      return []
    }
    let offers = try await offers(tools, database)
    let whole: Result<JobPlan, InstallationError>
    do throws(InstallationError) {
      var planner = planner
      planner.refusesEmptyUpgrade = false
      whole = .success(try await planner.plan(JobRequest(.upgrade, [])))
    } catch {
      whole = .failure(error)
    }
    let releases = releases.names(of: packageRoot)
    return upgradable.map { entry in
      let candidate = policy.candidate(of: entry, in: database)
      let offer = candidate.flatMap { offers["\(entry.name)=\($0)"] }
      let record = index.records[entry.name]?.first { $0.version == candidate }
      var update = PlannedUpdate(
        name: entry.name, architecture: record?.architecture ?? entry.architecture,
        action: .upgrade, fromVersion: entry.version, toVersion: candidate,
        downloadSize: record?.downloadSize ?? 0,
        installedSize: (record?.installedSize ?? 0) * 1024,
        origin: offer?.origins.first.map { releases.name(of: $0, file: record?.fileName) })
      update.isSecurity = policy.isSecurity(entry, in: database) || offer?.isSecurity == true
      update.keptBack =
        entry.isHeld
        ? "held" : whole.reasonToKeep(entry, isOnlyCounted: packageRoot.isOnlyCounted(entry))
      return update
    }
  }

  /// The unpackings that `apt-get dist-upgrade` would do if no package were held, by
  /// `NAME=VERSION`.
  private func offers(
    _ tools: AptTools, _ database: PackageDatabase
  ) async throws(InstallationError) -> [String: SimulatedAction] {
    let simulation = try await tools.simulate(["--ignore-hold", "dist-upgrade"])
    // apt plans nothing while dependencies are broken. The updates are then listed without their
    // origins, and each says that it cannot be planned.
    guard simulation.run.status == 0 else { return [:] }
    var offers: [String: SimulatedAction] = [:]
    for action in try planner.operations(of: simulation, on: database)
    where action.verb == .unpack {
      offers["\(action.name)=\(action.newVersion ?? "")"] = action
    }
    return offers
  }

  /// Returns the restart marker and the packages that asked for a restart (rows A16, D3).
  package func rebootReasons() async -> RebootMarker {
    let marker = packageRoot.rebootMarker
    var names: [String] = []
    for line in (RootFiles.text(of: marker + ".pkgs") ?? "").split(separator: "\n") {
      guard Update.isPackageName(line), !names.contains(String(line)) else { continue }
      names.append(String(line))
    }
    return RebootMarker(isSet: RootFiles.exists(marker), packages: names)
  }

  /// Returns the process that holds a lock of the package database; nil when none does.
  package func lockHolder() async -> LockHolder? { packageRoot.lockHolder }

  /// Asks the lock holder to end after its present set of packages; only unattended-upgrades
  /// supports that.
  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try packageRoot.askHolderToYield()
  }
}

extension Result<JobPlan, InstallationError> {
  /// Why an upgrade of everything leaves a package as it is; nil when the upgrade includes it.
  fileprivate func reasonToKeep(
    _ entry: PackageDatabase.Entry, isOnlyCounted: Bool
  ) -> String? {
    switch self {
    case .success where isOnlyCounted: "only counts as installed here, its files are the host's"
    case .success(let plan):
      plan.steps.contains { $0.name == entry.name && $0.fromVersion == entry.version }
        ? nil : "an upgrade that removes nothing leaves it"
    case .failure: PlannedUpdate.unplannable
    }
  }
}
