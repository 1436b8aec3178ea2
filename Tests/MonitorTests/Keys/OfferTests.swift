import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct `What the screen offers` {
  private static func rows(_ state: MonitorState) -> [String] {
    state.render(state.size, Golden.looks[0].look).text.split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast().map(String.init)
  }

  private static func select(_ id: Int, _ jobs: [JobSnapshot] = Scene.queue, _ size: Size)
    -> MonitorState
  {
    var state = Scene.monitor(jobs, size: size)
    Scene.press([.character(":")] + Scene.typed("job \(id)") + [.enter], in: &state)
    return state
  }

  @Test(arguments: [Size(columns: 120, rows: 40), Size(columns: 80, rows: 24)])
  func `for a job that is over is what is possible`(_ size: Size) {
    var broken = Scene.queue
    for index in broken.indices where broken[index].id == JobID(1038) {
      broken[index].repairs = [.finishConfiguration]
    }
    let failed = Self.rows(Self.select(1038, broken, size)).last ?? ""
    #expect(failed.contains("Retry") && failed.contains("Repair") && failed.contains("Clean"))
    #expect(!failed.contains("Pause") && !failed.contains("Abort"))
    let done = Self.rows(Self.select(1037, Scene.queue, size)).last ?? ""
    #expect(done.contains("Replay") && done.contains("Clean"))
    #expect(!done.contains("Retry") && !done.contains("Repair") && !done.contains("Pause"))
    let working = Self.rows(Self.select(1042, Scene.queue, size)).last ?? ""
    #expect(working.contains("Pause") && working.contains("Abort"))
    #expect(!working.contains("Retry") && !working.contains("Replay"))
    var list = Scene.monitor(Scene.queue, size: size)
    // The first problem asks something and is not over.
    Scene.press([.character("e"), .character("e")], in: &list)
    #expect(Self.rows(list).last?.contains("Problem") == true)
  }

  @Test(arguments: ["2", "3", "5"] as [Character])
  func `the screens of a job name the other screens where there is room`(_ page: Character) {
    var state = Scene.monitor()
    Scene.press([.character(page)], in: &state)
    _ = state.update(.resize(Size(columns: 80, rows: page == "2" ? 24 : 30)))
    #expect(Self.rows(state)[1].contains(" 1 Queue "))
    #expect(Self.rows(state)[1].contains("[\(page) "))
    _ = state.update(.resize(Size(columns: 80, rows: page == "2" ? 23 : 29)))
    #expect(!Self.rows(state)[1].contains(" 1 Queue "))
  }

  @Test func `the smallest list names two keys where a row is free`() {
    let size = Size(columns: 20, rows: 5)
    #expect(Self.rows(Scene.monitor([Scene.upgrade], size: size))[4] == "? help q quit")
    #expect(!Self.rows(Scene.monitor(size: size)).contains { $0.contains("help") })
  }

  @Test func `a simulated job keeps its name at 80 columns, and the operation at 60 by 20`() {
    var jobs = Scene.queue
    for index in jobs.indices { jobs[index].provider = "simulated" }
    var state = Scene.monitor(jobs)
    var status = Scene.status
    status.engine.provider = "simulated"
    _ = state.update(.engine(status))
    let rows = Self.rows(state)
    #expect(rows[0].contains("SIMULATED"))
    #expect(rows.contains { $0.contains("sim hello 2.10-3") }, "\(rows)")
    _ = state.update(.resize(Size(columns: 60, rows: 20)))
    Scene.press([.character("2")], in: &state)
    #expect(Self.rows(state)[0].contains("upgrade libc6"))
    #expect(Self.rows(state)[0].lowercased().contains("sim"))
  }

  @Test func `the last step that is done is not called running`() {
    var job = Scene.upgrade
    job.currentStepIndex = 5
    job.plan?[5].phase = .done
    job.plan?[5].percentComplete = 100
    job.plan?[5].resultCode = .succeeded
    job.abortPreview = .refused(reason: .finalStep("old-kernel"))
    var state = Scene.monitor([job])
    Scene.press([.character("2")], in: &state)
    let text = Self.rows(state).joined(separator: "\n")
    #expect(text.contains("ending: the last step is done, the result is verified next"))
    #expect(!text.contains("cannot stop"))
    job.plan?[5].phase = .removing
    job.plan?[5].percentComplete = 50
    job.plan?[5].resultCode = .inProgress
    state = Scene.monitor([job])
    Scene.press([.character("2")], in: &state)
    #expect(Self.rows(state).joined().contains("cannot stop: old-kernel is the last step"))
  }

  @Test func `the smallest question tells what an abort does without half a word`() {
    var state = Scene.monitor(size: Size(columns: 20, rows: 5))
    Scene.press([.character("x")], in: &state)
    #expect(!Self.rows(state).contains { $0.contains("(about") })
    var held = Scene.upgrade
    held.state = .suspended
    held.abortPreview = .accepted(stopsAfter: nil)
    state = Scene.monitor([held], size: Size(columns: 20, rows: 5))
    Scene.press([.character("x")], in: &state)
    #expect(Self.rows(state)[2...3] == [" stops at once, what", " is done stays"])
    let counts = Self.rows(Scene.monitor(size: Size(columns: 40, rows: 12)))[0]
    let digits = counts.split(separator: " ").filter { $0.first?.isNumber ?? false }
    #expect(digits.allSatisfy { $0.allSatisfy(\.isNumber) } && !digits.isEmpty, "\(counts)")
  }

  @Test func `below a job at work the stage is whole`() {
    var job = Scene.upgrade
    job.plan?[2].phase = .configuring
    job.plan?[2].percentComplete = 70
    var state = Scene.monitor([job])
    Scene.press([.character("t")], in: &state)
    let rows = Self.rows(state)
    #expect(!rows.contains { $0.contains("configure 3…") })
    #expect(rows.contains { $0.contains("config 3/") || $0.contains("config 2/") }, "\(rows)")
  }

  @Test func `places count jobs that can start, and no others have one`() {
    var jobs = Scene.waiting
    jobs.append(Scene.job(1055, [Scene.planned("tree")]))
    jobs[1].options.earliestStart = Scene.at(5000)
    jobs[1].waitingFor = WaitReason(.time, "does not start before 13:23:20")
    let state = Scene.monitor(jobs)
    let places = jobs.map { state.book.queuePlace(of: $0) }
    // 1042 works, 1051 has its own time, 1052 is held.
    #expect(places == [nil, nil, nil, 1, 2, 3])
    let rows = Self.rows(state)
    #expect(rows.contains { $0.contains("1053 curl") && $0.contains("queued #1") })
    var later = state
    jobs[2].waitingFor = nil
    _ = later.update(
      Scene.event(
        1052, .state(JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil)))))
    #expect(later.book.queuePlace(of: jobs[3]) == 2)
    for index in jobs.indices { jobs[index].queuePosition = index + 1 }
    jobs[2] = Scene.heldInQueue(jobs[2])
    #expect(!JobTable.jobs(jobs)[3].contains("2nd") && !JobTable.jobs(jobs)[3].contains("3rd"))
  }
}

@Suite struct `Jobs that wait for a time or a job of their own` {
  private static func monitor(_ change: (inout [JobSnapshot]) -> Void) -> MonitorState {
    var jobs = Scene.waiting
    change(&jobs)
    var state = Scene.monitor(jobs)
    _ = state.update(.clock(Scene.at(160)))
    _ = state.update(Scene.event(1042, Lateness.tick(62, eta: nil), at: 160))
    return state
  }

  private static func words(_ state: MonitorState, _ id: Int) -> [String?] {
    guard let entry = state.book[JobID(id)] else { return [] }
    let words = state.words(of: entry)
    return [words.phase, words.waitReason(offset: 0)]
  }

  @Test func `have a place when the time comes, without a word of the engine`() {
    var state = Self.monitor { jobs in
      jobs[1].options.earliestStart = Scene.at(200)
      jobs[1].waitingFor = WaitReason(.time, "does not start before 12:03:20")
    }
    #expect(Self.words(state, 1051) == ["not yet", "does not start before 12:03:20"])
    #expect(Self.words(state, 1053)[0] == "queued #1")
    // Nothing else counts seconds here: the monitor wakes for it.
    Scene.press([.down], in: &state)
    #expect(state.book.nextStart == Scene.at(200))
    #expect(state.nextMoment.map { $0 <= Scene.at(200) } == true)
    _ = state.update(.clock(Scene.at(199)))
    #expect(Self.words(state, 1051)[0] == "not yet")
    _ = state.update(.clock(Scene.at(200)))
    #expect(Self.words(state, 1051) == ["queued #1", "job 1042 goes first"])
    #expect(Self.words(state, 1053)[0] == "queued #2")
    #expect(state.book.nextStart == nil)
    // The engine's clock was set back.
    var status = Scene.status
    status.time = Scene.at(100)
    _ = state.update(.engine(status))
    #expect(Self.words(state, 1051)[0] == "not yet")
    #expect(state.book.nextStart == Scene.at(200))
  }

  @Test(arguments: [nil, WaitReason(.job, "waits for job 1042 to end", job: JobID(1042))])
  func `have a place when that job ends`(_ reason: WaitReason?) {
    var state = Self.monitor { jobs in
      jobs[1].options.after = JobID(1042)
      jobs[1].waitingFor = reason
    }
    #expect(Self.words(state, 1051) == ["after 1042", "waits for job 1042 to end"])
    #expect(Self.words(state, 1053)[0] == "queued #1")
    _ = state.update(
      Scene.event(1042, .completed(Keys.outcome(.succeeded, 100, Scene.upgrade.updates))))
    #expect(Self.words(state, 1051) == ["queued #1", nil])
    #expect(Self.words(state, 1053)[0] == "queued #2")
    // That it is cleaned up and forgotten later makes it no job to wait for.
    _ = state.update(Scene.event(1042, .cleanedUp(by: Scene.ops)))
    state.book.forget(JobID(1042))
    #expect(Self.words(state, 1051)[0] == "queued #1")
  }

  @Test func `of its own time the date is told where it is not today's, by the clock here`() {
    var job = Scene.job(7, [Scene.planned("a")])
    // The scene is at 12:00 UTC on the first of January.
    job.options.earliestStart = Scene.at(8 * 3600)
    job.waitingFor = WaitReason(.time, "does not start before \(Scene.at(8 * 3600))")
    func told(_ offset: Int) -> (row: String, shown: String) {
      let rows = JobTable.jobs([job], now: Scene.noon, timeOffset: offset)
      let shown = JobTable.job(job, timeOffset: offset, now: Scene.noon)
      return (rows[1], shown.first { $0.contains("does not start") } ?? "")
    }
    #expect(told(0).row.contains(" not before 20:00:00 "))
    #expect(told(0).shown.hasSuffix("does not start before 20:00:00"))
    #expect(told(6 * 3600).row.contains(" not before 01-02 02:00:00 "))
    #expect(told(6 * 3600).shown.hasSuffix("does not start before 01-02 02:00:00"))
  }

  @Test func `are the same in a table and in the monitor`() {
    var job = Scene.job(7, [Scene.planned("a")])
    job.options.after = JobID(3)
    let state = Scene.monitor([job])
    #expect(!job.hasPlaceInQueue && state.book.queuePlace(of: job) == nil)
    #expect(JobTable.jobs([job])[1].contains("after 3"))
    // The engine gave it a place: what it waited for is over.
    job.queuePosition = 1
    let next = Scene.monitor([job])
    #expect(job.hasPlaceInQueue && next.book.queuePlace(of: job) == 1)
    #expect(JobTable.jobs([job])[1].contains("next in the queue"))
  }
}

@Suite struct `Tab in a filter` {
  private static func typed(_ text: String, _ keys: [Key]) -> MonitorState {
    var state = Scene.monitor()
    Scene.press([.character("\\")] + Scene.typed(text) + keys, in: &state)
    return state
  }

  @Test(arguments: [
    ("st", "state:"), ("state:fai", "state:failed"), ("user:r ag", "user:r age>"),
    ("pkg:ngin", "pkg:nginx"), ("-op:rem", "-op:remove"),
    ("state:failed,abo", "state:failed,aborted"),
    ("age>1", "age>1m"), ("zzz", "zzz"), ("user:cr", "user:cron"),
  ])
  func `completes fields and what they can be`(_ typed: String, _ whole: String) {
    #expect(Self.typed(typed, [.tab]).prompt?.text == whole)
  }

  @Test func `never closes the line, nor that of words to find`() {
    for keys in [[Key.tab], [.tab, .tab], [.backTab], [.tab, .backTab]] {
      #expect(Self.typed("", keys).prompt?.purpose == .filter)
      var state = Scene.monitor()
      Scene.press([.character("/")] + Scene.typed("ngi") + keys, in: &state)
      #expect(state.prompt?.purpose == .find && state.prompt?.text == "ngi")
    }
    let state = Self.typed("user:cr", [.tab])
    #expect(state.book.filter.text == "user:cron")
  }

  @Test func `shows all ways above the line`() {
    let rows = Self.typed("state:a", [.tab]).render(
      Size(columns: 80, rows: 24), Golden.looks[0].look
    ).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows[21].contains("state:aborted"))
  }
}
