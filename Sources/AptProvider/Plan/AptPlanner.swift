import HostSystem
package import InstallJobs
package import PackageProvider

/// Makes plans with apt's simulation: what will be done, in which order, from which archives.
///
/// Changes nothing and takes no lock. Whatever apt would refuse, or do beyond what was asked for, is
/// an error here that names the package.
package struct AptPlanner: Sendable {
  /// The root that plans are made for.
  package let root: PackageRoot
  /// Where local archives lie, as `SHA256.deb`.
  package let archiveStore: String
  /// Where apt keeps its digest of the index between plans; nil where the machine has it.
  package var cache: String?
  /// Bytes that are free at a path, or nil when that cannot be told.
  package var freeBytes: @Sendable (String) -> Int64? = { RootFiles.freeBytes(at: $0) }

  /// Whether an upgrade of everything that upgrades nothing is refused where something is kept back.
  var refusesEmptyUpgrade = true

  /// Where plans are kept for the next time they are asked for; nil keeps none.
  var memory: PlanMemory?
  /// Where the orders of work are kept that apt printed for plans; nil keeps none.
  package var sequences: SequenceMemory?
  /// What the archives of the index call themselves.
  var releases = ReleaseMemory()

  /// A planner for a root.
  ///
  /// - Parameters:
  ///   - root: The root that plans are made for.
  ///   - archiveStore: Where local archives lie, by their SHA-256.
  ///   - cache: A folder where apt may keep its digest of the index between plans.
  package init(root: PackageRoot, archiveStore: String, cache: String? = nil) {
    self.root = root
    self.cache = cache
    self.archiveStore = archiveStore
  }

  /// Packages that the machine's package tools themselves stand on: by policy they are changed in a
  /// job of their own (row A17).
  package static let exclusiveNames: Set<String> = ["apt", "dpkg", "libc-bin", "libc6"]

  /// Plans a request against the present index and package database.
  ///
  /// - Parameters:
  ///   - asked: What is asked for.
  ///   - pending: What other jobs will have done before the request has its turn.
  /// - Returns: The plan.
  /// - Throws: Every reason to refuse, each naming package and next step: see
  ///   ``PackageProvider/plan(_:behind:)``.
  package func plan(
    _ asked: JobRequest, behind pending: PendingWork = PendingWork()
  ) async throws(InstallationError) -> JobPlan {
    let request = try asked.validated()
    try refuseCompany(request)
    let isAtWork = root.lockHolder != nil
    guard pending.isEmpty, !isAtWork else {
      return try await planExpected(request, behind: pending, isAtWork: isAtWork)
    }
    if request.operation != .repair, !root.journaledNames.isEmpty {
      try await refuseInterrupted(request)
      // apt reads the status file alone, not what dpkg has noted beside it.
      return try await planExpected(request, behind: pending, isAtWork: false)
    }
    // Looked at first: what moves while the plan is made makes it stale at once.
    let state = RootState(of: root.decidingFiles)
    let fingerprint = currentFingerprint()
    // An archive may have been damaged since, and is read each time.
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

  /// Plans a request with tools that look at one package database.
  ///
  /// - Returns: The plan, and what apt's simulation printed for it; nil where apt was not asked.
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
    for update in request.updates where update.archive != nil {
      draft.archives[update] = try await ArchiveFields.read(update, in: archiveStore)
    }
    try await decide(&draft, tools)
    guard !draft.hasNothingToDo else {
      warnOfHalfStates(&draft)
      return (draft.planWithoutSteps(fingerprint: fingerprint), nil)
    }
    // Each takes apt a third of a second and more, and neither needs the other's answer.
    let command = draft.command
    let isFetching = !draft.isRemoval
    let (run, uris) = try await Tool.both(
      { () throws(InstallationError) in try await tools.simulate(command) },
      { () throws(InstallationError) in
        isFetching ? try await tools.printURIs(command) : nil
      })
    guard run.status == 0 else { throw failure(of: run, draft) }
    let actions = run.lines.compactMap { SimulatedAction($0) }
    try await draft.compose(actions)
    try refuseSteps(of: draft)
    try await refuseBadVersions(draft)
    try refuseIfAllKeptBack(draft)
    warnOfStaying(&draft)
    warnOfHalfStates(&draft)
    try await complete(&draft, tools, uris)
    return (draft.plan(fingerprint: fingerprint), run.output)
  }

  /// Names the state of index, sources and package database.
  ///
  /// Two halves of 16 digits: index and sources, then the package database.
  package func currentFingerprint() -> String {
    RootState(of: root.indexFiles).fingerprint + RootState(of: [root.statusFile]).fingerprint
  }

  /// Checks that a plan still is what the machine needs (row A43).
  ///
  /// When index or database have moved since, the request is planned again: the plan stands when the
  /// new one has no step that it has not, and what is missing from the new one is done already.
  ///
  /// - Parameters:
  ///   - plan: The plan as it was frozen.
  ///   - request: What it was made for.
  ///   - finishedSteps: Steps of a resumed job that are done, whatever a new plan says of them.
  ///   - isComparedLater: Whether apt's intention is compared with the plan under the package lock
  ///     all the same. A plan of which nothing is done yet then needs no new planning where only the
  ///     package database has moved, as it does with each job of a queue.
  /// - Returns: Further steps that the machine already satisfies: they are left out.
  /// - Throws: `planOutOfDate` when the machine needs anything else.
  package func recheck(
    _ plan: JobPlan, for request: JobRequest, finishedSteps: Set<Int> = [],
    isComparedLater: Bool = false
  ) async throws(InstallationError) -> Set<Int> {
    let fingerprint = currentFingerprint()
    guard plan.fingerprint != fingerprint else { return [] }
    // What needed nothing has no step that could be compared later.
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
      // What took too long, or was cancelled, says nothing about the plan.
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
        if let half = entry?.halfState, !plan.steps.contains(where: { $0.name == step.name }) {
          throw outOfDate(
            "\(half), and apt would work on it, too",
            hint: root.mendingAdvice(for: .finishConfiguration))
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
  /// What has changed about a package that would now be worked on, in words.
  fileprivate func change(of name: String) -> String {
    let row = requests.first { $0.step == nil && $0.update.name == name }
    return "\(name) " + (row?.change ?? "would now be done differently")
  }

  fileprivate func archive(of step: PlannedUpdate) -> PlannedArchive? {
    steps.firstIndex(of: step).flatMap { archives[$0] }
  }
}
