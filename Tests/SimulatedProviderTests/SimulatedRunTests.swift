import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `A simulated run` {
  @Test func `N21: plays every step through its phases in plan order`() async throws {
    let playing = try await Playing(.steps(2))
    try await playing.toEnd()
    #expect(
      playing.phases == [
        "p1 downloading", "p1 downloaded", "p2 downloading", "p2 downloaded",
        "p1 unpacking", "p1 unpacked", "p1 configuring", "p1 done",
        "p2 unpacking", "p2 unpacked", "p2 configuring", "p2 done",
      ])
    #expect(playing.end == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    let verification = await playing.verification()
    #expect(verification.findings.map(\.isAsPlanned) == [true, true])
    #expect(verification.audit.isEmpty)
  }

  @Test func `N21: the same seed plays the same reports, another seed other ones`() async throws {
    func reports(_ seed: UInt64) async throws -> [WorkReport] {
      var scenario = try Scenario.named("demo")
      scenario.seed = seed
      let playing = try await Playing(scenario)
      try await playing.toEnd()
      return playing.reports
    }
    let first = try await reports(1)
    #expect(try await reports(1) == first)
    #expect(try await reports(2) != first)
  }

  @Test func `C13: FB[instant] is over without any time`() async throws {
    let playing = try await Playing(.instant(3))
    try await eventually("the run ends") { playing.hasEnded }
    #expect(playing.clock.now.offset == .zero)
    #expect(playing.phases.filter { $0.hasSuffix("done") }.count == 3)
  }

  @Test func `C4: FB[regressing numbers] steps back`() async throws {
    let playing = try await Playing(Scenario.steps(1).changing("p1") { $0.regresses = true })
    try await playing.toEnd()
    let fractions = playing.reports.compactMap { report -> Double? in
      if case .fraction(_, let share) = report { share } else { nil }
    }
    #expect(zip(fractions, fractions.dropFirst()).contains { $0 > $1 })
    #expect(playing.phases.contains("p1 pending"))
  }

  @Test func `N21: FB[1000 events in 100 ms] reports them all in that time`() async throws {
    let scenario = Scenario.instant(1).changing("p1") {
      $0.flood = Scenario.Flood(.configure, reports: 1000, seconds: 0.1)
    }
    let playing = try await Playing(scenario)
    try await playing.toEnd()
    #expect(playing.reports.count { if case .fraction = $0 { true } else { false } } == 1000)
    #expect(playing.clock.now.offset <= .milliseconds(101))
  }

  @Test func `N6: a stall is silence, then the work goes on`() async throws {
    let scenario = Scenario.instant(1).changing("p1") {
      $0.stall = Scenario.Stall(.configure, seconds: 60)
    }
    let playing = try await Playing(scenario)
    try await playing.clock.waitForSleepers()
    await playing.clock.advance(by: .seconds(1))
    let heard = playing.reports.count
    await playing.clock.advance(by: .seconds(58))
    #expect(playing.reports.count == heard)
    #expect(playing.phases.last == "p1 configuring")
    await playing.clock.advance(by: .seconds(2))
    try await eventually("the run ends") { playing.hasEnded }
    #expect(playing.end?.exitStatus == 0)
  }

  @Test(arguments: [
    (Scenario.Stage.download, "not-installed", InstallationError.Code.downloadFailed),
    (.unpack, "not-installed", .packageFailed),
    (.configure, "half-configured", .packageFailed),
  ])
  func `a failure ends the work and later steps stay untouched`(
    stage: Scenario.Stage, state: String, code: InstallationError.Code
  ) async throws {
    let scenario = Scenario.steps(3).changing("p2") {
      $0.failure = Scenario.Failure(stage, exitStatus: 3)
    }
    let playing = try await Playing(scenario)
    try await playing.toEnd()
    let failures = playing.reports.compactMap { report -> InstallationError? in
      if case .failed(1, let error) = report { error } else { nil }
    }
    #expect(failures.map(\.code) == [code])
    #expect(playing.end == WorkEnd(exitStatus: 100, stoppedAtBoundary: false))
    let findings = await playing.verification().findings
    #expect(findings[1].state == state)
    #expect(findings[2].isUntouched)
    #expect(findings[0].isAsPlanned == (stage != .download))
  }

  @Test func `work goes on after a failure where the scenario says so`() async throws {
    let scenario = Scenario.steps(3).changing("p2") {
      $0.failure = Scenario.Failure(.configure, goesOn: true)
    }
    let playing = try await Playing(scenario)
    try await playing.toEnd()
    #expect(playing.end == WorkEnd(exitStatus: 100, stoppedAtBoundary: false))
    #expect(
      await playing.verification().findings.map(\.isAsPlanned) == [true, false, true])
    #expect(await playing.verification().repairs == [.finishConfiguration])
  }

  @Test func `N15: a failure for one job only is gone in the next`() async throws {
    let clock = ManualClock()
    let scenario = Scenario.instant(1).changing("p1") {
      $0.failure = Scenario.Failure(.configure, times: 1)
    }
    let provider = SimulatedProvider(playing: scenario, clock: clock)
    let first = try await Playing(scenario.installsEverything, with: provider, clock: clock)
    try await first.toEnd()
    let second = try await Playing(
      scenario.installsEverything, with: provider, clock: clock, job: 2)
    try await second.toEnd()
    #expect(first.end?.exitStatus == 100)
    #expect(second.end?.exitStatus == 0)
    #expect(await second.verification().findings[0].isAsPlanned)
  }

  @Test(arguments: Scenario.Stage.allCases.filter { $0 != .remove })
  func `N21: FB[crash] vanishes without an exit status`(stage: Scenario.Stage) async throws {
    let playing = try await Playing(Scenario.steps(2).changing("p1") { $0.crash = stage })
    try await playing.toEnd()
    #expect(playing.reports.last == .lost)
    let verification = await playing.verification()
    #expect(verification.findings[0].isUntouched == (stage == .download))
    #expect(verification.audit.isEmpty == (stage == .download))
    #expect(
      verification.repairs
        == (stage == .download
          ? [] : stage == .unpack ? [.reinstall("p1")] : [.finishConfiguration]))
  }

  @Test func `A34: a question nobody may answer is a failure`() async throws {
    let scenario = Scenario.instant(1).changing("p1") {
      $0.question = Scenario.Question("Which one?", default: "first")
    }
    let playing = try await Playing(scenario)
    try await playing.toEnd()
    #expect(
      playing.reports.contains {
        if case .failed(0, let error) = $0 { error.code == .needsInput } else { false }
      })
  }

  @Test func `A15: a foreign lock is waited for, with its holder`() async throws {
    var scenario = Scenario.instant(1)
    let holder = LockHolder(pid: 4711, command: "unattended-upgr")
    scenario.lock = Scenario.Lock(holder, seconds: 5)
    let playing = try await Playing(scenario)
    #expect(await playing.provider.lockHolder() == holder)
    try await playing.toEnd()
    #expect(playing.reports.contains(.stage(.waitingForLock(holder))))
    #expect(playing.clock.now.offset == .seconds(5))
    #expect(await playing.provider.lockHolder() == nil)
  }

  @Test func `A15: a bounded wait for the lock runs out with busy`() async throws {
    var scenario = Scenario.instant(1)
    scenario.lock = Scenario.Lock(LockHolder(pid: 4711, command: "apt-get"), seconds: 60)
    var request = scenario.installsEverything
    request.options.lockSeconds = 2
    let playing = try await Playing(scenario, request)
    try await playing.toEnd()
    #expect(playing.end?.error?.code == .busy)
    #expect(await playing.verification().findings[0].isUntouched)
  }

  @Test func `D7: a restart marker names its packages until the machine restarts`() async throws {
    let playing = try await Playing(Scenario.instant(2).changing("p2") { $0.requiresReboot = true })
    try await playing.toEnd()
    #expect(await playing.provider.rebootReasons() == RebootMarker(isSet: true, packages: ["p2"]))
    playing.provider.restartMachine()
    #expect(await playing.provider.rebootReasons() == RebootMarker(isSet: false))
  }

  @Test(.scratchFolder) func `The log's length is that of the file`() async throws {
    let folder = try #require(ScratchFolder.current)
    let playing = try await Playing(.instant(2), folder: folder.path)
    try await playing.toEnd()
    let lengths = playing.reports.compactMap { report -> Int64? in
      if case .log(let length) = report { length } else { nil }
    }
    let text = try folder.read("log")
    #expect(lengths.last == Int64(text.utf8.count))
    #expect(lengths == lengths.sorted())
    #expect(text.contains("Setting up p2 (1.0) ..."))
  }

  @Test(arguments: ["busy", "demo", "failing", "queue-50"])
  func `a built-in scenario plays all its jobs to the end`(name: String) async throws {
    let scenario = try Scenario.named(name)
    #expect(Scenario.builtInNames.contains(name))
    #expect(!scenario.jobs.isEmpty)
    let clock = ManualClock()
    let provider = SimulatedProvider(playing: scenario, clock: clock)
    for (index, job) in scenario.jobs.enumerated() {
      let playing = try await Playing(job.request, with: provider, clock: clock, job: index + 1)
      try await playing.toEnd()
      #expect(playing.end?.stoppedAtBoundary == false)
      let isSound = await playing.verification().findings.allSatisfy(\.isAsPlanned)
      #expect(isSound == (playing.end?.exitStatus == 0))
      #expect(isSound == (name != "failing" || index > 0))
    }
    if name == "demo" { #expect((.seconds(15)...(.seconds(45))).contains(clock.now.offset)) }
  }
}
