import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct `Pausing, holding and moving in the monitor` {
  private func select(_ id: Int, in state: inout MonitorState) {
    Scene.press([.character("g")], in: &state)
    for _ in 0..<20 where state.selected != JobID(id) { Scene.press([.down], in: &state) }
    #expect(state.selected == JobID(id))
  }

  private func text(_ state: MonitorState, _ columns: Int, _ rows: Int) -> String {
    state.render(Size(columns: columns, rows: rows), Golden.looks[0].look).text
  }

  private func top(_ state: MonitorState, _ columns: Int, _ rows: Int) -> Substring {
    text(state, columns, rows).split(separator: "\n", omittingEmptySubsequences: false)[0]
  }

  @Test func `P pauses the queue without a question, with a mark at all sizes, and lets it go on`()
  {
    var state = Scene.monitor(Scene.waiting)
    #expect(Scene.press([.character("P")], in: &state) == [.pauseQueue])
    #expect(state.dialogue == nil)
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(state.message?.text == "queue paused by root: no further job begins")
    #expect(top(state, 120, 40).contains("queue paused by root since 12:02:00"))
    #expect(top(state, 80, 24).contains("queue paused"))
    for columns in [59, 40, 30, 24, 20] { #expect(top(state, columns, 12).contains("PAUSED")) }
    #expect(top(state, 22, 4).contains("paused"))
    #expect(top(state, 8, 4).contains("P"))
    Scene.press([.enter], in: &state)
    #expect(top(state, 80, 24).contains("queue paused"))
    #expect(Scene.press([.character("P")], in: &state) == [.resumeQueue])
    _ = state.update(Scene.engineEvent(EngineNotice(resumedBy: Scene.ops)))
    #expect(state.message?.text == "queue resumed by ops")
    #expect(!text(state, 120, 40).contains("paused"))
  }

  @Test func `the words of the command line do the same, without a job to the whole queue`() {
    var state = Scene.monitor(Scene.waiting)
    #expect(Commands.run("pause", in: &state) == [.pauseQueue])
    #expect(Commands.run("pause-queue", in: &state) == [.pauseQueue])
    #expect(Commands.run("resume", in: &state).isEmpty)
    #expect(state.message?.text == "resume: nobody has paused the queue")
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(Commands.run("resume", in: &state) == [.resumeQueue])
    #expect(Commands.run("pause 1051", in: &state) == [.pauseJob(JobID(1051))])
    #expect(Commands.run("resume 1052", in: &state) == [.resumeJob(JobID(1052))])
    #expect(Commands.run("pause 1051", in: &state) == [.pauseJob(JobID(1051))])
    #expect(Commands.run("release", in: &state).isEmpty)
    #expect(Commands.run("move 1054 --first", in: &state) == [.move(JobID(1054), .first)])
    #expect(
      Commands.run("move 1051 --priority -3", in: &state) == [.move(JobID(1051), .priority(-3))])
    for line in ["move 1054", "move 1054 --priority 101", "move 1054 --up", "move --first x"] {
      #expect(Commands.run(line, in: &state).isEmpty)
      #expect(state.message?.isAlert == true)
    }
    #expect(Commands.run("move 1042 --first", in: &state).isEmpty)
    #expect(state.message?.text == "move: job 1042 does not wait in the queue")
  }

  @Test(arguments: ["P", "p", "+", "-"])
  func `A40: who may only look does none of it and is told why`(_ key: Character) {
    var state = Scene.monitor(
      Scene.waiting, readOnlyReason: "read-only: started with --read-only")
    select(1051, in: &state)
    #expect(Scene.press([.character(key)], in: &state).isEmpty)
    #expect(state.message?.text.contains("read-only") == true)
  }

  @Test func `B28: the key that holds a job at work holds one that waits`() {
    var state = Scene.monitor(Scene.waiting)
    select(1051, in: &state)
    #expect(Scene.press([.character("p")], in: &state) == [.pauseJob(JobID(1051))])
    #expect(state.message?.text == "pause: asked for job 1051")
    var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
    change.waitingFor = Scene.heldInQueue(Scene.upgrade).waitingFor
    _ = state.update(Scene.event(1051, .state(change)))
    #expect(state.book[JobID(1051)]?.mark == .paused)
    #expect(text(state, 80, 24).contains("= 1051 redis-server"))
    #expect(text(state, 120, 40).contains("held by ops since 12:02:10"))
    #expect(Scene.press([.character("p")], in: &state) == [.resumeJob(JobID(1051))])
    change.waitingFor = nil
    _ = state.update(Scene.event(1051, .state(change)))
    #expect(state.book[JobID(1051)]?.mark == .queued)
    #expect(state.book[JobID(1051)]?.job.startedAt == nil)
  }

  @Test func `one that waits goes to the front or the end, one that has begun does not`() {
    var state = Scene.monitor(Scene.waiting)
    select(1053, in: &state)
    #expect(Scene.press([.character("+")], in: &state) == [.move(JobID(1053), .first)])
    var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
    change.priority = 1
    change.movedBy = Scene.ops
    _ = state.update(Scene.event(1053, .state(change)))
    #expect(state.message?.text == "job 1053 moved first: starts next")
    #expect(state.book.queue.places.map(\.job.rawValue) == [1042, 1053, 1051, 1052, 1054])
    #expect(state.selected == JobID(1053))
    #expect(Scene.press([.character("-")], in: &state) == [.move(JobID(1053), .last)])
    select(1042, in: &state)
    #expect(Scene.press([.character("+")], in: &state).isEmpty)
    #expect(state.message?.text == "start-first: job 1042 has begun")
  }

  @Test func `several that are tagged keep their order among themselves`() {
    var state = Scene.monitor(Scene.waiting)
    select(1053, in: &state)
    Scene.press([.character(" "), .character(" ")], in: &state)
    #expect(
      Scene.press([.character("+")], in: &state)
        == [.move(JobID(1054), .first), .move(JobID(1053), .first)])
    #expect(
      Scene.press([.character("-")], in: &state)
        == [.move(JobID(1053), .last), .move(JobID(1054), .last)])
  }

  @Test func `what keeps the queue is told once, not in the rows of a snapshot`() {
    var jobs = Scene.waiting
    jobs[1].waitingFor = WaitReason(Scene.pause)
    var state = Scene.monitor(jobs)
    #expect(state.book[JobID(1051)]?.job.waitingFor == nil)
    var status = Scene.status
    status.queue.paused = true
    status.queue.pause = QueuePause(.index, since: Scene.at(150))
    _ = state.update(.engine(status))
    #expect(top(state, 120, 40).contains("queue waits for the package index"))
    // The engine's own reason is no pause that a person could end.
    #expect(Scene.press([.character("P")], in: &state) == [.pauseQueue])
  }

  @Test func `a status from before a notice does not take back what the notice told`() {
    var state = Scene.monitor(Scene.waiting)
    let paused = Scene.engineEvent(EngineNotice(paused: Scene.pause))
    let resumed = Scene.engineEvent(EngineNotice(resumedBy: Scene.ops))
    guard case .event(let event) = paused else { return }
    #expect(paused.needsStatusRequest && resumed.needsStatusRequest)
    _ = state.update(paused)
    var status = Scene.status
    status.seq = event.seq - 1
    _ = state.update(.engine(status))
    #expect(top(state, 120, 40).contains("queue paused by root"))
    status.seq = event.seq
    _ = state.update(.engine(status))
    #expect(!top(state, 120, 40).contains("queue paused"))
    (status.queue.paused, status.queue.pause) = (true, Scene.pause)
    _ = state.update(resumed)
    status.seq = event.seq - 1
    _ = state.update(.engine(status))
    #expect(!top(state, 120, 40).contains("queue paused"))
    // Another connection, another count.
    _ = state.update(.snapshotBegin)
    _ = state.update(.engine(status))
    #expect(state.engine?.queue.pause == Scene.pause)
  }

  @Test(arguments: [QueuePause.Cause.journal, .index])
  func `what the engine itself waits for stands when somebody lets the queue go on`(
    _ cause: QueuePause.Cause
  ) {
    var state = Scene.monitor(Scene.waiting)
    var status = Scene.status
    (status.queue.paused, status.queue.pause) = (true, QueuePause(cause, since: Scene.at(150)))
    _ = state.update(.engine(status))
    _ = state.update(Scene.engineEvent(EngineNotice(resumedBy: Scene.ops)))
    #expect(state.engine?.queue.pause?.cause == cause)
    #expect(top(state, 120, 40).contains("queue waits"))
  }

  @Test(arguments: [QueuePause.Cause.journal, .index])
  func `what the engine itself waits for is over when the engine tells so`(
    _ cause: QueuePause.Cause
  ) {
    var state = Scene.monitor(Scene.waiting)
    _ = state.update(
      Scene.engineEvent(EngineNotice(paused: QueuePause(cause, since: Scene.at(150)))))
    _ = state.update(.engine(Scene.status))
    _ = state.update(
      Scene.engineEvent(EngineNotice(paused: QueuePause(cause, since: Scene.at(150)))))
    #expect(top(state, 120, 40).contains("queue waits"))
    _ = state.update(Scene.engineEvent(EngineNotice(over: cause)))
    #expect(!top(state, 120, 40).contains("queue waits"))
    _ = state.update(Scene.engineEvent(EngineNotice(over: cause, pause: Scene.pause)))
    #expect(top(state, 120, 40).contains("queue paused by root"))
  }

  @Test(arguments: ["pause", "pause-queue"])
  func `a paused queue is paused once, and says who did it`(_ line: String) {
    var state = Scene.monitor(Scene.waiting)
    #expect(state.run(line) == [.pauseQueue])
    _ = state.update(.engine(Scene.status))
    _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
    #expect(state.run(line).isEmpty)
    #expect(state.message?.text == "the queue is paused already, by root since 12:02:00")
    #expect(state.run("resume-queue") == [.resumeQueue])
  }

  @Test(
    arguments: [
      ("p", "pause: none of the jobs can be paused"),
      ("+", "start-first: none of the jobs waits in the queue"),
      ("-", "start-last: none of the jobs waits in the queue"),
      ("r", "retry: none of the jobs can be retried"),
    ] as [(Character, String)])
  func `many that are tagged and over are refused like one`(_ key: Character, _ words: String) {
    let jobs = (1...300).map { id in
      Scene.ended(
        Scene.job(id, [Scene.planned("a")]), .succeeded, percent: 100, results: [.succeeded])
    }
    var state = Scene.monitor(jobs)
    state.tags = Set(jobs.map(\.id))
    #expect(Scene.press([.character(key)], in: &state).isEmpty)
    #expect(state.message == MonitorState.Message(text: words, isAlert: true))
    #expect(state.dialogue == nil)
  }

  @Test func `lines tell a pause, a held job and a move`() {
    var report = PlainReport()
    _ = report.apply(.snapshotBegin)
    var jobs = Scene.waiting
    jobs[1].waitingFor = WaitReason(Scene.pause)
    _ = report.apply(.snapshot(jobs))
    let lines = report.apply(.snapshotEnd(seq: 40))
    for words in [
      "job=1051 state=queued pct=0 waits=\"queue paused by root\"",
      "job=1052 state=queued pct=0 waits=\"held by ops\"",
    ] { #expect(lines.contains { $0.contains(words) }) }
    #expect(
      report.apply(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
        == ["12:02:40 engine=queuePaused message=\"queue paused by root: no further job begins\""])
    var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
    change.priority = 4
    change.movedBy = Scene.ops
    #expect(
      report.apply(Scene.event(1054, .state(change)))
        == ["12:02:40 job=1054 moved priority=4 by=ops"])
  }

  @Test func `lines forget a job that is cleaned up`() {
    var report = PlainReport()
    for event in [.snapshotBegin, .snapshot(Scene.queue), MonitorEvent.snapshotEnd(seq: 40)] {
      _ = report.apply(event)
    }
    let withdrawal = Scene.event(1037, .abortWithdrawn(by: Scene.ops))
    #expect(report.apply(withdrawal).count == 1)
    #expect(
      report.apply(Scene.event(1037, .cleanedUp(by: Scene.ops)))
        == ["12:02:40 job=1037 cleaned-up by=ops"])
    #expect(report.apply(withdrawal).isEmpty)
  }

  @Test func `the conversation says that the queue is paused, and has it as a choice`() {
    var talk = PlainConversations.conversation(Scene.waiting)
    var status = Scene.status
    (status.queue.paused, status.queue.pause) = (true, Scene.pause)
    #expect(
      talk.handle(.engine(status)).lines
        == ["queue paused by root since 12:02:00: no further job begins"])
    #expect(talk.handle(.engine(status)).lines.isEmpty)
    // An answer from before the pause is no news, and makes none of the next one.
    talk = PlainConversations.conversation(Scene.waiting)
    var old = Scene.status
    (old.seq, status.seq) = (40, 41)
    for event in [.engine(old), Scene.engineEvent(EngineNotice(paused: Scene.pause)), .engine(old)]
    {
      #expect(talk.handle(event).lines.allSatisfy { $0.contains("engine=queuePaused") })
    }
    #expect(talk.handle(.engine(status)).lines.isEmpty)
    let menu = talk.handle(line: "").lines
    #expect(menu.contains { $0.hasPrefix("23 pause the queue, or resume it") })
    #expect(talk.handle(line: "23").intents == [.resumeQueue])
    for words in ["", "24", "1053"] { _ = talk.handle(line: words) }
    #expect(talk.handle(line: "").lines.last == "number or name, ? for more, Enter for nothing:")
  }

  @Test func `tables say why a job waits`() {
    var jobs = Scene.waiting
    for (place, index) in (1...4).enumerated() {
      jobs[index].queuePosition = place + 1
      if index != 2 { jobs[index].waitingFor = WaitReason(Scene.pause) }
    }
    let lines = JobTable.jobs(jobs, now: Scene.at(300))
    #expect(lines[2].contains("next in the queue, paused"))
    #expect(lines[3].contains(" paused ") && !lines[3].contains("in the queue"))
    #expect(lines.last == "queue paused by root 3m00s ago: no further job begins")
    let shown = JobTable.job(jobs[1], now: Scene.at(300))
    #expect(shown.contains { $0.hasSuffix("queue paused by root 3m00s ago") })
    #expect(
      JobTable.job(jobs[2], now: Scene.at(190)).contains { $0.hasSuffix("held by ops 1m00s ago") })
    var status = Scene.status
    (status.queue.paused, status.queue.pause) = (true, Scene.pause)
    #expect(
      StatusLines.lines(status, now: Scene.at(125))[2]
        == "queue:    1 at work, 2 queued, paused by root 5s ago")
    #expect(StatusLines.journalWarning(status, timeOffset: 0) == nil)
    status.queue.pause = QueuePause(
      .journal, since: Timestamp(milliseconds: 3_600_000), detail: "the file system is full")
    let now = Timestamp(milliseconds: 3_604_000)
    #expect(StatusLines.lines(status, now: now)[2].hasSuffix("the file system is full (for 4s)"))
    let words = StatusLines.journalWarning(status, timeOffset: 0)
    #expect(words?.hasPrefix("states are as of 01:00:00: nothing can be recorded") == true)
    // The end of the job at work could still be recorded.
    var ended = Scene.job(9, [Scene.planned("a")])
    (ended.submittedAt, ended.endedAt) = (Timestamp(milliseconds: 0), now)
    let later = StatusLines.journalWarning(status, of: [ended], timeOffset: 0)
    #expect(later?.hasPrefix("states are as of 01:00:04: ") == true)
  }

  @Test func `the status of a root that could not be read says nothing of its lock`() {
    var status = Scene.status
    status.isRootUnknown = true
    let lines = StatusLines.lines(status).suffix(2)
    #expect(lines.map { String($0.prefix(19)) } == ["lock:     not known", "restart:  not known"])
  }

  @Test(arguments: [
    (1, JobState.installing, 4, "queue paused; job 12 runs to its end, 4 queued"),
    (1, .suspended, 1, "queue paused; job 12 is paused, 1 queued"),
    (0, .queued, 0, "queue paused; no job is at work, none queued"),
  ])
  func `the answer says what goes on and what waits`(
    running: Int, state: JobState, queued: Int, words: String
  ) {
    let standing = QueueStatus(
      queue: .init(running: running, queued: queued, paused: true, pause: Scene.pause),
      runningJob: running == 1 ? JobID(12) : nil, runningState: running == 1 ? state : nil)
    #expect(QueueWords.paused(standing) == words)
    var again = standing
    again.hasChanged = false
    let told = QueueWords.paused(again, now: Scene.at(300))
    #expect(told.hasPrefix("the queue is paused already, by root 3m00s ago; "))
  }
}
