import InstallJobs
import JobEngine
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A job in hand` {
  private func begin(
    _ fixture: EngineFixture, _ names: [String] = ["p1", "p2", "p3"],
    userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws -> InstallationJob {
    try await fixture.installer().beginInstallation(
      of: names.map { Update($0) }, userInfo: userInfo, onProgress: onProgress,
      onCompletion: onCompletion)
  }

  private final class Ticket: Sendable {}

  @Test func `B1: a job found by its number has no userInfo and the same life`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await begin(fixture, userInfo: Ticket())
    let found = try await fixture.session.job(job.id)
    #expect(found.userInfo == nil && found.updates.map(\.name) == ["p1", "p2", "p3"])
    await work.next()?.performAllSteps()
    #expect(try await found.result == job.result)
  }

  @Test func `B2: a job that is cleaned up and dropped keeps no userInfo`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    weak var userInfo: Ticket?
    do {
      let ticket = Ticket()
      userInfo = ticket
      let job = try await begin(fixture, ["p1"], userInfo: ticket)
      try await job.cleanUp()
      #expect(job.userInfo as? Ticket === userInfo)
    }
    try await eventually("the release", within: .seconds(20)) { userInfo == nil }
  }

  @Test func `B7, R4: clean up lets go of both callbacks, though the job is still in hand`()
    async throws
  {
    let fixture = try await EngineFixture.playing(.instant(1))
    weak var captured: Ticket?
    let job: InstallationJob
    do {
      let ticket = Ticket()
      captured = ticket
      job = try await begin(
        fixture, ["p1"], onProgress: { _, _ in _ = ticket }, onCompletion: { _ in _ = ticket })
    }
    try await job.cleanUp()
    try await eventually("the release", within: .seconds(20)) { captured == nil }
    #expect(await job.isCompleted)
  }

  @Test func `R4, R5: callbacks live until they were called, and then nothing holds the job`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let calls = Recorder<JobID>()
    weak var captured: Ticket?
    weak var dropped: InstallationJob?
    do {
      let ticket = Ticket()
      captured = ticket
      dropped = try await begin(
        fixture, ["p1"],
        onCompletion: { job in withExtendedLifetime(ticket) { calls.note(job.id) } })
    }
    let run = try #require(await work.next())
    #expect(captured != nil && dropped != nil)
    run.performAllSteps()
    try await eventually("the release", within: .seconds(20)) { captured == nil && dropped == nil }
    #expect(calls.values == [JobID(1)])
  }

  @Test func `B3: a job is not completed while its last step is at work`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await begin(fixture, ["p1"])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.state == .installing }
    #expect(await !job.isCompleted)
    run.finishStep(0)
    run.end()
    #expect(try await job.result.code == .succeeded)
    #expect(await job.isCompleted)
  }

  @Test func `B5: the plan has every dependency in the order of work`() async throws {
    let scenario = Scenario(
      name: "chain",
      packages: [
        SimulatedPackage("p1"), SimulatedPackage("q2").modified { $0.dependencies = ["p1"] },
        SimulatedPackage("q3").modified { $0.dependencies = ["q2"] },
      ])
    let (fixture, _) = try await EngineFixture.byHand(scenario)
    let job = try await begin(fixture, ["q3"])
    #expect(job.plan.map(\.name) == ["p1", "q2", "q3"])
    #expect(job.plan.map(\.requested) == [false, false, true])
  }

  @Test func `B6, B9: clean up waits for the end, and may be called again`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let order = Recorder<String>()
    let job = try await begin(fixture, ["p1"], onCompletion: { _ in order.note("callback") })
    let cleaning = Task {
      try await job.cleanUp()
      order.note("clean")
    }
    let twin = Task { try await job.cleanUp() }
    await work.next()?.performAllSteps()
    try await cleaning.value
    try await twin.value
    try await job.cleanUp()
    #expect(order.values == ["callback", "clean"])
    #expect(try fixture.journal.job(job.id, withPlan: false).isCleanedUp)
  }

  @Test func `B8, R7: clean up from a callback is an error, not a dead-lock`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let codes = Recorder<InstallationError.Code?>()
    @Sendable func tryCleanUp(_ job: InstallationJob) async {
      do throws(InstallationError) {
        try await job.cleanUp()
        codes.note(nil)
      } catch { codes.note(error.code) }
    }
    let job = try await begin(
      fixture, ["p1"], onProgress: { job, _ in await tryCleanUp(job) }, onCompletion: tryCleanUp)
    #expect(try await job.result.code == .succeeded)
    try await job.cleanUp()
    #expect(codes.values.count >= 2)
    #expect(codes.values.allSatisfy { $0 == .cleanUpCalledFromCallback })
  }

  @Test func `B8: clean up by a task that a callback left behind works once it has returned`()
    async throws
  {
    let fixture = try await EngineFixture.playing(.instant(1))
    let left = Locked<Task<Void, any Error>?>(nil)
    let (returned, permit) = AsyncStream.makeStream(of: Void.self)
    let job = try await begin(
      fixture, ["p1"],
      onCompletion: { job in
        let task = Task {
          for await _ in returned { break }
          try await job.cleanUp()
        }
        left.change { $0 = task }
      })
    // Waits until the callback has returned.
    try await job.cleanUp()
    permit.finish()
    try await #require(left.value).value
    #expect(try fixture.journal.job(job.id, withPlan: false).isCleanedUp)
  }

  @Test func `B10, R1: a bounded clean up gives up and touches nothing`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let clock = ManualClock()
    let completed = Recorder<Bool>()
    let job = try await begin(fixture, ["p1"], onCompletion: { _ in completed.note(true) })
    let cleaning = Task { try await job.cleanUp(within: .seconds(5), clock: clock) }
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(5))
    let error = await #expect(throws: InstallationError.self) { try await cleaning.value }
    #expect(error?.code == .timedOut)
    let run = try #require(await work.next())
    run.performAllSteps()
    #expect(try await job.result.code == .succeeded)
    try await job.cleanUp()
    #expect(completed.values == [true])
    // The work was asked for nothing, and no abort is on record.
    #expect(run.stopRequests == 0)
    #expect(try fixture.abortRequests == 0)
  }

  @Test func `B10: a job that is over is cleaned up whatever the bound is`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let id = try await begin(fixture, ["p1"]).id
    await work.next()?.performAllSteps()
    _ = try await fixture.session.job(id).result
    for _ in 0..<50 {
      let job = try await fixture.session.job(id)
      #expect(try await job.result(within: .zero).code == .succeeded)
      try await job.cleanUp(within: .zero)
    }
    #expect(try fixture.journal.job(id, withPlan: false).isCleanedUp)
  }

  @Test func `B11, B13, B14: snapshots stay, the last one stays for ever`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let last = Locked<InstallationProgress?>(nil)
    let job = try await begin(
      fixture, ["p1"], onProgress: { _, snapshot in last.change { $0 = snapshot } })
    let before = await job.progress
    await work.next()?.performAllSteps()
    _ = try await job.result
    let after = await job.progress
    #expect(before.state != .completed && after.state == .completed && before != after)
    try await job.cleanUp()
    #expect(last.value == after)
    #expect(await job.progress == after)
  }

  @Test func `B15: a job that is aborted in the queue ends there, and nothing of it was begun`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let first = try await begin(fixture, ["p1"])
    let run = try #require(await work.next())
    let before = fixture.provider.database
    let second = try await begin(fixture, ["p2", "p3"])
    #expect(try await second.requestAbort() == .accepted(stopsAfter: nil))
    let result = try await second.result
    #expect(result.code == .aborted)
    #expect(result.updateResults.map(\.code) == [.notStarted, .notStarted])
    #expect(fixture.provider.database == before)
    #expect(await !first.isCompleted)
    run.performAllSteps()
    #expect(try await first.result.code == .succeeded)
    #expect(work.all.map(\.work.id) == [first.id])
  }

  @Test func `B16: an abort in the download is immediate`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await begin(fixture)
    let run = try #require(await work.next())
    run.send(.stage(.downloading), .downloaded(step: 0, bytes: 10))
    #expect(try await job.requestAbort() == .accepted(stopsAfter: nil))
    run.end(exitStatus: 130, stopped: true)
    let result = try await job.result
    #expect(result.code == .aborted)
    #expect(result.updateResults.allSatisfy { $0.code == .notStarted })
  }

  @Test func `B20: an abort asked for twice is answered the same and stands twice`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await begin(fixture)
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    let first = try await job.requestAbort()
    #expect(try await job.requestAbort().stopsAfter == first.stopsAfter)
    #expect(try fixture.abortRequests == 2)
  }

  @Test func `B24: an abort rolls nothing back`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await begin(fixture)
    let run = try #require(await work.next())
    run.download()
    run.performStep(0)
    run.beginStep(1)
    try await eventually { await job.progress.currentItem == "p2" }
    #expect(try await job.requestAbort().stopsAfter == "p2")
    run.finishStep(1)
    run.end(exitStatus: 100, stopped: true)
    #expect(try await job.result.code == .aborted)
    #expect(fixture.provider.database["p1:amd64"].isInstalled)
    #expect(fixture.provider.database["p2:amd64"].isInstalled)
    #expect(!fixture.provider.database["p3:amd64"].isInstalled)
  }

  @Test func `B26, N2: a job whose handle is gone is found again, and calls back to its end`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let id = try await begin(fixture, ["p1"]).id
    let listed = try await fixture.session.jobs(in: [.queued, .downloading, .installing])
    #expect(listed.map(\.id) == [id])
    let states = Recorder<JobState>()
    let completed = Recorder<OperationResultCode?>()
    let found = try await fixture.session.job(
      id, onProgress: { _, progress in states.note(progress.state) },
      onCompletion: { job in completed.note(try? await job.result.code) })
    await work.next()?.performAllSteps()
    #expect(try await found.result.code == .succeeded)
    try await found.cleanUp()
    #expect(states.values.last == .completed && completed.values == [.succeeded])
  }

  @Test func `B28: suspend stops after the running step, resume does the rest`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await begin(fixture)
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    try await job.suspend()
    run.finishStep(0)
    run.end(exitStatus: 100, stopped: true)
    try await eventually { await job.progress.state == .suspended }
    try await job.resume()
    let second = try #require(await work.next())
    #expect(second.work.finishedSteps == [0])
    second.performAllSteps()
    #expect(try await job.result.code == .succeeded)
    let error = await #expect(throws: InstallationError.self) { try await job.resume() }
    #expect(error?.code == .cannotResume)
  }

  @Test func `B30: jobs are listed in order, by state`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let first = try await begin(fixture, ["p1"])
    let second = try await begin(fixture, ["p2"])
    let third = try await begin(fixture, ["p3"])
    await work.next()?.performAllSteps()
    _ = try await first.result
    #expect(try await fixture.session.jobs().map(\.id) == [first.id, second.id, third.id])
    #expect(try await fixture.session.jobs(in: [.completed]).map(\.id) == [first.id])
    // The second one is queued until it has been started.
    try await eventually { try await fixture.session.jobs(in: [.queued]).map(\.id) == [third.id] }
  }

  @Test func `a higher priority goes first, equal ones in order`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(4))
    var high = InstallationOptions()
    high.priority = 5
    let installer = try fixture.installer()
    let running = try await installer.beginInstallation(of: [Update("p1")])
    let low = try await installer.beginInstallation(of: [Update("p2")])
    let urgent = try await installer.beginInstallation(of: [Update("p3")], options: high)
    try await eventually { await low.progress.queuePosition == 2 }
    #expect(await urgent.progress.queuePosition == 1)
    for expected in [running.id, urgent.id, low.id] {
      let run = try #require(await work.next())
      #expect(run.work.id == expected)
      run.performAllSteps()
    }
    #expect(try await low.result.code == .succeeded)
  }

  @Test func `a job waits for the one it comes after, and for its time`() async throws {
    let clock = ManualClock()
    let base = Timestamp(milliseconds: 1_000_000)
    let (fixture, work) = try await EngineFixture.byHand {
      $0.clock = clock
      $0.now = {
        let (seconds, attoseconds) = clock.now.offset.components
        return base.advanced(bySeconds: Double(seconds) + Double(attoseconds) / 1e18)
      }
    }
    let installer = try fixture.installer()
    var later = InstallationOptions()
    later.earliestStart = base.advanced(bySeconds: 60)
    let timed = try await installer.beginInstallation(of: [Update("p1")], options: later)
    #expect(await timed.progress.waitingFor?.kind == .time)
    var after = InstallationOptions()
    after.after = timed.id
    let following = try await installer.beginInstallation(of: [Update("p2")], options: after)
    #expect(await following.progress.waitingFor?.job == timed.id)
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(60))
    let run = try #require(await work.next())
    #expect(run.work.id == timed.id)
    run.performAllSteps()
    let next = try #require(await work.next())
    #expect(next.work.id == following.id)
    next.performAllSteps()
    #expect(try await following.result.code == .succeeded)
  }
}
