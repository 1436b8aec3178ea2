import InstallJobs
import InstallJobsTesting
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts)
struct `A program tested with the mock engine` {
  @Test func `installs in order, with dependencies, progress and one completion`() async throws {
    let engine = MockEngine()
    await engine.setDependencies(["p1", "p2"], of: "p3")
    let session = UpdateSession(engine: engine, clientName: "acme")
    let calls = Mutex<[String]>([])
    let job = try await session.makeInstaller().beginInstallation(
      of: [Update("p3"), Update("alone")], userInfo: "mine",
      onProgress: { job, _ in
        calls.withLock { $0.append("progress \(job.userInfo as? String ?? "")") }
      },
      onCompletion: { job in
        let isCompleted = await job.isCompleted
        calls.withLock { $0.append("completed \(isCompleted)") }
      })
    #expect(job.plan.map(\.name) == ["p1", "p2", "p3", "alone"])
    #expect(job.updates == [Update("p3"), Update("alone")])
    let result = try await job.result
    #expect(result.code == .succeeded && result.updateResults.map(\.name) == ["p3", "alone"])
    try await job.cleanUp()
    let made = calls.withLock { $0 }
    #expect(made.last == "completed true" && made.count { $0.hasPrefix("completed") } == 1)
    #expect(made.dropLast().allSatisfy { $0 == "progress mine" })
    #expect(try await session.snapshot(of: job.id).isCleanedUp)
    #expect(try await session.history(limit: 10).map(\.id) == [job.id])
    // What is there is not installed again.
    let again = try await session.makeInstaller().install([Update("p1")])
    #expect(again["p1"]?.note == .alreadyInstalled)
  }

  @Test func `a job in hand tells what is done, for whom, and how the engine has it`()
    async throws
  {
    let engine = MockEngine(isPaced: true)
    let session = UpdateSession(engine: engine)
    let installer = try session.makeInstaller()
    let job = try await installer.beginReinstallation(of: [Update("p1")])
    #expect(job.operation == .reinstall && job.kind == .installation)
    #expect(job.requester.user == "tester")
    #expect(try await job.snapshot.state == .queued)
    #expect(await engine.advance())
    #expect(try await job.snapshot.state == .installing)
    #expect(try await job.snapshot.plan?.map(\.name) == ["p1"])
    await engine.goAway()
    await #expect(throws: InstallationError.self) { try await job.snapshot }
  }

  @Test func `R8: a session that is closed ends what it waits for, and another one goes on`()
    async throws
  {
    let engine = MockEngine(isPaced: true)
    let session = UpdateSession(engine: engine)
    let calls = Mutex(0)
    let job = try await session.makeInstaller().beginInstallation(
      of: [Update("p1")], onCompletion: { _ in calls.withLock { $0 += 1 } })
    let other = try await UpdateSession(engine: engine).job(job.id)
    var states = await session.connectionStates().makeAsyncIterator()
    #expect(await states.next() == .connected)
    await session.close()
    #expect(await states.next() == .closed)
    #expect(await states.next() == nil)
    let error = await #expect(throws: InstallationError.self) { try await job.result }
    #expect(error?.code == .invalidState)
    let refused = await #expect(throws: InstallationError.self) { try await session.jobs() }
    #expect(refused?.code == .invalidState)
    await engine.finish()
    #expect(try await other.result.code == .succeeded)
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func `C1, C3, C4: progress of the whole job rises with each package`() async throws {
    let engine = MockEngine(isPaced: true)
    await engine.setOutcome(.fails("no"), of: "p2")
    let installer = UpdateInstaller(engine: engine)
    let job = try await installer.beginInstallation(of: ["p1", "p2"].map { Update($0) })
    var shares: [Double] = []
    while await engine.advance() {
      shares.append(try await job.snapshot.fractionCompleted)
    }
    #expect(shares == [0, 0.25, 0.5, 0.75, 0.99, 0.99])
  }

  @Test func `failures, partial success and a restart that is asked for`() async throws {
    let engine = MockEngine()
    await engine.setOutcome(.fails("post-installation script, exit status 3"), of: "bad")
    await engine.setOutcome(.requiresReboot, of: "kernel")
    let installer = UpdateInstaller(engine: engine)
    let mixed = try await installer.install([Update("good"), Update("bad"), Update("kernel")])
    #expect(mixed.code == .succeededWithErrors && mixed["good"]?.code == .succeeded)
    #expect(mixed["bad"]?.error?.code == .packageFailed)
    #expect(mixed["bad"]?.detail == "post-installation script, exit status 3")
    #expect(mixed.requiresReboot && mixed.rebootReasons == ["kernel"])
    #expect(try await installer.install([Update("bad")]).code == .failed)
    await engine.setOutcome(.succeeds, of: "bad")
    let retry = try await installer.beginRetry(of: JobID(1))
    #expect(retry.updates == [Update("bad")])
    #expect(try await retry.result.code == .succeeded)
  }

  @Test func `an abort stops between two packages, wherever the test stands`() async throws {
    let engine = MockEngine(isPaced: true)
    let session = UpdateSession(engine: engine)
    let installer = try session.makeInstaller()
    let job = try await installer.beginInstallation(of: ["p1", "p2", "p3"].map { Update($0) })
    let waiting = try await installer.beginInstallation(of: [Update("q")])
    #expect(try await waiting.requestAbort() == .accepted(stopsAfter: nil))
    // Begins, then unpacks p1.
    await engine.advance()
    await engine.advance()
    #expect(try await job.requestAbort() == .accepted(stopsAfter: "p1"))
    #expect(try await job.requestAbort() == .accepted(stopsAfter: "p1"))
    await engine.finish()
    let result = try await job.result
    #expect(result.code == .aborted)
    #expect(result.updateResults.map(\.code) == [.succeeded, .notStarted, .notStarted])
    #expect(try await waiting.result.code == .aborted)
    #expect(try await job.requestAbort() == .alreadyCompleted)
  }

  @Test func `pause, resume, move and the queue's pause`() async throws {
    let engine = MockEngine(isPaced: true)
    let session = UpdateSession(engine: engine)
    let installer = try session.makeInstaller()
    let first = try await installer.beginInstallation(of: [Update("a"), Update("b")])
    let second = try await installer.beginInstallation(of: [Update("c")])
    try await second.move(to: .first)
    try await session.pauseQueue()
    #expect(await engine.advance() == false)
    try await session.resumeQueue()
    await engine.advance()
    #expect(try await session.jobs(in: [.installing]).map(\.id) == [second.id])
    await engine.finish()
    #expect(try await second.result.code == .succeeded)
    #expect(try await first.result.code == .succeeded)
    let held = try await installer.beginInstallation(of: [Update("d"), Update("e")])
    await engine.advance()
    try await held.suspend()
    await engine.finish()
    #expect(try await session.snapshot(of: held.id).state == .suspended)
    try await held.resume()
    await engine.finish()
    #expect(try await held.result.code == .succeeded)
  }

  @Test func `refusals, a read-only session and an engine that goes away`() async throws {
    let engine = MockEngine(isPaced: true)
    let session = UpdateSession(engine: engine)
    let refusal = InstallationError(.noSpace, "no space on /usr")
    await engine.refuse(with: refusal)
    let installer = try session.makeInstaller()
    #expect(
      await #expect(throws: InstallationError.self) {
        try await installer.install([Update("a")])
      } == refusal)
    await engine.refuse(with: nil)
    #expect(
      await #expect(throws: InstallationError.self) { try await installer.install([]) }?.code
        == .noUpdates)
    let job = try await installer.beginInstallation(of: [Update("a")])
    await engine.goAway()
    #expect(
      await #expect(throws: InstallationError.self) { try await job.result }?.code
        == .engineUnreachable)
    #expect(
      await #expect(throws: InstallationError.self) { try await session.status() }?.code
        == .engineUnreachable)
    await engine.comeBack()
    await engine.finish()
    #expect(try await session.job(job.id).result.code == .succeeded)
    let eye = UpdateSession(engine: engine, isReadOnly: true)
    #expect(throws: InstallationError.self) { try eye.makeInstaller() }
    await #expect(throws: InstallationError.self) { try await eye.requestAbort(of: job.id) }
    #expect(try await eye.jobs().count == 1)
  }

  @Test func `events come from now on, and again from a number`() async throws {
    let engine = MockEngine()
    let session = UpdateSession(engine: engine)
    let events = try await session.events()
    let result = try await session.makeInstaller().install([Update("a")])
    #expect(result.code == .succeeded)
    func types(_ events: EngineEvents) async throws -> [String] {
      var types: [String] = []
      for try await case .event(let event) in events {
        types.append(event.payload.type)
        if case .completed = event.payload { break }
      }
      return types
    }
    let expected = ["submitted", "state", "update", "update", "completed"]
    #expect(try await types(events) == expected)
    #expect(
      try await types(session.events(EventSelection(after: 1))) == Array(expected.dropFirst()))
    #expect(try await session.recordedEvents(of: JobID(1)).events.count == 5)
    await #expect(throws: InstallationError.self) {
      try await session.events(EventSelection(after: 99))
    }
  }

  @Test func `upgrades of what is installed, and a removal`() async throws {
    let engine = MockEngine()
    await engine.setInstalled("old", version: "1.0")
    await engine.setVersion("2.0", of: "old")
    let session = UpdateSession(engine: engine)
    #expect(try await session.upgradableUpdates().map(\.toVersion) == ["2.0"])
    let upgrade = try await session.makeInstaller().beginUpgrade()
    #expect(upgrade.updates.map(\.name) == ["old"])
    #expect(try await upgrade.result.code == .succeeded)
    #expect(try await session.upgradableUpdates().isEmpty)
    #expect(try await session.makeInstaller().uninstall([Update("old")]).code == .succeeded)
    let gone = try await session.makeInstaller().uninstall([Update("old")])
    #expect(gone["old"]?.note == .notInstalled)
  }
}
