import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

/// Clean ups say what they do.
@Suite struct CleanUps {
  private static func ended(_ id: Int, _ name: String, fetched: Int64 = 2_000_000) -> JobSnapshot {
    Scene.ended(
      Scene.job(id, [Scene.planned(name, size: fetched)]), .succeeded, percent: 100,
      results: [.succeeded])
  }

  private static let jobs = [ended(1, "a"), ended(2, "b"), ended(3, "c"), ended(4, "d")]

  private static func cleaned(_ id: Int) -> MonitorEvent {
    Scene.event(id, .cleanedUp(by: Scene.ops))
  }

  @Test func `of several it says how far it is, then what was freed and what failed and why`() {
    var state = Scene.monitor(Self.jobs)
    #expect(
      Scene.press([.character("C"), .character("c")], in: &state).contains(
        .cleanUp([1, 2, 3, 4].map { JobID($0) })))
    #expect(state.message?.text == "cleanup 0/4")
    let rows = state.render(state.size, Golden.looks[0].look).text
    #expect(rows.split(separator: "\n").count { $0.contains("↺") } == 4)
    _ = state.update(Self.cleaned(1))
    #expect(state.message?.text == "cleanup 1/4")
    let error = InstallationError(.notPermitted, "the folder cannot be removed", class: .fatal)
    _ = state.update(.failed(error, job: JobID(2), of: .cleanUp(JobID(2))))
    #expect(state.message?.text == "cleanup 2/4" && state.message?.isAlert == false)
    #expect(state.book[JobID(2)]?.mark == .done)
    _ = state.update(Self.cleaned(3))
    _ = state.update(Self.cleaned(4))
    #expect(
      state.message?.text
        == "3 of 4 jobs cleaned up, 6.0 MB of archives freed; 2: \(error.description)")
    #expect(state.message?.isAlert == true && state.pendingCommands.cleanUps == nil)
  }

  @Test func `figures that have no room are held at the largest one`() {
    var run = CleanUpRun([JobID(1), JobID(2)])
    for id in [1, 2] {
      var job = Self.ended(id, "a")
      job.downloadedBytes = .max
      run.finish(job)
    }
    #expect(run.freed == .max && run.isOver)
    #expect(run.sentence == "2 jobs cleaned up, \(Figures.bytes(.max)) of archives freed")
  }

  @Test func `of one it says what was freed, and of a scenario nothing that was not there`() {
    var state = Scene.monitor(Self.jobs)
    _ = state.update(Self.cleaned(1))
    #expect(
      state.message?.text
        == "job 1 is cleaned up and in the history: 2.0 MB of archives freed")
    var job = Self.jobs[0]
    job.provider = "simulated:demo"
    state = Scene.monitor([job])
    _ = state.update(Self.cleaned(1))
    #expect(state.message?.text == "job 1 is cleaned up and in the history")
  }

  @Test func `an engine that went away leaves no clean-up under way`() {
    var state = Scene.monitor(Self.jobs)
    Scene.press([.character("C"), .character("c")], in: &state)
    _ = state.update(Self.cleaned(1))
    _ = state.update(.link(.lost(retryIn: 1)))
    Returns.connect(&state, Array(Self.jobs.dropFirst()))
    #expect(state.pendingCommands.cleanUps == nil && state.message?.isAlert == true)
    #expect(state.message?.text.contains("1 of 4 jobs cleaned up") == true)
    #expect(state.message?.text.contains("the engine went away") == true)
  }

  @Test func `what was cleaned up while the engine was away is no failure, nor what is unheard`() {
    var state = Scene.monitor(Self.jobs)
    Scene.press([.character("C"), .character("c")], in: &state)
    _ = state.update(Self.cleaned(1))
    var known = Self.jobs[1]
    known.isCleanedUp = true
    Returns.connect(&state, [known, Self.jobs[3]])
    #expect(state.pendingCommands.cleanUps == nil && state.message?.isAlert == true)
    #expect(
      state.message?.text == "2 of 4 jobs cleaned up, 4.0 MB of archives freed; "
        + "4: the engine went away before it was done; the outcome of 3 was not heard")
    state = Scene.monitor(Self.jobs)
    Scene.press([.character("C"), .character("c")], in: &state)
    Returns.connect(&state, [])
    #expect(
      state.message?.text
        == "0 of 4 jobs cleaned up; the outcome of 1, 2, 3, 4 was not heard")
    #expect(state.message?.isAlert == false)
  }

  private static func stopped(_ id: Int, _ code: OperationResultCode = .aborted) -> MonitorEvent {
    Scene.event(id, .completed(Keys.outcome(code, 61, Scene.upgrade.updates)))
  }

  private static func asked(cleaning: Bool) -> MonitorState {
    var state = Scene.monitor()
    Scene.press([.character("x")] + (cleaning ? [.character("c")] : []), in: &state)
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("Run cleanup afterwards, while this monitor is open?"))
    #expect(text.contains(cleaning ? "[x] (c)" : "[ ] (c)"))
    #expect(Scene.press([.character("a")], in: &state) == [.requestAbort([JobID(1042)])])
    return state
  }

  @Test func `clean up after an abort is off unless it is wished for`() {
    var state = Self.asked(cleaning: false)
    #expect(!state.update(Self.stopped(1042)).contains(.cleanUp([JobID(1042)])))
    state = Self.asked(cleaning: true)
    #expect(state.update(Self.stopped(1042)).contains(.cleanUp([JobID(1042)])))
    // Once: it is over.
    #expect(!state.update(Self.stopped(1042)).contains(.cleanUp([JobID(1042)])))
  }

  @Test func `the wish is one key that answers nothing, and its box goes both ways`() {
    var state = Scene.monitor()
    Scene.press([.character("x")], in: &state)
    #expect(Scene.press([.character("c"), .character("c")], in: &state).isEmpty)
    #expect(state.dialogue != nil)
    Scene.press([.character("a")], in: &state)
    #expect(state.pendingCommands.cleanedAfterAbort.isEmpty)
  }

  @Test(arguments: [
    Size(columns: 120, rows: 40), Size(columns: 60, rows: 20), Size(columns: 40, rows: 12),
    Size(columns: 36, rows: 9), Size(columns: 35, rows: 9), Size(columns: 20, rows: 6),
  ])
  func `the wish is switched only where its box is seen, and then it always is`(_ size: Size) {
    for keys in [[Key.character("x")], [.character("*"), .character("x")]] {
      var state = Scene.monitor(size: size)
      Scene.press(keys, in: &state)
      func isSeen(_ box: String) -> Bool {
        state.render(size, Golden.looks[0].look).text.contains("? " + box)
      }
      let couldBe = isSeen("[ ]")
      Scene.press([.character("c")], in: &state)
      #expect(isSeen("[x]") == couldBe && couldBe == (size.columns >= 36))
      Scene.press([.character("a")], in: &state)
      #expect(state.pendingCommands.cleanedAfterAbort.isEmpty == !couldBe)
    }
  }

  @Test func `what failed or lost its abort is not cleaned up by that wish`() {
    var state = Self.asked(cleaning: true)
    #expect(!state.update(Self.stopped(1042, .failed)).contains(.cleanUp([JobID(1042)])))
    #expect(
      state.message?.text.hasPrefix("job 1042 is not cleaned up: it did not end well · ") == true)
    state = Self.asked(cleaning: true)
    _ = state.update(Scene.event(1042, .abortWithdrawn(by: Scene.ops)))
    #expect(!state.update(Self.stopped(1042)).contains(.cleanUp([JobID(1042)])))
    state = Self.asked(cleaning: true)
    _ = state.update(
      .abortAnswer(JobID(1042), .refused(reason: AbortRefusal(.verifying, "verifying"))))
    #expect(!state.update(Self.stopped(1042)).contains(.cleanUp([JobID(1042)])))
  }

  @Test func `a job that stopped while the engine was away is cleaned up when it is back`() {
    var state = Self.asked(cleaning: true)
    _ = state.update(.link(.lost(retryIn: 1)))
    let job = Scene.ended(
      Scene.job(1042, [Scene.planned("libc6")]), .aborted, percent: 61, results: [.notStarted])
    var intents = state.update(.snapshotBegin)
    intents += state.update(.snapshot([job]))
    intents += state.update(.snapshotEnd(seq: 50))
    #expect(intents.contains(.cleanUp([JobID(1042)])))
  }
}
