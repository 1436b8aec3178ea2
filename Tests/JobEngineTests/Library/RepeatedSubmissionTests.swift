import HostSystem
import InstallJobs
import JobEngine
import JobJournal
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Requests that are repeated or come too late`
{
  @Test func `the same token gives the same job`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    var options = InstallationOptions()
    options.token = "deploy-7"
    let installer = try fixture.installer()
    let first = try await installer.beginInstallation(of: [Update("p1")], options: options)
    let again = try await installer.beginInstallation(of: [Update("p1")], options: options)
    #expect(first.id == again.id)
    #expect(try await fixture.session.jobs().count == 1)
  }

  private static let otherRequests: [(String, @Sendable (inout JobRequest) -> Void)] = [
    ("operation", { $0.operation = .reinstall }),
    ("updates", { $0.updates = [Update("p2")] }),
    ("updates", { $0.updates.append(Update("p2")) }),
    ("conffiles", { $0.options.conffiles = .new }),
    ("comment", { $0.options.comment = "another" }),
    ("priority", { $0.options.priority = 3 }),
    ("planning", { $0.options.planning.release = "stable-backports" }),
  ]

  @Test(arguments: otherRequests)
  func `a token with another request is refused, and the job and the difference are named`(
    part: String, change: @Sendable (inout JobRequest) -> Void
  ) async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    var request = JobRequest(.install, [Update("p1")])
    request.options.token = "deploy-7"
    let first = try await fixture.backend.submit(request)
    change(&request)
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.backend.submit(request)
    }
    #expect(error?.code == .invalidArgument && error?.class == .fatal)
    #expect(error?.message.contains("job \(first.id)") == true)
    #expect(error?.message.contains(": \(part) differ") == true, "\(error?.message ?? "")")
    #expect(try await fixture.session.jobs().count == 1)
  }

  @Test func `a token outlives its job and its time to stop by`() async throws {
    let clock = Locked(Timestamp(milliseconds: 1_000_000))
    let (fixture, work) = try await EngineFixture.byHand { $0.now = { clock.value } }
    var request = JobRequest(.install, [Update("p1")])
    request.options.token = "deploy-7"
    request.options.latestStop = Timestamp(milliseconds: 2_000_000)
    let first = try await fixture.backend.submit(request)
    await work.next()?.performAllSteps()
    _ = try await fixture.session.job(first.id).result
    clock.change { $0 = Timestamp(milliseconds: 3_000_000) }
    #expect(try await fixture.backend.submit(request).id == first.id)
  }

  @Test(arguments: [(nil, 1_000), (nil, 1), (2_000, 2_000), (3_000, 2_000)])
  func `a job that would have to stop before it can begin is refused`(
    notBefore: Int?, stopBy: Int
  ) async throws {
    let (fixture, _) = try await EngineFixture.byHand {
      $0.now = { Timestamp(milliseconds: 1_000) }
    }
    var options = InstallationOptions()
    options.earliestStart = notBefore.map { Timestamp(milliseconds: Int64($0)) }
    options.latestStop = Timestamp(milliseconds: Int64(stopBy))
    let installer = try fixture.installer()
    let error = await #expect(throws: InstallationError.self) {
      try await installer.beginInstallation(of: [Update("p1")], options: options)
    }
    #expect(error?.code == .invalidArgument && error?.hint?.contains("choose") == true)
    #expect(try await fixture.session.jobs().isEmpty)
    #expect(fixture.journal.lastSeq == 1)
  }
}
