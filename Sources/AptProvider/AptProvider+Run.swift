package import InstallJobs
package import PackageProvider

extension AptProvider: PackageProvider {
  /// Claims the root; see ``PackageProvider/claimRoot(stateFolder:)``.
  package func claimRoot(stateFolder: String) throws(InstallationError) -> RootClaim? {
    try packageRoot.claim(stateFolder: stateFolder)
  }

  /// Starts the work of a job; see ``PackageProvider/start(_:)``.
  ///
  /// Steps that the package root satisfies already are left out. Without remaining steps the worker
  /// only reports its end. A repair of everything repairs the packages that are incomplete when the
  /// job starts, not when it was submitted.
  ///
  /// - Throws: `notPermitted` for a private root as root, `planOutOfDate`, `invalidState` while
  ///   earlier work of the job still runs, `internal` when folder or worker cannot be made.
  package func start(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    try packageRoot.checkRights()
    var work = work
    let isComparedLater = work.request.operation != .repair
    if !isComparedLater, work.request.updates.isEmpty { return try await startRepair(work) }
    let satisfied = try await planner.recheck(
      work.plan, for: work.request, finishedSteps: work.finishedSteps,
      isComparedLater: isComparedLater)
    work.finishedSteps.formUnion(satisfied)
    let foreseen = sequences.sequence(of: work.plan)
    try JobPreparation(of: work, on: packageRoot, cache: cache, foreseen: foreseen).write()
    if !work.fetchesAnew { await KeptArchives(folder: work.folder).reuse(work.plan) }
    return try WorkerLaunch(executable: workerExecutable).start(
      in: work.folder, plan: work.plan, satisfied: satisfied, root: packageRoot.prefix)
  }

  /// Starts a repair of everything with a plan that is made now.
  ///
  /// The job's reports cover only the steps of its earlier plan.
  private func startRepair(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    let database = try await PackageDatabase.read(packageRoot)
    let satisfied = Set(
      work.plan.steps.indices.filter { work.plan.steps[$0].finding(in: database).isAsPlanned })
    var present = work
    present.plan = try await planner.plan(work.request)
    present.finishedSteps = []
    try JobPreparation(of: present, on: packageRoot, cache: cache).write()
    await KeptArchives(folder: work.folder).reuse(present.plan)
    return try WorkerLaunch(executable: workerExecutable).start(
      in: work.folder, plan: work.plan, satisfied: satisfied.subtracting(work.finishedSteps))
  }

  /// Follows work that was started before; see ``PackageProvider/follow(_:from:)``.
  package func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun {
    AptRun(folder: work.folder, plan: work.plan, from: offsets, root: packageRoot.prefix)
  }
}
