internal import Glibc
package import InstallJobs

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
  package var freeBytes: @Sendable (String) -> Int64? = Self.measuredFreeBytes

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
  /// - Throws: Every reason to refuse, each naming package and next step: see
  ///   ``PackageProvider/plan(_:)``.
  package func plan(_ asked: JobRequest) async throws(InstallationError) -> JobPlan {
    let request = try asked.validated()
    try refuseCompany(request)
    let fingerprint = currentFingerprint()
    let tools = try AptTools(
      AptConfiguration(
        root: root, conffiles: request.options.conffiles, proxy: request.options.proxy),
      cache: cache)
    defer { tools.close() }
    let database = try await PackageDatabase.read(root)
    if request.operation != .repair { try refuseInterrupted() }
    var draft = PlanDraft(request: request, database: database)
    for update in request.updates where update.archive != nil {
      draft.archives[update] = try await ArchiveFields.read(update, in: archiveStore)
    }
    let names = request.updates.filter { $0.archive == nil }
      .map { AptCommand.qualified($0.name, $0.architecture) }
    draft.index = try await PackageIndex.read(Set(names), with: tools)
    try await decide(&draft, tools)
    guard !draft.hasNothingToDo else { return draft.planWithoutSteps(fingerprint: fingerprint) }
    let command = draft.command
    let run = try await tools.simulate(command)
    guard run.status == 0 else { throw failure(of: run, draft) }
    let actions = run.lines.compactMap { SimulatedAction($0) }
    try await draft.compose(actions)
    try refuseSteps(of: draft)
    try await complete(&draft, tools)
    let plan = draft.plan(fingerprint: fingerprint)
    try refuseWithoutSpace(plan, request)
    return plan
  }

  /// Names the state of index, sources and package database.
  ///
  /// Made of names, sizes, times of change and file identities, so it costs no reading: dpkg and apt
  /// replace these files, they do not write into them.
  package func currentFingerprint() -> String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ text: String) {
      for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    var paths = [
      root.statusFile, root.path("etc/apt/sources.list"), root.path("etc/apt/preferences"),
    ]
    for folder in ["var/lib/apt/lists", "etc/apt/sources.list.d", "etc/apt/preferences.d"] {
      paths += RootFiles.names(in: root.path(folder)).filter { $0 != "lock" }
        .map { root.path(folder) + "/" + $0 }
    }
    for path in paths {
      guard let trace = RootFiles.trace(path), trace.mode & S_IFMT == S_IFREG else { continue }
      let identity = path.hasPrefix(root.adminDirectory) ? "\(trace.inode)" : ""
      mix("\(path) \(identity) \(trace.size) \(trace.modified)\n")
    }
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
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
  /// - Returns: Further steps that the machine already satisfies: they are left out.
  /// - Throws: `planOutOfDate` when the machine needs anything else.
  package func recheck(
    _ plan: JobPlan, for request: JobRequest, finishedSteps: Set<Int> = []
  ) async throws(InstallationError) -> Set<Int> {
    guard plan.fingerprint != currentFingerprint() else { return [] }
    func outOfDate(_ reason: String) -> InstallationError {
      InstallationError(
        .planOutOfDate, "the plan is out of date: \(reason)", class: .transient,
        hint: "submit the request again to plan it anew")
    }
    let fresh: JobPlan
    do { fresh = try await self.plan(request) } catch { throw outOfDate(error.message) }
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
        throw outOfDate("\(step.name) would now be done differently")
      }
      left.remove(index)
      guard plan.archives[index]?.hash == fresh.archive(of: step)?.hash else {
        throw outOfDate("the archive of \(step.name) has changed")
      }
    }
    let database = try await PackageDatabase.read(root)
    for index in left where !plan.steps[index].finding(in: database).isAsPlanned {
      throw outOfDate("\(plan.steps[index].name) is no longer needed or on offer")
    }
    return left
  }

  @Sendable private static func measuredFreeBytes(_ path: String) -> Int64? {
    var record = statvfs()
    guard unsafe statvfs(path, &record) == 0 else { return nil }
    return Int64(clamping: UInt64(record.f_bavail) &* UInt64(record.f_frsize))
  }
}

extension JobPlan {
  fileprivate func archive(of step: PlannedUpdate) -> PlannedArchive? {
    steps.firstIndex(of: step).flatMap { archives[$0] }
  }
}
