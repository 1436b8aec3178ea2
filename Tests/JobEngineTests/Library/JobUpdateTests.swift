import InstallJobs
import SimulatedProvider
import Support
import Testing

/// What a job's handle says was asked for, and what its indices and results belong to.
@Suite struct `The updates of a job` {
  @Test func `L5: an update that is named twice is one step with two equal results`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let named = ["p2", "p1", "p2"].map { Update($0) }
    let job = try await fixture.installer().beginInstallation(of: named)
    #expect(job.updates == named)
    #expect(job.plan.map(\.name).sorted() == ["p1", "p2"])
    await work.next()?.performAllSteps()
    let result = try await job.result
    #expect(result.updateResults.map(\.name) == ["p2", "p1", "p2"])
    #expect(result.updateResults[0] == result.updateResults[2])
    #expect(result.updateResults[0].code == .succeeded && result.counts == nil)
    let progress = await job.progress
    #expect(try progress.updateResult(at: 2).name == "p2")
    #expect(throws: InstallationError.self) { try progress.updateResult(at: 3) }
  }

  @Test func `L2, L3: change neither with the caller's list nor with a copy`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    var asked = [Update("p2"), Update("p1")]
    let job = try await fixture.installer().beginInstallation(of: asked)
    asked.removeAll()
    var copy = job.updates
    copy.append(Update("p3"))
    #expect(job.updates == [Update("p2"), Update("p1")])
    await work.next()?.performAllSteps()
    #expect(try await job.result.updateResults.map(\.name) == ["p2", "p1"])
  }

  @Test func `of an upgrade of everything are what is upgraded`() async throws {
    var scenario = Scenario.instant(3)
    for name in ["p1", "p3"] { scenario = scenario.changing(name) { $0.installed = "0.1" } }
    let fixture = try await EngineFixture.playing(scenario)
    let job = try await fixture.installer().begin(JobRequest(.upgrade, []))
    let result = try await job.result
    #expect(job.updates.map(\.name) == ["p1", "p3"])
    #expect(result.updateResults.map(\.name) == ["p1", "p3"])
    let attached = try await fixture.session.job(job.id)
    #expect(attached.updates == job.updates)
  }

  @Test func `of a job that is attached are those that were asked for, without versions`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let named = ["p2", "p1"].map { Update($0) }
    let begun = try await fixture.installer().beginInstallation(of: named)
    let attached = try await fixture.session.job(begun.id)
    #expect(attached.updates == named)
    await work.next()?.performAllSteps()
    #expect(try await attached.result == begun.result)
  }
}
