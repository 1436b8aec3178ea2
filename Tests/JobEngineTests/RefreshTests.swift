import GRDB
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Fetching the package index` {
  @Test func `is refused while a job works, naming it, and done when none does`() async throws {
    let index = try IndexByHand(.steps(1))
    let engine = try await index.engine()
    _ = try await engine.submit(JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    let error = await #expect(throws: InstallationError.self) {
      try await engine.refresh(by: EngineFixture.ops)
    }
    #expect(error?.code == .busy && error?.message.contains("job 1") == true)
    #expect(index.calls == 0)
    await index.work.next()?.performAllSteps()
    try await eventually { await engine.isIdle }
    index.finish(with: nil)
    try await engine.refresh(by: EngineFixture.ops)
    #expect(index.calls == 1)
  }

  @Test func `keeps jobs waiting, serves two who ask as one, and tells why it failed`()
    async throws
  {
    let index = try IndexByHand(.steps(1))
    let engine = try await index.engine()
    let asking = (0..<2).map { _ in
      Task { try await engine.refresh(by: EngineFixture.ops) }
    }
    try await eventually { index.calls == 1 }
    let job = try await engine.submit(JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    #expect(job.state == .queued)
    #expect(job.waitingFor?.message == "the package index is being fetched")
    index.finish(with: InstallationError(.downloadFailed, "no route", class: .transient))
    for task in asking {
      let error = await #expect(throws: InstallationError.self) { try await task.value }
      #expect(error?.code == .downloadFailed)
    }
    #expect(index.calls == 1)
    await index.work.next()?.performAllSteps()
    try await eventually { try await engine.job(job.id).state == .completed }
  }

  @Test func `is told to everybody when it begins and when it is over, and not stored`()
    async throws
  {
    let index = try IndexByHand(.steps(1))
    let engine = try await index.engine()
    let subscription = try await engine.subscribe(newest: .max)
    let before = engine.lastSeq
    let asking = Task { try await engine.refresh(by: EngineFixture.ops) }
    try await eventually { index.calls == 1 }
    let standing = try await engine.pauseQueue(by: EngineFixture.ops)
    #expect(standing.queue.pause?.cause == .request)
    _ = try await engine.resumeQueue(by: EngineFixture.ops)
    index.finish(with: nil)
    try await asking.value
    var notices: [EngineNotice] = []
    for await batch in subscription.events {
      for case .engine(let notice) in batch.map(\.payload) { notices.append(notice) }
      if notices.count == 4 { break }
    }
    #expect(notices.map(\.kind) == [.queuePaused, .queuePaused, .queueResumed, .queueResumed])
    #expect(notices.map(\.isDurable) == [false, true, true, false])
    #expect(notices[2].pause?.cause == .index)
    #expect(notices[3].message == "queue resumed: the package index was fetched")
    #expect(notices[3].pause == nil && notices[3].cause == .index)
    #expect(engine.lastSeq == before + 2)
  }

  @Test func `ends no pause of a journal that nobody has written since`() async throws {
    // Nothing to do: the turn itself is the first thing to record.
    let index = try IndexByHand(
      Scenario(name: "there", packages: [SimulatedPackage("p1").modified { $0.installed = "1.0" }]))
    let engine = try await index.engine(clock: ManualClock())
    _ = try await engine.pauseQueue(by: EngineFixture.ops)
    _ = try await engine.submit(JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    let other = try DatabaseQueue(path: index.folder.path("journal.sqlite"))
    try await other.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refuse BEFORE INSERT ON events WHEN new.job = 1
          BEGIN SELECT RAISE(ABORT, 'no more events'); END
          """)
    }
    _ = try await engine.resumeQueue(by: EngineFixture.ops)
    try #require(await engine.queueFigures.pause?.cause == .journal)
    let asking = Task { try await engine.refresh(by: EngineFixture.ops) }
    try await eventually { index.calls == 1 }
    let subscription = try await engine.subscribe(newest: .max)
    // As the timer does: no job may begin while the index is fetched, so nothing is tried.
    await engine.schedule()
    #expect(await engine.queueFigures.pause?.cause == .journal)
    try await other.write { db in try db.execute(sql: "DROP TRIGGER refuse") }
    index.finish(with: nil)
    try await asking.value
    var notices: [EngineNotice] = []
    for await batch in subscription.events {
      for case .engine(let notice) in batch.map(\.payload) { notices.append(notice) }
      if !notices.isEmpty { break }
    }
    #expect(notices.map(\.cause) == [.journal] && notices[0].pause == nil, "\(notices)")
    #expect(await engine.queueFigures.pause == nil)
    try await eventually { await engine.isIdle }
  }

  @Test func `is given up after a while, and jobs go on`() async throws {
    let (index, clock) = (try IndexByHand(.steps(1)), ManualClock())
    let engine = try await index.engine(clock: clock)
    let asking = Task { try await engine.refresh(by: EngineFixture.ops) }
    try await eventually { clock.untilNextDeadline == .seconds(Engine.refreshLimit) }
    await clock.advance(by: .seconds(Engine.refreshLimit))
    let error = await #expect(throws: InstallationError.self) { try await asking.value }
    #expect(error?.code == .timedOut)
    _ = try await engine.submit(JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    await index.work.next()?.performAllSteps()
    try await eventually { await engine.isIdle }
  }

  @Test func `has nothing to do in a simulation`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    try await fixture.engine.refresh(by: EngineFixture.ops)
  }
}

/// A scripted package system whose index is fetched when the test says so.
private final class IndexByHand: PackageProvider {
  let work: ManualWork
  private let inner: SimulatedProvider
  private let count = Locked(0)
  let folder: ScratchFolder
  private let (outcomes, outcome) = AsyncStream.makeStream(of: InstallationError?.self)

  init(_ scenario: Scenario) throws {
    (inner, work) = SimulatedProvider.manual(scenario)
    folder = try ScratchFolder()
  }

  /// An engine over it, started.
  func engine(clock: any Clock<Duration> = ContinuousClock()) async throws -> Engine {
    let journal = try Journal.open(at: folder.path("journal.sqlite"))
    let settings = EngineSettings(stateFolder: folder.path, version: "test", clock: clock)
    let engine = Engine(provider: self, journal: journal, settings: settings)
    try await engine.start()
    return engine
  }

  /// How often the index was asked for.
  var calls: Int { count.value }

  /// Ends the fetching, or the next one.
  func finish(with error: InstallationError?) { outcome.yield(error) }

  func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {}

  func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError) {
    count.change { $0 += 1 }
    for await error in outcomes {
      if let error { throw error }
      return
    }
  }

  var name: String { inner.name }
  var root: String { inner.root }

  func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan {
    try await inner.plan(request)
  }

  func start(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    try await inner.start(work)
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

  func rebootReasons() async -> RebootMarker { await inner.rebootReasons() }
  func lockHolder() async -> LockHolder? { await inner.lockHolder() }

  func update(
    in archive: LocalArchive, at path: String
  ) async throws(InstallationError) -> Update { try await inner.update(in: archive, at: path) }
}
