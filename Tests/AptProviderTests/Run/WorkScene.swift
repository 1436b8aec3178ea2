import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support

/// Real work on a private root: fixtures, a job folder, a worker run as the test user.
final class WorkScene: Sendable {
  let repository: PackageRepository
  let root: PackageRoot
  private let sequences = SequenceCache()

  init(_ fixtures: [PackageFixture]? = nil, isMultiarch: Bool = false) async throws {
    repository = try await PackageRepository(fixtures, isMultiarch: isMultiarch)
    root = try PackageRoot(at: repository.root, for: TestUser.id)
  }

  /// The `fettled` that was built beside the tests.
  static var executable: String { BuiltProgram.path("fettled") }

  /// A job that is ready to start.
  func job(
    _ operation: JobOperation, _ names: [String], number: Int = 1,
    options: InstallationOptions = InstallationOptions()
  ) async throws -> JobWork {
    try await job(
      operation, updates: names.map { try Update(parsing: $0) }, number: number, options: options)
  }

  /// A job that is ready to start, for updates that a name alone does not say.
  func job(
    _ operation: JobOperation, updates: [Update], number: Int = 1,
    options: InstallationOptions = InstallationOptions()
  ) async throws -> JobWork {
    let request = JobRequest(operation, updates, options: options)
    let store = repository.folder.path("store")
    var planner = AptPlanner(root: root, archiveStore: store)
    planner.sequences = sequences
    let plan = try await planner.plan(request)
    let path = repository.folder.path("state/jobs/\(number)")
    try TestFolder.makeFolder(repository.folder.path("state/jobs"))
    let work = JobWork(
      id: JobID(number), request: request, plan: plan, folder: JobFolder(path: path),
      archiveStore: store)
    try prepare(work)
    return work
  }

  /// Fills the job's folder and gives it to the user who does the work.
  func prepare(_ work: JobWork) throws {
    try TestFolder.handAll(work.folder.path, to: geteuid())
    let foreseen = sequences.sequence(of: work.plan)
    try JobPreparation(of: work, on: root, foreseen: foreseen).write()
    try TestFolder.handAll(work.folder.path)
  }

  /// Starts a worker and follows it.
  func start(_ work: JobWork) throws -> WorkObserver {
    let launch = WorkerLaunch(executable: Self.executable, prefix: TestUser.prefix)
    return WorkObserver(try launch.start(in: work.folder, plan: work.plan), plan: work.plan)
  }

  /// Lets a package of the kind ``PackageFixture/held(_:_:fields:)`` go on.
  func release(_ name: String) throws { try TestFolder.write("", to: root.path("go-\(name)")) }
}

/// Reads a run's reports and waits for some of them.
final class WorkObserver {
  let run: any JobRun
  private let plan: JobPlan
  private var iterator: AsyncStream<WorkBatch>.Iterator
  private(set) var reports: [WorkReport] = []
  private(set) var offsets: StreamOffsets = [:]

  init(_ run: any JobRun, plan: JobPlan) {
    self.run = run
    self.plan = plan
    iterator = run.batches.makeAsyncIterator()
  }

  /// Reads on until a report is the wanted one; false when the stream ends before.
  func until(_ isWanted: (WorkReport) -> Bool) async -> Bool {
    while let batch = await iterator.next(isolation: #isolation) {
      reports += batch.reports
      offsets = batch.offsets
      if batch.reports.contains(where: isWanted) { return true }
    }
    return false
  }

  /// Reads on until a package enters a phase.
  func until(_ name: String, _ phase: UpdatePhase) async -> Bool {
    guard let step = plan.steps.firstIndex(where: { $0.name == name }) else { return false }
    return await until { $0 == .phase(step: step, phase) }
  }

  /// Reads to the end.
  ///
  /// - Returns: How the work ended, without the time, which is in ``endedAt``; nil when it was lost.
  func end() async -> WorkEnd? {
    _ = await until { _ in false }
    guard case .ended(var end) = reports.last else { return nil }
    end.at = nil
    return end
  }

  /// When the worker says that it ended.
  var endedAt: Timestamp? {
    if case .ended(let end) = reports.last { end.at } else { nil }
  }

  /// The phases of a package, in the order of their reports, repeats removed.
  func phases(of name: String) -> [UpdatePhase] {
    var phases: [UpdatePhase] = []
    for case .phase(let step, let phase) in reports where plan.steps[step].name == name {
      if phases.last != phase { phases.append(phase) }
    }
    return phases
  }

  /// What failed, by package; `nil` as a name for the job as a whole.
  var failures: [String?: InstallationError] {
    var failures: [String?: InstallationError] = [:]
    for case .failed(let step, let error) in reports {
      failures[step.map { plan.steps[$0].name }] = error
    }
    return failures
  }
}

extension TestFolder {
  static func size(of path: String) -> Int64 {
    var record = stat()
    return unsafe stat(path, &record) == 0 ? Int64(record.st_size) : 0
  }

  /// Gives a folder with everything in it to a user.
  static func handAll(_ path: String, to user: UInt32 = TestUser.id) throws {
    guard geteuid() == 0, exists(path) else { return }
    for name in names(in: path) { try handAll(path + "/" + name, to: user) }
    guard unsafe lchown(path, user, user) == 0 else {
      throw FixtureError("cannot give \(path) away")
    }
  }
}
