import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `What a handle may do` {
  @Test func `A41: one of a read-only session looks, and acts on nothing`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let eye = UpdateSession(backend: fixture.backend, clientName: "eye", isReadOnly: true)
    let seen = try await eye.job(job.id)
    let acts: [(String, @Sendable () async throws(InstallationError) -> Void)] = [
      ("abort", { () async throws(InstallationError) in _ = try await seen.requestAbort() }),
      ("suspend", { () async throws(InstallationError) in try await seen.suspend() }),
      ("resume", { () async throws(InstallationError) in try await seen.resume() }),
      ("clean up", { () async throws(InstallationError) in try await seen.cleanUp() }),
    ]
    for (name, act) in acts {
      let error = await #expect(throws: InstallationError.self, "\(name)") { try await act() }
      #expect(error?.code == .notPermitted, "\(name)")
    }
    await work.next()?.performAllSteps()
    #expect(try await seen.result.code == .succeeded)
    #expect(try fixture.abortRequests == 0)
  }

  @Test func `B8: a callback may clean up a job of the same number of another engine`()
    async throws
  {
    let (one, work) = try await EngineFixture.byHand()
    let other = try await EngineFixture.playing(.instant(1))
    let ended = try await other.installer().beginInstallation(of: [Update("p1")])
    _ = try await ended.result
    let (answers, answer) = AsyncStream.makeStream(of: InstallationError?.self)
    let job = try await one.installer().beginInstallation(
      of: [Update("p1")],
      onCompletion: { _ in
        do throws(InstallationError) {
          try await ended.cleanUp()
          answer.yield(nil)
        } catch {
          answer.yield(error)
        }
      })
    #expect(job.id == ended.id)
    await work.next()?.performAllSteps()
    var reader = answers.makeAsyncIterator()
    #expect(await reader.next() == .some(nil))
    #expect(try await other.session.snapshot(of: ended.id).isCleanedUp)
  }

  @Test func `A3, A5: a request without handle gets the session's name and proxy`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    var session = UpdateSession(backend: fixture.backend, clientName: "nightly")
    session.proxy = "http://127.0.0.1:9"
    let plain = try await session.submit(JobRequest(.install, [Update("p1")])).id
    var request = JobRequest(.install, [Update("p2")])
    request.options.clientName = "own"
    request.options.proxy = "http://127.0.0.1:8"
    let named = try await session.submit(request).id
    let options = try [plain, named].map { try fixture.journal.job($0, withPlan: false).options }
    #expect(options.map(\.clientName) == ["nightly", "own"])
    #expect(options.map(\.proxy) == ["http://127.0.0.1:9", "http://127.0.0.1:8"])
  }
}
