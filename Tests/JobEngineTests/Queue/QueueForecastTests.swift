import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite struct `What stands before a job in the queue` {
  /// A generator that gives the same numbers for the same seed.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 33)
    }
  }

  private func job(
    _ download: Double, _ packages: Double, spread: Double = 0, there: Int64 = 0
  ) -> JobSnapshot {
    var job = JobMachineFixture(steps: ["a"]).snapshot
    job.expected = ExpectedWork(
      downloadSeconds: download, packageSeconds: packages, spreadSeconds: spread)
    job.downloadedBytes = there
    return job
  }

  private func sum(_ loads: [QueueLoad]) -> QueueLoad {
    loads.reduce(QueueLoad()) { $0.followed(by: $1) }
  }

  @Test(arguments: 1...50)
  func `N11: what is fetched ahead begins when its archives are there and the one before is over`(
    seed: Int
  ) throws {
    var random = Numbers(state: UInt64(seed))
    let jobs = (0..<Int.random(in: 1...30, using: &random)).map { _ in
      (Double.random(in: 0...20, using: &random), Double.random(in: 0...20, using: &random))
    }
    let loads = jobs.map { QueueLoad(job($0.0, $0.1)) }
    var forecast = QueueForecast(
      workLeft: Double.random(in: 0...30, using: &random),
      downloadLeft: Double.random(in: 0...30, using: &random), fetchesAhead: true)
    // Played one after the other.
    var (fetched, end) = (forecast.downloadLeft, forecast.workLeft)
    for (index, job) in jobs.enumerated() {
      let begin = end
      fetched += job.0
      end = max(end, fetched) + job.1
      let ahead = sum(Array(loads[..<index]))
      let times = try #require(forecast.times(of: loads[index], behind: ahead))
      #expect(abs(times.start - begin) < 1e-6)
      #expect(abs(try #require(times.end) - end) < 1e-6)
    }
    // However it is cut into parts.
    let cut = Int.random(in: 0...loads.count, using: &random)
    let parts = sum(Array(loads[..<cut])).followed(by: sum(Array(loads[cut...])))
    #expect(
      abs(try #require(forecast.times(of: QueueLoad(), behind: parts)).start - end) < 1e-6)
    forecast.fetchesAhead = false
    let whole = jobs.reduce(forecast.workLeft) { $0 + $1.0 + $1.1 }
    #expect(abs(try #require(forecast.times(of: QueueLoad(), behind: parts)).start - whole) < 1e-6)
  }

  @Test func `of archives that are there only the rest is to be fetched`() {
    #expect(QueueLoad(job(10, 5, there: 900)).downloads.rounded() == 1)
    #expect(QueueLoad(job(10, 5, there: 5000)).downloads == 0)
    #expect(QueueLoad(job(10, 5)).downloads == 10)
  }

  @Test func `spreads add up as those of independent lengths`() throws {
    let forecast = QueueForecast(workLeft: 10, spread: 2, fetchesAhead: false)
    let times = try #require(
      forecast.times(of: QueueLoad(job(0, 5, spread: 6)), behind: QueueLoad(job(0, 5, spread: 3))))
    #expect(times.spread == 7)
    let unknown = QueueForecast(workLeft: 10, spread: nil, fetchesAhead: false)
    #expect(unknown.times(of: QueueLoad(job(0, 5)), behind: QueueLoad())?.spread == nil)
  }

  @Test func `behind a job of which nothing is known nothing is foreseen`() throws {
    let forecast = QueueForecast(workLeft: 10, fetchesAhead: false)
    var unknown = job(0, 0)
    unknown.expected = nil
    #expect(forecast.times(of: QueueLoad(job(0, 5)), behind: QueueLoad(unknown)) == nil)
    let own = try #require(forecast.times(of: QueueLoad(unknown), behind: QueueLoad()))
    #expect(own.start == 10 && own.end == nil && own.spread == nil)
  }

  @Test func `jobs that are passed have no time and take none from others`() throws {
    let now = Timestamp(milliseconds: 1000)
    var queue = JobQueue()
    func add(_ id: Int, _ seconds: Double, priority: Int = 0, isPaused: Bool = false) {
      var entry = JobQueue.Entry(id: JobID(id), priority: priority, isPaused: isPaused)
      entry.load = QueueLoad(job(0, seconds))
      queue.insert(entry)
    }
    add(1, 5)
    add(2, 50, isPaused: true)
    add(3, 7)
    add(4, 100, priority: 9)
    queue.insert(
      JobQueue.Entry(id: JobID(5), priority: 10, notBefore: now.advanced(bySeconds: 9)))
    let forecast = QueueForecast(workLeft: 30, fetchesAhead: false)
    let times = queue.times(by: forecast, at: now) { _ in false }
    #expect(times.mapValues(\.start) == [JobID(4): 30, JobID(1): 130, JobID(3): 135])
    #expect(times[JobID(3)]?.end == 142)
    #expect(queue.times(of: JobID(3), by: forecast, at: now) { _ in false } == times[JobID(3)])
    #expect(queue.times(of: JobID(2), by: forecast, at: now) { _ in false } == nil)
    queue.setLoad(QueueLoad(job(0, 10)), of: JobID(4))
    #expect(queue.times(of: JobID(3), by: forecast, at: now) { _ in false }?.start == 45)
  }
}

/// An engine whose time a test moves, and that has learned what its packages cost.
@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `An engine that knows what jobs cost` {
  private static let start = Timestamp(milliseconds: 1_780_000_000_000)
  private let clock = ManualClock()
  /// Seconds by which the machine's clock was set.
  private let shift = Locked(0.0)

  private func engine() async throws -> (EngineFixture, ManualWork) {
    let (clock, shift) = (clock, shift)
    let (fixture, work) = try await EngineFixture.byHand(.steps(3)) {
      $0.clock = clock
      $0.stallThreshold = .seconds(10_000)
      $0.now = {
        let (seconds, attoseconds) = clock.now.offset.components
        let passed = Double(seconds) + Double(attoseconds) / 1e18
        return Self.start.advanced(bySeconds: passed + shift.value)
      }
    }
    for number in 1...3 {
      let request = JobRequest(number == 1 ? .install : .reinstall, [Update("p1")])
      let job = try await fixture.engine.submit(request, by: EngineFixture.ops)
      try await play(job.id, try #require(await work.next()), in: fixture)
    }
    return (fixture, work)
  }

  /// A job of p1: a second to connect, one to prepare, 20 to unpack, 30 to configure, 9 to conclude.
  private func play(_ id: JobID, _ run: ManualRun, in fixture: EngineFixture) async throws {
    func pass(_ seconds: Int) async { await clock.advance(by: .seconds(seconds)) }
    func reached(_ phase: UpdatePhase) async throws {
      try await eventually { try await fixture.backend.job(id).plan?[0].phase ?? .pending >= phase }
    }
    try await eventually { try await fixture.backend.job(id).state == .downloading }
    await pass(1)
    run.download()
    try await eventually { try await fixture.backend.job(id).state == .installing }
    await pass(1)
    run.beginStep(0)
    try await reached(.unpacking)
    await pass(20)
    run.send(.phase(step: 0, .unpacked))
    try await reached(.unpacked)
    await pass(30)
    run.finishStep(0)
    try await reached(.done)
    await pass(9)
    run.end()
    try await eventually { try await fixture.backend.job(id).state == .completed }
  }

  private func submit(
    _ fixture: EngineFixture, _ options: InstallationOptions = InstallationOptions()
  ) async throws -> JobSnapshot {
    try await fixture.engine.submit(
      JobRequest(.reinstall, [Update("p1")], options: options), by: EngineFixture.ops)
  }

  /// Another job of p1, whose package is being unpacked.
  private func untilUnpacking(
    _ fixture: EngineFixture, _ work: ManualWork
  ) async throws -> (JobSnapshot, ManualRun) {
    let job = try await submit(fixture)
    let run = try #require(await work.next())
    try await eventually { try await fixture.backend.job(job.id).state == .downloading }
    await clock.advance(by: .seconds(1))
    run.download()
    run.beginStep(0)
    try await eventually { try await fixture.backend.job(job.id).plan?[0].phase == .unpacking }
    return (job, run)
  }

  @Test func `tells when jobs that wait begin and end, and null where nobody knows`()
    async throws
  {
    let (fixture, work) = try await engine()
    let first = try await submit(fixture)
    let run = try #require(await work.next())
    try await eventually { try await fixture.backend.job(first.id).state == .downloading }
    let whole = try #require(first.expected).seconds
    #expect((59...63).contains(whole))
    let second = try await submit(fixture)
    var held = InstallationOptions()
    held.earliestStart = Self.start.advanced(bySeconds: 1e6)
    let later = try await submit(fixture, held)
    let third = try await submit(fixture)
    #expect(abs(try #require(second.startsInSeconds) - whole) < 1)
    #expect(abs(try #require(second.endsInSeconds) - 2 * whole) < 1)
    #expect(abs(try #require(third.startsInSeconds) - 2 * whole) < 1)
    #expect(later.startsInSeconds == nil && later.expected != nil)
    #expect(third.etaSpreadSeconds ?? 0 > second.etaSpreadSeconds ?? .infinity)
    await clock.advance(by: .seconds(1))
    run.download()
    run.beginStep(0)
    try await eventually {
      try await fixture.backend.job(first.id).plan?[0].phase == .unpacking
    }
    // By time alone: half of the 20 seconds of some 60, which is looked at now and then.
    #expect(
      await clock.advance(limit: .seconds(10)) {
        (try? await fixture.backend.job(first.id).percentComplete) ?? 0 >= 15
      })
    let now = try await fixture.backend.job(first.id)
    #expect(now.percentComplete <= 22)
    let left = try #require(now.etaSeconds)
    let listed = try await fixture.engine.jobs(in: [.queued])
    let times = try #require(listed.first { $0.id == second.id })
    #expect(abs(try #require(times.startsInSeconds) - left) < 2)
    #expect(times.startsInSeconds ?? 0 < second.startsInSeconds ?? 0)
    // Who subscribes adds up by himself.
    let rows = try await fixture.engine.subscribe(newest: .max).snapshots
    #expect(rows.allSatisfy { $0.startsInSeconds == nil })
    #expect(try await fixture.engine.subscribe(newest: 1).snapshots == Array(rows.suffix(1)))
    #expect(try await fixture.engine.subscribe(newest: 0).snapshots.isEmpty)
    #expect(rows.contains { $0.id == second.id && $0.expected == second.expected })
    _ = try await fixture.engine.pauseQueue(by: EngineFixture.ops)
    #expect(try await fixture.backend.job(second.id).startsInSeconds == nil)
    _ = try await fixture.engine.resumeQueue(by: EngineFixture.ops)
    #expect(try await fixture.backend.job(second.id).startsInSeconds != nil)
  }

  @Test func `says that a stage takes too long, and is woken no more for it`() async throws {
    let (fixture, work) = try await engine()
    let (job, run) = try await untilUnpacking(fixture, work)
    let next = try await submit(fixture)
    await clock.advance(by: .seconds(59))
    #expect(try await fixture.backend.job(job.id).overdue == nil)
    #expect(try await fixture.backend.job(next.id).startsInSeconds != nil)
    // An engine that comes to sleep only now wakes later: that is no clock that was set.
    await clock.advance(limit: .seconds(70)) {
      (try? await fixture.backend.job(job.id).overdue) != nil
    }
    let overdue = try #require(try await fixture.backend.job(job.id).overdue)
    #expect(overdue.stage == .unpack && overdue.update == "p1")
    #expect((19...21).contains(overdue.usualSeconds))
    #expect(try await fixture.backend.job(next.id).startsInSeconds == nil, "nobody knows")
    let capped = try await fixture.backend.job(job.id).percentComplete
    // Only what looks after signs of life sleeps on.
    let sleeps = clock.sleepsBegun
    await clock.advance(by: .seconds(500))
    #expect(clock.sleepsBegun == sleeps)
    #expect(try await fixture.backend.job(job.id).percentComplete == capped)
    run.send(.phase(step: 0, .unpacked))
    try await eventually { try await fixture.backend.job(job.id).overdue == nil }
    #expect(try await fixture.backend.job(next.id).startsInSeconds != nil)
  }

  @Test func `tells nothing of a stage after the clock was set`() async throws {
    let (fixture, work) = try await engine()
    let (job, run) = try await untilUnpacking(fixture, work)
    // One looks after signs of life, the other at the stage.
    try await clock.waitForSleepers(2)
    shift.change { $0 += 3600 }
    await clock.advance(by: .seconds(100))
    let sleeps = clock.sleepsBegun
    await clock.advance(by: .seconds(500))
    #expect(clock.sleepsBegun == sleeps, "nobody looks any more")
    #expect(try await fixture.backend.job(job.id).overdue == nil)
    run.finishStep(0)
    run.end()
    try await eventually { try await fixture.backend.job(job.id).state == .completed }
  }

  @Test func `nothing is foreseen before three jobs were seen`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let job = try await fixture.engine.submit(
      JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    let next = try await fixture.engine.submit(
      JobRequest(.install, [Update("p2")]), by: EngineFixture.ops)
    #expect(job.expected == nil && next.startsInSeconds == nil && next.endsInSeconds == nil)
  }
}
