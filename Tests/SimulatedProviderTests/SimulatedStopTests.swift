import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Stopping a simulated run` {
  @Test(arguments: 0..<60)
  func `B17: the answer at a random moment is what happens`(seed: Int) async throws {
    var random = SimulatedRandom(seed: UInt64(seed))
    var scenario = Scenario.steps(4, seed: UInt64(seed))
    scenario.tick = 0.25
    scenario.packages[2].trigger = Scenario.Trigger("man-db", seconds: 0.5)
    if seed % 4 == 0 {
      scenario.lock = Scenario.Lock(LockHolder(pid: 1, command: "apt-get"), seconds: 1)
    }
    let playing = try await Playing(scenario)
    try await playing.clock.waitForSleepers()
    let moment = random.draw(Scenario.Span(0...2.99))
    await playing.clock.advance(by: .seconds(moment))
    // It may still be on its way to where it sleeps.
    try await playing.clock.waitForSleepers()
    let preview = await playing.run.previewStop()
    let answer = await playing.run.requestStop()
    let again = await playing.run.requestStop()
    // What was about to stop may be over by the second question; nothing else may have changed.
    #expect(again == answer || again == .over)
    #expect(preview == answer)
    try await playing.toEnd()
    let findings = await playing.verification().findings
    let done = findings.map(\.isAsPlanned)
    let end = playing.end
    switch answer {
    case .atOnce:
      #expect(findings.allSatisfy { $0.isUntouched })
      #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    case .after(let step):
      #expect(done == (0..<4).map { $0 <= step })
      #expect(findings[(step + 1)...].allSatisfy { $0.isUntouched })
      #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    case .finalStep(let step):
      #expect(step == 3)
      #expect(done == [true, true, true, true])
      #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    case .over, .impossible: Issue.record("the work lasts longer than \(moment) s")
    }
    #expect(await playing.verification().audit.isEmpty)
    #expect(await playing.run.requestStop() == .over)
  }

  @Test func `B18: in the last step the work goes on to its end`() async throws {
    let playing = try await Playing(.steps(2))
    await playing.clock.advance { playing.phases.contains("p2 unpacking") }
    #expect(await playing.run.requestStop() == .finalStep(1))
    #expect(await playing.run.withdrawStop() == false)
    try await playing.toEnd()
    #expect(playing.end?.stoppedAtBoundary == false)
  }

  @Test func `B20: a request that is taken back in time changes nothing`() async throws {
    let playing = try await Playing(.steps(3))
    await playing.clock.advance { playing.phases.contains("p1 configuring") }
    #expect(await playing.run.requestStop() == .after(step: 0))
    #expect(await playing.run.withdrawStop())
    #expect(await playing.run.withdrawStop() == false)
    try await playing.toEnd()
    #expect(playing.end?.stoppedAtBoundary == false)
    #expect(await playing.verification().findings.allSatisfy { $0.isAsPlanned })
  }

  @Test func `B28: a resumed job leaves out the steps that are done`() async throws {
    let clock = ManualClock()
    let scenario = Scenario.steps(3)
    let provider = SimulatedProvider(playing: scenario, clock: clock)
    let playing = try await Playing(
      scenario.installsEverything, with: provider, clock: clock, finished: [0])
    try await playing.toEnd()
    #expect(!playing.phases.contains { $0.hasPrefix("p1") })
    #expect(
      await playing.verification().findings.map(\.isAsPlanned) == [false, true, true])
  }

  @Test func `B17: a failure in the named step still stops there`() async throws {
    let scenario = Scenario.steps(3).changing("p2") {
      $0.failure = Scenario.Failure(.configure, goesOn: true)
    }
    let playing = try await Playing(scenario)
    await playing.clock.advance { playing.phases.contains("p2 unpacking") }
    #expect(await playing.run.requestStop() == .after(step: 1))
    try await playing.toEnd()
    #expect(playing.end == WorkEnd(exitStatus: 100, stoppedAtBoundary: true))
    #expect(await playing.verification().findings[2].isUntouched)
  }
}

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .scratchFolder)
struct `Following simulated work` {
  private func begin(_ scenario: Scenario) async throws -> (Playing, String) {
    let folder = try #require(ScratchFolder.current).path
    let clock = ManualClock()
    let provider = try SimulatedProvider(scenario, clock: clock, stateFolder: folder)
    return (try await Playing(scenario.installsEverything, with: provider, clock: clock), folder)
  }

  @Test(arguments: ["p1 downloading", "p1 configuring", "p2 unpacked", "p3 configuring"])
  func `G2: a new engine hears the rest once`(moment: String) async throws {
    let scenario = Scenario.steps(3)
    let whole = try await Playing(scenario)
    try await whole.toEnd()
    let (first, folder) = try await begin(scenario)
    await first.clock.advance { first.phases.contains(moment) }
    first.provider.abandonAll()
    try await eventually("the first engine's stream ends") { first.hasEnded }
    let heard = first.batches.count - 1
    first.provider.save()
    let next = try SimulatedProvider(scenario, clock: first.clock, stateFolder: folder)
    let second = await Playing(
      following: first, provider: next, offsets: first.batches[heard - 1].offsets)
    try await second.toEnd()
    #expect(first.batches.prefix(heard).flatMap(\.reports) + second.reports == whole.reports)
    #expect(await second.verification().findings.allSatisfy { $0.isAsPlanned })
  }

  @Test func `G2: work that ended meanwhile is told to its end`() async throws {
    let (first, folder) = try await begin(.steps(2))
    await first.clock.advance { first.phases.contains("p1 configuring") }
    _ = await first.run.requestStop()
    let offsets = first.offsets
    try await first.toEnd()
    first.provider.save()
    let next = try SimulatedProvider(.steps(2), clock: first.clock, stateFolder: folder)
    let second = await Playing(following: first, provider: next, offsets: offsets)
    try await eventually("the stream ends") { second.hasEnded }
    #expect(second.end == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    #expect(second.phases.last == "p1 done")
  }

  @Test func `G2: what was heard has happened, also where the machine's last moment was lost`()
    async throws
  {
    let (first, folder) = try await begin(.steps(3))
    first.provider.save()
    let early = try SimulatedDatabase.read(inState: folder)
    await first.clock.advance { first.phases.contains("p2 unpacked") }
    first.provider.abandonAll()
    try await eventually("the first engine's stream ends") { first.hasEnded }
    let other = try ScratchFolder()
    try #require(early).write(inState: other.path)
    let next = try SimulatedProvider(.steps(3), clock: first.clock, stateFolder: other.path)
    let second = await Playing(following: first, provider: next, offsets: first.offsets)
    try await second.toEnd()
    #expect(await second.verification().findings.map(\.isAsPlanned) == [true, true, true])
  }

  @Test func `G3: work that does not survive is lost`() async throws {
    var scenario = Scenario.steps(2)
    scenario.survivesRestart = false
    let (first, folder) = try await begin(scenario)
    await first.clock.advance { first.phases.contains("p1 configuring") }
    first.provider.abandonAll()
    first.provider.save()
    let next = try SimulatedProvider(scenario, clock: first.clock, stateFolder: folder)
    let second = await Playing(following: first, provider: next, offsets: first.offsets)
    try await eventually("the stream ends") { second.hasEnded }
    #expect(second.reports == [.lost])
    #expect(await second.verification().findings[0].state == "half-configured")
  }
}

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Work played by hand` {
  private func begin() async throws -> (SimulatedProvider, ManualRun, any JobRun, JobPlan) {
    let scenario = Scenario.steps(3)
    let (provider, work) = SimulatedProvider.manual(scenario)
    let plan = try await provider.plan(scenario.installsEverything)
    let run = try await provider.start(
      JobWork(
        id: JobID(1), request: scenario.installsEverything, plan: plan,
        folder: JobFolder(path: "/nonexistent/job"), archiveStore: "/nonexistent"))
    return (provider, try #require(await work.next()), run, plan)
  }

  @Test func `N21: FB[3 steps] completes and is found in the database`() async throws {
    let (provider, hand, run, plan) = try await begin()
    hand.performAllSteps()
    var batches: [WorkBatch] = []
    for await batch in run.batches { batches.append(batch) }
    #expect(batches.last?.reports == [.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false))])
    #expect(batches.map { $0.offsets["hand"] } == (1...Int64(batches.count)).map { $0 })
    #expect(await provider.verify(plan).findings.allSatisfy { $0.isAsPlanned })
  }

  @Test func `N21: FB[hold the last step] answers by position and counts requests`() async throws {
    let (_, hand, run, _) = try await begin()
    hand.download()
    #expect(await run.previewStop() == .atOnce)
    hand.performStep(0)
    hand.beginStep(1)
    #expect(await run.requestStop() == .after(step: 1))
    #expect(hand.stopRequests == 1)
    #expect(hand.isStopping)
    #expect(await run.withdrawStop())
    hand.finishStep(1)
    hand.beginStep(2)
    #expect(await run.requestStop() == .finalStep(2))
    hand.setStopAnswer(with: .atOnce)
    #expect(await run.previewStop() == .atOnce)
    hand.loseWorker()
    #expect(await run.requestStop() == .over)
  }
}
