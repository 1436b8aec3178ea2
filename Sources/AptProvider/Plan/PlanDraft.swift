internal import InstallJobs

/// A plan under construction: a decision for each row of the request, then the steps.
struct PlanDraft: Sendable {
  /// The decision about a row of the request before the simulation.
  enum Decision: Sendable, Hashable {
    /// apt is asked, with this name or path of an archive.
    case work(String)
    /// No work is needed.
    case nothing(UpdateNote, found: String?)
    /// The package stays as it is although it was requested, for this reason.
    case stays(String, found: String?)
  }

  let request: JobRequest
  let database: PackageDatabase
  var index = PackageIndex(records: [:])
  var archives: [Update: ArchiveFields] = [:]
  var rows: [(update: Update, decision: Decision)] = []
  var steps: [PlannedUpdate] = []
  var downloads: [Int: PlannedArchive] = [:]
  /// The steps whose packages are, or would be, marked as installed automatically.
  var automatic: Set<Int> = []
  /// The release that provides the new version of each step that unpacks, by the step's index.
  var releases: [Int: PlanReport.Origin] = [:]
  var installedSizeChange: Int64 = 0
  var warnings: [UpdateWarning] = []
  /// Packages that an upgrade of everything must leave as they are.
  var leftOut: [JobPlan.LeftOut] = []
  var isDowngrade = false
  /// Packages that an upgrade of everything keeps back because they are held.
  var held: [PackageDatabase.Entry] = []
  /// The packages that an upgrade of everything could upgrade by the index, without held packages
  /// and packages that only count as installed; nil for every other request.
  var upgradable: [PackageDatabase.Entry]?
  /// The incomplete packages that a repair covers.
  var broken: [PackageDatabase.Entry] = []
  /// Packages with changes that an interrupted dpkg noted in its database but not in the status
  /// file that apt reads.
  var journaled: Set<String> = []

  /// The packages that are marked as installed automatically.
  var automaticPackages: Set<String> = []

  /// Whether the request is forced.
  var isForced: Bool { request.options.isForced }
  /// Whether the request consents to older versions.
  var allowsDowngrades: Bool { isForced || request.options.planning.allowsDowngrades }
  var isRemoval: Bool { request.operation.kind == .uninstallation }
  var purges: Bool { request.operation == .purge || request.options.purgesConfiguration }
  /// Whether the request names no package and covers all packages.
  var isEverything: Bool { request.updates.isEmpty }

  var names: [String] {
    rows.compactMap {
      if case .work(let name) = $0.decision { name } else { nil }
    }
  }

  var hasNothingToDo: Bool {
    request.operation == .repair ? broken.isEmpty : !isEverything && names.isEmpty
  }

  var command: AptCommand {
    AptCommand(
      request.operation, names: names, isForced: isForced, purges: purges,
      isDowngrade: isDowngrade, isEverything: isEverything, bringsNew: request.bringsNew,
      leftOut: leftOut, planning: request.options.planning)
  }

  func planWithoutSteps(fingerprint: String) -> JobPlan {
    JobPlan(
      requests: requestRows, steps: [], fingerprint: fingerprint, leftOut: leftOut,
      warnings: warnings)
  }

  func plan(fingerprint: String) -> JobPlan {
    JobPlan(
      requests: requestRows, steps: steps, archives: downloads,
      installedSizeChange: installedSizeChange, fingerprint: fingerprint, leftOut: leftOut,
      warnings: warnings)
  }

  /// Converts apt's lines into steps in the order of work.
  ///
  /// Each package is one step, at the position of its unpacking or removal. A removal that makes
  /// room for another version of the same package is part of the unpacking.
  mutating func compose(_ actions: [SimulatedAction]) {
    var unpacked = Set<String>()
    for action in actions where action.verb == .unpack { unpacked.insert(key(of: action)) }
    var seen = Set<String>()
    for action in actions {
      let key = key(of: action)
      guard action.verb == .unpack || !unpacked.contains(key), seen.insert(key).inserted else {
        continue
      }
      releases[steps.count] = action.origins.first
      if action.isAutomatic == true { automatic.insert(steps.count) }
      steps.append(step(for: action))
    }
    if request.operation == .repair { addSilentRepairs() }
    markRequested()
  }

  private func key(of action: SimulatedAction) -> String {
    let architecture =
      action.architecture.map { database.isNative($0) ? "" : $0 }
      ?? database.entry(action.name).map {
        database.isNative($0.architecture) ? "" : $0.architecture
      }
      ?? ""
    return action.name + ":" + architecture
  }

  private func step(for action: SimulatedAction) -> PlannedUpdate {
    let entry = database.entry(action.name, action.architecture)
    let present = entry.flatMap { $0.isPresent ? $0 : nil }
    let planned: PlannedAction =
      switch action.verb {
      case .remove: .remove
      case .purge: .purge
      case .configure: .configure
      // apt's simulation does not know the changes that an interrupted dpkg noted. With these
      // changes the package only needs configuration, and asking apt for its archive would fail
      // (measured).
      case .unpack where present?.isInterrupted == false && journaled.contains(action.name):
        .configure
      case .unpack:
        present.map { present in
          present.version == action.newVersion
            ? .reinstall : action.mode == .downgrade ? .downgrade : .upgrade
        } ?? .install
      }
    var step = PlannedUpdate(
      name: action.name, architecture: action.architecture ?? entry?.architecture ?? "all",
      action: planned, fromVersion: present?.version,
      // For a configuration, apt's line names the candidate, not the version that it configures
      // (measured).
      toVersion: planned == .configure ? present?.version : action.newVersion)
    step.isSecurity = planned.unpacks && action.isSecurity
    return step
  }

  // Pending triggers are work of `dpkg --configure -a`, which apt's simulation does not show.
  private mutating func addSilentRepairs() {
    for entry in broken {
      guard
        !steps.contains(where: { $0.name == entry.name && $0.architecture == entry.architecture })
      else { continue }
      steps.append(
        PlannedUpdate(
          name: entry.name, architecture: entry.architecture, action: .configure,
          fromVersion: entry.version, toVersion: entry.version))
    }
  }

  private mutating func markRequested() {
    if isEverything {
      // A full upgrade may remove packages, which nobody named.
      for index in steps.indices
      where steps[index].fromVersion != nil && (isRemoval || !steps[index].action.removes) {
        addRow(forStep: index)
      }
    } else {
      for row in rows where !row.update.isAutomatic {
        if let index = stepIndex(for: row.update) { steps[index].requested = true }
      }
    }
    guard request.options.planning.removesUnneeded else { return }
    for index in steps.indices where steps[index].action.removes && automatic.contains(index) {
      addRow(forStep: index)
    }
  }

  /// Makes a step one of the requested updates.
  private mutating func addRow(forStep index: Int) {
    steps[index].requested = true
    let step = steps[index]
    guard !rows.contains(where: { stepIndex(for: $0.update) == index }) else { return }
    rows.append((Update(step.name, architecture: step.architecture), .work(step.name)))
  }

  func stepIndex(for update: Update) -> Int? {
    steps.firstIndex { step in
      guard step.name == update.name else { return false }
      guard let architecture = update.architecture ?? archives[update]?.architecture else {
        return database.isNative(step.architecture)
      }
      return step.architecture == architecture
        || database.isNative(architecture) && database.isNative(step.architecture)
    } ?? (update.architecture == nil ? steps.firstIndex { $0.name == update.name } : nil)
  }

  private var requestRows: [JobPlan.Request] {
    rows.map { row in
      var request = requestRow(row)
      let entry = database.entry(row.update.name, row.update.architecture)
      // apt marks what is asked for by name as wanted for itself.
      if self.request.operation == .install, !row.update.isAutomatic,
        request.note == .alreadyInstalled, let entry,
        automaticPackages.contains(AptCommand.qualified(entry.name, entry.architecture))
      {
        request.marksManual = true
      }
      return request
    }
  }

  private func requestRow(
    _ row: (update: Update, decision: Decision)
  ) -> JobPlan.Request {
    switch row.decision {
    case .nothing(let note, let found):
      return JobPlan.Request(update: row.update, step: nil, note: note, foundVersion: found)
    case .stays(let reason, let found):
      return JobPlan.Request(
        update: row.update, step: nil, note: .notReached, foundVersion: found, reason: reason)
    case .work: break
    }
    if let index = stepIndex(for: row.update) {
      return JobPlan.Request(update: row.update, step: index)
    }
    let found = database.entry(row.update.name, row.update.architecture)?.version
    return JobPlan.Request(
      update: row.update, step: nil, note: isRemoval ? .notInstalled : .alreadyInstalled,
      foundVersion: isRemoval ? nil : found)
  }
}
