import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `What an engine tells of its machine` {
  private func information(_ fixture: EngineFixture) async throws -> SystemInformation {
    try await fixture.session.systemInformation()
  }

  @Test func `S1: a restart is pending with the packages that asked for it`() async throws {
    let kernel = SimulatedPackage("kernel").instant.modified { $0.requiresReboot = true }
    let fixture = try await EngineFixture.playing(Scenario(name: "kernel", packages: [kernel]))
    var told = try await information(fixture)
    #expect(!told.requiresReboot && told.rebootReasons.isEmpty)
    _ = try await fixture.installer().install([Update("kernel")])
    told = try await information(fixture)
    #expect(told.requiresReboot && told.rebootReasons == ["kernel"])
  }

  @Test func `S6: a job at work is servicing, and its end ends that`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    #expect(try await !information(fixture).isServicing)
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    #expect(try await information(fixture).servicing == [.job(job.id)])
    run.performAllSteps()
    _ = try await job.result
    #expect(try await !information(fixture).isServicing)
  }

  @Test func `S6: what could not be read is not called whole`() throws {
    var facts = SystemFacts()
    #expect(try Engine.unfinishedPackages(facts, besides: []).isEmpty)
    facts.unfinishedPackages = ["alpha"]
    #expect(try Engine.unfinishedPackages(facts, besides: []) == [.unfinishedPackage("alpha")])
    facts.unfinishedPackages = nil
    let holder = SystemInformation.Servicing.lockHolder(LockHolder(pid: 1, command: "apt-get"))
    #expect(try Engine.unfinishedPackages(facts, besides: [holder]).isEmpty)
    let error = #expect(throws: InstallationError.self) {
      try Engine.unfinishedPackages(facts, besides: [])
    }
    #expect(error?.code == .busy && error?.class == .transient)
  }

  @Test func `S9: a pause tells who asked for it`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    #expect(try await information(fixture).pause == nil)
    try await fixture.session.pauseQueue()
    #expect(try await information(fixture).pause?.by?.user == "ops")
    try await fixture.session.resumeQueue()
    #expect(try await information(fixture).pause == nil)
  }

  @Test func `S10: the last installation is one that succeeded, no removal and no download`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand(
      Scenario(name: "two", packages: [SimulatedPackage("p1"), SimulatedPackage("p2")]))
    let installer = try fixture.installer()
    func last() async throws -> JobID? {
      guard let date = try await information(fixture).lastSuccessfulInstallation else { return nil }
      return try await fixture.session.jobs().first { $0.endedAt?.date == date }?.id
    }
    #expect(try await last() == nil)
    let failing = try await installer.beginInstallation(of: [Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.failStep(0)
    run.end(exitStatus: 1)
    #expect(try await failing.result.code == .failed)
    #expect(try await last() == nil)
    let good = try await installer.beginInstallation(of: [Update("p1")])
    await work.next()?.performAllSteps()
    _ = try await good.result
    #expect(try await last() == good.id)
    let removal = try await installer.beginUninstallation(of: [Update("p1")])
    await work.next()?.performAllSteps()
    #expect(try await removal.result.code == .succeeded)
    #expect(try await last() == good.id)
  }

  @Test func `S4: an engine in this process has a version, and speaks no protocol`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let told = try await information(fixture)
    #expect(told.engineVersion == "test")
    #expect(told.protocolVersion == nil)
    #expect(told.provider == "simulated")
  }
}

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A search by an engine` {
  @Test(arguments: [
    (UpdateCriteria(limit: 0), InstallationError.Code.invalidArgument),
    (UpdateCriteria(limit: 1001), .invalidArgument), (UpdateCriteria(limit: -1), .invalidArgument),
    (UpdateCriteria(text: "a b c d e f g h i j k"), .invalidArgument),
    (UpdateCriteria(text: String(repeating: "x", count: 501)), .invalidArgument),
    (UpdateCriteria(names: ["-o", "a"]), .notApplicable),
    (UpdateCriteria(names: (0...1000).map { "p\($0)" }), .invalidArgument),
  ])
  func `S8: criteria out of range are refused`(
    criteria: UpdateCriteria, code: InstallationError.Code
  ) async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.session.updates(matching: criteria)
    }
    #expect(error?.code == code)
  }

  @Test func `S8: finds what a session and an observer ask for`() async throws {
    let scenario = Scenario(
      name: "search",
      packages: [
        SimulatedPackage("alpha", "2.0").modified { $0.installed = "1.0" },
        SimulatedPackage("beta"),
      ])
    let (fixture, work) = try await EngineFixture.byHand(scenario)
    let criteria = UpdateCriteria(isUpgrade: true)
    let found = try await fixture.session.updates(matching: criteria)
    #expect(found.updates.map(\.id) == ["alpha:\(found.updates[0].architecture)=2.0"])
    #expect(try await fixture.session.observer.updates(matching: criteria) == found)
    let job = try await fixture.installer().beginInstallation(of: [found.updates[0].update])
    await work.next()?.performAllSteps()
    _ = try await job.result
    #expect(try await fixture.session.updates(matching: criteria).updates.isEmpty)
  }

  @Test func `U7: a new search after the job has the version as installed`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    func isInstalled() async throws -> Bool? {
      try await fixture.session.updates(matching: UpdateCriteria(names: ["p1"])).updates.first?
        .isInstalled
    }
    #expect(try await isInstalled() == false)
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    await work.next()?.performAllSteps()
    _ = try await job.result
    #expect(try await isInstalled() == true)
  }
}
