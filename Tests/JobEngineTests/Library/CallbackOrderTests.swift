import InstallJobs
import Support
import Synchronization
import Testing

/// What the callbacks of a job are called for, in any order of events, pauses and requests to abort.
@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `The callbacks of very many jobs` {
  private static let runs = 1_000

  private let snapshot = JobSnapshot(
    id: JobID(1), request: JobRequest(.install, [Update("p1")]),
    plan: JobPlan(
      requests: [JobPlan.Request(update: Update("p1"), step: 0)],
      steps: [PlannedUpdate(name: "p1", architecture: "all", action: .install, toVersion: "1")]),
    requestedBy: EngineFixture.ops, provider: "test", submittedAt: Timestamp(milliseconds: 0))

  private func outcome(_ code: OperationResultCode) -> JobEvent.Payload {
    var status = snapshot.updates[0]
    status.resultCode = code
    return .completed(
      JobOutcome(
        state: .completed, resultCode: code, percentComplete: code == .succeeded ? 100 : 0,
        error: nil, requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [],
        updates: [status]))
  }

  private func tick(_ percent: Int) -> JobEvent.Payload {
    .progress(
      JobProgressTick(
        percentComplete: Double(percent), currentUpdateIndex: 0, currentStepIndex: 0,
        downloadedBytes: 0, bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil,
        isStalled: false, abortPreview: .accepted(stopsAfter: nil), steps: []))
  }

  private func pause(_ numbers: inout RepeatableNumbers) async {
    for _ in 0..<Int.random(in: 0...4, using: &numbers) { await Task.yield() }
  }

  @Test func `B4, C12, R10: progress, then completion of a completed job once, then nothing`()
    async throws
  {
    var numbers = RepeatableNumbers(seed: 1)
    for run in 0..<Self.runs {
      let engine = EngineToLose()
      let calls = Recorder<String>()
      let job = InstallationJob(snapshot, updates: [], userInfo: nil, backend: engine)
      job.follow(
        onProgress: { job, progress in calls.note("progress \(progress.percentComplete)") },
        onCompletion: { job in calls.note(await job.isCompleted ? "completed" : "too early") })
      engine.say(snapshot)
      for percent in 0..<Int.random(in: 0...8, using: &numbers) {
        await pause(&numbers)
        engine.say(tick(percent))
      }
      await pause(&numbers)
      engine.say(outcome(.succeeded))
      // Told once more, as after a connection that was lost.
      if run % 3 == 0 { engine.say(outcome(.succeeded)) }
      await pause(&numbers)
      engine.finish()
      try await job.cleanUp(within: .seconds(30))
      engine.say(.cleanedUp(by: EngineFixture.ops))
      await pause(&numbers)
      let (last, before) = (calls.values.last, calls.values.dropLast())
      try #require(last == "completed", "run \(run): \(calls.values)")
      try #require(before.allSatisfy { $0.hasPrefix("progress") }, "run \(run): \(calls.values)")
      // The last snapshot is never left out.
      try #require(before.last == "progress 100.0", "run \(run): \(calls.values)")
    }
  }

  @Test func `B25: completion comes once, whenever an abort is asked for`() async throws {
    var numbers = RepeatableNumbers(seed: 2)
    var isLate = 0
    for run in 0..<Self.runs {
      let work = Mutex(Work.running)
      let engine = EngineToLose { work.withLock { $0.requestAbort() } }
      let completions = Recorder<OperationResultCode?>()
      let job = InstallationJob(snapshot, updates: [], userInfo: nil, backend: engine)
      job.follow(
        onProgress: { job, _ in if run % 4 == 0 { _ = try? await job.requestAbort() } },
        onCompletion: { job in completions.note(try? await job.result.code) })
      let hasProgress = run % 2 == 0
      let length = Int.random(in: 0...6, using: &numbers)
      let early = run % 5 == 1 ? try await job.requestAbort() : nil
      let working = Task {
        if hasProgress { engine.say(snapshot) }
        for percent in 0..<length where work.withLock({ $0 }) == .running {
          engine.say(tick(percent))
          await Task.yield()
        }
        if !hasProgress { engine.say(snapshot) }
        engine.say(outcome(work.withLock { $0.end() }))
        engine.finish()
      }
      // Some long after the end, some before the work; the others while it runs, or close to its end.
      if run % 5 == 0 { await working.value } else { await pause(&numbers) }
      let late = try await job.requestAbort()
      await working.value
      try await job.cleanUp(within: .seconds(30))
      let code = try await job.result(within: .seconds(30)).code
      try #require(completions.values == [code], "run \(run): \(completions.values)")
      switch early ?? late {
      case .accepted: try #require(code == .aborted, "run \(run)")
      case .alreadyCompleted: isLate += 1
      case .refused: Issue.record("run \(run) was refused")
      }
    }
    #expect((Self.runs / 5...Self.runs * 4 / 5).contains(isLate))
  }

  /// The work of a scripted engine.
  private enum Work: Sendable {
    case running
    case stopping
    case over

    mutating func requestAbort() -> AbortDisposition {
      guard self != .over else { return .alreadyCompleted }
      self = .stopping
      return .accepted(stopsAfter: nil)
    }

    /// Ends the work.
    ///
    /// - Returns: How.
    mutating func end() -> OperationResultCode {
      defer { self = .over }
      return self == .stopping ? .aborted : .succeeded
    }
  }
}
