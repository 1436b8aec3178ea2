import InstallJobs
import JobEngine
import PackageProvider
import SimulatedProvider
import Support
import Testing

/// Waiting for a job: what ends the wait, and what does not hold it up.
@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Waiting for a job` {
  @Test func `ends at once when the task is cancelled, and the job goes on`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let waits = [
      Task { _ = try await job.result },
      Task { _ = try await job.result(within: .seconds(3600)) },
      Task { try await job.cleanUp() },
      Task { try await job.cleanUp(within: .seconds(3600)) },
    ]
    for wait in waits { wait.cancel() }
    for wait in waits {
      let error = await #expect(throws: InstallationError.self) { try await wait.value }
      #expect(error?.code == .cancelled)
    }
    #expect(await job.isCompleted == false)
    await work.next()?.performAllSteps()
    #expect(try await job.result.code == .succeeded)
  }

  @Test func `for its result is not held up by a callback that blocks`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let (permit, allow) = AsyncStream.makeStream(of: Void.self)
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")], onCompletion: { _ in for await _ in permit { break } })
    #expect(try await job.result.code == .succeeded)
    let clock = ManualClock()
    let cleaning = Task { try await job.cleanUp(within: .seconds(2), clock: clock) }
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(2))
    let error = await #expect(throws: InstallationError.self) { try await cleaning.value }
    #expect(error?.code == .timedOut)
    #expect(try await fixture.engine.job(job.id).isCleanedUp == false)
    allow.yield()
    try await job.cleanUp()
    #expect(try await fixture.engine.job(job.id).isCleanedUp)
  }

  @Test func `for the clean up in a callback is refused to its tasks, and bounded for others`()
    async throws
  {
    let fixture = try await EngineFixture.playing(.instant(1))
    let codes = Recorder<InstallationError.Code?>()
    let clock = ManualClock()
    @Sendable func note(_ wait: @Sendable () async throws(InstallationError) -> Void) async {
      do throws(InstallationError) {
        try await wait()
        codes.note(nil)
      } catch { codes.note(error.code) }
    }
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")],
      onCompletion: { job in
        await Task { await note { () async throws(InstallationError) in try await job.cleanUp() } }
          .value
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            await note { () async throws(InstallationError) in
              try await job.cleanUp(within: .seconds(9))
            }
          }
        }
        // Nobody knows whose task this is: only its bound ends it.
        await Task.detached {
          await note { () async throws(InstallationError) in
            try await job.cleanUp(within: .seconds(9), clock: clock)
          }
        }.value
      })
    try await clock.waitForSleepers()
    #expect(codes.values == [.cleanUpCalledFromCallback, .cleanUpCalledFromCallback])
    await clock.advance(by: .seconds(9))
    try await job.cleanUp()
    #expect(codes.values.last == .timedOut)
  }

  @Test func `for the result in a callback, by a detached task too, is no dead-lock`() async throws
  {
    let fixture = try await EngineFixture.playing(.instant(1))
    let codes = Recorder<OperationResultCode>()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")],
      onProgress: { job, _ in
        if let result = try? await Task.detached(operation: { try await job.result }).value {
          codes.note(result.code)
        }
      },
      onCompletion: { job in
        if let result = try? await job.result { codes.note(result.code) }
      })
    try await job.cleanUp()
    #expect(codes.values.count >= 2)
    #expect(Set(codes.values) == [.succeeded])
  }
}
