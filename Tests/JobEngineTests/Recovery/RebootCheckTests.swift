import InstallJobs
import JobEngine
import JobJournal
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `The check after a restart` {
  private static let scenario = Scenario.instant(2).changing("p1") { $0.requiresReboot = true }

  private func engine(_ provider: SimulatedProvider, _ journal: Journal, boot: String?) async throws
    -> (Engine, UpdateSession)
  {
    let engine = Engine(
      provider: provider, journal: journal,
      settings: EngineSettings(stateFolder: "/nonexistent/state", version: "test", bootID: boot))
    try await engine.start()
    return (
      engine,
      UpdateSession(backend: LocalBackend(engine, as: EngineFixture.ops), clientName: "test")
    )
  }

  private func checks(_ journal: Journal) throws -> Int {
    try journal.events(after: 0, limit: 1000).count {
      if case .verifiedAfterReboot = $0.payload { true } else { false }
    }
  }

  @Test func `D20: a pending check becomes final at the first start under another boot, once`()
    async throws
  {
    let folder = try ScratchFolder()
    let journal = try Journal.open(at: folder.path("journal.sqlite"))
    let provider = SimulatedProvider(playing: Self.scenario)
    let (_, session) = try await engine(provider, journal, boot: "boot-1")
    let result = try await session.makeInstaller().install([Update("p1"), Update("p2")])
    #expect(result.code == .succeeded && result.rebootReasons == ["p1"])
    #expect(result.afterReboot == RebootVerification(.pending, bootID: "boot-1"))

    let (same, _) = try await engine(provider, journal, boot: "boot-1")
    await same.verifyAfterReboot()
    #expect(try journal.job(JobID(1), withPlan: false).afterReboot?.outcome == .pending)

    provider.restartMachine()
    let (next, later) = try await engine(provider, journal, boot: "boot-2")
    try await eventually { try await later.jobs().first?.afterReboot?.outcome == .confirmed }
    #expect(try await later.jobs().first?.afterReboot?.checkedAt != nil)
    await next.verifyAfterReboot()
    _ = try await engine(provider, journal, boot: "boot-3")
    #expect(try journal.jobsAwaitingReboot(exceptBoot: "boot-3").isEmpty)
    #expect(try checks(journal) == 1)
  }

  @Test func `D20: a package that the restart broke is named`() async throws {
    let folder = try ScratchFolder()
    let journal = try Journal.open(at: folder.path("journal.sqlite"))
    let provider = SimulatedProvider(playing: Self.scenario)
    let (_, session) = try await engine(provider, journal, boot: "boot-1")
    _ = try await session.makeInstaller().install([Update("p1"), Update("p2")])
    provider.setPackage("p2", state: "half-configured", version: "1.0")
    let (_, later) = try await engine(provider, journal, boot: "boot-2")
    try await eventually { try await later.jobs().first?.afterReboot?.outcome == .contradicted }
    let message = try await later.jobs().first?.afterReboot?.message
    #expect(message?.contains("p2 is half-configured") == true)
  }

  @Test func `D20: a job that asked for no restart has no check`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1)) { $0.bootID = "boot-1" }
    let result = try await fixture.installer().install([Update("p1")])
    #expect(result.afterReboot == nil)
    #expect(try fixture.journal.jobsAwaitingReboot(exceptBoot: "other").isEmpty)
  }

  @Test func `D20: the kernel names the present boot`() {
    #expect(EngineSettings.presentBootID?.utf8.count == 36)
  }
}
