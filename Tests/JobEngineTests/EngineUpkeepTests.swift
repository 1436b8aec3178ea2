import Glibc
import HostSystem
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `An engine in the long run` {
  @Test func `nothing of a finished job stays in memory`() async throws {
    let ended = Recorder<Void>()
    let fixture = try await EngineFixture.playing(.instant(1)) { settings in
      settings.jobEnded = { ended.note(()) }
    }
    var options = InstallationOptions()
    options.isForced = true
    options.latestStop = Timestamp(milliseconds: Timestamp.now.milliseconds + 3_600_000)
    for _ in 0..<20 {
      let job = try await fixture.installer().beginInstallation(
        of: [Update("p1")], options: options)
      _ = try await job.result
    }
    try await eventually { await fixture.engine.observers.isEmpty }
    #expect(await fixture.engine.live.isEmpty)
    #expect(await fixture.engine.jobsOfUser.isEmpty)
    #expect(await fixture.engine.queue.entries.isEmpty)
    #expect(await fixture.engine.queue.running == nil)
    #expect(ended.values.count == 20, "what they needed can be given back")
  }

  @Test func `old jobs go with their folders while nothing is at work`() async throws {
    let clock = ManualClock()
    let ahead = Locked(0.0)
    let fixture = try await EngineFixture.playing(.instant(1)) { settings in
      settings.clock = clock
      settings.retention = JournalRetention(days: 1)
      settings.now = { Timestamp.now.advanced(bySeconds: ahead.value) }
    }
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    _ = try await job.result
    try await fixture.backend.cleanUp(job.id)
    let folder = fixture.folder.path("jobs/\(job.id)")
    #expect(unsafe mkdir(fixture.folder.path("jobs"), 0o700) == 0 || errno == EEXIST)
    #expect(unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST)
    ahead.change { $0 = 2 * 86_400 }
    await clock.advance {
      (try? fixture.journal.history(limit: 1))?.isEmpty ?? false && !TestFolder.exists(folder)
    }
    #expect(try fixture.journal.history(limit: 1).isEmpty)
    #expect(!TestFolder.exists(folder))
    let last = fixture.engine.lastSeq
    let subscription = try await fixture.engine.subscribe(newest: nil)
    #expect(subscription.keptAfter > 0 && subscription.keptAfter <= last)
  }

  @Test func `the end of a job has old ones looked for within a minute`() async throws {
    let clock = ManualClock()
    let fixture = try await EngineFixture.playing(.instant(1)) { settings in
      settings.clock = clock
      settings.retention = JournalRetention()
    }
    await fixture.engine.removeOldLater(after: Engine.retentionPause)
    await clock.advance { await fixture.engine.retentionWait?.seconds == Engine.retentionInterval }
    _ = try await fixture.installer().install([Update("p1")])
    try await eventually {
      await fixture.engine.retentionWait?.seconds == Engine.retentionDelay
    }
    await fixture.engine.removeOldLater(after: Engine.retentionInterval)
    #expect(await fixture.engine.retentionWait?.seconds == Engine.retentionDelay)
  }

  @Test func `a list has a bounded number of jobs that are over`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    var options = InstallationOptions()
    options.isForced = true
    for _ in 0..<5 {
      _ = try await fixture.installer().install([Update("p1")], options: options)
    }
    let window = try await fixture.engine.listing(ended: 2, includingCleanedUp: true)
    #expect(window.map(\.id) == [JobID(4), JobID(5)])
    #expect(
      try await fixture.engine.subscribe(newest: 3).snapshots.map(\.id.rawValue) == [3, 4, 5])
    #expect(try await fixture.engine.subscribe(newest: nil).snapshots.isEmpty)
  }

  @Test func `a job cannot wait for one that never was`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    var options = InstallationOptions()
    options.after = JobID(77)
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.installer().beginInstallation(of: [Update("p1")], options: options)
    }
    #expect(error?.code == .unknownJob)
    #expect(try await fixture.session.jobs().isEmpty)
  }

  @Test func `a suspended job does not keep an engine whose owner is gone`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let idle = Task { await fixture.engine.untilIdle() }
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    try await job.suspend()
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    await idle.value
    #expect(await fixture.engine.live.count == 1)
  }

  @Test func `B28, B29: a suspended job survives its engine and goes on`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder)
    let job = try await first.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    try await job.suspend()
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    try await eventually { await job.progress.state == .suspended }
    try first.journal.close()

    let second = try await EngineFixture(provider, in: folder)
    let found = try await second.session.job(job.id)
    #expect(await found.progress.state == .suspended)
    try await found.resume()
    let rest = try #require(await work.next())
    #expect(rest.work.finishedSteps == [0])
    rest.performAllSteps()
    #expect(try await found.result.code == .succeeded)
  }

  @Test func `the time to stop by counts for a job that a new engine found at work`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let clock = ManualClock()
    let first = try await EngineFixture(provider, in: folder) { $0.clock = clock }
    var options = InstallationOptions()
    options.latestStop = Timestamp(milliseconds: Timestamp.now.milliseconds + 3_600_000)
    let job = try await first.installer().beginInstallation(
      of: [Update("p1"), Update("p2")], options: options)
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    try first.journal.close()

    let later = ManualClock()
    let second = try await EngineFixture(provider, in: folder) {
      $0.clock = later
      $0.now = {
        Timestamp.now.advanced(bySeconds: Double(later.now.offset.components.seconds))
      }
    }
    let again = try #require(await work.next())
    try await eventually {
      await later.advance(by: .seconds(3700))
      return again.isStopping
    }
    try await eventually { try await second.session.jobs().first?.abort != nil }
  }

  @Test func `what the journal cannot take is held back and recorded once it can`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let clock = ManualClock()
    let fixture = try await EngineFixture(provider, in: folder) { $0.clock = clock }
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    try await eventually { await job.progress.state != .queued }
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    run.beginStep(0)
    try await eventually { try await fixture.session.status().queue.pause?.cause == .journal }
    let held = try await fixture.backend.job(job.id).plan?.first?.phase ?? .done
    #expect(held <= .downloaded, "what is not recorded has not happened")
    // The work heard the request, and keeps it: the answer is what it will be on record.
    #expect(try await job.requestAbort().stopsAfter == "p1")
    #expect(try await job.requestAbort().stopsAfter == "p1")
    #expect(run.stopRequests == 1)
    #expect(try await fixture.backend.job(job.id).abort == nil, "not on record yet")
    let refused = await #expect(throws: InstallationError.self) { try await job.withdrawAbort() }
    #expect(refused?.code == .journal)
    try await other.takeEvents()
    try await eventually {
      await clock.advance(by: .seconds(1))
      return try await fixture.backend.job(job.id).plan?.first?.phase ?? .pending > .downloaded
    }
    #expect(try await fixture.session.status().queue.pause == nil)
    #expect(try await fixture.backend.job(job.id).abort?.disposition.stopsAfter == "p1")
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    #expect(try await job.result.code == .aborted)
    let numbers = try fixture.journal.events(after: 0, limit: 1000).map(\.seq)
    #expect(numbers == Array(1...numbers.count))
  }

  @Test(arguments: [false, true])
  func `a pause that cannot be recorded yet stays one until an abort is asked for`(
    isAborted: Bool
  ) async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let clock = ManualClock()
    let fixture = try await EngineFixture(provider, in: folder) { $0.clock = clock }
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually {
      try await fixture.backend.job(job.id).plan?.first?.phase ?? .pending > .downloaded
    }
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    try await job.suspend()
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    try await job.suspend()
    if isAborted { #expect(try await job.requestAbort() == .accepted(stopsAfter: "p1")) }
    #expect(try await fixture.backend.job(job.id).state == .installing)
    try await other.takeEvents()
    guard !isAborted else {
      try await eventually {
        await clock.advance(by: .seconds(1))
        return await job.isCompleted
      }
      #expect(try await job.result.code == .aborted)
      #expect(try await fixture.backend.job(job.id).abort?.disposition.stopsAfter == "p1")
      return
    }
    try await eventually {
      await clock.advance(by: .seconds(1))
      return try await fixture.backend.job(job.id).state == .suspended
    }
    try await job.resume()
    let again = try #require(await work.next())
    again.performAllSteps()
    #expect(try await job.result.code == .succeeded)
    #expect(await job.progress.state == .completed)
  }

  @Test func `a refusal that cannot be recorded leaves no request behind`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let clock = ManualClock()
    let fixture = try await EngineFixture(provider, in: folder) { $0.clock = clock }
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.performStep(0)
    run.beginStep(1)
    try await eventually {
      try await fixture.backend.job(job.id).plan?.last?.phase ?? .pending > .downloaded
    }
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    guard case .refused(let reason) = try await job.requestAbort() else {
      Issue.record("the last step was stopped")
      return
    }
    #expect(reason.code == .finalStep)
    run.finishStep(1)
    run.end()
    try await other.takeEvents()
    try await eventually {
      await clock.advance(by: .seconds(1))
      return await job.isCompleted
    }
    #expect(try await job.result.code == .succeeded)
  }

  @Test func `a turn that cannot be recorded is given again`() async throws {
    let folder = try ScratchFolder()
    // Nothing to do: the turn itself is the first thing to record.
    let scenario = Scenario(
      name: "there", packages: [SimulatedPackage("p1").modified { $0.installed = "1.0" }])
    let (provider, work) = SimulatedProvider.manual(
      Scenario(name: "both", packages: scenario.packages + [SimulatedPackage("p2")]))
    let clock = ManualClock()
    let fixture = try await EngineFixture(provider, in: folder) { $0.clock = clock }
    let first = try await fixture.installer().beginInstallation(of: [Update("p2")])
    let second = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents(of: 2)
    run.performAllSteps()
    #expect(try await first.result.code == .succeeded)
    #expect(await second.progress.state == .queued)
    // The queue stands still for a reason that is told like any other pause, and nobody's to end.
    try await eventually {
      try await fixture.session.status().queue.pause?.cause == .journal
    }
    let reason = await fixture.engine.snapshot(of: second.id)?.waitingFor
    #expect(reason?.message.hasPrefix("nothing can be recorded: ") == true)
    let refusal = await #expect(throws: InstallationError.self) {
      try await fixture.session.resumeQueue()
    }
    #expect(
      refusal?.message.hasPrefix("nobody has paused the queue: nothing can be recorded") == true)
    try await other.takeEvents()
    try await eventually {
      await clock.advance(by: .seconds(1))
      return await second.isCompleted
    }
    #expect(try await second.result.code == .succeeded)
    #expect(try await !fixture.session.status().queue.paused)
  }
}
