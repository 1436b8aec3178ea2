import Canvas
import InstallJobs
import Testing

@testable import Monitor

/// The engine's answer and its events come on separate ways.
@Suite struct `Answers and events in either order` {
  private static func monitor(_ jobs: [JobSnapshot] = Scene.waiting) -> MonitorState {
    var state = Scene.monitor(jobs)
    _ = state.update(.clock(Scene.at(200)))
    return state
  }

  private static func moved(_ id: Int, _ priority: Int) -> MonitorEvent {
    var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
    (change.priority, change.movedBy) = (priority, Scene.ops)
    return Scene.event(id, .state(change))
  }

  private static let ended = Scene.ended(
    Scene.job(1, [Scene.planned("a", size: 2_000_000)]), .succeeded, percent: 100,
    results: [.succeeded])

  @Test(arguments: [QueuePause.Cause.index, .journal])
  func `a pause or an end of it that nobody asked for answers nothing`(_ cause: QueuePause.Cause) {
    var state = Self.monitor()
    Scene.press([.character("P")], in: &state)
    _ = state.update(
      Scene.engineEvent(EngineNotice(paused: QueuePause(cause, since: Scene.at(200)))))
    #expect(state.pendingCommands.contains(.pauseQueue))
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(!state.pendingCommands.contains(.pauseQueue))
    #expect(state.message?.text == "queue paused by root: no further job begins")
    Scene.press([.character("P")], in: &state)
    _ = state.update(Scene.engineEvent(EngineNotice(over: cause, pause: Scene.pause)))
    #expect(state.pendingCommands.contains(.resumeQueue))
    _ = state.update(Scene.engineEvent(EngineNotice(resumedBy: Scene.ops)))
    #expect(!state.pendingCommands.contains(.resumeQueue))
    #expect(state.message?.text == "queue resumed by ops")
  }

  @Test(arguments: [false, true])
  func `a move is told once, as what was asked for here`(isAnsweredFirst: Bool) {
    var state = Self.monitor()
    Scene.press([.character("G"), .character("+")], in: &state)
    let answer = MonitorEvent.answered(.move(JobID(1054), .first))
    if isAnsweredFirst {
      _ = state.update(answer)
      #expect(state.message?.text == "move: asked for job 1054, first")
    }
    _ = state.update(Self.moved(1054, 1))
    #expect(state.message?.text == "job 1054 moved first: starts next")
    state.acknowledge()
    if !isAnsweredFirst { _ = state.update(answer) }
    #expect(state.message == nil && state.pendingCommands.groups.isEmpty)
  }

  @Test func `a job aborted before its move is done is not reported as moved`() {
    var state = Self.monitor()
    Scene.press([.character("G"), .up, .character(" "), .character(" ")], in: &state)
    Scene.press([.character("+")], in: &state)
    #expect(state.message?.text == "move: asked for job 1053, 1054, first")
    Scene.press([.character("u"), .character("x"), .character("a")], in: &state)
    #expect(state.book[JobID(1054)]?.isAbortAsked == true)
    _ = state.update(Self.moved(1053, 1))
    #expect(state.message?.text == "job 1053 moved first: starts next")
    #expect(state.pendingCommands.groups.isEmpty)
  }

  @Test func `a move that changes nothing, and so has no event, is told by its answer`() {
    var state = Self.monitor()
    Scene.press([.character("G"), .character("-")], in: &state)
    _ = state.update(.answered(.move(JobID(1054), .last)))
    _ = state.update(.clock(Scene.at(203)))
    #expect(state.message?.text == "job 1054 moved last")
    #expect(!state.pendingCommands.isAnswerLate && state.pendingCommands.groups.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a clean-up is told once, as what was asked for here`(isAnsweredFirst: Bool) {
    var state = Self.monitor([Self.ended])
    Scene.press([.character("c")], in: &state)
    let answer = MonitorEvent.answered(.cleanUp(JobID(1)))
    if isAnsweredFirst { _ = state.update(answer) }
    #expect(state.message?.text == "cleanup: asked for job 1")
    _ = state.update(Scene.event(1, .cleanedUp(by: Scene.ops)))
    #expect(state.message?.text.hasPrefix("job 1 is cleaned up and in the history") == true)
    #expect(state.message?.isAnswer == true)
    state.acknowledge()
    if !isAnsweredFirst { _ = state.update(answer) }
    #expect(state.message == nil && state.pendingCommands.groups.isEmpty)
  }

  @Test func `an order that is refused while its job is cleaned up is no failed clean-up`() {
    let problem = Scene.ended(
      Scene.job(2, [Scene.planned("b")]), .failed, percent: 40, results: [.failed])
    var state = Self.monitor([problem, Self.ended])
    for id in [2, 1] {
      _ = state.cleanUp([JobID(id)])
    }
    _ = state.cleanUp([JobID(1), JobID(2)])
    state.pendingCommands.add([.retry(JobID(2))], at: Scene.at(200))
    let error = InstallationError(.invalidState, "it is cleaned up", class: .fatal)
    _ = state.update(.failed(error, job: JobID(2), of: .retry(JobID(2))))
    #expect(state.message?.text.hasPrefix("retry of job 2 failed") == true)
    #expect(!state.pendingCommands.contains(.retry(JobID(2))))
    #expect(state.book[JobID(2)]?.isCleaning == true)
    #expect(
      state.pendingCommands.cleanUps?.isAwaited(JobID(2)) == true
        && state.pendingCommands.cleanUps?.failures == [])
    _ = state.update(.failed(error, job: JobID(2), of: .cleanUp(JobID(2))))
    #expect(state.pendingCommands.cleanUps?.failures.map(\.job) == [JobID(2)])
    #expect(state.book[JobID(2)]?.isCleaning == false)
  }

  @Test func `each answer begins the silence of the others anew`() {
    var state = Self.monitor()
    Scene.press([.character("G"), .up, .character(" "), .character(" ")], in: &state)
    Scene.press([.character("p")], in: &state)
    _ = state.update(.clock(Scene.at(201.5)))
    _ = state.update(.answered(.pauseJob(JobID(1053))))
    _ = state.update(.clock(Scene.at(203)))
    #expect(!state.pendingCommands.isAnswerLate)
    #expect(state.message?.text == "pause: asked for job 1053, 1054")
    _ = state.update(.clock(Scene.at(203.5)))
    #expect(state.pendingCommands.isAnswerLate)
  }

  @Test func `a retry, which is planned first, does not make the engine doubtful`() {
    var state = Self.monitor()
    state.pendingCommands.add([.retry(JobID(1))], at: Scene.at(200))
    _ = state.update(.clock(Scene.at(210)))
    #expect(!state.pendingCommands.isAnswerLate)
    state.pendingCommands.add([.pauseJob(JobID(1051))], at: Scene.at(210))
    _ = state.update(.clock(Scene.at(212)))
    #expect(state.pendingCommands.isAnswerLate)
  }
}
