import FoundationEssentials
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

/// `rock` is at work; `left` and `right` wait, and both need `base`.
@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Jobs whose archives are fetched ahead` {
  private static let now = Timestamp(milliseconds: 1_780_000_000_000)
  private static let here = "its archives are here"
  private let provider: FetchingByHand
  private let engine: Engine

  init() async throws {
    var scenario = Scenario(
      name: "ahead",
      packages: ["rock", "base", "left", "right", "alone"].map { SimulatedPackage($0) })
    for name in ["left", "right"] {
      scenario = scenario.changing(name) { $0.dependencies = ["base"] }
    }
    provider = try FetchingByHand(scenario)
    // A hundred bytes in a second.
    let samples = (1...3).flatMap { _ in
      [
        Self.sample(.connect, 1), Self.sample(.prepare, 1), Self.sample(.conclude, 1),
        Self.sample(.unpack, 1), Self.sample(.configure, 1),
        Self.sample(.download, 10_000, bytes: 1_000_000),
      ]
    }
    let notice = EngineNotice(.started, "an engine that has learned")
    _ = try provider.journal.append(
      [EventDraft(nil, .engine(notice))], samples: samples, at: Self.now)
    engine = try await provider.engine(at: Self.now)
  }

  private static func sample(
    _ stage: CostStage, _ seconds: Double, bytes: Int64 = 0
  ) -> DurationSample {
    let settings = EngineSettings(stateFolder: "/", version: "")
    return DurationSample(
      at: now, package: "", version: "", stage: stage.rawValue, seconds: seconds, bytes: bytes,
      host: stage.isTransfer ? "" : settings.machine)
  }

  private func submit(_ name: String) async throws -> JobID {
    try await engine.submit(JobRequest(.install, [Update(name)]), by: EngineFixture.ops).id
  }

  /// Has `rock` at work on its package.
  private func beginRock() async throws -> ManualRun {
    let id = try await submit("rock")
    let run = try #require(await provider.work.next())
    run.download()
    try await eventually { try await engine.job(id).state == .installing }
    return run
  }

  private func eventuallyFetched(_ fetches: [FetchingByHand.Fetch]) async throws {
    try await eventually("\(fetches)") { provider.fetches == fetches }
  }

  @Test func `N11: client and engine foresee the same, also of archives that are there`()
    async throws
  {
    let run = try await beginRock()
    let (left, alone) = (try await submit("left"), try await submit("alone"))
    let subscription = try await engine.subscribe(newest: .max)
    var jobs = Dictionary(uniqueKeysWithValues: subscription.snapshots.map { ($0.id, $0) })
    let before = try #require(await engine.times(of: alone, at: Self.now))
    provider.endFetch()
    try await eventually { await engine.aheadFetches.isComplete(left) }
    var batches = subscription.events.makeAsyncIterator()
    while jobs[left]?.activity != Self.here {
      for event in try #require(await batches.next()) {
        if let id = event.job { jobs[id]?.apply(event) }
      }
    }
    let (first, second) = (try #require(jobs[left]), try #require(jobs[alone]))
    #expect(first.downloadedBytes == first.totalDownloadBytes && first.percentComplete == 0)
    let forecast = try #require(await engine.forecast(at: Self.now))
    let times = forecast.times(of: QueueLoad(second), behind: QueueLoad(first))
    #expect(await engine.times(of: alone, at: Self.now) == times)
    #expect(try #require(times).start < before.start - 900)
    // Nor do they differ when the job has begun and finds its archives.
    run.performStep(0)
    run.end()
    let next = try #require(await provider.work.next())
    next.send(.stage(.downloading))
    try await eventually { try await engine.job(left).state == .downloading }
    let begun = try #require(await engine.forecast(at: Self.now))
    #expect(begun.downloadLeft == QueueLoad(try await engine.job(left)).downloads)
    #expect(begun.downloadLeft == 0)
  }

  @Test(arguments: ["aborted", "held", "failed"])
  func `what a job before it was to bring is fetched when that one does not bring it`(
    fate: String
  ) async throws {
    let run = try await beginRock()
    let (left, right) = (try await submit("left"), try await submit("right"))
    provider.endFetch()
    provider.endFetch()
    try await eventually { try await engine.job(right).activity == Self.here }
    let first = [
      FetchingByHand.Fetch(job: left, leftOut: []),
      FetchingByHand.Fetch(job: right, leftOut: ["base"]),
    ]
    #expect(provider.fetches == first)
    let job = try await engine.job(right)
    #expect(job.downloadedBytes == job.totalDownloadBytes / 2)
    switch fate {
    case "aborted": _ = try await engine.requestAbort(of: left, by: EngineFixture.ops)
    case "held": try await engine.suspend(left, by: EngineFixture.ops)
    default:
      run.performStep(0)
      run.end()
      let next = try #require(await provider.work.next())
      next.download()
      next.failStep(0)
      next.end(exitStatus: 1)
      try await eventually { try await engine.job(left).state.isFinal }
      // It has its turn now, and is not taken for one that fetches nothing.
      #expect(await !engine.aheadFetches.isComplete(right))
      return
    }
    try await eventuallyFetched(first + [FetchingByHand.Fetch(job: right, leftOut: [])])
    #expect(try await engine.job(right).activity == "its archives are being fetched")
    provider.endFetch()
    try await eventually { try await engine.job(right).activity == Self.here }
    let whole = try await engine.job(right)
    #expect(whole.downloadedBytes == whole.totalDownloadBytes)
  }

  @Test func `what a job before it has brought is not fetched`() async throws {
    let run = try await beginRock()
    let (left, right) = (try await submit("left"), try await submit("right"))
    provider.endFetch()
    provider.endFetch()
    try await eventually { try await engine.job(right).activity == Self.here }
    run.performStep(0)
    run.end()
    try #require(await provider.work.next()).performAllSteps()
    try await eventually { try await engine.job(left).state.isFinal }
    #expect(await engine.aheadFetches.isComplete(right))
    #expect(provider.fetches.count == 2)
  }

  @Test func `a clean up lasts until nothing is fetched any more, and knows what it frees`()
    async throws
  {
    _ = try await beginRock()
    let (left, alone) = (try await submit("left"), try await submit("alone"))
    provider.endFetch()
    try await eventually { provider.fetches.count == 2 }
    let size = try await engine.job(left).totalDownloadBytes
    for id in [left, alone] { _ = try await engine.requestAbort(of: id, by: EngineFixture.ops) }
    #expect(try provider.journal.job(left, withPlan: false).downloadedBytes == size)
    let cleaning = Task { try await engine.cleanUp(alone, by: EngineFixture.ops) }
    // Whatever else it does comes in between.
    for _ in 1...100 { _ = try await engine.job(alone) }
    #expect(try !provider.journal.job(alone, withPlan: false).isCleanedUp)
    provider.endFetch()
    try await cleaning.value
    #expect(try provider.journal.job(alone, withPlan: false).isCleanedUp)
    let archives = provider.folder.path("jobs/\(alone)/archives")
    #expect(!FileManager.default.fileExists(atPath: archives))
  }

  @Test func `of archives that were there nothing is learned, and of others by what came`()
    async throws
  {
    func samples() throws -> [DurationSample] {
      try [.connect, .download].flatMap { (stage: CostStage) in
        try provider.journal.durations(of: stage.rawValue, limit: 9)
      }.filter { $0.seconds == 0 }
    }
    for isFound in [true, false] {
      provider.findArchives(isFound)
      let id = try await submit(isFound ? "alone" : "left")
      let run = try #require(await provider.work.next())
      if isFound {
        run.performAllSteps()
      } else {
        // Of two archives one came.
        run.send(.stage(.downloading))
        run.send(.downloaded(step: 0, bytes: 70_000))
        run.send(.stage(.installing))
        for step in run.work.plan.steps.indices { run.performStep(step) }
        run.end()
      }
      try await eventually { try await engine.job(id).resultCode == .succeeded }
      #expect(try samples().map(\.stage) == (isFound ? [] : ["connect", "download"]))
    }
    #expect(try samples().last?.bytes == 70_000)
  }
}
