import InstallJobs
import Support
import Testing

/// Which of an engine's snapshots reach the callbacks and readers of a job.
@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Delivered snapshots` {
  private func snapshot(_ state: JobState) -> JobSnapshot {
    var snapshot = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, [Update("p1")]),
      plan: JobPlan(requests: [], steps: [], archives: [:]), requestedBy: EngineFixture.ops,
      provider: "test", submittedAt: Timestamp(milliseconds: 0))
    snapshot.state = state
    return snapshot
  }

  @Test func `C17: one that equals the one before reaches neither closure nor reader`() async throws
  {
    for _ in 0..<200 {
      let engine = EngineToLose()
      let (told, read) = (Recorder<JobState>(), Recorder<JobState>())
      let job = InstallationJob(
        snapshot(.queued), updates: [], userInfo: nil, backend: engine)
      job.follow(onProgress: { _, progress in told.note(progress.state) }, onCompletion: nil)
      let reading = Task {
        for try await progress in job.progressUpdates { read.note(progress.state) }
      }
      for state in [JobState.queued, .downloading, .completed] {
        engine.say(snapshot(state))
        try await eventually { told.values.contains(state) && read.values.contains(state) }
        for _ in 0..<5 {
          engine.say(snapshot(state))
          await Task.yield()
        }
      }
      engine.finish()
      try await reading.value
      try await eventually { told.values.count >= 3 }
      #expect(told.values == [.queued, .downloading, .completed])
      #expect(read.values == [.queued, .downloading, .completed])
    }
  }
}
