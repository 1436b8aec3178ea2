import InstallJobs
import JobJournal
import PackageProvider
import Support
import Testing

@testable import JobEngine
@testable import SimulatedProvider

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A simulated machine` {
  @Test func `a package that a job ahead installs is not installed twice`() async throws {
    let fixture = try await EngineFixture.playing(.instant(2))
    _ = try await fixture.session.pauseQueue()
    let installer = try fixture.installer()
    let first = try await installer.beginInstallation(of: [Update("p1")])
    let second = try await installer.beginInstallation(of: [Update("p1"), Update("p2")])
    let plan = try #require(try await fixture.session.snapshot(of: second.id).plan)
    #expect(plan.map(\.planned.name) == ["p2"])
    _ = try await fixture.session.resumeQueue()
    #expect(try await first.result.code == .succeeded)
    let result = try await second.result
    #expect(result.code == .succeeded)
    #expect(result.updateResults.map(\.note) == [.alreadyInstalled, nil])
  }

  @Test func `an installation takes the archives that a download job has fetched`() async throws {
    let fixture = try await EngineFixture.playing(.instant(2))
    _ = try await fixture.installer().download([Update("p1")])
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    #expect(try await job.result.code == .succeeded)
    let fetched = try fixture.journal.events(after: 0, limit: 1000).compactMap { event -> Int? in
      guard event.job == job.id, case .update(let index, let status) = event.payload else {
        return nil
      }
      return status.phase == .downloading ? index : nil
    }
    #expect(Set(fetched) == [1])
  }

  @Test func `a search knows the security updates that the list of updates has`() async throws {
    var scenario = Scenario.steps(2).changing("p1") { $0.origin = "Debian-Security:12/main" }
    for index in scenario.packages.indices { scenario.packages[index].installed = "0.9" }
    let fixture = try await EngineFixture.playing(scenario)
    let listed = try await fixture.session.upgradableUpdates().filter(\.isSecurity).map(\.name)
    let found = try await fixture.session.updates(
      matching: UpdateCriteria(isUpgrade: true, isSecurity: true))
    #expect(listed == ["p1"] && found.updates.map(\.name) == listed)
  }

  @Test func `the page about scenarios has one that can be read, and names those that come along`()
    throws
  {
    let page = try #require(
      TestFolder.text(
        of: #filePath.replacing(
          "Tests/JobEngineTests/SimulatedMachineTests.swift",
          with: "Sources/InstallJobs/InstallJobs.docc/Simulation.md")))
    let block = try #require(
      page.split(separator: "```toml\n").last?.split(separator: "\n```").first)
    let scenario = try Scenario(parsing: String(block), file: "night.toml")
    #expect(scenario.packages.map(\.name) == ["libzip", "mailer"] && scenario.jobs.count == 1)
    for name in Scenario.builtInNames { #expect(page.contains("`\(name)`")) }
  }
}

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `The package that is worked on` {
  @Test func `what was fetched last is not what an installation begins with`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.send(.stage(.installing))
    try await eventually { await job.progress.state == .installing }
    #expect(await job.progress.currentItem == nil)
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    run.performAllSteps()
    _ = try await job.result
  }

  @Test func `none is worked on while a job is verified`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(1))
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    var snapshot = try await fixture.session.snapshot(of: job.id)
    let status = try #require(snapshot.plan?.first)
    #expect(status.phase > .downloaded)
    func apply(_ payload: JobEvent.Payload) {
      snapshot.apply(JobEvent(seq: 1, at: snapshot.submittedAt, job: job.id, payload: payload))
    }
    apply(.state(JobStateChange(.finalizing, abortPreview: .alreadyCompleted)))
    apply(.update(index: 0, status: status))
    #expect(snapshot.currentStepIndex == nil && snapshot.currentUpdateIndex == nil)
    run.performAllSteps()
    _ = try await job.result
  }
}
