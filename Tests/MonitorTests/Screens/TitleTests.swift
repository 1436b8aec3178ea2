import Canvas
import InstallJobs
import JobText
import Testing

@testable import Monitor

@Suite struct Titles {
  static func title(_ state: MonitorState, _ row: Int = 0) -> String {
    let lines = state.render(state.size, Golden.looks[0].look).text
      .split(separator: "\n", omittingEmptySubsequences: false)
    return String(lines[row])
  }

  @Test func `the history counts its jobs by result, cleaned up or not, where there is room`() {
    var state = Scene.monitor(size: Size(columns: 120, rows: 24))
    Scene.press([.character("4")], in: &state)
    #expect(Self.title(state).contains("5+ ended jobs"))
    _ = state.update(.past([], isWhole: true))
    let words = "5 ended jobs: 1 ok, 1 with errors, 1 failed, 1 interrupted, 1 aborted"
    #expect(Self.title(state).contains(words))
    _ = state.update(Scene.event(1037, .cleanedUp(by: Scene.ops)))
    #expect(Self.title(state).contains(words))
    _ = state.update(
      Scene.event(1042, .completed(Keys.outcome(.succeeded, 100, Scene.upgrade.updates))))
    #expect(Self.title(state).contains("6 ended jobs: 2 ok, 1 with errors"))
    _ = state.update(.resize(Size(columns: 60, rows: 24)))
    #expect(Self.title(state).contains("6 ended jobs") && !Self.title(state).contains("ok"))
    Returns.connect(&state, [Scene.upgrade])
    _ = state.update(.past([], isWhole: true))
    #expect(Self.title(state).contains("0 ended jobs"))
  }

  @Test func `an abort that was asked for is counted apart from one that was acknowledged`() {
    var state = Acknowledgements.asked(Size(columns: 120, rows: 24))
    let stopping = Scene.queue.count { $0.isStopping }
    #expect(Self.title(state).contains(" 1 abort asked "))
    #expect(Self.title(state).contains(" \(stopping) stopping "))
    state.setFilter("state:asked")
    #expect(Arrangements.order(state) == [1042])
    state.setFilter("state:stopping")
    #expect(!Arrangements.order(state).contains(1042))
    _ = state.update(Scene.event(1042, .abortRequested(Acknowledgements.record), at: 206))
    #expect(Arrangements.order(state).contains(1042))
    #expect(!Self.title(state).contains("abort asked"))
    #expect(Self.title(state).contains(" \(stopping + 1) stopping "))
  }

  @Test func `an engine that is silent for more than a minute is called lost`() {
    var state = Scene.monitor()
    _ = state.update(.link(.stale(seconds: 60)))
    #expect(Self.title(state).contains("STALE 1m00s, engine silent"))
    _ = state.update(.link(.stale(seconds: 61)))
    #expect(Self.title(state).contains("LOST 1m01s, engine silent"))
    _ = state.update(.resize(Size(columns: 40, rows: 12)))
    #expect(Self.title(state).contains("LOST 1m01s"))
  }

  @Test func `the chart of rates says what its highest column stands for, where there is room`() {
    for (columns, isScaled) in [(140, true), (100, false)] {
      var state = Scene.monitor(size: Size(columns: columns, rows: 40))
      var tick = JobProgressTick(
        percentComplete: 20, currentUpdateIndex: 0, currentStepIndex: 2, downloadedBytes: 0,
        bytesPerSecond: 9_000_000, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
        abortPreview: .accepted(stopsAfter: nil), steps: [])
      _ = state.update(Scene.event(1043, .progress(tick), at: 200))
      tick.bytesPerSecond = 3_000_000
      _ = state.update(Scene.event(1043, .progress(tick), at: 206))
      let line = Self.title(state, 1)
      #expect(line.contains("█") && line.contains("3.0 MB/s"))
      #expect(line.contains("max 9.0 MB/s") == isScaled)
    }
  }
}
