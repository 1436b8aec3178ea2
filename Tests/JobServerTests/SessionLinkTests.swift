import Glibc
import InstallJobs
import JobServer
import JobWire
import Logging
import Support
import Testing

@testable import JobClient

/// A session whose engine goes away, and comes back or does not.
@Suite(.scratchFolder, .timeLimit(.minutes(10))) struct `A session and the loss of its engine` {
  /// A server of an engine, which can be ended before the engine.
  private struct Serving {
    let task: Task<Void, any Error>

    init(_ engine: ScriptedEngine, at path: String) async throws {
      let server = try await JobServer.listen(
        at: path, engine: engine,
        policy: AccessPolicy(engineUID: geteuid(), group: nil, everybodyMayLook: false),
        limits: .patient, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      task = Task { try await server.run() }
    }

    func end() async throws {
      task.cancel()
      try await task.value
    }
  }

  private let path: String

  init() throws { path = try #require(ScratchFolder.current).path("engine.sock") }

  private func end(of job: InstallationJob, at engine: ScriptedEngine) async throws {
    let snapshot = try await engine.job(job.id)
    await engine.play(
      job.id,
      .completed(
        JobOutcome(
          state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
          requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [],
          updates: snapshot.updates)))
  }

  @Test func `its jobs are followed on at the next process, and complete once`() async throws {
    let engine = ScriptedEngine()
    let first = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    let installer = try session.makeInstaller()
    let completed = Locked<[JobID]>([])
    var jobs: [InstallationJob] = []
    for name in ["a", "b", "c"] {
      jobs.append(
        try await installer.beginInstallation(
          of: [Update(name)], onCompletion: { job in completed.change { $0.append(job.id) } }))
    }
    var states = await session.connectionStates().makeAsyncIterator()
    #expect(await states.next() == .connected)
    try await first.end()
    guard case .lost? = await states.next() else { return #expect(Bool(false), "no loss is told") }
    // What happens while nobody can be asked.
    try await end(of: jobs[1], at: engine)
    let second = try await Serving(engine, at: path)
    #expect(await states.next() == .connected)
    #expect(try await jobs[1].result.code == .succeeded)
    #expect(await jobs[0].isCompleted == false)
    for job in [jobs[0], jobs[2]] {
      try await end(of: job, at: engine)
      #expect(try await job.result.code == .succeeded)
    }
    // Clean up waits until the callback has returned.
    for job in jobs { try await job.cleanUp() }
    #expect(completed.value.sorted() == jobs.map(\.id))
    #expect(try await session.status().engine.version.isEmpty == false)
    await session.close()
    #expect(await states.next() == .closed)
    #expect(await states.next() == nil)
    try await second.end()
  }

  @Test func `gives up an engine that does not come back, and everybody hears it`() async throws {
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(
      to: path, clientName: "test", reconnectingFor: .zero)
    let completed = Locked(false)
    let job = try await session.makeInstaller().beginInstallation(
      of: [Update("a")], onCompletion: { _ in completed.change { $0 = true } })
    try await serving.end()
    let lost = await #expect(throws: InstallationError.self) { try await job.result }
    #expect(lost?.code == .engineUnreachable)
    let refused = await #expect(throws: InstallationError.self) { try await session.status() }
    #expect(refused?.code == .engineUnreachable)
    var last: ConnectionState?
    for await state in await session.connectionStates() { last = state }
    guard case .givenUp(let error)? = last else {
      return #expect(Bool(false), "\(String(describing: last))")
    }
    #expect(error.code == .engineUnreachable)
    #expect(completed.value == false)
  }

  @Test func `does not take another journal's jobs for its own`() async throws {
    let serving = try await Serving(ScriptedEngine(), at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    let job = try await session.makeInstaller().beginInstallation(of: [Update("a")])
    try await serving.end()
    let other = ScriptedEngine(epoch: "e2")
    _ = try await other.submit(
      JobRequest(.install, [Update("z")]), by: Requester(uid: 0, user: "root"))
    let next = try await Serving(other, at: path)
    let error = await #expect(throws: InstallationError.self) { try await job.result }
    #expect(error?.code == .engineUnreachable)
    let refused = await #expect(throws: InstallationError.self) { try await session.jobs() }
    #expect(refused?.message.contains("another journal") == true)
    try await next.end()
  }

  @Test func `who waits for a lost engine waits no longer than its task`() async throws {
    let serving = try await Serving(ScriptedEngine(), at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    var states = await session.connectionStates().makeAsyncIterator()
    _ = await states.next()
    try await serving.end()
    guard case .lost? = await states.next() else { return #expect(Bool(false), "no loss is told") }
    let asking = Task { try await session.status() }
    asking.cancel()
    let error = await #expect(throws: InstallationError.self) { try await asking.value }
    #expect(error?.code == .cancelled)
    await session.close()
  }

  @Test func `a job of an engine that does not answer is followed at the next one that does`()
    async throws
  {
    let silent = try SilentEngine()
    let engine = ScriptedEngine(epoch: "x")
    let submitted = try await engine.submit(
      JobRequest(.install, [Update("a")]), by: Requester(uid: 0, user: "root"))
    let serving = try await Serving(engine, at: path)
    var timeouts = RequestTimeouts()
    timeouts.silence = .milliseconds(20)
    let link = EngineLink(try await silent.connect(timeouts: timeouts), limit: .seconds(300)) {
      [path] () async throws(InstallationError) in
      try await EngineConnection.connect(to: path, clientName: "test")
    }
    for try await snapshot in await SessionBackend(link).snapshots(of: submitted.id) {
      #expect(snapshot.id == submitted.id)
      break
    }
    #expect(silent.methods == [.subscribe])
    await link.close()
    try await serving.end()
  }

  @Test func `R8: closing a session lets go of its callbacks, and its jobs go on`() async throws {
    final class Captured: Sendable {}
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    let called = Locked(false)
    weak var remaining: Captured?
    let job: InstallationJob
    do {
      let captured = Captured()
      remaining = captured
      job = try await session.makeInstaller().beginInstallation(
        of: [Update("a")],
        onCompletion: { _ in
          withExtendedLifetime(captured) { called.change { $0 = true } }
        })
    }
    #expect(remaining != nil)
    await session.close()
    let error = await #expect(throws: InstallationError.self) { try await job.result }
    #expect(error?.code == .invalidState)
    try await eventually("the callback is let go of") { remaining == nil }
    #expect(try await engine.job(job.id).state == .queued)
    try await end(of: job, at: engine)
    #expect(called.value == false)
    try await serving.end()
  }
}
