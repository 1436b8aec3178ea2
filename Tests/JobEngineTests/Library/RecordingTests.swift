import InstallJobs
import JobEngine
import JobJournal
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `N17: what the journal has of a job` {
  /// The job that its events make, from before the first of them.
  static func played(_ events: [JobEvent], plan: [UpdateStatus]) throws -> JobSnapshot {
    let first = try #require(events.first)
    guard case .submitted(var job) = first.payload else {
      throw FixtureFault("the first event is \(first.payload.type)")
    }
    job.plan = plan.map { UpdateStatus($0.planned) }
    for event in events.dropFirst() { job.apply(event) }
    return job
  }

  @Test(arguments: [false, true])
  func `is enough to give the job back as it ended, and how far it was on the way`(
    fails: Bool
  ) async throws {
    let scenario = Scenario.instant(3).changing("p2") {
      if fails { $0.failure = Scenario.Failure(.configure) }
    }
    let fixture = try await EngineFixture.playing(scenario)
    _ = try await fixture.installer().install([Update("p1"), Update("p2"), Update("p3")])
    _ = try await fixture.installer().install([Update("p1")])
    try await fixture.backend.cleanUp(JobID(1))
    let job = try fixture.journal.job(JobID(1), withPlan: true)
    let events = try fixture.engine.events(of: JobID(1), after: 0, limit: 1000)
    #expect(job.isCleanedUp && job.resultCode == (fails ? .succeededWithErrors : .succeeded))
    #expect(try Self.played(events, plan: job.plan ?? []) == job)
    #expect(events.allSatisfy { $0.job == JobID(1) })
    let percents = events.compactMap { $0.progressMark?.percentComplete }
    // What comes at once is noted at once: of an instant job, that may be all.
    #expect(percents == percents.sorted() && percents.first == 0 && percents.count > 5)
    // So is what an abort would have been answered.
    #expect(events.contains { $0.progressMark?.abortPreview != nil })
    // Of what is done to the job afterwards nothing of the kind is noted.
    #expect(events.last?.progressMark == nil)
  }

  @Test func `comes in pages, and is told apart from a job that is not there`() async throws {
    let fixture = try await EngineFixture.playing(.instant(2))
    _ = try await fixture.installer().install([Update("p1"), Update("p2")])
    let engine = fixture.engine
    let all = try engine.events(of: JobID(1), after: 0, limit: 1000)
    var pages: [JobEvent] = []
    while true {
      let page = try engine.events(of: JobID(1), after: pages.last?.seq ?? 0, limit: 3)
      pages += page
      if page.count < 3 { break }
    }
    #expect(pages == all && all.count > 3)
    let last = try #require(all.last?.seq)
    #expect(try engine.events(of: JobID(1), after: last, limit: 3).isEmpty)
    func code(_ body: () throws -> Void) -> InstallationError.Code? {
      do { try body() } catch { return (error as? InstallationError)?.code }
      return nil
    }
    #expect(code { _ = try engine.events(of: JobID(9), after: 0, limit: 3) } == .unknownJob)
    #expect(code { _ = try engine.events(of: JobID(1), after: 999, limit: 3) } == .invalidArgument)
    #expect(code { _ = try engine.events(of: JobID(1), after: 0, limit: -1) } == .invalidArgument)
  }
}

private struct FixtureFault: Error {
  init(_ text: String) { self.text = text }
  let text: String
}
