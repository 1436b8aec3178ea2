import HostSystem
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A queue that is paused` {
  private func begin(
    _ fixture: EngineFixture, _ name: String
  ) async throws -> InstallationJob {
    try await fixture.installer().beginInstallation(of: [Update(name)])
  }

  @Test func `S9: the job at work goes on to its end, and no further one begins`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let first = try await begin(fixture, "p1")
    let second = try await begin(fixture, "p2")
    let run = try #require(await work.next())
    let standing = try await fixture.session.pauseQueue()
    #expect(standing.runningJob == first.id)
    #expect(standing.queue.queued == 1 && standing.queue.paused)
    run.performAllSteps()
    #expect(try await first.result.code == .succeeded)
    #expect(try await fixture.session.job(second.id).progress.state == .queued)
    let reason = await fixture.engine.snapshot(of: second.id)?.waitingFor
    #expect(reason?.message == "queue paused by ops")
    #expect(reason?.by == EngineFixture.ops && reason?.since != nil)
    let status = try await fixture.session.status()
    #expect(status.queue.paused && status.queue.pause?.by == EngineFixture.ops)
    #expect(await fixture.engine.isIdle)
    // Somebody else asks again: the first stays on record.
    let other = Requester(uid: 0, user: "root")
    let again = try await fixture.engine.pauseQueue(by: other)
    #expect(again.queue.pause == status.queue.pause && !again.hasChanged && standing.hasChanged)
    try await fixture.session.resumeQueue()
    let next = try #require(await work.next())
    #expect(next.work.id == second.id)
    next.performAllSteps()
    #expect(try await second.result.code == .succeeded)
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.session.resumeQueue()
    }
    #expect(error?.code == .cannotResume && error?.message == "nobody has paused the queue")
  }

  @Test func `S9: it stays paused under the next engine, by whom and since when`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder)
    let pause = try #require(try await first.session.pauseQueue().queue.pause)
    let job = try await begin(first, "p1")
    try first.journal.close()
    let second = try await EngineFixture(provider, in: folder)
    #expect(try await second.session.status().queue.pause == pause)
    #expect(await second.engine.snapshot(of: job.id)?.waitingFor?.by == EngineFixture.ops)
    try await second.session.resumeQueue()
    try #require(await work.next()).performAllSteps()
    try await eventually { await second.engine.isIdle }
    try second.journal.close()
    let third = try await EngineFixture(provider, in: folder)
    #expect(try await third.session.status().queue.paused == false)
  }

  @Test func `all clients are told at once, and the events stand in the journal`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let subscription = try await fixture.engine.subscribe(newest: .max)
    try await fixture.session.pauseQueue()
    try await fixture.session.resumeQueue()
    var notices: [EngineNotice] = []
    for await batch in subscription.events {
      for case .engine(let notice) in batch.map(\.payload) { notices.append(notice) }
      if notices.count == 2 { break }
    }
    #expect(notices.map(\.kind) == [.queuePaused, .queueResumed])
    #expect(notices[0].message == "queue paused by ops: no further job begins")
    #expect(notices[0].pause?.cause == .request && notices[1].by == EngineFixture.ops)
    let stored = try fixture.journal.events(after: subscription.seq, limit: 10)
    #expect(stored.map(\.payload) == notices.map { .engine($0) })
  }

  @Test func `a request that must not wait is refused while it is paused`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    try await fixture.session.pauseQueue()
    var options = InstallationOptions()
    options.whenBusy = .fail
    let error = await #expect(throws: InstallationError.self) {
      _ = try await fixture.installer().beginInstallation(of: [Update("p1")], options: options)
    }
    #expect(error?.code == .busy && error?.message == "queue paused by ops")
  }

  @Test func `B28: one that is paused while it waits is passed, also under the next engine`()
    async throws
  {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(3))
    let first = try await EngineFixture(provider, in: folder)
    try await first.session.pauseQueue()
    let held = try await begin(first, "p1")
    let other = try await begin(first, "p2")
    try await held.suspend()
    try await held.suspend()
    #expect(await first.engine.snapshot(of: held.id)?.queuePosition == nil)
    #expect(await first.engine.snapshot(of: other.id)?.queuePosition == 1)
    #expect(try await first.session.status().queue.held == 1)
    #expect(await first.engine.snapshot(of: held.id)?.waitingFor?.message == "paused by ops")
    try first.journal.close()
    let second = try await EngineFixture(provider, in: folder)
    try await second.session.resumeQueue()
    let run = try #require(await work.next())
    #expect(run.work.id == other.id)
    run.performAllSteps()
    try await eventually { await second.engine.isIdle }
    let found = try await second.session.job(held.id)
    #expect(await found.progress.waitingFor?.isJobPause == true)
    try await found.resume()
    let last = try #require(await work.next())
    #expect(last.work.id == held.id)
    last.performAllSteps()
    #expect(try await found.result.code == .succeeded)
  }

  @Test func `a move changes who starts next, also under the next engine`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(3))
    let first = try await EngineFixture(provider, in: folder)
    try await first.session.pauseQueue()
    let jobs = [
      try await begin(first, "p1"), try await begin(first, "p2"), try await begin(first, "p3"),
    ]
    try await jobs[2].move(to: .first)
    #expect(await first.engine.snapshot(of: jobs[2].id)?.queuePosition == 1)
    #expect(await first.engine.snapshot(of: jobs[2].id)?.options.priority == 1)
    #expect(await first.engine.snapshot(of: jobs[0].id)?.queuePosition == 2)
    // To where it is already: no event.
    let seq = first.journal.lastSeq
    try await jobs[2].move(to: .first)
    #expect(first.journal.lastSeq == seq)
    try first.journal.close()
    let second = try await EngineFixture(provider, in: folder)
    try await second.session.resumeQueue()
    let run = try #require(await work.next())
    #expect(run.work.id == jobs[2].id)
    let error = await #expect(throws: InstallationError.self) {
      try await second.session.job(jobs[2].id).move(to: .last)
    }
    #expect(error?.message.hasPrefix("job 3 has begun") == true)
    run.performAllSteps()
    let next = try #require(await work.next())
    #expect(next.work.id == jobs[0].id)
    next.performAllSteps()
    try #require(await work.next()).performAllSteps()
    try await eventually { await second.engine.isIdle }
    let over = await #expect(throws: InstallationError.self) {
      try await second.session.job(jobs[2].id).move(to: .first)
    }
    #expect(over?.message == "job 3 is over")
  }

  @Test(.timeLimit(.minutes(1)), .endsOrAborts)
  func `a job that is to follow a paused one keeps no engine whose owner is gone`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    try await fixture.session.pauseQueue()
    let held = try await begin(fixture, "p1")
    var options = InstallationOptions()
    options.after = held.id
    _ = try await fixture.installer().beginInstallation(of: [Update("p2")], options: options)
    try await held.suspend()
    try await fixture.session.resumeQueue()
    await fixture.engine.untilIdle()
    #expect(await !fixture.engine.isEmpty)
  }

  @Test(arguments: [Int.max, Int.min])
  func `a priority out of range in the journal counts as the nearest that there is`(
    priority: Int
  ) async throws {
    let folder = try ScratchFolder()
    let (provider, _) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder)
    try await first.session.pauseQueue()
    let odd = try await begin(first, "p1")
    let other = try await begin(first, "p2")
    var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
    change.priority = priority
    _ = try first.journal.append(
      [EventDraft(odd.id, .state(change))], offsets: [:], at: Timestamp.now)
    try first.journal.close()
    let second = try await EngineFixture(provider, in: folder)
    let job = try await second.session.job(other.id)
    do throws(InstallationError) {
      try await job.move(to: priority > 0 ? .first : .last)
    } catch {
      #expect(error.code == .invalidState)
    }
    #expect(await second.engine.snapshot(of: odd.id)?.queuePosition == 1)
  }

  @Test func `a job that has begun is refused as such, whatever priorities are left`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    try await fixture.session.pauseQueue()
    let first = try await begin(fixture, "p1")
    let second = try await begin(fixture, "p2")
    try await first.suspend()
    try await first.move(to: .priority(100))
    try await fixture.session.resumeQueue()
    _ = try #require(await work.next())
    let error = await #expect(throws: InstallationError.self) { try await second.move(to: .first) }
    #expect(error?.message.hasPrefix("job 2 has begun") == true)
  }
}
