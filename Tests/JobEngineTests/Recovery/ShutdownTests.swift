import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A machine that goes down while a job works` {
  private static let shutdown = Requester.shutdown(uid: 0)
  private let ops = JobMachineFixture.ops

  /// A job that a shutdown holds after its first package.
  private func paused(by requester: Requester = shutdown) throws -> JobMachineFixture {
    var job = JobMachineFixture(steps: ["p1", "q2"])
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.suspend(by: requester))
    try job.feed(.suspendAnswered(.after(step: 0), by: requester))
    return job
  }

  private func stop(_ job: inout JobMachineFixture) throws {
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
  }

  @Test func `the job says where it stops, and that it goes on by itself`() throws {
    var job = try paused()
    #expect(
      job.snapshot.waitingFor?.message
        == "the machine is shutting down: stops after p1, resumes by itself after the next start")
    try stop(&job)
    #expect(job.snapshot.state == .suspended)
    #expect(
      job.snapshot.waitingFor?.message
        == "paused while the machine shuts down, resumes by itself after the next start")
    let next = JobMachine(recovering: job.snapshot, plan: job.machine.plan)
    #expect(next.pause?.by.isShutdown == true)
  }

  @Test(arguments: [false, true])
  func `a user's own pause wins, before and after the job has stopped`(isLate: Bool) throws {
    var job = try paused()
    if isLate { try stop(&job) }
    try job.feed(.suspend(by: ops))
    if !isLate { try stop(&job) }
    #expect(job.snapshot.waitingFor?.message == "paused by ops between two packages")
    let next = JobMachine(recovering: job.snapshot, plan: job.machine.plan)
    #expect(next.pause?.by == ops)
    // And a shutdown changes nothing about it.
    #expect(try job.feed(.suspend(by: Self.shutdown)).isEmpty)
    #expect(job.machine.pause?.by == ops)
  }

  @Test func `an abort wins, too`() throws {
    var job = try paused()
    try stop(&job)
    try job.feed(.abort(by: ops))
    #expect(job.machine.state == .verifying(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
  }

  @Test
  func `S7: a shutdown waits until the job at work stands between packages, and it goes on later`()
    async throws
  {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder)
    let job = try await first.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    let isReady = Locked(false)
    let going = Task {
      await first.engine.prepareForShutdown()
      isReady.change { $0 = true }
    }
    try await eventually { run.isStopping }
    #expect(!isReady.value)
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    await going.value
    try await eventually { await job.progress.state == .suspended }
    await #expect(throws: InstallationError.self) { try await job.resume() }
    try first.journal.close()

    let second = try await EngineFixture(provider, in: folder)
    let again = try #require(await work.next())
    #expect(again.work.finishedSteps == [0])
    again.performAllSteps()
    try await eventually {
      try await second.backend.job(job.id).resultCode == .succeeded
    }
  }

  @Test func `a shutdown that is cancelled lets the job go on at once`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    let going = Task { await fixture.engine.prepareForShutdown() }
    try await eventually { run.isStopping }
    run.finishStep(0)
    run.end(exitStatus: 0, stopped: true)
    await going.value
    await fixture.engine.cancelShutdown()
    let again = try #require(await work.next())
    #expect(again.work.finishedSteps == [0])
    again.performAllSteps()
    #expect(try await job.result.code == .succeeded)
  }
}
