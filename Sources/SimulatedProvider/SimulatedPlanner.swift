package import InstallJobs
import PackageProvider

/// Makes plans from a scenario's index and a simulated database, without any I/O.
package struct SimulatedPlanner: Sendable {
  private let index: ScenarioIndex
  private let database: SimulatedDatabase
  private let operation: JobOperation
  private let options: InstallationOptions
  private var steps: [PlannedUpdate] = []
  private var stepIndex: [String: Int] = [:]
  private var visiting: Set<String> = []
  private var archives: [Int: PlannedArchive] = [:]
  private var warnings: [UpdateWarning] = []

  private var scenario: Scenario { index.scenario }

  private init(_ request: JobRequest, index: ScenarioIndex, database: SimulatedDatabase) {
    self.index = index
    self.database = database
    operation = request.operation
    options = request.options
  }

  /// Returns the plan of a validated request.
  ///
  /// - Throws: `notApplicable`, `unresolvable`, `notUninstallable`, `exclusiveConflict`.
  package static func plan(
    _ request: JobRequest, index: ScenarioIndex, database: SimulatedDatabase
  ) throws(InstallationError) -> JobPlan {
    var planner = SimulatedPlanner(request, index: index, database: database)
    return try planner.plan(request)
  }

  /// Returns installed packages with a newer version in the index, in the order of the index.
  package static func upgradable(
    _ scenario: Scenario, _ database: SimulatedDatabase
  ) -> [PlannedUpdate] {
    newer(in: scenario, than: database).filter { !$0.package.isHeld }.map {
      $0.package.planned(.upgrade, from: $0.installed, requested: false)
    }
  }

  /// Returns the newest version of each installed package with a newer version, including held
  /// packages, with the installed version.
  private static func newer(
    in scenario: Scenario, than database: SimulatedDatabase
  ) -> [(package: SimulatedPackage, installed: String)] {
    var newest: [String: SimulatedPackage] = [:]
    var order: [String] = []
    for package in scenario.packages where newest.updateValue(package, forKey: package.key) == nil {
      order.append(package.key)
    }
    return order.compactMap { key in
      guard let package = newest[key], let installed = database[key].version,
        installed != package.version
      else { return nil }
      return (package, installed)
    }
  }

  private mutating func plan(_ request: JobRequest) throws(InstallationError) -> JobPlan {
    var rows: [JobPlan.Request] = []
    if operation == .repair, request.updates.isEmpty {
      try planRepairs()
    } else if operation == .upgrade, request.updates.isEmpty {
      warnings = Self.newer(in: scenario, than: database).filter(\.package.isHeld).map {
        UpdateWarning(
          .held, "kept back because held: \($0.package.name)", update: $0.package.name)
      }
      for update in Self.upgradable(scenario, database) {
        try addInstall(try package(for: Update(update.name)), requested: true)
      }
    } else {
      for update in request.updates { rows.append(try row(for: update)) }
    }
    if rows.isEmpty {
      for (index, step) in steps.enumerated() where step.requested {
        rows.append(JobPlan.Request(update: Update(step.name), step: index))
      }
    }
    try refuseConflicts()
    let change = steps.reduce(into: Int64(0)) { sum, step in
      sum += step.action == .install ? step.installedSize : 0
      sum -= step.action == .remove || step.action == .purge ? step.installedSize : 0
    }
    var plan = JobPlan(
      requests: rows, steps: steps, archives: archives, installedSizeChange: change,
      fingerprint: SimulatedFingerprint(
        index: database.indexGeneration, generation: database.generation
      ).description)
    plan.warnings = warnings
    return plan
  }

  private mutating func row(for update: Update) throws(InstallationError) -> JobPlan.Request {
    let wanted = try package(for: update)
    let entry = database[wanted.key]
    switch operation {
    case .install, .upgrade:
      if operation == .upgrade, entry.version == nil, !update.isAutomatic {
        return JobPlan.Request(update: update, step: nil, note: .notInstalled)
      }
      if entry.isInstalled, entry.version == wanted.version, !options.isForced,
        update.archive == nil
      {
        return JobPlan.Request(
          update: update, step: nil, note: .alreadyInstalled, foundVersion: entry.version)
      }
      try addInstall(wanted, requested: true, archive: update.archive)
    case .reinstall:
      guard let version = entry.version else {
        throw InstallationError(
          .notApplicable, "cannot reinstall '\(update)': it is not installed", class: .fatal,
          update: update.name, hint: "install it")
      }
      add(wanted.planned(.reinstall, from: version, requested: true), archive: wanted.archive)
    case .remove, .purge:
      let keepsNothing = operation == .purge || options.purgesConfiguration
      let isGone = keepsNothing ? entry.state == "not-installed" : entry.version == nil
      if isGone { return JobPlan.Request(update: update, step: nil, note: .notInstalled) }
      try refuseRemoval(of: wanted)
      add(wanted.planned(keepsNothing ? .purge : .remove, from: entry.version, requested: true))
    case .repair: addRepair(wanted, entry)
    }
    return JobPlan.Request(update: update, step: stepIndex[wanted.key])
  }

  private func package(for update: Update) throws(InstallationError) -> SimulatedPackage {
    let named = index.packages(named: update.name).filter {
      update.architecture == nil || $0.architecture == update.architecture
    }
    if let archive = update.archive {
      return (named.last ?? SimulatedPackage(update.name)).modified {
        $0.version = update.version ?? $0.version
        $0.size = archive.size
        $0.origin = "local file"
      }
    }
    guard let newest = named.last else {
      throw InstallationError(
        .notApplicable,
        "cannot \(operation.rawValue) '\(update)': no such package in the index of "
          + scenario.name, class: .fatal, update: update.name,
        hint: "the scenario's packages: "
          + Set(scenario.packages.map(\.name)).sorted().prefix(5).joined(separator: ", "))
    }
    guard let version = update.version else { return newest }
    if let exact = named.last(where: { $0.version == version }) { return exact }
    throw InstallationError(
      .notApplicable,
      "cannot \(operation.rawValue) '\(update)': the index of \(scenario.name) has "
        + named.map(\.version).joined(separator: ", "),
      class: .fatal, update: update.name, hint: "name one of these versions")
  }

  private mutating func addInstall(
    _ wanted: SimulatedPackage, requested: Bool, archive: LocalArchive? = nil
  ) throws(InstallationError) {
    if let index = stepIndex[wanted.key] {
      if requested { steps[index].requested = true }
      return
    }
    guard visiting.insert(wanted.key).inserted else { return }
    for name in wanted.dependencies {
      let needed = try package(for: Update(name))
      if !database[needed.key].isInstalled { try addInstall(needed, requested: false) }
    }
    let entry = database[wanted.key]
    if wanted.isHeld, entry.version != nil, !options.isForced {
      throw InstallationError(
        .unresolvable, "cannot \(operation.rawValue) '\(wanted.name)': it is held", class: .fatal,
        update: wanted.name, hint: "release the hold first")
    }
    let action = action(for: wanted, from: entry.version)
    if action == .downgrade, !options.isForced {
      throw InstallationError(
        .unresolvable,
        "cannot \(operation.rawValue) '\(wanted.name)': \(wanted.version) is older than "
          + (entry.version ?? ""), class: .fatal, update: wanted.name, hint: "force the downgrade")
    }
    add(wanted.planned(action, from: entry.version, requested: requested), archive: wanted.archive)
  }

  private func action(for wanted: SimulatedPackage, from version: String?) -> PlannedAction {
    guard let version else { return .install }
    if version == wanted.version { return .reinstall }
    let versions = index.packages(named: wanted.name, wanted.architecture).map(\.version)
    guard let old = versions.firstIndex(of: version),
      let new = versions.firstIndex(of: wanted.version)
    else { return .upgrade }
    return new < old ? .downgrade : .upgrade
  }

  private mutating func add(_ step: PlannedUpdate, archive: PlannedArchive? = nil) {
    guard stepIndex[step.key] == nil else { return }
    stepIndex[step.key] = steps.count
    if let archive { archives[steps.count] = archive }
    steps.append(step)
  }

  private mutating func planRepairs() throws(InstallationError) {
    for key in database.packages.keys.sorted() {
      guard let package = index.newest(key: key) else { continue }
      addRepair(package, database[key])
    }
  }

  private mutating func addRepair(
    _ package: SimulatedPackage, _ entry: SimulatedDatabase.Entry
  ) {
    switch entry.state {
    case "installed", "not-installed", "config-files": break
    case "half-installed":
      add(
        package.planned(.reinstall, from: entry.version, requested: true), archive: package.archive)
    default: add(package.planned(.configure, from: entry.version, requested: true))
    }
  }

  private func refuseRemoval(of package: SimulatedPackage) throws(InstallationError) {
    if package.isEssential {
      throw InstallationError(
        .notUninstallable, "cannot \(operation.rawValue) '\(package.name)': it is essential",
        class: .fatal, update: package.name, hint: "leave it installed")
    }
    guard
      let needing = index.packages(needing: package.name).first(where: {
        database[$0.key].isInstalled && stepIndex[$0.key] == nil
      })
    else { return }
    throw InstallationError(
      .notUninstallable,
      "cannot \(operation.rawValue) '\(package.name)': \(needing.name) needs it", class: .fatal,
      update: package.name, hint: "name \(needing.name) before it")
  }

  private func refuseConflicts() throws(InstallationError) {
    let coming = steps.filter { $0.action.unpacks }
    let comingNames = Set(coming.map(\.name))
    for step in coming {
      guard let package = index.newest(key: step.key) else { continue }
      if package.isExclusive, steps.count(where: \.requested) > 1 {
        throw InstallationError(
          .exclusiveConflict, "'\(step.name)' must be the only update of its job", class: .fatal,
          update: step.name, hint: "submit \(step.name) alone")
      }
      for other in package.conflicts {
        let isThere = index.packages(named: other).contains {
          database[$0.key].isInstalled && stepIndex[$0.key] == nil
        }
        guard isThere || comingNames.contains(other) else { continue }
        throw InstallationError(
          .unresolvable, "'\(step.name)' conflicts with '\(other)'", class: .fatal,
          update: step.name, hint: "name only one of them")
      }
    }
  }
}

extension SimulatedPackage {
  fileprivate func planned(
    _ action: PlannedAction, from version: String?, requested: Bool
  ) -> PlannedUpdate {
    let isGoing = action == .remove || action == .purge
    var update = PlannedUpdate(
      name: name, architecture: architecture, action: action, fromVersion: version,
      toVersion: isGoing ? nil : (action == .configure ? version : self.version),
      downloadSize: action.unpacks ? size : 0, installedSize: installedSize,
      origin: isGoing ? nil : origin, requested: requested)
    update.isSecurity = action.unpacks && origin.namesSecurity
    return update
  }

  fileprivate var archive: PlannedArchive {
    let fileName = "\(name)_\(version)_\(architecture).deb"
    return PlannedArchive(
      fileName: fileName, size: size, hash: nil, uri: "simulated:/\(fileName)")
  }
}
