import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The wish to clean up after an abort` {
  private static let id = JobID(1042)
  private static let record = AbortRecord(
    requestedAt: Scene.at(155), requestedBy: Scene.ops,
    disposition: .accepted(stopsAfter: nil))
  private static let gone = InstallationError(
    .engineUnreachable, "the engine went away", class: .transient)
  private static let late = InstallationError(
    .invalidState, "it has already taken effect", class: .fatal)

  /// An abort with the wish, sent and not answered.
  private static func wished() -> MonitorState {
    var state = Scene.monitor()
    Scene.press([.character("x"), .character("c"), .character("a")], in: &state)
    return state
  }

  private static func ended(_ code: OperationResultCode) -> MonitorEvent {
    Scene.event(1042, .completed(Keys.outcome(code, 61, Scene.upgrade.updates)))
  }

  private static func connect(_ jobs: [JobSnapshot], in state: inout MonitorState) -> [Intent] {
    let lost = state.update(.link(.lost(retryIn: 1))) + state.update(.link(.live))
    let told = state.update(.snapshotBegin) + state.update(.snapshot(jobs))
    return lost + told + state.update(.snapshotEnd(seq: 60))
  }

  private static func queue(_ change: (inout JobSnapshot) -> Void) -> [JobSnapshot] {
    Scene.queue.map { job in
      var job = job
      if job.id == id { change(&job) }
      return job
    }
  }

  @Test func `ends with a job that was not aborted, and says so`() {
    var state = Self.wished()
    _ = state.update(.abortAnswer(Self.id, .accepted(stopsAfter: nil)))
    #expect(!state.update(Self.ended(.succeeded)).contains(.cleanUp([Self.id])))
    let text = state.message?.text ?? ""
    #expect(text.hasPrefix("job 1042 succeeded: libc6, libc-bin upgraded; "), "\(text)")
    #expect(text.hasSuffix("; not cleaned up: it was not aborted"), "\(text)")
  }

  @Test func `ends with an abort that was taken back while the engine was away`() {
    var state = Self.wished()
    _ = state.update(Scene.event(1042, .abortRequested(Self.record)))
    #expect(Self.connect(Scene.queue, in: &state).allSatisfy { $0 != .cleanUp([Self.id]) })
    #expect(state.message?.text == "job 1042 will not be cleaned up: no abort of it stands")
    // Whoever aborts it later did not wish for it.
    #expect(!state.update(Self.ended(.aborted)).contains(.cleanUp([Self.id])))
  }

  @Test func `ends with a job that is not known any more`() {
    var state = Self.wished()
    _ = Self.connect(Scene.queue.filter { $0.id != Self.id }, in: &state)
    #expect(state.pendingCommands.cleanedAfterAbort.isEmpty)
    #expect(state.message?.text == "job 1042 will not be cleaned up: no abort of it stands")
  }

  @Test func `ends with an abort of the same job without it`() {
    var state = Self.wished()
    _ = state.update(.failed(Self.gone, job: Self.id))
    Scene.press([.character("x"), .character("a")], in: &state)
    #expect(!state.update(Self.ended(.aborted)).contains(.cleanUp([Self.id])))
  }

  @Test func `outlives an answer that was lost, where the abort stands when the engine is back`() {
    var state = Self.wished()
    _ = state.update(.failed(Self.gone, job: Self.id))
    #expect(state.message?.text == Self.gone.description)
    _ = Self.connect(Self.queue { $0.abort = Self.record }, in: &state)
    #expect(state.update(Self.ended(.aborted)).contains(.cleanUp([Self.id])))
  }

  @Test func `outlives another request that came too late`() {
    var state = Self.wished()
    _ = state.update(.abortAnswer(Self.id, .accepted(stopsAfter: nil)))
    _ = state.update(.failed(Self.late, job: Self.id))
    #expect(state.message?.text == Self.late.description)
    #expect(state.update(Self.ended(.aborted)).contains(.cleanUp([Self.id])))
  }

  @Test func `is said to be gone with an abort that is refused or taken back`() {
    var state = Self.wished()
    _ = state.update(.failed(Self.late, job: Self.id))
    #expect(state.message?.text == Self.late.description + "; job 1042 will not be cleaned up")
    #expect(!state.update(Self.ended(.aborted)).contains(.cleanUp([Self.id])))
    state = Self.wished()
    _ = state.update(.abortAnswer(Self.id, .refused(reason: AbortRefusal(.verifying, "verifying"))))
    #expect(state.message?.text.hasSuffix("; job 1042 will not be cleaned up") == true)
    state = Self.wished()
    _ = state.update(Scene.event(1042, .abortWithdrawn(by: Scene.ops)))
    #expect(
      state.message?.text
        == "the abort of 1042 was cancelled by ops; job 1042 will not be cleaned up")
  }

  /// The same where lines are printed.
  private static func talk() -> PlainConversation {
    var talk = PlainConversations.conversation()
    for words in ["", "4", "1042", "3"] { _ = talk.handle(line: words) }
    return talk
  }

  @Test func `is fulfilled where lines are printed, also when the engine is back`() {
    var talk = Self.talk()
    let job = Scene.ended(
      Scene.job(1042, [Scene.planned("libc6")]), .aborted, percent: 61, results: [.notStarted])
    _ = talk.handle(.snapshotBegin)
    _ = talk.handle(.snapshot([job]))
    #expect(talk.handle(.snapshotEnd(seq: 60)).intents == [.cleanUp([Self.id])])
    talk = Self.talk()
    #expect(talk.handle(Self.ended(.aborted)).intents == [.cleanUp([Self.id])])
  }

  @Test func `is said to be gone where lines are printed`() {
    var talk = Self.talk()
    _ = talk.handle(.snapshotBegin)
    _ = talk.handle(.snapshot(Scene.queue))
    let lines = talk.handle(.snapshotEnd(seq: 60)).lines
    #expect(lines.contains("job 1042 will not be cleaned up: no abort of it stands"))
    #expect(lines.last?.hasSuffix("press Enter for what can be done") == true)
    talk = Self.talk()
    let answer = talk.handle(Self.ended(.succeeded))
    #expect(answer.intents.isEmpty)
    #expect(answer.lines.last?.hasSuffix("; not cleaned up: it was not aborted") == true)
  }

  @Test func `how a clean-up of several ended is a line`() {
    let jobs = Scene.queue.filter(\.state.isFinal)
    var talk = PlainConversations.conversation(jobs)
    for words in ["", "clean-up-finished", "2"] { _ = talk.handle(line: words) }
    #expect(talk.state.pendingCommands.cleanUps != nil)
    var lines: [String] = []
    for job in jobs {
      lines = talk.handle(Scene.event(job.id.rawValue, .cleanedUp(by: Scene.ops))).lines
    }
    #expect(lines.last?.hasPrefix("5 jobs cleaned up") == true)
  }
}
