import Glibc
import InstallJobs
import JobServer
import JobWire
import Logging
import Support
import Testing

@testable import JobClient

/// A session whose engine goes away, and comes back or does not.
@Suite(.scratchFolder, .timeLimit(.minutes(1)), .endsOrAborts)
struct `A session and the loss of its engine` {
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

  /// Begins a job whose answer is lost with the engine, which comes back.
  ///
  /// - Returns: How it ended, and what the engine was asked.
  private func beginWithLoss(
    _ options: InstallationOptions
  ) async throws -> (Result<JobID, any Error>, requests: [JobRequest]) {
    let engine = ScriptedEngine()
    let first = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    await engine.holdSubmissions()
    let installer = try session.makeInstaller()
    let beginning = Task {
      try await installer.beginInstallation(of: [Update("a")], options: options).id
    }
    try await eventually("the submission") { await engine.heldCount == 1 }
    var states = await session.connectionStates().makeAsyncIterator()
    #expect(await states.next() == .connected)
    first.task.cancel()
    guard case .lost? = await states.next() else {
      throw ConditionNotMet("the loss", within: .zero, file: #fileID, line: #line)
    }
    await engine.release()
    try await first.end()
    let second = try await Serving(engine, at: path)
    if options.token != nil {
      try await eventually("the second submission") { await engine.heldCount == 1 }
      await engine.release()
    }
    let result = await beginning.result
    await session.close()
    try await second.end()
    return (result, await engine.requests)
  }

  @Test func `a submission with a token is sent again, because an engine makes one job of it`()
    async throws
  {
    var options = InstallationOptions()
    options.token = "once"
    let (result, requests) = try await beginWithLoss(options)
    #expect(try result.get() == JobID(2))
    #expect(requests.map(\.options.token) == ["once", "once"])
  }

  @Test func `a submission without a token is not sent again, and may have been done`() async throws
  {
    let (result, requests) = try await beginWithLoss(InstallationOptions())
    let error = #expect(throws: InstallationError.self) { try result.get() }
    #expect(error?.code == .engineUnreachable)
    #expect(error?.mayHaveBeenDone == true)
    #expect(requests.count == 1)
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
    #expect(silent.methods == ["subscribe"])
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

  @Test func `R8: once a session is closed no progress is called back either`() async throws {
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    let (calls, called) = AsyncStream.makeStream(of: Void.self)
    let (leaves, leave) = AsyncStream.makeStream(of: Void.self)
    let count = Locked(0)
    final class Captured: Sendable {}
    weak var remaining: Captured?
    let job: InstallationJob
    do {
      let captured = Captured()
      remaining = captured
      job = try await session.makeInstaller().beginInstallation(
        of: [Update("a")],
        onProgress: { _, _ in
          withExtendedLifetime(captured) { count.change { $0 += 1 } }
          called.yield()
          for await _ in leaves { break }
        })
    }
    var reader = calls.makeAsyncIterator()
    _ = await reader.next()
    // It stands in its first call while more happens.
    await engine.play(3, of: job.id)
    try await eventually("the handle knows") { await job.progress.state == .installing }
    await session.close()
    await #expect(throws: InstallationError.self) { try await job.result }
    leave.finish()
    try await eventually("the callback is let go of") { remaining == nil }
    try await end(of: job, at: engine)
    #expect(count.value == 1)
    try await serving.end()
  }

  @Test func `a stream too many is refused, and harms no job`() async throws {
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    var streams: [EngineEvents] = []
    for _ in 0..<StreamSeats.limit { streams.append(try await session.events()) }
    let error = await #expect(throws: InstallationError.self) { try await session.events() }
    #expect(error?.code == .busy)
    let job = try await session.makeInstaller().beginInstallation(of: [Update("a")])
    try await end(of: job, at: engine)
    #expect(try await job.result.code == .succeeded)
    // Those that nobody reads any more count no more.
    streams.removeAll()
    for _ in 0..<StreamSeats.limit { streams.append(try await session.events()) }
    await session.close()
    try await serving.end()
  }

  @Test func `a connection that is given up ends, and what waits over it with it`() async throws {
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let connection = try await EngineConnection.connect(to: path, clientName: "test")
    let link = EngineLink(connection, limit: .seconds(60)) { () async throws(InstallationError) in
      throw InstallationError(.engineUnreachable, "nobody listens", class: .transient)
    }
    let backend = SessionBackend(link)
    let job = try await backend.submit(JobRequest(.install, [Update("a")]))
    let handle = InstallationJob(job, updates: [Update("a")], userInfo: nil, backend: backend)
    handle.follow(onProgress: nil, onCompletion: nil)
    // As where another wait of the session has found that the engine does not answer.
    await link.reconnect(1)
    try await eventually("the connection is closed") { await !connection.isAlive }
    await link.close()
    let error = await #expect(throws: InstallationError.self) { try await handle.result }
    #expect(error?.code == .invalidState)
    try await serving.end()
  }

  @Test func `is given up after its time, however long an attempt takes`() async throws {
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let connection = try await EngineConnection.connect(to: path, clientName: "test")
    let link = EngineLink(connection, limit: .milliseconds(200)) {
      () async throws(InstallationError) in
      // An engine that takes the connection and says nothing.
      try? await Task.sleep(for: .seconds(600))
      throw InstallationError(.engineUnreachable, "no answer", class: .transient)
    }
    var states = await link.states().makeAsyncIterator()
    #expect(await states.next() == .connected)
    await link.reconnect(1)
    guard case .lost = await states.next() else {
      Issue.record("the loss is not told")
      return
    }
    guard case .givenUp(let error) = await states.next() else {
      Issue.record("it is not given up")
      return
    }
    #expect(error.code == .engineUnreachable)
    try await serving.end()
  }

  @Test func `C1, C3: an engine that comes back with less progress takes none back`() async throws {
    let engine = ScriptedEngine()
    let serving = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    let seen = Locked<[Double]>([])
    let job = try await session.makeInstaller().beginInstallation(
      of: [Update("a")],
      onProgress: { _, progress in seen.change { $0.append(progress.overallFraction) } })
    await engine.play(1, of: job.id)
    await engine.tell(
      job.id,
      .progress(
        JobProgressTick(
          percentComplete: 60, currentUpdateIndex: 0, currentStepIndex: 0, downloadedBytes: 7,
          bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
          abortPreview: .accepted(stopsAfter: "a"), steps: [])))
    try await eventually("progress is seen") { await job.progress.overallFraction == 0.6 }
    try await serving.end()
    // Killed: what was not recorded is not known any more, and more has happened.
    await engine.forgetProgress(of: job.id)
    await engine.play(
      job.id, .state(JobStateChange(.finalizing, abortPreview: .accepted(stopsAfter: nil))))
    #expect(try await engine.job(job.id).percentComplete == 0)
    let next = try await Serving(engine, at: path)
    try await eventually("the new engine's word is known") {
      await job.progress.state == .finalizing
    }
    #expect(await job.progress.overallFraction == 0.6)
    try await end(of: job, at: engine)
    _ = try await job.result
    #expect(seen.value == seen.value.sorted())
    await session.close()
    try await next.end()
  }

  @Test func `A21: cancelled before the job was accepted, an installation ends and is aborted`()
    async throws
  {
    let engine = ScriptedEngine()
    await engine.holdSubmissions()
    let serving = try await Serving(engine, at: path)
    let session = try await UpdateSession.connect(to: path, clientName: "test")
    let installer = try session.makeInstaller()
    let task = Task { try await installer.install([Update("a")]) }
    try await eventually("it is asked for") { await engine.heldCount == 1 }
    task.cancel()
    let error = await #expect(throws: InstallationError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(await engine.jobs(in: nil).isEmpty)
    await engine.release()
    try await eventually("the job that was accepted after all is aborted") {
      await engine.record.contains { $0.act == "abort" && $0.job == 1 }
    }
    await session.close()
    try await serving.end()
  }
}
