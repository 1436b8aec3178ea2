import FoundationEssentials
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `An engine that ends` {
  @Test func `work that reports after the end is left to the next engine, and nothing is amiss`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand(.steps(1))
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    await fixture.engine.end()
    let written = fixture.journal.lastSeq
    try fixture.journal.close()
    #expect(await !fixture.engine.persistsSomething(of: job.id))
    #expect(
      try await fixture.engine.dispatch(
        .reports([.phase(step: 0, .done)], preview: nil), to: job.id
      )
      .isEmpty)
    #expect(await fixture.engine.queue.pause == nil && fixture.journal.lastSeq == written)
  }

  @Test func `who waits for it to be idle is not left waiting when its state folder is gone`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand(.steps(1))
    _ = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    run.beginStep(0)
    try FileManager.default.removeItem(atPath: fixture.folder.path)
    run.finishStep(0)
    run.end()
    await fixture.engine.untilIdle(orStateIsGone: true)
    #expect(await !fixture.engine.isIdle)
  }
}

extension Engine {
  /// Whether it still does what it is asked to write down.
  fileprivate func persistsSomething(of id: JobID) async -> Bool {
    var isDone = false
    await retryUntilStored("something", of: id) { _ in isDone = true }
    return isDone
  }
}
