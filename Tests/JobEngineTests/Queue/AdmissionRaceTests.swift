import InstallJobs
import JobEngine
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Synchronization
import Testing

/// A package system whose answer about the lock comes only when two have asked, the first four times.
private final class PairedLooks: PackageProvider {
  private struct State {
    var asked = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let base: SimulatedProvider
  private let state = Mutex(State())

  init(_ base: SimulatedProvider) { self.base = base }

  func lockHolder() async -> LockHolder? {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.asked += 1
        guard state.asked <= 4 else { return [continuation] }
        guard let other = state.waiting else {
          state.waiting = continuation
          return []
        }
        state.waiting = nil
        return [other, continuation]
      }
      for continuation in ready { continuation.resume() }
    }
    return await base.lockHolder()
  }

  var name: String { base.name }
  var root: String { base.root }
  func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan {
    try await base.plan(request)
  }
  func start(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    try await base.start(work)
  }
  func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun {
    await base.follow(work, from: offsets)
  }
  func verify(_ plan: JobPlan) async -> Verification { await base.verify(plan) }
  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await base.upgradableUpdates()
  }
  func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult {
    try await base.search(criteria, keptIn: stateFolder)
  }
  func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {}

  func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError) {
    try await base.refreshIndex(proxy: proxy, needsAll: needsAll)
  }
  func rebootReasons() async -> RebootMarker { await base.rebootReasons() }
  func update(in archive: LocalArchive, at path: String) async throws(InstallationError) -> Update {
    try await base.update(in: archive, at: path)
  }
}

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Requests that come in at the same time` {
  private static func request(_ name: String, token: String? = nil) -> JobRequest {
    var request = JobRequest(.install, [Update(name)])
    request.options.whenBusy = .fail
    request.options.token = token
    return request
  }

  private struct Outcome {
    let folder: ScratchFolder
    let engine: Engine
    let work: ManualWork
    var jobs: [JobSnapshot] = []
    var refused: [InstallationError.Code] = []
  }

  /// Submits both so that each looks at the lock while the other does.
  private func submit(_ one: JobRequest, _ other: JobRequest) async throws -> Outcome {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(3))
    let engine = Engine(
      provider: PairedLooks(provider), journal: try Journal.open(at: folder.path("journal.sqlite")),
      settings: EngineSettings(stateFolder: folder.path, version: "test"))
    try await engine.start()
    var outcome = Outcome(folder: folder, engine: engine, work: work)
    let both = [one, other].map { request in
      Task { try await engine.submit(request, by: EngineFixture.ops) }
    }
    for task in both {
      do {
        outcome.jobs.append(try await task.value)
      } catch let error as InstallationError { outcome.refused.append(error.code) }
    }
    return outcome
  }

  @Test func `two with one token are one job, which is begun once`() async throws {
    let request = Self.request("p1", token: "deploy-7")
    let outcome = try await submit(request, request)
    #expect(outcome.jobs.map(\.id) == [JobID(1), JobID(1)])
    #expect(outcome.refused.isEmpty)
    let (engine, work) = (outcome.engine, outcome.work)
    let queue = try await engine.status().queue
    try #require(queue.running == 1 && queue.queued == 0)
    await work.next()?.performAllSteps()
    await engine.untilIdle()
    #expect(try await engine.job(JobID(1)).state == .completed)
    #expect(work.all.count == 1)
  }

  @Test func `two with one token that ask for different things are told apart`() async throws {
    let outcome = try await submit(
      Self.request("p1", token: "deploy-7"), Self.request("p2", token: "deploy-7"))
    #expect(outcome.jobs.count == 1 && outcome.refused == [.invalidArgument])
    #expect(try await outcome.engine.jobs(in: nil).count == 1)
  }

  @Test func `A14: of two that must not wait, one is admitted`() async throws {
    let outcome = try await submit(Self.request("p1"), Self.request("p2"))
    #expect(outcome.jobs.count == 1 && outcome.refused == [.busy])
    #expect(try await outcome.engine.jobs(in: nil).count == 1)
  }
}
