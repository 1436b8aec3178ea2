import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The list behind a replay` {
  /// A list with tags, and the replay of job 12 opened over it.
  private static func covered(
    tags: Set<JobID>, selected: JobID? = nil, _ scene: RecordedScene = .life()
  ) -> MonitorState {
    var state = Scene.monitor([scene.job] + Scene.queue)
    _ = state.update(.clock(Scene.at(1000)))
    state.isFollowing = selected == nil
    Scene.press([.home], in: &state)
    for _ in 0..<20 where selected != nil && state.selected != selected {
      Scene.press([.down], in: &state)
    }
    state.tags = tags
    open(scene, in: &state)
    return state
  }

  private static func open(_ scene: RecordedScene, in state: inout MonitorState) {
    _ = Commands.run("replay 12", in: &state)
    let request = scene.request(state.recordingsAsked)
    _ = state.update(.replay(.begin(request, scene.job, logLength: 0)))
    _ = state.update(.replay(.events(request, scene.events)))
    _ = state.update(.replay(.end(request)))
  }

  private static let tick = JobProgressTick(
    percentComplete: 70, currentUpdateIndex: nil, currentStepIndex: 2, downloadedBytes: 0,
    bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
    abortPreview: .accepted(stopsAfter: nil), steps: [])

  @Test func `keeps its tags, whatever is heard meanwhile, but of jobs that left it`() {
    let scene = RecordedScene.life()
    var state = Self.covered(tags: [JobID(1042), JobID(1043)])
    #expect(state.replay != nil)
    _ = state.update(Scene.event(1042, .progress(Self.tick)))
    #expect(state.tags == [JobID(1042), JobID(1043)])
    for event in [
      MonitorEvent.snapshotBegin,
      .snapshot([scene.job] + Scene.queue.filter { $0.id != JobID(1043) }),
      .snapshotEnd(seq: 50),
    ] { _ = state.update(event) }
    #expect(state.replay != nil && state.tags == [JobID(1042)])
  }

  @Test func `keeps its selection for the next key, whichever job was replayed`() {
    var state = Self.covered(tags: [], selected: JobID(1037))
    #expect(state.replay?.job == JobID(12))
    _ = state.update(Scene.event(1042, .progress(Self.tick)))
    _ = state.update(.clock(Scene.at(1003)))
    #expect(state.queueCursor.selected == JobID(1037))
    Scene.press([.escape], in: &state)
    #expect(state.replay == nil && state.screen == .queue && state.selected == JobID(1037))
    #expect(Scene.press([.character("c")], in: &state).contains(.cleanUp([JobID(1037)])))
  }

  @Test func `does not take the key of one whose job left it unseen`() {
    var state = Self.covered(tags: [], selected: JobID(1037))
    _ = state.update(Scene.event(1037, .cleanedUp(by: Scene.ops)))
    Scene.press([.escape], in: &state)
    let next = state.selected
    #expect(next != nil && next != JobID(1037))
    #expect(Scene.press([.character("c")], in: &state).isEmpty)
    #expect(state.message?.text.hasPrefix("the selection has just moved to job") == true)
  }

  @Test func `another screen shows the list as it is by then`() {
    var state = Self.covered(tags: [], selected: JobID(1037))
    _ = state.update(Scene.event(1037, .cleanedUp(by: Scene.ops)))
    Scene.press([.character("1")], in: &state)
    #expect(state.replay == nil && state.selected != nil && state.selected != JobID(1037))
  }
}
