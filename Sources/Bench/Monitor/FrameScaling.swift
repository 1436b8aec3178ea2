internal import Canvas
internal import InstallJobs
internal import JobScreen
internal import ThemeCatalog

/// The monitor's own work for one frame, without terminal and engine: events in, canvas out.
struct FrameScaling: Sendable {
  private var queue: ScriptedQueue
  private var state: MonitorState
  private let size = Size(columns: 120, rows: 40)
  private let look = Look(theme: ThemeCatalog.standard(at: .indexed256))

  /// A monitor that knows so many jobs, of which 36 move.
  init(jobs: Int) {
    queue = ScriptedQueue(count: jobs, moving: 36)
    state = MonitorState(size: size)
    _ = state.update(.link(.live))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(queue.snapshots.map(\.withoutPlan)))
    _ = state.update(.snapshotEnd(seq: ScriptedQueue.seq))
    if let id = state.selected, let plan = queue.job(id)?.plan { _ = state.update(.plan(id, plan)) }
  }

  /// Takes in what 36 jobs tell and draws, `frames` times; ``ScriptedQueue/beats`` times in all.
  ///
  /// - Returns: Processor time of this thread for one frame.
  mutating func time(frames: Int) -> Duration {
    let batches = (0..<frames).map { _ in MonitorEvent.ticks(queue.advance()) }
    let start = ThreadClock.now
    for batch in batches {
      _ = state.update(batch)
      _ = state.render(size, look)
    }
    return (ThreadClock.now - start) / frames
  }
}
