import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The answer to a key` {
  private static let refusal = InstallationError(
    .invalidState, "it is being verified", class: .fatal)
  private static let gone = InstallationError(
    .engineUnreachable, "the engine went away", class: .transient)

  private static func monitor(at second: Double = 200) -> MonitorState {
    var state = Scene.monitor(Scene.waiting)
    _ = state.update(.clock(Scene.at(second)))
    return state
  }

  private static func rows(_ state: MonitorState, _ size: Size? = nil) -> [String] {
    var state = state
    if let size { _ = state.update(.resize(size)) }
    return state.render(state.size, Golden.looks[0].look).text.split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast().map(String.init)
  }

  private static func hold(_ state: inout MonitorState) {
    Scene.press([.down, .character("p")], in: &state)
  }

  @Test func `says that something was asked for until the engine has done it`() {
    var state = Self.monitor()
    Self.hold(&state)
    #expect(state.message?.text == "pause: asked for job 1051")
    _ = state.update(.answered(.pauseJob(JobID(1051))))
    #expect(state.message?.text == "job 1051 is paused")
    Scene.press([.down, .character("P")], in: &state)
    #expect(state.message?.text == "pause: asked for the queue")
    _ = state.update(.answered(.pauseQueue))
    #expect(state.message?.text == "queue paused: no further job begins")
  }

  @Test func `is told to be missing after two seconds, and the title doubts that all is live`() {
    var state = Self.monitor()
    Self.hold(&state)
    #expect(state.nextMoment.map { $0 <= Scene.at(202) } == true)
    _ = state.update(.clock(Scene.at(201)))
    #expect(state.message?.text == "pause: asked for job 1051")
    #expect(!Self.rows(state)[0].contains("live?"))
    _ = state.update(.clock(Scene.at(202)))
    #expect(state.message?.text == "pause: asked for job 1051: no answer yet")
    #expect(Self.rows(state)[0].contains("live?"))
    _ = state.update(.answered(.pauseJob(JobID(1051))))
    #expect(state.message?.text == "job 1051 is paused")
    #expect(!Self.rows(state)[0].contains("live?"))
  }

  @Test func `stands before a failure that came while it was waited for, which comes back`() {
    var state = Self.monitor()
    Self.hold(&state)
    _ = state.update(Failures.fail(1042))
    _ = state.update(.answered(.pauseJob(JobID(1051))))
    let lines = Self.rows(state)
    #expect(lines.contains { $0.hasPrefix(" job 1051 is paused") })
    #expect(lines.contains { $0.hasPrefix(" 1042 libc6 failed: ") })
    #expect(Self.rows(state, Size(columns: 20, rows: 5))[4].hasPrefix("job 1051 is paused"))
    Scene.press([.up], in: &state)
    #expect(state.message?.text.hasPrefix("1042 libc6 failed: ") == true)
    Scene.press([.up], in: &state)
    #expect(state.message == nil)
  }

  @Test func `is not hidden by a failure after it, nor by what else happens in the next seconds`() {
    var state = Self.monitor()
    Self.hold(&state)
    _ = state.update(.answered(.pauseJob(JobID(1051))))
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(state.message?.text == "job 1051 is paused")
    _ = state.update(Failures.fail(1042))
    #expect(state.message?.text.hasPrefix("job 1051 is paused · 1042 libc6 failed: ") == true)
    var later = Self.monitor()
    Self.hold(&later)
    _ = later.update(.answered(.pauseJob(JobID(1051))))
    _ = later.update(.clock(Scene.at(204)))
    _ = later.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(later.message?.text.hasPrefix("queue paused by root") == true)
  }

  @Test func `to a retry is not hidden by what else happens in the next seconds`() {
    var state = Self.monitor()
    let job = Scene.job(2000, [Scene.planned("jq")])
    _ = state.update(.submitted(job, of: nil))
    let answer = state.message?.text
    #expect(answer?.hasPrefix("job 2000 is in the queue") == true)
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(state.message?.text == answer)
  }

  @Test func `of a refusal names what was refused`() {
    var state = Self.monitor()
    Self.hold(&state)
    _ = state.update(Failures.fail(1042))
    _ = state.update(.failed(Self.refusal, job: JobID(1051), of: .pauseJob(JobID(1051))))
    #expect(
      state.message?.text.hasPrefix("pause of job 1051 failed: it is being verified") == true)
    #expect(state.message?.text.contains("1042 libc6 failed") == true)
  }

  @Test func `of several tells at the end what failed and what was done`() {
    var state = Self.monitor()
    Scene.press([.character("G"), .up, .character(" "), .character(" ")], in: &state)
    Scene.press([.character("p")], in: &state)
    #expect(state.message?.text == "pause: asked for job 1053, 1054")
    _ = state.update(.failed(Self.refusal, job: JobID(1053), of: .pauseJob(JobID(1053))))
    _ = state.update(.answered(.pauseJob(JobID(1054))))
    #expect(
      state.message?.text
        == "pause of job 1053 failed: it is being verified; job 1054 is paused")
  }

  @Test func `that was given before does not claim the present when the engine is lost`() {
    var state = Self.monitor()
    Self.hold(&state)
    _ = state.update(.answered(.pauseJob(JobID(1051))))
    _ = state.update(.link(.lost(retryIn: 1)))
    #expect(!Self.rows(state).contains { $0.contains("job 1051 is paused") })
    #expect(Self.rows(state).contains { $0.contains("no engine is heard") })
    // What was asked for and cannot be answered any more is said.
    var other = Self.monitor()
    Self.hold(&other)
    _ = other.update(.link(.lost(retryIn: 1)))
    _ = other.update(.failed(Self.gone, job: JobID(1051), of: .pauseJob(JobID(1051))))
    #expect(Self.rows(other).contains { $0.contains("pause of job 1051: the engine went") })
    #expect(!Self.rows(other).contains { $0.contains("failed: the engine") })
    #expect(Self.rows(other).contains { $0.contains("no engine is heard") })
    var parting = Self.monitor()
    _ = parting.update(Scene.engineEvent(EngineNotice(.stopping, "the engine stops")))
    _ = parting.update(.link(.lost(retryIn: 1)))
    #expect(parting.message?.text == "last heard: the engine stops")
  }

  @Test func `to a withdrawal is seen behind no failure`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.character("x"), .character("a")], in: &state)
    _ = state.update(.abortAnswer(JobID(1042), .accepted(stopsAfter: "libc6")))
    _ = state.update(
      Scene.event(
        1042,
        .abortRequested(
          AbortRecord(
            requestedAt: Scene.at(200), requestedBy: Scene.ops,
            disposition: .accepted(stopsAfter: "libc6")))))
    Scene.press([.character("x")], in: &state)
    #expect(state.message?.text == "cancel the abort: asked for job 1042")
    _ = state.update(Failures.fail(1043))
    _ = state.update(Scene.event(1042, .abortWithdrawn(by: Scene.ops)))
    #expect(state.message?.text.hasPrefix("the abort of 1042 was cancelled by ops · 1043") == true)
  }

  @Test func `to a move says where the job is now, in the words of the help`() {
    var state = Self.monitor()
    Scene.press([.character("G"), .character("+")], in: &state)
    #expect(state.message?.text == "move: asked for job 1054, first")
    var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
    (change.priority, change.movedBy) = (1, Scene.ops)
    _ = state.update(Scene.event(1054, .state(change)))
    #expect(state.message?.text == "job 1054 moved first: starts next")
    Scene.press([.character("-")], in: &state)
    change.priority = -1
    _ = state.update(Scene.event(1054, .state(change)))
    #expect(state.message?.text == "job 1054 moved last")
    Scene.press([.up], in: &state)
    change.priority = 2
    _ = state.update(Scene.event(1054, .state(change)))
    #expect(state.message?.text == "job 1054 moved first by ops: starts next")
    #expect(state.actions.action(.startFirst)?.help.contains("move first") == true)
  }

  @Test func `after an abort with its clean-up tells the outcome in one line, over what fails`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.character("x"), .character("c"), .character("a")], in: &state)
    _ = state.update(.abortAnswer(JobID(1042), .accepted(stopsAfter: "libc6")))
    var updates = Scene.upgrade.updates
    updates[0].resultCode = .succeeded
    for index in 1..<updates.count { updates[index].resultCode = .notStarted }
    let ended = Keys.outcome(.aborted, 61, updates)
    #expect(
      state.update(Scene.event(1042, .completed(ended))).contains(.cleanUp([JobID(1042)])))
    #expect(state.message?.text.hasPrefix("job 1042 aborted: libc6 upgraded; ") == true)
    _ = state.update(Failures.fail(1043))
    _ = state.update(Scene.event(1042, .cleanedUp(by: Scene.ops)))
    let text = state.message?.text ?? ""
    #expect(text.hasPrefix("job 1042 aborted: libc6 upgraded; "), "\(text)")
    #expect(text.contains("not started") && text.contains("; cleaned up"))
  }
}
