import Glibc
import InstallJobs
import JobClient
import Support
import Testing

/// An engine whose process is stopped: nothing that waits for it hangs.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `An engine that is stopped` {
  /// What a caller can wait for.
  private typealias Wait = @Sendable (UpdateSession, InstallationJob) async throws -> Void

  private static let waits: [(name: String, wait: Wait)] = [
    ("status", { session, _ in _ = try await session.status() }),
    ("jobs", { session, _ in _ = try await session.jobs() }),
    ("job", { session, job in _ = try await session.job(job.id) }),
    ("updates", { session, _ in _ = try await session.upgradableUpdates() }),
    (
      "plan",
      { session, _ in
        _ = try await session.makeInstaller().plan(JobRequest(.install, [Update("beta")]))
      }
    ),
    (
      "submit",
      { session, _ in
        _ = try await session.makeInstaller().beginInstallation(of: [Update("beta")])
      }
    ),
    ("abort", { _, job in _ = try await job.requestAbort() }),
    ("withdraw", { _, job in try await job.withdrawAbort() }),
    ("suspend", { _, job in try await job.suspend() }),
    ("resume", { _, job in try await job.resume() }),
    ("move", { _, job in try await job.move(to: .first) }),
    ("clean up", { _, job in try await job.cleanUp() }),
    ("pause the queue", { session, _ in try await session.pauseQueue() }),
    ("resume the queue", { session, _ in try await session.resumeQueue() }),
  ]

  @Test func `ends every wait at once that is cancelled, and serves on once it goes on`()
    async throws
  {
    let engine = try await EngineUnderTest(PackageFixture.standard())
    let session = try await UpdateSession.connect(to: engine.socket, clientName: "test")
    let job = try await session.makeInstaller().beginInstallation(of: [Update("alpha")])
    _ = try await job.result
    try #require(kill(engine.pid, SIGSTOP) == 0)
    defer { kill(engine.pid, SIGCONT) }
    for (name, wait) in Self.waits {
      let waiting = Task { try await wait(session, job) }
      // Some have come as far as to wait, some have not.
      for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
      waiting.cancel()
      let error = await #expect(throws: InstallationError.self, "\(name)") {
        try await waiting.value
      }
      #expect(error?.code == .cancelled, "\(name)")
    }
    kill(engine.pid, SIGCONT)
    #expect(try await session.status().engine.pid == engine.pid)
    await session.close()
  }

  @Test func `is waited for as long as the time-out says, and serves the same connection again`()
    async throws
  {
    let engine = try await EngineUnderTest()
    var timeouts = RequestTimeouts()
    timeouts.silence = .milliseconds(200)
    let connection = try await EngineConnection.connect(
      to: engine.socket, clientName: "test", timeouts: timeouts)
    try #require(kill(engine.pid, SIGSTOP) == 0)
    defer { kill(engine.pid, SIGCONT) }
    let backend = EngineBackend(connection)
    let error = await #expect(throws: InstallationError.self) { try await backend.status() }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains(engine.socket) == true)
    kill(engine.pid, SIGCONT)
    try await eventually("it answers again") {
      (try? await backend.status().engine.pid) == engine.pid
    }
    await connection.close()
  }
}
