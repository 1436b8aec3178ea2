import HostSystem
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A stop that an engine had no time to record`
{
  /// A job that works on p1, with p2 to come.
  private func working(
    _ fixture: EngineFixture, _ work: ManualWork, stopBy: Timestamp? = nil
  ) async throws -> (InstallationJob, ManualRun) {
    var options = InstallationOptions()
    options.latestStop = stopBy
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1"), Update("p2")], options: options)
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually {
      try await fixture.backend.job(job.id).plan?.first?.phase ?? .pending > .downloaded
    }
    return (job, run)
  }

  private static let other = Requester(uid: 4242, user: "another")
  private static let asked = Timestamp(milliseconds: 1_763_932_838_123)

  @Test(arguments: [false, true])
  func `B28: a pause that an engine could not record is one for the next, and whose it is`(
    hasStopped: Bool
  ) async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) {
      $0.clock = ManualClock()
      $0.now = { Self.asked }
    }
    let (job, run) = try await working(first, work)
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    try await first.engine.suspend(job.id, by: Self.other)
    try first.journal.close()
    try await other.takeEvents()

    let second = try await EngineFixture(provider, in: folder)
    let found = try #require(await work.next())
    try await eventually { try await second.backend.job(job.id).waitingFor?.by == Self.other }
    let act = try second.journal.auditEntries(of: job.id, limit: 10).first { $0.act == "suspend" }
    #expect(act?.requester == Self.other)
    #expect(act?.outcome == "permitted")
    if hasStopped {
      found.finishStep(0)
      found.end(exitStatus: 0, stopped: true)
      try await eventually { try await second.backend.job(job.id).state == .suspended }
      let hold = try await second.backend.job(job.id).waitingFor
      #expect(hold?.by == Self.other && hold?.since == Self.asked)
    } else {
      try await second.engine.resume(job.id, by: Self.other)
      #expect(!found.isStopping)
    }
    #expect(try await second.backend.job(job.id).abort == nil)
    withExtendedLifetime(run) {}
  }

  @Test func `an abort that an engine could not record has its time and name in the next`()
    async throws
  {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) {
      $0.clock = ManualClock()
      $0.now = { Self.asked }
    }
    let (job, _) = try await working(first, work)
    try await first.engine.suspend(job.id, by: try await first.backend.job(job.id).requestedBy)
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    #expect(try await first.engine.requestAbort(of: job.id, by: Self.other).stopsAfter == "p1")
    try first.journal.close()
    try await other.takeEvents()

    let second = try await EngineFixture(provider, in: folder)
    let found = try #require(await work.next())
    try await eventually { try await second.backend.job(job.id).abort != nil }
    let abort = try #require(await second.backend.job(job.id).abort)
    #expect(abort.requestedBy == Self.other)
    #expect(abort.requestedAt == Self.asked)
    #expect(abort.disposition.stopsAfter == "p1")
    found.finishStep(0)
    found.end(exitStatus: 0, stopped: true)
    #expect(try await second.session.job(job.id).result.code == .aborted)
    let numbers = try second.journal.events(after: 0, limit: 1000).map(\.seq)
    #expect(numbers == Array(1...numbers.count))
  }

  @Test(arguments: ["abort", "suspend"])
  func `what was taken back and not recorded is taken back for the next engine, too`(
    act: String
  ) async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) { $0.clock = ManualClock() }
    let (job, run) = try await working(first, work)
    if act == "abort" {
      #expect(try await job.requestAbort().stopsAfter == "p1")
    } else {
      try await job.suspend()
    }
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    // It works on, and that is what the answer says.
    if act == "abort" { try await job.withdrawAbort() } else { try await job.resume() }
    #expect(!run.isStopping)
    try first.journal.close()
    try await other.takeEvents()

    let second = try await EngineFixture(provider, in: folder)
    let found = try #require(await work.next())
    try await eventually {
      let snapshot = try await second.backend.job(job.id)
      return snapshot.abort == nil && snapshot.waitingFor == nil && snapshot.state == .installing
    }
    // Asked for again, it is a promise again.
    guard case .accepted = try await second.session.job(job.id).requestAbort() else {
      Issue.record("it cannot be asked for any more")
      return
    }
    #expect(found.isStopping)
  }

  @Test func `what is taken back while the journal takes nothing is recorded once it can`()
    async throws
  {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let clock = ManualClock()
    let fixture = try await EngineFixture(provider, in: folder) { $0.clock = clock }
    let (job, run) = try await working(fixture, work)
    _ = try await job.requestAbort()
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    try await job.withdrawAbort()
    let refused = await #expect(throws: InstallationError.self) { try await job.requestAbort() }
    #expect(refused?.code == .journal, "nothing is promised that was not asked of the work")
    #expect(!run.isStopping)
    try await other.takeEvents()
    try await eventually {
      await clock.advance(by: .seconds(1))
      return try await fixture.backend.job(job.id).abort == nil
    }
    run.finishStep(0)
    run.performStep(1)
    run.end()
    #expect(try await job.result.code == .succeeded)
  }

  @Test(arguments: [("permitted", 1), ("notPermitted", 2)])
  func `an act that has its row gets no other one, a refusal is none`(
    outcome: String, count: Int
  ) async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) { $0.clock = ManualClock() }
    let (job, _) = try await working(first, work)
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    try await first.engine.audit(
      AuditedAct(
        "abort", on: job.id, by: Self.other, pid: 1, command: "x", outcome: outcome))
    _ = try await first.engine.requestAbort(of: job.id, by: Self.other)
    try first.journal.close()
    try await other.takeEvents()
    let second = try await EngineFixture(provider, in: folder)
    _ = try #require(await work.next())
    try await eventually { try await second.backend.job(job.id).abort?.requestedBy == Self.other }
    let rows = try second.journal.auditEntries(of: job.id, limit: 10).filter { $0.act == "abort" }
    #expect(rows.count == count)
  }

  @Test func `a stop that was taken back is no row for the next one`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) { $0.clock = ManualClock() }
    let (job, _) = try await working(first, work)
    for act in ["abort", "withdraw"] {
      try await first.engine.audit(
        AuditedAct(
          act, on: job.id, by: Self.other, pid: 1, command: "x", outcome: "permitted"))
    }
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    _ = try await first.engine.requestAbort(of: job.id, by: Self.other)
    try first.journal.close()
    try await other.takeEvents()
    let second = try await EngineFixture(provider, in: folder)
    _ = try #require(await work.next())
    try await eventually { try await second.backend.job(job.id).abort != nil }
    let acts = try second.journal.auditEntries(of: job.id, limit: 10).map(\.act)
    #expect(acts.filter { $0 == "abort" }.count == 2)
  }

  @Test func `B28: a job that was resumed goes on under the next engine`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) { $0.clock = ManualClock() }
    let (job, run) = try await working(first, work)
    try await job.suspend()
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    try await eventually { try await first.backend.job(job.id).state == .suspended }
    // The work is begun, and nothing can be recorded of it before the engine is gone.
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents(with: "installing")
    try await job.resume()
    _ = await work.next()
    try await eventually { try await first.session.status().queue.pause?.cause == .journal }
    try first.journal.close()
    try await other.takeEvents()

    let second = try await EngineFixture(provider, in: folder)
    let rest = try #require(await work.next())
    #expect(rest.work.finishedSteps == [0])
    rest.performAllSteps()
    #expect(try await second.session.job(job.id).result.code == .succeeded)
  }

  @Test func `a job that could not go on is not paused again by who resumed it`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder) { $0.clock = ManualClock() }
    let (job, run) = try await working(first, work)
    try await job.suspend()
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    try await eventually { try await first.backend.job(job.id).state == .suspended }
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents(with: "completed")
    provider.changeIndex()
    try await job.resume()
    try await eventually { try await first.session.status().queue.pause?.cause == .journal }
    #expect(try await first.backend.job(job.id).state == .finalizing)
    try first.journal.close()
    try await other.takeEvents()

    let second = try await EngineFixture(provider, in: folder)
    let found = try #require(await work.next())
    found.end(exitStatus: 0, stopped: true)
    let result = try await second.session.job(job.id).result
    #expect(result.code == .succeededWithErrors)
    #expect(try await second.backend.job(job.id).abort == nil)
    #expect(result.error?.message.contains("was resumed") == true)
  }

  @Test
  func `what is taken back before the time to stop by and recorded after it leaves that stop`()
    async throws
  {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let (clock, start) = (ManualClock(), Timestamp.now)
    let time = Locked(start)
    let first = try await EngineFixture(provider, in: folder) {
      $0.clock = clock
      $0.now = { time.value }
    }
    let (job, _) = try await working(
      first, work, stopBy: start.advanced(bySeconds: 600))
    _ = try await job.requestAbort()
    let other = try RefusingJournal(in: folder)
    try await other.refuseEvents()
    try await job.withdrawAbort()
    time.change { $0 = start.advanced(bySeconds: 601) }
    try await other.takeEvents()
    try await eventually {
      await clock.advance(by: .seconds(1))
      return try await first.backend.job(job.id).abort == nil
    }
    try first.journal.close()

    let second = try await EngineFixture(provider, in: folder) {
      $0.clock = ManualClock()
      $0.now = { start.advanced(bySeconds: 3600) }
    }
    let found = try #require(await work.next())
    try await eventually { found.isStopping }
    found.finishStep(0)
    found.end(exitStatus: 0, stopped: true)
    #expect(try await second.session.job(job.id).result.code == .aborted)
  }

  @Test(arguments: [true, false])
  func `the time to stop by is kept, and once taken back it is over`(
    isTakenBack: Bool
  ) async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let clock = ManualClock()
    let start = Timestamp.now
    let first = try await EngineFixture(provider, in: folder) {
      $0.clock = clock
      $0.now = { start.advanced(bySeconds: Double(clock.now.offset.components.seconds)) }
    }
    let (job, run) = try await working(
      first, work, stopBy: start.advanced(bySeconds: 30))
    // What is answered so cannot be written down, and is tried again.
    run.setStopAnswer(with: .impossible("no room"))
    try await eventually {
      await clock.advance(by: .seconds(1))
      return run.stopRequests > 3
    }
    let told = try first.journal.events(after: 0, limit: 1000, of: job.id).filter {
      if case .abortRequested = $0.payload { true } else { false }
    }
    #expect(told.count == 1, "one refusal is told")
    run.setStopAnswer(with: nil)
    try await eventually {
      await clock.advance(by: .seconds(1))
      return run.isStopping
    }
    try await eventually {
      try await first.backend.job(job.id).abort?.disposition.stopsAfter == "p1"
    }
    if isTakenBack { try await job.withdrawAbort() }
    try first.journal.close()

    let second = try await EngineFixture(provider, in: folder) {
      $0.clock = ManualClock()
      $0.now = { start.advanced(bySeconds: 3600) }
    }
    let found = try #require(await work.next())
    found.finishStep(0)
    if isTakenBack {
      found.performStep(1)
      found.end()
    } else {
      found.end(exitStatus: 0, stopped: true)
    }
    let result = try await second.session.job(job.id).result
    #expect(result.code == (isTakenBack ? .succeeded : .aborted))
  }
}
