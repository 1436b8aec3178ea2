import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Removing and mending in a simulation` {
  private static let installed = Scenario(
    name: "installed",
    packages: ["a", "b", "c"].map { name in SimulatedPackage(name).modified { $0.installed = "1.0" }
    })

  private func remove(
    _ operation: JobOperation, _ scenario: Scenario
  ) async throws -> Playing {
    let names = scenario.packages.map { Update($0.name) }
    let playing = try await Playing(scenario, JobRequest(operation, names))
    try await playing.toEnd()
    return playing
  }

  @Test(arguments: [(JobOperation.remove, "config-files"), (.purge, "not-installed")])
  func `A22: a removal leaves configuration files, a purge nothing`(
    operation: JobOperation, state: String
  ) async throws {
    let playing = try await remove(operation, Self.installed)
    let findings = await playing.verification().findings
    #expect(playing.phases.prefix(2) == ["a removing", "a done"])
    #expect(findings.map(\.state) == [state, state, state])
    #expect(findings.map(\.isAsPlanned) == [true, true, true])
    #expect(findings.map(\.version) == [nil, nil, nil])
  }

  @Test func `a removal that fails leaves the package as it was`() async throws {
    let playing = try await remove(
      .remove, Self.installed.changing("b") { $0.failure = Scenario.Failure(.remove) })
    let findings = await playing.verification().findings
    #expect(findings.map(\.state) == ["config-files", "installed", "installed"])
    #expect(findings.map(\.isUntouched) == [false, true, true])
    #expect(playing.end?.exitStatus == 100)
  }

  @Test func `B17: an abort in a removal stops between packages`() async throws {
    let playing = try await Playing(
      Self.installed, JobRequest(.remove, [Update("a"), Update("b"), Update("c")]))
    await playing.clock.advance { playing.phases.contains("b removing") }
    #expect(await playing.run.requestStop() == .after(step: 1))
    try await playing.toEnd()
    #expect(
      await playing.verification().findings.map(\.state)
        == ["config-files", "config-files", "installed"])
  }

  @Test func `D21: a repair mends what a crash left behind`() async throws {
    let clock = ManualClock()
    let scenario = Scenario.steps(2).changing("p1") { $0.crash = .unpack }
    let provider = SimulatedProvider(playing: scenario, clock: clock)
    let broken = try await Playing(scenario.installsEverything, with: provider, clock: clock)
    try await broken.toEnd()
    let plan = try await provider.plan(JobRequest(.repair, []))
    #expect(plan.steps.map(\.action) == [.reinstall])
    provider.setPackage("p1", state: "half-configured", version: "1.0")
    let repair = try await Playing(
      JobRequest(.repair, []), with: provider, clock: clock, job: 2)
    try await repair.toEnd()
    #expect(repair.phases == ["p1 configuring", "p1 done"])
    #expect(await repair.verification().audit.isEmpty)
  }

  @Test func `a reinstallation that fails is not taken for done`() async throws {
    let scenario = Self.installed.changing("a") { $0.failure = Scenario.Failure(.unpack) }
    let playing = try await remove(.reinstall, scenario)
    let findings = await playing.verification().findings
    #expect(findings.map(\.isAsPlanned) == [false, false, false])
    #expect(findings.map(\.isUntouched) == [true, true, true])
  }

  @Test func `A local archive is told by its name in a simulation`() async throws {
    let provider = SimulatedProvider(playing: Self.installed)
    let archive = LocalArchive(fileName: "new_2.0-1_amd64.deb", sha256: "00", size: 77)
    let update = try await provider.update(in: archive, at: "/nonexistent")
    #expect(update.description == "new=2.0-1:amd64")
    let plan = try await provider.plan(JobRequest(.install, [update]))
    #expect(plan.steps.map(\.origin) == ["local file"])
    #expect(plan.downloadSize == 77)
    let error = await #expect(throws: InstallationError.self) {
      _ = try await provider.update(
        in: LocalArchive(fileName: "x.txt", sha256: "00", size: 1), at: "/nonexistent")
    }
    #expect(error?.code == .badArchive)
  }
}
