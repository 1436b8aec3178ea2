import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A download job` {
  private static let two = [Update("p1"), Update("p2")]

  private static var only: InstallationOptions {
    var options = InstallationOptions()
    options.isDownloadOnly = true
    return options
  }

  private func states(of id: JobID, in journal: Journal) throws -> [JobState] {
    var states: [JobState] = []
    for event in try journal.events(after: 0, limit: .max, of: id) {
      switch event.payload {
      case .submitted(let job): states.append(job.state)
      case .state(let change): states.append(change.state)
      case .completed(let outcome): states.append(outcome.state)
      default: break
      }
    }
    return states.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test func `W1, W2, W12: it fetches, checks and ends, without the lock and any change`()
    async throws
  {
    var scenario = Scenario.instant(2).changing("p1") { $0.requiresReboot = true }
    scenario.lock = .init(LockHolder(pid: 1, command: "apt-get"), seconds: 1e6, everyJob: true)
    let fixture = try await EngineFixture.playing(scenario)
    let before = fixture.provider.database.packages
    let result = try await fixture.installer().download(Self.two)
    #expect(
      result.code == .succeeded && result.updateResults.map(\.code) == [.succeeded, .succeeded])
    #expect(!result.requiresReboot && result.repairs.isEmpty)
    #expect(fixture.provider.database.packages == before)
    let job = try await fixture.backend.job(JobID(1))
    #expect(job.plan?.map(\.phase) == [.downloaded, .downloaded])
    #expect(job.percentComplete == 100 && job.downloadedBytes == job.totalDownloadBytes)
    #expect(
      try states(of: job.id, in: fixture.journal) == [
        .queued, .downloading, .finalizing, .completed,
      ])
  }

  @Test func `W5: without updates there is no job`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    let error = await #expect(throws: InstallationError.self) {
      try await installer.beginDownload(of: [])
    }
    #expect(error?.code == .noUpdates)
    #expect(try await fixture.session.jobs().isEmpty && work.all.isEmpty)
  }

  private final class Ticket: Sendable {}

  @Test func `W6: callbacks, state object, abort and clean up are an installation's`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let ticket = Ticket()
    let (calls, callbacks) = AsyncStream.makeStream(of: String.self)
    let job = try await fixture.installer().beginDownload(
      of: Self.two, userInfo: ticket,
      onProgress: { job, _ in
        if job.userInfo as? Ticket === ticket { callbacks.yield("progress") }
      },
      onCompletion: { job in
        let refusal = await #expect(throws: InstallationError.self) { try await job.cleanUp() }
        #expect(refusal?.code == .cleanUpCalledFromCallback)
        callbacks.yield(await job.isCompleted ? "completed" : "early")
      })
    #expect(job.updates == Self.two && job.options.isDownloadOnly)
    let run = try #require(await work.next())
    run.download()
    try await eventually { await job.progress.downloadedBytes > 0 }
    #expect(await !job.isCompleted)
    #expect(await job.progress.abortPreview == .accepted(stopsAfter: nil))
    run.end()
    try await job.cleanUp()
    try await job.cleanUp()
    callbacks.finish()
    let heard = await calls.reduce(into: []) { $0.append($1) }
    #expect(heard.filter { $0 != "progress" } == ["completed"] && heard.last == "completed")
    #expect(heard.first == "progress")
    #expect(try await job.requestAbort() == .alreadyCompleted)
    #expect(try await fixture.session.job(job.id).result == job.result)
  }

  @Test func `W10: bytes alone move it, never back, and 100 stands for the check`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    let seen = Recorder<Double>()
    let job = try await fixture.installer().beginDownload(
      of: Self.two, onProgress: { _, progress in seen.note(progress.overallFraction) })
    let run = try #require(await work.next())
    let size = try #require(run.work.plan.archives[0]?.size)
    run.send(
      .stage(.downloading), .phase(step: 0, .downloading), .downloaded(step: 0, bytes: size / 2))
    try await eventually { await abs(job.progress.percentComplete - 24.75) < 0.01 }
    // A file that failed is fetched again from its beginning.
    run.send(.downloaded(step: 0, bytes: 0), .downloaded(step: 0, bytes: size))
    run.send(.phase(step: 0, .downloaded))
    try await eventually { await abs(job.progress.percentComplete - 49.5) < 0.01 }
    run.send(.phase(step: 1, .downloading), .downloaded(step: 1, bytes: size))
    run.send(.phase(step: 1, .downloaded))
    try await eventually { await job.progress.percentComplete == 99 }
    run.end()
    #expect(try await job.result.code == .succeeded)
    try await job.cleanUp()
    #expect(seen.values == seen.values.sorted() && seen.values.last == 1)
  }

  @Test func `W11: one archive that fails leaves the others`() async throws {
    let scenario = Scenario.instant(3).changing("p2") { $0.failure = .init(.download) }
    let fixture = try await EngineFixture.playing(scenario)
    let result = try await fixture.installer().download(["p1", "p2", "p3"].map { Update($0) })
    #expect(result.code == .succeededWithErrors)
    #expect(result.updateResults.map(\.code) == [.succeeded, .failed, .succeeded])
    #expect(result.error?.code == .downloadFailed && result["p2"]?.error == result.error)
    #expect(try fixture.journal.job(JobID(1), withPlan: false).percentComplete < 100)
  }

  @Test func `W14: an archive that is not the index's fails its update, whatever was reported`()
    throws
  {
    var job = JobMachineFixture(requested: ["p1", "q2", "q3"], options: Self.only)
    try job.feed(.begin)
    try job.feed(.started)
    for step in 0..<3 { try job.report(.phase(step: step, .downloaded)) }
    #expect(job.snapshot.plan?.map(\.percentComplete) == [100, 100, 100])
    #expect(job.snapshot.percentComplete == 99)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    let error = InstallationError(.hashMismatch, "q2 is another one", update: "q2")
    try job.feed(.archivesChecked([0: .present, 1: .damaged(error), 2: .kept]))
    #expect(job.snapshot.resultCode == .succeededWithErrors && job.snapshot.error == error)
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .failed, .succeeded])
    #expect(job.snapshot.updates.map(\.note) == [nil, nil, .alreadyDownloaded])
    #expect(job.snapshot.percentComplete == 99 && job.completions == 1)
  }

  @Test func `an archive that is missing without a word is no success`() throws {
    var job = JobMachineFixture(requested: ["p1", "q2", "q3"], options: Self.only)
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    try job.feed(.archivesChecked([0: .present, 1: .present]))
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .succeeded, .notStarted])
    #expect(job.snapshot.error?.update == "q3")
  }

  @Test func `W15: an abort keeps what has come`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    let job = try await fixture.installer().beginDownload(of: Self.two)
    let run = try #require(await work.next())
    run.send(.stage(.downloading), .phase(step: 0, .downloading), .phase(step: 0, .downloaded))
    try await eventually { await job.progress.updateResults[0].code == .succeeded }
    #expect(try await job.requestAbort() == .accepted(stopsAfter: nil))
    run.end(stopped: true)
    let result = try await job.result
    #expect(result.code == .aborted && result.error == nil)
    #expect(result.updateResults.map(\.code) == [.succeeded, .notStarted])
  }

  @Test func `W16: the next engine follows it to its end`() async throws {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(2))
    let first = try await EngineFixture(provider, in: folder)
    let job = try await first.installer().beginDownload(of: Self.two)
    let run = try #require(await work.next())
    run.send(.stage(.downloading), .phase(step: 0, .downloading), .phase(step: 0, .downloaded))
    try await eventually { await job.progress.updateResults[0].code == .succeeded }
    try first.journal.close()

    let second = try await EngineFixture(provider, in: folder)
    let found = try await second.session.job(job.id)
    #expect(await found.progress.state == .downloading && found.options.isDownloadOnly)
    let rest = try #require(await work.next())
    rest.send(.phase(step: 1, .downloading), .phase(step: 1, .downloaded))
    rest.end()
    #expect(try await found.result.code == .succeeded)
  }

  @Test func `W16: one whose worker is gone says what it has`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    let job = try await fixture.installer().beginDownload(of: Self.two)
    let run = try #require(await work.next())
    run.send(.stage(.downloading), .phase(step: 0, .downloading), .phase(step: 0, .downloaded))
    run.loseWorker()
    let result = try await job.result
    #expect(result.updateResults.map(\.code) == [.succeeded, .notStarted])
    #expect(result.code == .succeededWithErrors && result.error?.code == .interrupted)
    #expect(try await fixture.backend.job(job.id).state == .interrupted)
  }

  @Test func `W18: an installation without it fetches by itself`() async throws {
    let fixture = try await EngineFixture.playing(.instant(2))
    #expect(try await fixture.installer().install(Self.two).code == .succeeded)
    let states = try states(of: JobID(1), in: fixture.journal)
    #expect(states == [.queued, .downloading, .installing, .finalizing, .completed])
  }

  @Test func `it can be paused and resumed`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    let job = try await fixture.installer().beginDownload(of: Self.two)
    let run = try #require(await work.next())
    run.send(.stage(.downloading), .phase(step: 0, .downloading), .phase(step: 0, .downloaded))
    try await job.suspend()
    run.end(stopped: true)
    try await eventually { await job.progress.state == .suspended }
    try await job.resume()
    let rest = try #require(await work.next())
    rest.performAllSteps()
    #expect(try await job.result.code == .succeeded)
  }

  @Test func `its retry is a download of what is left`() async throws {
    let scenario = Scenario.instant(2).changing("p2") { $0.failure = .init(.download, times: 1) }
    let fixture = try await EngineFixture.playing(scenario)
    #expect(try await fixture.installer().download(Self.two).code == .succeededWithErrors)
    let old = try await fixture.engine.job(JobID(1))
    let request = try fixture.engine.request(of: JobID(1)).retrying(old)
    #expect(request.updates == [Update("p2")] && request.options.isDownloadOnly)
    let retry = try await fixture.installer().begin(request)
    #expect(try await retry.result.code == .succeeded)
    #expect(fixture.provider.database.packages.isEmpty)
  }

  @Test func `a pending restart of the machine does not keep it`() async throws {
    let provider = SimulatedProvider(playing: .instant(1))
    provider.requestRestart("kernel")
    let fixture = try await EngineFixture(provider, in: ScratchFolder()) {
      $0.requiresRebootFirst = true
    }
    let installer = try fixture.installer()
    let refusal = await #expect(throws: InstallationError.self) {
      try await installer.install([Update("p1")])
    }
    #expect(refusal?.code == .rebootRequiredFirst)
    #expect(try await installer.download([Update("p1")]).code == .succeeded)
  }

  @Test func `jobs behind it are planned as if it changed nothing`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(2))
    _ = try await fixture.installer().beginDownload(of: Self.two)
    _ = try #require(await work.next())
    #expect(await fixture.engine.pendingWork(before: JobRequest(.install, Self.two)).isEmpty)
    _ = try await fixture.installer().beginInstallation(of: Self.two)
    #expect(await !fixture.engine.pendingWork(before: JobRequest(.install, Self.two)).isEmpty)
  }

  @Test func `a token stands for a download or for an installation, not for both`() async throws {
    let (fixture, _) = try await EngineFixture.byHand(.steps(2))
    var options = InstallationOptions()
    options.token = "once"
    let installer = try fixture.installer()
    _ = try await installer.beginDownload(of: Self.two, options: options)
    let error = await #expect(throws: InstallationError.self) {
      try await installer.beginInstallation(of: Self.two, options: options)
    }
    #expect(error?.message.contains("downloadOnly") == true)
  }
}
