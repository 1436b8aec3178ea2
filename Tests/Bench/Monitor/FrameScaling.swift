internal import Canvas
internal import InstallJobs
internal import Monitor
internal import ThemeCatalog

/// The monitor's own work for one frame, without terminal and engine: events in, canvas out.
struct FrameScaling: Sendable {
  private var queue: ScriptedQueue
  private var state: MonitorState
  private let size = Size(columns: 120, rows: 40)
  private let look = DrawStyle(theme: ThemeCatalog.standard.theme(at: .indexed256))

  /// A monitor that knows so many jobs, of which 36 move, each with a plan of so many packages.
  init(jobs: Int, packages: Int = 4) {
    queue = ScriptedQueue(count: jobs, moving: 36, packages: packages)
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
  mutating func time(frames: Int) -> Duration { cost(frames: frames).frame }

  /// What a frame and one of its events cost.
  struct Cost: Sendable, Hashable {
    /// Events and canvas.
    var frame: Duration
    /// Taking in what one job tells.
    var event: Duration
  }

  /// As ``time(frames:)``, with the share of an event.
  mutating func cost(frames: Int) -> Cost {
    let batches = (0..<frames).map { _ in MonitorEvent.ticks(queue.advance()) }
    let start = ThreadClock.now
    var events = Duration.zero
    for batch in batches {
      let begin = ThreadClock.now
      _ = state.update(batch)
      events += ThreadClock.now - begin
      _ = state.render(size, look)
    }
    return Cost(
      frame: (ThreadClock.now - start) / frames, event: events / (frames * max(1, queue.moving)))
  }
}
