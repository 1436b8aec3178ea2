import Support
import Testing

@testable import InstallJobs

/// An engine that says once how a job stands and goes away when it is told to.
final class EngineToLose: InstallationBackend {
  private let stream: JobSnapshots
  private let source: JobSnapshots.Source
  private let answerToAbort: (@Sendable () throws(InstallationError) -> AbortDisposition)?

  /// - Parameter answerToAbort: Answers a request to abort; nil where that is not to be had.
  init(answerToAbort: (@Sendable () throws(InstallationError) -> AbortDisposition)? = nil) {
    (stream, source) = JobSnapshots.make()
    self.answerToAbort = answerToAbort
  }

  func say(_ snapshot: JobSnapshot) { source.yield(snapshot) }
  func goAway() { source.finish(throwing: gone) }

  /// Says what happened to the job after the last snapshot.
  func say(_ payload: JobEvent.Payload) {
    _ = source.apply(
      JobEvent(seq: 1, at: Timestamp(milliseconds: 1), job: JobID(1), payload: payload))
  }

  /// Says no more, as an engine does after the end of a job.
  func finish() { source.finish() }

  func snapshots(of id: JobID) -> JobSnapshots { stream }

  let mayAct = true
  private let gone = InstallationError(.engineUnreachable, "the engine is gone", class: .transient)
  func submit(_ request: JobRequest) throws(InstallationError) -> JobSnapshot { throw gone }
  func plan(_ request: JobRequest) throws(InstallationError) -> JobPlan { throw gone }
  func jobs(in states: Set<JobState>?) throws(InstallationError) -> [JobSnapshot] { throw gone }
  func job(_ id: JobID) throws(InstallationError) -> JobSnapshot { throw gone }
  func request(of id: JobID) throws(InstallationError) -> JobRequest { throw gone }
  func requestAbort(of id: JobID) throws(InstallationError) -> AbortDisposition {
    guard let answerToAbort else { throw gone }
    return try answerToAbort()
  }
  func withdrawAbort(of id: JobID) throws(InstallationError) { throw gone }
  func suspend(_ id: JobID) throws(InstallationError) { throw gone }
  func resume(_ id: JobID) throws(InstallationError) { throw gone }
  func pauseQueue() throws(InstallationError) -> QueueStatus { throw gone }
  func askLockHolderToYield() throws(InstallationError) -> LockHolder { throw gone }
  func resumeQueue() throws(InstallationError) -> QueueStatus { throw gone }
  func move(_ id: JobID, to place: QueueMove) throws(InstallationError) -> JobSnapshot {
    throw gone
  }
  func cleanUp(_ id: JobID) {}
  func upload(_ bytes: [UInt8], at offset: Int64, of archive: LocalArchive)
    throws(InstallationError) -> Update?
  { throw gone }
  func upgradableUpdates() throws(InstallationError) -> [PlannedUpdate] { throw gone }
  func search(_ criteria: UpdateCriteria) throws(InstallationError) -> UpdateSearchResult {
    throw gone
  }
  func systemInformation() throws(InstallationError) -> SystemInformation { throw gone }
  func status() throws(InstallationError) -> EngineStatus { throw gone }
  var epoch: String { "" }
  func historyPage(_ filter: HistoryFilter, after: JobID?, limit: Int)
    throws(InstallationError) -> [JobSnapshot]
  { throw gone }
  func auditPage(_ filter: AuditFilter, before: Int64?, limit: Int)
    throws(InstallationError) -> [AuditRecord]
  { throw gone }
  func log(of id: JobID, from offset: Int64, limit: Int) throws(InstallationError) -> LogPiece {
    throw gone
  }
  func events(of id: JobID, after seq: Int) throws(InstallationError) -> RecordedEvents {
    throw gone
  }
  func events(_ selection: EventSelection) throws(InstallationError) -> EngineEvents { throw gone }
  func refresh() throws(InstallationError) { throw gone }
  func mark(_ mark: PackageMark, _ updates: [Update]) throws(InstallationError) { throw gone }
  func checkup() throws(InstallationError) -> Checkup { throw gone }
}

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A job whose engine is lost` {
  private func snapshot() -> JobSnapshot {
    let plan = JobPlan(requests: [], steps: [], archives: [:])
    return JobSnapshot(
      id: JobID(1), request: JobRequest(.install, [Update("p1")]), plan: plan,
      requestedBy: EngineFixture.ops, provider: "test", submittedAt: Timestamp(milliseconds: 0))
  }

  private func job(
    _ engine: EngineToLose, _ onProgress: InstallationJob.ProgressHandler?
  ) -> InstallationJob {
    let job = InstallationJob(snapshot(), updates: [], userInfo: nil, backend: engine)
    job.follow(onProgress: onProgress, onCompletion: nil)
    return job
  }

  @Test func `a callback that waits for the result hears that the engine is gone`() async throws {
    let engine = EngineToLose()
    let codes = Recorder<InstallationError.Code?>()
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let (permit, allow) = AsyncStream.makeStream(of: Void.self)
    let job = job(engine) { job, _ in
      enter.yield()
      for await _ in permit { break }
      do throws(InstallationError) {
        _ = try await job.result
        codes.note(nil)
      } catch { codes.note(error.code) }
    }
    engine.say(snapshot())
    for await _ in entered { break }
    let before = job.progressUpdates
    engine.goAway()
    // Ends when the last snapshot has come, while the callback still runs.
    let ended = await #expect(throws: InstallationError.self) { for try await _ in before {} }
    #expect(ended?.code == .engineUnreachable)
    allow.yield()
    let error = await #expect(throws: InstallationError.self) { try await job.result }
    #expect(error?.code == .engineUnreachable)
    // Waits until the callback has returned.
    await #expect(throws: InstallationError.self) { try await job.cleanUp() }
    #expect(codes.values == [.engineUnreachable])
  }

  @Test func `A21: an abort for a cancelled task is asked for until it is answered`() async throws {
    let attempts = Locked(0)
    let engine = EngineToLose {
      () throws(InstallationError) in
      attempts.change { $0 += 1 }
      switch attempts.value {
      case 1: throw InstallationError(.engineUnreachable, "gone", class: .transient)
      case 2: return .refused(reason: AbortRefusal(.undeliverable, "its folder is full"))
      default: return .accepted(stopsAfter: "p1")
      }
    }
    let job = job(engine, nil)
    await job.requestAbortUntilAnswered()
    #expect(attempts.value == 3)
    let refusing = Locked(0)
    let other = EngineToLose {
      () throws(InstallationError) in
      refusing.change { $0 += 1 }
      throw InstallationError(.notPermitted, "not for you", class: .fatal)
    }
    await self.job(other, nil).requestAbortUntilAnswered()
    #expect(refusing.value == 1)
    engine.goAway()
    other.goAway()
  }

  @Test func `progress that is asked for after the loss is the last known, and ends`() async throws
  {
    let engine = EngineToLose()
    let job = job(engine, nil)
    engine.goAway()
    await #expect(throws: InstallationError.self) { try await job.result }
    var seen = 0
    let error = await #expect(throws: InstallationError.self) {
      for try await progress in job.progressUpdates {
        seen += 1
        #expect(progress.state == .queued)
      }
    }
    #expect(seen == 1 && error?.code == .engineUnreachable)
  }

  @Test func `B10: a bounded wait does not wait for an engine that says no more`() async throws {
    let engine = EngineToLose()
    let job = job(engine, nil)
    let clock = ManualClock()
    let early = Task { try await job.result(within: .seconds(2), clock: clock) }
    try await clock.waitForSleepers(1)
    var last = snapshot()
    last.state = .completed
    last.resultCode = .succeeded
    engine.say(last)
    // The engine is there, and its stream does not end.
    let isOver = Locked(0)
    let late = Task {
      for try await progress in job.progressUpdates where progress.state.isFinal { break }
      let result = try await job.result(within: .seconds(2), clock: clock)
      isOver.change { $0 += 1 }
      return result
    }
    let counted = Task {
      _ = try await early.value
      isOver.change { $0 += 1 }
    }
    let bothAreOver: Void? = try? await eventually(within: .seconds(30)) { isOver.value == 2 }
    #expect(bothAreOver != nil)
    engine.goAway()
    #expect(try await late.value.code == .succeeded)
    #expect(try await early.value.code == .succeeded)
    try await counted.value
  }

  @Test func `R4: clean up of a job whose engine is gone says so`() async throws {
    let engine = EngineToLose()
    let job = job(engine, nil)
    engine.goAway()
    let error = await #expect(throws: InstallationError.self) { try await job.cleanUp() }
    #expect(error?.code == .engineUnreachable)
  }
}
