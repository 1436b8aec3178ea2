import InstallJobs
import JobEngine
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Looking and waiting` {
  @Test func `A41: an observer sees everything and has nothing to act with`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    let job = try await installer.beginInstallation(of: [Update("p1")])
    // `observer.beginInstallation`, `requestAbort` and the like are no members: not compilable.
    for observer in [installer.observer, fixture.session.observer] {
      #expect(try await observer.jobs().map(\.id) == [job.id])
      #expect(try await observer.job(job.id).plan?.map(\.name) == ["p1"])
      #expect(try await observer.status().runningJob == job.id)
      let time = try #require(try await observer.status().time)
      #expect(try await time >= observer.job(job.id).submittedAt)
    }
    let snapshots = await installer.observer.snapshots(of: job.id)
    await work.next()?.performAllSteps()
    var last: JobSnapshot?
    for try await snapshot in snapshots { last = snapshot }
    #expect(last?.resultCode == .succeeded)
  }

  @Test func `Y2: the history is read beside the engine, not in its turn`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    _ = try await fixture.installer().install([Update("p1")])
    let engine = fixture.engine
    // Not asynchronous: it would not compile if the engine's jobs had to be waited for.
    let look = { () throws -> ([JobID], JobOperation) in
      (
        try engine.history(HistoryFilter(), after: nil, limit: 9).map(\.id),
        try engine.request(of: JobID(1)).operation
      )
    }
    let (ids, operation) = try look()
    #expect(ids == [JobID(1)] && operation == .install)
  }

  @Test func `B10, R1: a bounded wait for the result gives up and touches nothing`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let clock = ManualClock()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let waiting = Task { try await job.result(within: .seconds(2), clock: clock) }
    try await eventually { clock.sleeperCount == 1 }
    await clock.advance(by: .seconds(2))
    let error = await #expect(throws: InstallationError.self) { try await waiting.value }
    #expect(error?.code == .timedOut)
    let run = try #require(await work.next())
    run.performAllSteps()
    #expect(try await job.result(within: .seconds(2), clock: clock).code == .succeeded)
    #expect(run.stopRequests == 0)
    #expect(try fixture.abortRequests == 0)
  }

  @Test func `C15: callbacks cannot throw, by their types`() {
    typealias Progress = @Sendable (InstallationJob, InstallationProgress) async -> Void
    typealias Throwing = @Sendable (InstallationJob, InstallationProgress) async throws -> Void
    #expect(InstallationJob.ProgressHandler.self == Progress.self)
    #expect(
      ObjectIdentifier(InstallationJob.ProgressHandler.self) != ObjectIdentifier(Throwing.self))
    typealias Completion = @Sendable (InstallationJob) async -> Void
    #expect(InstallationJob.CompletionHandler.self == Completion.self)
  }

  @Test func `D4: results by index and by name agree`() async throws {
    let scenario = Scenario.instant(3).changing("p2") {
      $0.failure = Scenario.Failure(.configure)
    }
    let fixture = try await EngineFixture.playing(scenario)
    let names = ["p3", "p1", "p2"]
    let result = try await fixture.installer().install(names.map { Update($0) })
    for (index, name) in names.enumerated() {
      #expect(result.updateResults[index].name == name)
      #expect(result[name] == result.updateResults[index])
      let architecture = result.updateResults[index].architecture
      #expect(result[name, architecture: architecture] == result.updateResults[index])
    }
    #expect(result["nosuch"] == nil && result["p1", architecture: "s390x"] == nil)
  }

  @Test func `B30: a list by states has the jobs in these, and none for no state`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    let first = try await installer.beginInstallation(of: [Update("p1")])
    let second = try await installer.beginInstallation(of: [Update("p2")])
    let jobs = try await fixture.session.jobs(in: [.queued, .downloading])
    #expect(jobs.map(\.id).contains(second.id))
    #expect(try await fixture.session.jobs(in: []).isEmpty)
    #expect(try await fixture.session.jobs().map(\.id) == [first.id, second.id])
    #expect(try await fixture.session.jobs().last?.queuePosition == 1)
  }
}
