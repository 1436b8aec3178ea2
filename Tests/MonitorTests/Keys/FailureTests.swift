import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

/// Failures are not overlooked.
@Suite struct Failures {
  static func fail(_ id: Int, at seconds: Double = 160) -> MonitorEvent {
    var updates = Scene.upgrade.updates
    updates[0].resultCode = .failed
    var outcome = Keys.outcome(.failed, 61, updates)
    outcome.error = Scene.scriptError
    return Scene.event(id, .completed(outcome), at: seconds)
  }

  @Test func `a failure rings once, is named, and its key goes there`() {
    var state = Scene.monitor()
    Scene.press([.down, .down], in: &state)
    #expect(state.update(Self.fail(1042)).filter { $0 == .ringBell } == [.ringBell])
    #expect(state.message?.isAlert == true)
    #expect(state.message?.text.hasPrefix("1042 libc6 failed: ") == true)
    #expect(state.message?.text.hasSuffix(" · e goes there") == true)
    // What ends well after it does not take its words away.
    let done = Keys.outcome(.succeeded, 100, Scene.nginx.updates)
    #expect(!state.update(Scene.event(1043, .completed(done))).contains(.ringBell))
    #expect(state.message?.text.hasPrefix("1042 libc6") == true)
    Scene.press([.character("e")], in: &state)
    #expect(state.selected == JobID(1042) && state.message == nil)
    // It was gone to; the key then goes on to the next one.
    Scene.press([.character("e")], in: &state)
    #expect(state.selected != JobID(1042))
  }

  @Test func `stays when others pause the queue or fail too, which is counted`() {
    var state = Scene.monitor()
    _ = state.update(Self.fail(1042))
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    _ = state.update(Scene.engineEvent(EngineNotice(resumedBy: Scene.ops)))
    #expect(state.message?.text.hasPrefix("1042 libc6 failed: ") == true)
    var outcome = Keys.outcome(.failed, 18, Scene.nginx.updates)
    outcome.error = Scene.scriptError
    _ = state.update(Scene.event(1043, .completed(outcome)))
    #expect(state.message?.text.hasPrefix("1043 nginx failed: ") == true)
    #expect(state.message?.text.hasSuffix(" · and 1 more · e goes there") == true)
    outcome.updates = []
    _ = state.update(Scene.event(1045, .completed(outcome)))
    #expect(state.message?.text.contains(" · and 2 more") == true)
    Scene.press([.down], in: &state)
    _ = state.update(Scene.event(1048, .completed(outcome)))
    #expect(state.message?.text.contains("more") == false)
    _ = state.update(Scene.engineEvent(EngineNotice(.stopping, "the engine stops")))
    #expect(state.message?.text.hasPrefix("the engine stops · 1048 ") == true)
    #expect(state.message?.isAlert == true)
  }

  @Test(arguments: ["cleaned up", "retried", "repaired", "gone"])
  func `goes when nobody has to look after it any more`(fate: String) {
    var state = Scene.monitor()
    var updates = Scene.upgrade.updates
    updates[0].resultCode = .failed
    var outcome = Keys.outcome(.failed, 61, updates)
    (outcome.error, outcome.repairs) = (Scene.scriptError, [.finishConfiguration])
    // Not before what the scene's other jobs did.
    _ = state.update(Scene.event(1042, .completed(outcome), at: 300))
    // Another job's fate changes nothing.
    _ = state.update(Scene.event(1043, .cleanedUp(by: Scene.ops)))
    #expect(state.message?.text.hasPrefix("1042 libc6 ") == true)
    switch fate {
    case "cleaned up": _ = state.update(Scene.event(1042, .cleanedUp(by: Scene.ops)))
    case "retried":
      var next = Scene.job(1099, [Scene.planned("libc6")])
      next.options.retryOf = JobID(1042)
      _ = state.update(Scene.event(1099, .submitted(next)))
    case "repaired":
      let mending = JobSnapshot(
        id: JobID(1099), request: JobRequest(.repair, []),
        plan: JobPlan(requests: [], steps: []), requestedBy: Scene.ops, provider: "apt",
        submittedAt: Scene.at(0))
      _ = state.update(Scene.event(1099, .submitted(mending)))
      #expect(state.message?.text.hasPrefix("1042 libc6 ") == true)
      _ = state.update(Scene.event(1099, .completed(Keys.outcome(.succeeded, 100, [])), at: 400))
    default:
      _ = state.update(.snapshotBegin)
      _ = state.update(.snapshotEnd(seq: 50))
    }
    #expect(state.message?.text.hasPrefix("1042 libc6 ") != true)
  }

  @Test func `what failed before one looked rings for nobody, nor does a bell that is off`() {
    var state = Scene.monitor()
    #expect(!Scene.monitor().book.queue.places.isEmpty)
    state.preferences.ringsBell = false
    #expect(!state.update(Self.fail(1042)).contains(.ringBell))
    #expect(state.message?.isAlert == true)
    var other = MonitorState(size: Size(columns: 80, rows: 24))
    var intents = other.update(.snapshotBegin)
    intents += other.update(.snapshot(Scene.queue))
    intents += other.update(.snapshotEnd(seq: 1))
    #expect(!intents.contains(.ringBell))
  }

  @Test func `jobs that did not succeed stand first among ended ones until they are cleaned up`() {
    var state = Scene.monitor()
    func ended() -> [Int] {
      state.book.queue.places.map(\.job).filter { state.book[$0]?.job.state.isFinal ?? false }
        .map(\.rawValue)
    }
    #expect(ended() == [1038, 1035, 1039, 1037, 1036])
    _ = state.update(Self.fail(1042, at: 400))
    let done = Keys.outcome(.succeeded, 100, Scene.nginx.updates)
    _ = state.update(Scene.event(1043, .completed(done), at: 500))
    #expect(ended() == [1042, 1038, 1035, 1039, 1043, 1037, 1036])
    _ = state.update(Scene.event(1042, .cleanedUp(by: Scene.ops), at: 600))
    #expect(ended().first == 1038)
  }

  @Test func `the overall line counts failures`() {
    let state = Scene.monitor()
    #expect(Titles.title(state, 1).contains("5 of 14 jobs over, 1 failed, 1 interrupted"))
  }

  @Test func `the overall bar is whole when all jobs are over, however they ended`() {
    let over = Scene.queue.filter(\.state.isFinal)
    #expect(over.contains { $0.percentComplete < 100 })
    let state = Scene.monitor(over)
    #expect(Titles.title(state, 1).contains("100%   5 of 5 jobs over, 1 failed, 1 interrupted"))
    // What is still to do keeps it below.
    #expect(Scene.monitor(over + [Scene.nginx]).book.overall.fraction < 1)
  }

  @Test func `the bell is a setting of its own`() {
    var state = Scene.monitor()
    Scene.press([.character(","), .end], in: &state)
    #expect(Scene.press([.right], in: &state).contains(.keep(state.preferences)))
    #expect(!state.preferences.ringsBell)
    Scene.press([.right], in: &state)
    #expect(state.preferences.ringsBell)
  }

  @Test func `what was there before an aborted job is none of its work`() {
    var job = Scene.ended(
      Scene.job(1036, [Scene.planned("tree"), Scene.planned("sl"), Scene.planned("jq")]), .aborted,
      percent: 72, results: [.succeeded, .succeeded, .notStarted])
    job.updates[0].note = .alreadyInstalled
    #expect(JobTable.line(of: job).hasSuffix("aborted 1 of 2 asked for"))
  }

  @Test func `a package that was only fetched has no share of a job that is over`() {
    var job = Scene.ended(
      Scene.job(1036, [Scene.planned("tree"), Scene.planned("sl")]), .aborted, percent: 72,
      results: [.succeeded, .notStarted])
    job.plan?[1].phase = .downloaded
    job.plan?[1].note = .fetched
    job.plan?[1].percentComplete = 34
    let row = JobTable.job(job).first { $0.hasPrefix("sl ") }
    #expect(row?.contains("fetched only") == true && row?.contains("%") == false)
    var state = Scene.monitor([job], size: Size(columns: 120, rows: 40))
    Scene.press([.enter], in: &state)
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("fetched only") && !text.contains("34%"))
    // Lists are sorted by what they show: half, before what has done sixty per cent.
    let other = Scene.running(Scene.job(7, [Scene.planned("jq")]), .installing, percent: 60)
    let places = [job, other].map {
      JobSort(.done).place(of: JobStore.Entry(job: $0), isHistory: false)
    }
    #expect(places[0] < places[1])
  }

  @Test func `an aborted job says how many packages it installed besides those asked for`() {
    let steps = [
      Scene.planned("libtree", isRequested: false), Scene.planned("libsl", isRequested: false),
      Scene.planned("tree"),
    ]
    var job = Scene.ended(
      Scene.job(1036, steps), .aborted, percent: 72, results: [.notStarted])
    for index in 0...1 { job.plan?[index].resultCode = .succeeded }
    #expect(JobEnding(job)?.sentence == "aborted: 2 other packages installed; tree not started")
    job.plan?[1].resultCode = .notStarted
    #expect(
      JobEnding(job)?.sentence
        == "aborted: 1 of 3 packages done; 1 other package installed; tree not started; "
        + "1 other package not started")
    job.plan = nil
    #expect(JobEnding(job)?.sentence == "aborted: tree not started")
    job.updates[0].note = .alreadyInstalled
    #expect(JobEnding(job)?.sentence == "aborted: tree there already", "it needed nothing")
  }

  @Test func `an aborted job says what it installed, not what it fetched`() {
    var job = Scene.ended(
      Scene.job(1036, [Scene.planned("tree"), Scene.planned("sl"), Scene.planned("jq")]), .aborted,
      percent: 72, results: [.succeeded, .notStarted, .notStarted])
    job.plan = nil
    var state = Scene.monitor([job], size: Size(columns: 80, rows: 24))
    let list = state.render(state.size, Golden.looks[0].look).text
    #expect(list.contains(" 1/3 ") && !list.split(separator: "\n")[3].contains("72%"))
    Scene.press([.enter], in: &state)
    let screen = state.render(state.size, Golden.looks[0].look).text
    #expect(screen.contains("aborted  1 of 3 installed"))
    #expect(screen.contains("tree installed; sl, jq not started; none half done"))
    #expect(!screen.contains("72%"))
    #expect(JobTable.line(of: job).hasSuffix("aborted 1 of 3 installed"))
  }
}
