import HostSystem
package import InstallJobs
package import PackageProvider

/// Makes plans with apt's simulation: the steps, their order, and the archives.
///
/// Changes nothing and acquires no lock. Operations that apt would refuse, or would do in addition
/// to the request, are errors that name the package.
package struct AptPlanner: Sendable {
  /// The package root.
  package let root: PackageRoot
  /// The folder of local archives, named `SHA256.deb`.
  package let archiveStore: String
  /// The folder for apt's package cache between plans; nil for the root's own.
  package var cache: String?
  /// Returns the free bytes at a path; nil when they are unknown.
  package var freeBytes: @Sendable (String) -> Int64? = { RootFiles.freeBytes(at: $0) }

  /// Whether an upgrade of everything is refused where all newer versions are kept back.
  var refusesEmptyUpgrade = true

  /// The cache of recent plans; nil for none.
  var memory: PlanCache?
  /// The cache of the orders of work that apt printed for plans; nil for none.
  package var sequences: SequenceCache?
  /// The names of the sources in the index.
  var releases = ReleaseNamesCache()
  /// The check of the index behind answers that something is not there.
  var integrity = IndexIntegrity()

  /// Creates a planner for a root.
  ///
  /// - Parameters:
  ///   - root: The package root.
  ///   - archiveStore: The folder of local archives, named by their SHA-256.
  ///   - cache: A folder for apt's package cache between plans.
  package init(root: PackageRoot, archiveStore: String, cache: String? = nil) {
    self.root = root
    self.cache = cache
    self.archiveStore = archiveStore
  }

  /// Packages on which the machine's package tools depend; by policy each is changed in a job of
  /// its own (row A17).
  package static let exclusiveNames: Set<String> = ["apt", "dpkg", "libc-bin", "libc6"]

  /// Plans a request against the present index and package database.
  ///
  /// - Parameters:
  ///   - asked: The request.
  ///   - pending: The changes that jobs ahead in the queue will make.
  /// - Returns: The plan.
  /// - Throws: The errors of ``PackageProvider/plan(_:behind:)``, each naming the package and the
  ///   next step.
  package func plan(
    _ asked: JobRequest, behind pending: PendingWork = PendingWork()
  ) async throws(InstallationError) -> JobPlan {
    let request = try asked.validated()
    try refuseExclusiveConflict(request)
    let isAtWork = root.lockHolder != nil
    guard pending.isEmpty, !isAtWork else {
      return try await planExpected(request, behind: pending, isAtWork: isAtWork)
    }
    if request.operation != .repair, !root.journaledNames.isEmpty {
      try await refuseInterrupted(request)
      // apt reads only the status file, not the changes that dpkg noted beside it.
      return try await planExpected(request, behind: pending, isAtWork: false)
    }
    // Read before planning, so that a change during planning makes the cached plan invalid.
    let state = RootState(of: root.decidingFiles)
    let fingerprint = currentFingerprint()
    // A local archive may have been damaged since the earlier plan, so it is read each time.
    let memory = request.updates.allSatisfy { $0.archive == nil } ? memory : nil
    if let known = memory?.plan(for: request, in: state) {
      try refuseWithoutSpace(known, request)
      return known
    }
    let tools = try AptTools(
      AptConfiguration(
        root: root, conffiles: request.options.conffiles, proxy: request.options.proxy),
      cache: cache)
    defer { tools.close() }
    let (plan, printed) = try await plan(request, with: tools, fingerprint: fingerprint)
    if let printed {
      memory?.keep(plan, for: request, in: state)
      sequences?.keep(printed, of: plan, in: state)
    }
    try refuseWithoutSpace(plan, request)
    return plan
  }

  /// Plans a request with tools that read one package database.
  ///
  /// - Returns: The plan, and the output of apt's simulation; nil where no simulation was needed.
  func plan(
    _ request: JobRequest, with tools: AptTools, fingerprint: String
  ) async throws(InstallationError) -> (plan: JobPlan, printed: String?) {
    let expected = tools.configuration.expected
    let names = Set(
      request.updates.filter { $0.archive == nil }
        .map { AptCommand.qualified($0.name, $0.architecture) })
    let root = root
    let (database, index) = try await Tool.both(
      { () throws(InstallationError) in try await PackageDatabase.read(root, expected: expected) },
      { () throws(InstallationError) in try await PackageIndex.read(names, with: tools) })
    var draft = PlanDraft(request: request, database: database)
    draft.index = index
    draft.automaticPackages = try root.automaticPackages()
    for update in request.updates where update.archive != nil {
      draft.archives[update] = try await ArchiveFields.read(update, in: archiveStore)
    }
    try await decide(&draft, tools)
    guard !draft.hasNothingToDo else {
      warnOfIncompletePackages(&draft)
      return (draft.planWithoutSteps(fingerprint: fingerprint), nil)
    }
    // Each call of apt takes a third of a second or more, and the calls are independent.
    let command = draft.command
    let isFetching = !draft.isRemoval
    let (simulation, uris) = try await Tool.both(
      { () throws(InstallationError) in try await tools.simulate(command.arguments) },
      { () throws(InstallationError) in
        isFetching ? try await tools.printURIs(command) : nil
      })
    guard simulation.run.status == 0 else { throw simulationError(of: simulation.run, draft) }
    draft.compose(try operations(of: simulation, on: database))
    try refuseSteps(of: draft)
    try await refuseBadVersions(draft)
    if draft.isEverything, draft.steps.isEmpty, !draft.isRemoval { try await refuseDamagedIndex() }
    try refuseIfAllKeptBack(draft)
    warnOfKeptBack(&draft)
    warnOfIncompletePackages(&draft)
    try await complete(&draft, tools, uris)
    return (draft.plan(fingerprint: fingerprint), simulation.run.output)
  }

  /// Reads the operations of a successful simulation.
  ///
  /// - Throws: `unresolvable` with the line or package that is not understood.
  func operations(
    of simulation: AptTools.Simulation, on database: PackageDatabase
  ) throws(InstallationError) -> [SimulatedAction] {
    do {
      let report = try PlanReport(lines: simulation.report)
      return try SimulatedPlan(simulation.run.lines, report, database).actions
    } catch {
      let reason = (error as? SimulatedPlan.Misunderstood)?.reason ?? "the report of its plan"
      throw InstallationError(
        .unresolvable,
        "apt's plan for \(root.path) is not understood: \(Sanitised.line(reason, limit: 300))",
        class: .needsHuman, hint: "nothing was changed; report this line with apt's version")
    }
  }

  /// The fingerprint of index, sources and package database.
  ///
  /// Two halves of 16 digits: index and sources, then the package database.
  package func currentFingerprint() -> String {
    RootState(of: root.indexFiles).fingerprint + RootState(of: [root.statusFile]).fingerprint
  }

  /// Checks that a plan still matches the package root (row A43).
  ///
  /// When index or database have changed since, the request is planned again. The plan stays valid
  /// when the new plan has no other steps and the steps missing from it are done already.
  ///
  /// - Parameters:
  ///   - plan: The frozen plan.
  ///   - request: The plan's request.
  ///   - finishedSteps: Finished steps of a resumed job, whatever the new plan says about them.
  ///   - isComparedLater: Whether the worker compares apt's operations with the plan under the
  ///     package lock. A plan without finished work then needs no new planning where only the
  ///     package database has changed, as it does with each job of a queue.
  /// - Returns: Further steps that the package root satisfies already; they are left out.
  /// - Throws: `planOutOfDate` when the new plan differs.
  package func recheck(
    _ plan: JobPlan, for request: JobRequest, finishedSteps: Set<Int> = [],
    isComparedLater: Bool = false
  ) async throws(InstallationError) -> Set<Int> {
    let fingerprint = currentFingerprint()
    guard plan.fingerprint != fingerprint else { return [] }
    // Requests that needed no work have no step that could be compared later.
    let isWholeComparedLater = isComparedLater && plan.requests.allSatisfy { $0.step != nil }
    if isWholeComparedLater, plan.fingerprint.prefix(16) == fingerprint.prefix(16) {
      let database = try await PackageDatabase.read(root)
      let isUntouched = plan.steps.indices.allSatisfy { index in
        finishedSteps.contains(index) || plan.steps[index].finding(in: database).isUntouched
      }
      if isUntouched { return [] }
    }
    func outOfDate(
      _ reason: String, hint: String = "submit the request again to plan it anew"
    ) -> InstallationError {
      InstallationError(
        .planOutOfDate, "the plan is out of date: \(reason)", class: .transient, hint: hint)
    }
    let fresh: JobPlan
    do {
      let whole = try await self.plan(request)
      fresh = request.options.isDownloadOnly ? whole.onlyDownloads : whole
    } catch {
      // A time-out or a cancellation says nothing about the plan.
      let isUnknown = error.code == .timedOut || error.code == .invalidState
      throw isUnknown ? error : outOfDate(error.message)
    }
    func key(_ step: PlannedUpdate) -> PlannedUpdate {
      var key = step
      (key.downloadSize, key.installedSize, key.origin, key.requested) = (0, 0, nil, false)
      return key
    }
    let planned = Dictionary(
      plan.steps.enumerated().map { (key($1), $0) }, uniquingKeysWith: { first, _ in first })
    var left = Set(plan.steps.indices).subtracting(finishedSteps)
    for step in fresh.steps {
      let isFinished = finishedSteps.contains { index in
        plan.steps[index].name == step.name && plan.steps[index].architecture == step.architecture
      }
      guard !isFinished else { continue }
      guard let index = planned[key(step)] else {
        let entry = try await PackageDatabase.read(root).entry(step.name, step.architecture)
        if let half = entry?.incompleteReason, !plan.steps.contains(where: { $0.name == step.name })
        {
          throw outOfDate(
            "\(half), and apt would work on it, too",
            hint: root.repairAdvice(for: .finishConfiguration))
        }
        throw outOfDate(plan.change(of: step.name))
      }
      left.remove(index)
      guard plan.archives[index]?.hash == fresh.archive(of: step)?.hash else {
        throw outOfDate("the archive of \(step.name) has changed")
      }
    }
    let database = try await PackageDatabase.read(root)
    for index in left where !plan.steps[index].finding(in: database).isAsPlanned {
      if let holder = root.lockHolder {
        throw outOfDate(
          "\(holder.words) works on packages, \(plan.steps[index].name) among them",
          hint: "submit the request again when that is over")
      }
      throw outOfDate("\(plan.steps[index].name) is no longer needed or on offer")
    }
    return left
  }
}

extension JobPlan {
  /// Describes why a package would now be changed differently.
  fileprivate func change(of name: String) -> String {
    let row = requests.first { $0.step == nil && $0.update.name == name }
    return "\(name) " + (row?.change ?? "would now be done differently")
  }

  fileprivate func archive(of step: PlannedUpdate) -> PlannedArchive? {
    steps.firstIndex(of: step).flatMap { archives[$0] }
  }
}
