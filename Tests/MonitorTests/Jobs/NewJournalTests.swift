import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `A monitor whose engine has another journal` {
  private static let old = Scene.ended(
    Scene.job(1, [Scene.planned("hello")]), .failed, percent: 60, results: [.failed],
    error: Scene.scriptError)
  private static let new = Scene.job(1, [Scene.planned("tree")])

  /// A monitor of journal `a` that shows job 1 with its log, and is then told of what there is in
  /// another one, or in the same.
  private static func monitor(then epoch: String, _ jobs: [JobSnapshot]) -> MonitorState {
    var state = MonitorState(size: Scene.monitor().size, readOnlyReason: nil)
    tell(&state, "a", [old, Scene.job(2, [Scene.planned("sl")])], seq: 12)
    for key in [Key.character(" "), .enter] { _ = state.update(.key(key)) }
    _ = state.update(.plan(JobID(1), old.plan ?? old.updates))
    _ = state.update(.logChunk(JobID(1), offset: 0, text: "Setting up hello\n"))
    #expect(state.shown == JobID(1))
    tell(&state, epoch, jobs, seq: 30)
    return state
  }

  private static func tell(
    _ state: inout MonitorState, _ epoch: String, _ jobs: [JobSnapshot], seq: Int
  ) {
    _ = state.update(.link(.live))
    _ = state.update(.journal(epoch))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(jobs))
    _ = state.update(.snapshotEnd(seq: seq))
  }

  @Test func `says nothing of the old jobs about those of the same number`() {
    let state = Self.monitor(then: "b", [Self.new])
    #expect(state.tags.isEmpty && state.log.end == nil && state.screens == [.queue])
    #expect(state.book[JobID(1)]?.job.updates.map(\.name) == ["tree"])
    #expect(state.book[JobID(1)]?.job.plan == nil)
    #expect(state.book.cleanedUpCount == 0 && state.lastFailedJob == nil)
    #expect(state.message?.text.contains("another journal") == true)
  }

  @Test func `of the same one goes on where it was, and what is gone was cleaned up`() {
    let state = Self.monitor(then: "a", [Self.old])
    #expect(state.shown == JobID(1))
    #expect(state.book.cleanedUpCount == 1)
    #expect(Self.monitor(then: "a", []).book.cleanedUpCount == 2)
    #expect(state.message?.text.contains("another journal") != true)
  }
}
