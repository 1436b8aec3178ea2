import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support

@testable import JobEngine

/// A scripted package system that fetches archives ahead when the test says so, and whose work the
/// test plays.
final class FetchingByHand: PackageProvider {
  /// What the engine wanted to have fetched.
  struct Fetch: Sendable, Hashable {
    var job: JobID
    /// The packages whose archives were not wanted.
    var leftOut: Set<String>
  }

  let work: ManualWork
  let folder: ScratchFolder
  let journal: Journal
  private let inner: SimulatedProvider
  private let asked = Locked<[Fetch]>([])
  private let found = Locked(false)
  private let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)

  init(_ scenario: Scenario) throws {
    (inner, work) = SimulatedProvider.manual(scenario)
    folder = try ScratchFolder()
    journal = try Journal.open(at: folder.path("journal.sqlite"))
  }

  /// An engine over it, started, for which no time goes by.
  func engine(at time: Timestamp) async throws -> Engine {
    var settings = EngineSettings(stateFolder: folder.path, version: "test")
    settings.now = { time }
    let engine = Engine(provider: self, journal: journal, settings: settings)
    try await engine.start()
    return engine
  }

  /// Every fetch so far.
  var fetches: [Fetch] { asked.value }

  /// Ends the fetch that is under way, or the next one, also one that was cancelled.
  func endFetch(isComplete: Bool = true) { outcome.yield(isComplete) }

  /// Has the work of later jobs find archives when it is started.
  func findArchives(_ isSo: Bool) { found.change { $0 = isSo } }

  var name: String { inner.name }
  var root: String { inner.root }
  var fetchesAhead: Bool { true }

  func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool {
    let names = Set(steps.map { work.plan.steps[$0].name })
    asked.change { $0.append(Fetch(job: work.id, leftOut: names)) }
    let outcomes = outcomes
    // Not as a part of the task that is cancelled.
    let isComplete = await Task.detached { await outcomes.first { _ in true } ?? false }.value
    _ = try? folder.write("", to: "jobs/\(work.id)/archives/late.deb")
    return isComplete
  }

  func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan {
    var plan = try await inner.plan(request)
    for step in plan.archives.keys { plan.archives[step]?.hash = "SHA256:0" }
    return plan
  }

  func start(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    Run(inner: try await inner.start(work), foundArchives: found.value)
  }

  func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun {
    await inner.follow(work, from: offsets)
  }

  func verify(_ plan: JobPlan) async -> Verification { await inner.verify(plan) }

  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await inner.upgradableUpdates()
  }
  func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult {
    try await inner.search(criteria, keptIn: stateFolder)
  }

  func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {}

  func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError) {}
  func rebootReasons() async -> RebootMarker { await inner.rebootReasons() }
  func lockHolder() async -> LockHolder? { await inner.lockHolder() }

  func update(
    in archive: LocalArchive, at path: String
  ) async throws(InstallationError) -> Update { try await inner.update(in: archive, at: path) }

  private struct Run: JobRun {
    let inner: any JobRun
    let foundArchives: Bool

    var batches: AsyncStream<WorkBatch> { inner.batches }
    func requestStop(
      _ request: StopRequest, at time: Timestamp, under gate: GateLock
    ) async -> StopAnswer {
      await inner.requestStop(request, at: time, under: gate)
    }
    func pendingStop() async -> PendingStop { await inner.pendingStop() }
    func withdrawStop(under gate: GateLock) async -> Bool {
      await inner.withdrawStop(under: gate)
    }
    func previewStop() async -> StopAnswer { await inner.previewStop() }
  }
}
