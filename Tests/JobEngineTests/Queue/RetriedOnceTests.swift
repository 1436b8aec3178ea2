import InstallJobs
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite struct `A job that is retried` {
  /// Retries a job as clients do.
  private func retry(_ id: Int, on fixture: EngineFixture) async throws -> JobSnapshot {
    let old = try await fixture.engine.job(JobID(id))
    let request = try fixture.engine.request(of: JobID(id)).retrying(old)
    #expect(request.options.retryOf == JobID(id))
    return try await fixture.engine.submit(request, by: EngineFixture.ops)
  }

  private func refusal(_ id: Int, on fixture: EngineFixture) async -> InstallationError? {
    await #expect(throws: InstallationError.self) { _ = try await retry(id, on: fixture) }
  }

  /// Lets the work at hand, a job's, fail at its first package, and waits for its end.
  private func fail(_ work: ManualWork, of id: Int, on fixture: EngineFixture) async throws {
    let run = try #require(await work.next())
    run.download()
    run.failStep(0)
    run.end(exitStatus: 1)
    try await eventually { try await fixture.engine.job(JobID(id)).state.isFinal }
  }

  /// An engine whose job 1 has failed.
  private func failedOnce() async throws -> (EngineFixture, ManualWork) {
    let (fixture, work) = try await EngineFixture.byHand()
    _ = try await fixture.engine.submit(
      JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    try await fail(work, of: 1, on: fixture)
    return (fixture, work)
  }

  @Test func `is not retried a second time, and the answer names the job that does it`()
    async throws
  {
    let (fixture, work) = try await failedOnce()
    #expect(try await retry(1, on: fixture).id == JobID(2))
    let open = await refusal(1, on: fixture)
    #expect(open?.code == .invalidState)
    #expect(
      open?.message.hasPrefix("cannot retry job 1 again: it was retried as job 2, which") == true)
    #expect(open?.hint == "'fettle watch 2' follows it")
    try await fail(work, of: 2, on: fixture)
    // Over, it is found in the history; what it left, its own retry does.
    let ended = await refusal(1, on: fixture)
    #expect(ended?.message.hasSuffix("as job 2, which failed") == true)
    #expect(ended?.hint == "'fettle retry 2' submits what that one left")
    #expect(try await retry(2, on: fixture).id == JobID(3))
    #expect(try await fixture.engine.jobs(in: nil).count == 3)
  }

  @Test func `is not retried a second time by a request for other packages either`()
    async throws
  {
    let (fixture, work) = try await failedOnce()
    _ = try await retry(1, on: fixture)
    try await fail(work, of: 2, on: fixture)
    var options = InstallationOptions()
    options.retryOf = JobID(1)
    let other = JobRequest(.install, [Update("p2")], options: options)
    let error = await #expect(throws: InstallationError.self) {
      _ = try await fixture.engine.submit(other, by: EngineFixture.ops)
    }
    #expect(error?.message.contains("as job 2") == true)
  }

  @Test func `is over: of one at work nobody knows what it leaves`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    _ = try await fixture.engine.submit(
      JobRequest(.install, [Update("p1")]), by: EngineFixture.ops)
    var options = InstallationOptions()
    options.retryOf = JobID(1)
    let early = JobRequest(.install, [Update("p1")], options: options)
    let error = await #expect(throws: InstallationError.self) {
      _ = try await fixture.engine.submit(early, by: EngineFixture.ops)
    }
    #expect(error?.code == .invalidState)
    #expect(error?.message == "cannot retry job 1: it is not over")
  }

  @Test func `a repair of everything, which names nothing, is retried once too`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    var request = JobRequest(.repair, [])
    for id in 1...2 {
      _ = try await fixture.engine.submit(request, by: EngineFixture.ops)
      try #require(await work.next()).end()
      try await eventually { try await fixture.engine.job(JobID(id)).state.isFinal }
      request.options.retryOf = JobID(1)
    }
    let again = await #expect(throws: InstallationError.self) {
      _ = try await fixture.engine.submit(request, by: EngineFixture.ops)
    }
    #expect(again?.message.contains("it was retried as job 2, which succeeded") == true)
    request.options.retryOf = JobID(77)
    let unknown = await #expect(throws: InstallationError.self) {
      _ = try await fixture.engine.submit(request, by: EngineFixture.ops)
    }
    #expect(unknown?.code == .unknownJob)
  }

  @Test func `two that ask at the same time get one job between them`() async throws {
    let (fixture, _) = try await failedOnce()
    async let one = try? retry(1, on: fixture)
    async let other = try? retry(1, on: fixture)
    #expect(await [one, other].compactMap(\.self).count == 1)
  }
}
