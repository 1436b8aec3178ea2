import Canvas
import InstallJobs
import Testing
import ThemeCatalog

@testable import JobText
@testable import Monitor

@Suite struct Lines {
  static func tick(_ percent: Double, step: Int = 2) -> JobEvent.Payload {
    .progress(
      JobProgressTick(
        percentComplete: percent, currentUpdateIndex: nil, currentStepIndex: step,
        downloadedBytes: 0, bytesPerSecond: nil, etaSeconds: 80, lastActivityAt: nil,
        isStalled: false, abortPreview: .accepted(stopsAfter: nil), steps: []))
  }

  static func report(
    _ jobs: [JobSnapshot], only: Set<JobID>? = nil, advice: (@Sendable (String) -> String)? = nil
  ) -> (PlainReport, [String]) {
    var report = PlainReport(only: only, advice: advice)
    var lines = report.apply(.snapshotBegin)
    lines += report.apply(.snapshot(jobs))
    lines += report.apply(.snapshotEnd(seq: 1))
    return (report, lines)
  }

  @Test func `a plan says what comes from an archive of security updates`() {
    var urgent = Scene.planned("urgent")
    urgent.isSecurity = true
    let plan = JobPlan(
      requests: [], steps: [urgent, Scene.planned("other")], archives: [:],
      installedSizeChange: 0, fingerprint: "")
    let marked = PlanTable.lines(plan, JobRequest(.upgrade, [])).filter { $0.contains("security") }
    #expect(marked.count == 1 && marked.first?.contains("urgent") == true)
  }

  @Test func `a job's life is one line for each change and each tenth`() throws {
    var (report, lines) = Self.report([])
    var fresh = Scene.job(
      12, [Scene.planned("libfoo", isRequested: false), Scene.planned("hello")])
    fresh.plan = nil
    let accepted = AbortDisposition.accepted(stopsAfter: nil)
    var work = UpdateStatus(Scene.planned("libfoo"), phase: .configuring)
    work.percentComplete = 66
    let events: [(Double, JobEvent.Payload)] = [
      (0, .submitted(fresh)),
      (1, .state(JobStateChange(.downloading, abortPreview: accepted))),
      (2, .state(JobStateChange(.downloading, abortPreview: accepted))),
      (
        3,
        .state(
          JobStateChange(
            .waitingForLock,
            waitingFor: WaitReason(
              .lock, "held", holder: LockHolder(pid: 4711, command: "apt-get")),
            abortPreview: accepted))
      ),
      (4, .state(JobStateChange(.installing, abortPreview: accepted, currentStepIndex: 0))),
      (5, .update(index: 0, status: work)),
      (6, Self.tick(4, step: 0)), (7, Self.tick(12, step: 0)), (8, Self.tick(19, step: 0)),
      (40, Self.tick(19.5, step: 0)), (41, Self.tick(30, step: 0)),
      (
        42,
        .abortRequested(
          AbortRecord(
            requestedAt: Scene.at(42), requestedBy: Scene.ops,
            disposition: .accepted(stopsAfter: "libfoo", etaSeconds: 3)))
      ),
      (
        45,
        .completed(
          Keys.outcome(
            .aborted, 50,
            [UpdateStatus(Scene.planned("hello"), resultCode: .notStarted, note: .notReached)]))
      ),
      (50, .cleanedUp(by: Scene.ops)),
    ]
    for (seconds, payload) in events {
      lines += report.apply(Scene.event(12, payload, at: seconds))
    }
    #expect(
      lines == [
        "12:00:00 job=12 state=queued pct=0",
        "12:00:01 job=12 state=downloading pct=0",
        "12:00:03 job=12 state=waitingForLock pct=0 lock=apt-get pid=4711",
        "12:00:04 job=12 state=installing step=1/2 pct=0",
        "12:00:07 job=12 state=installing phase=configuring step=1/2 pct=12 package=libfoo eta=80s",
        "12:00:40 job=12 state=installing phase=configuring step=1/2 pct=19 package=libfoo eta=80s",
        "12:00:41 job=12 state=installing phase=configuring step=1/2 pct=30 package=libfoo eta=80s",
        "12:00:42 job=12 abort=accepted by=ops stops-after=libfoo eta=3s",
        "12:00:45 job=12 state=completed result=aborted pct=50 took=44s",
        "job 12 aborted: hello not started",
        "12:00:50 job=12 cleaned-up by=ops",
      ])
  }

  @Test func `the end of a job names what was installed, what failed and what was not started`() {
    let job = Scene.ended(
      Scene.job(3, [Scene.planned("a"), Scene.planned("b"), Scene.planned("c")]),
      .succeededWithErrors, percent: 60, results: [.succeeded, .failed, .notStarted],
      error: Scene.scriptError)
    let (_, lines) = Self.report([job], only: [JobID(3)])
    #expect(
      lines == [
        "12:03:28 job=3 state=completed result=succeededWithErrors pct=60 took=108s",
        "job 3 succeeded with errors: a installed; b failed; c not started;"
          + " cpp-12: its post-installation script failed",
      ])
    #expect(
      Self.report([job], only: [JobID(3)], advice: { "'\($0)'" }).1 == lines + [
        "job 3 next: 'fettle doctor says what to do'"
      ])
  }

  @Test func `a job that should be over is late in the list, too`() throws {
    var job = Scene.running(Scene.job(3, [Scene.planned("slow")]), .installing, percent: 50)
    let last = try #require(job.lastActivityAt ?? job.startedAt).advanced(bySeconds: 60)
    (job.lastActivityAt, job.etaSeconds) = (last, 5)
    #expect(JobTable.jobs([job], now: last)[1].contains("~5s"))
    #expect(JobTable.jobs([job], now: last.advanced(bySeconds: 40))[1].contains("+35s late"))
  }

  @Test func `C21, N6: silence is told with its age and its cause`() throws {
    var job = Scene.running(Scene.job(3, [Scene.planned("slow")]), .installing, percent: 10)
    let last = try #require(job.lastActivityAt ?? job.startedAt)
    job.lastActivityAt = last
    job.isStalled = true
    job.stall = StallCause(.script, "postinst of slow runs \u{1B}[2Jsleep (pid 7)", pid: 7)
    let table = JobTable.job(job, now: last.advanced(bySeconds: 75)).joined(separator: "\n")
    #expect(table.contains(", 1m15s ago") || table.contains(", 75s ago"), "\(table)")
    #expect(table.contains(": postinst of slow runs "), "\(table)")
    #expect(table.contains("sleep (pid 7)") && !table.utf8.contains(0x1B))
    #expect(table.contains("; if it hangs, only the end of process 7 lets the job continue"))
    // A clock that is behind the engine's makes no age.
    #expect(!JobTable.job(job, now: last.advanced(bySeconds: -5)).joined().contains(" ago"))
  }

  @Test func `jobs that were not asked for are not reported`() {
    var (report, lines) = Self.report(Scene.queue, only: [JobID(1043)])
    lines += report.apply(Scene.event(1042, .cleanedUp(by: Scene.ops)))
    #expect(lines.count == 1)
    #expect(lines.first?.contains("job=1043 state=downloading") == true)
  }

  @Test func `simulated jobs are marked in every line about their state`() {
    let job = Scene.job(1, [Scene.planned("a")], provider: "simulated")
    let (_, lines) = Self.report([job])
    #expect(lines == ["12:00:01 job=1 simulated state=queued pct=0"])
    #expect(JobTable.jobs([job])[1].contains("[simulated] a"))
    #expect(JobTable.job(job)[0].contains("[simulated]"))
  }

  @Test func `the table of jobs is aligned`() {
    #expect(JobTable.jobs([]) == ["no jobs"])
    #expect(JobTable.history([]) == ["no jobs"])
    let lines = JobTable.jobs(Scene.queue.filter { [1037, 1042, 1044].contains($0.id.rawValue) })
    #expect(
      lines
        == [
          " JOB  STATE     DONE  SPEED  ETA/TOOK  BY    WHAT",
          "1042  unpack     61%           ~1m20s  ops   upgrade libc6 and 4 more, 6 packages in all",
          "1044  stopping   83%             ~20s  ci    postgresql-client-15 and 1 more",
          "1037  done      100%            1m48s  cron  hello 2.10-3",
        ])
  }

  @Test func `what was asked for and how many packages in all are two numbers`() {
    func what(_ job: JobSnapshot) -> String {
      String(JobTable.job(job)[0].dropFirst("job 1: ".count))
    }
    let dependency = Scene.planned("lib", isRequested: false)
    #expect(what(Scene.job(1, [Scene.planned("a")])) == "a 1.0-1")
    #expect(what(Scene.job(1, [dependency, Scene.planned("a")])) == "a 1.0-1, 2 packages in all")
    #expect(what(Scene.job(1, [Scene.planned("a"), Scene.planned("b")])) == "a and 1 more")
    var partly = Scene.job(1, [Scene.planned("a"), Scene.planned("b"), dependency, dependency])
    partly.updateSteps[1] = nil
    partly.planCount = 3
    #expect(what(partly) == "a and 1 more (1 needs nothing), 3 packages in all")
    var held = partly
    held.updates[1].planned.keptBack = "it is held at 1.0"
    held.planCount = 1
    #expect(what(held) == "a and 1 more (1 stays: it is held at 1.0), 1 package in all")
    partly.updateSteps = [nil, nil]
    partly.planCount = 0
    #expect(what(partly) == "a and 1 more, none needs anything")
    partly.planCount = 1
    #expect(what(partly) == "a and 1 more, none needs anything; mends 1 package")
    var all = Scene.job(1, [dependency], operation: .upgrade)
    #expect(what(all) == "upgrade 1 package")
    all.planCount = 0
    #expect(what(all) == "upgrade nothing")
  }

  @Test func `the history says when each job ended and how`() {
    let done = Scene.ended(
      Scene.job(1, [Scene.planned("a")]), .succeeded, percent: 100, results: [.succeeded])
    let warned = Scene.ended(
      Scene.job(2, [Scene.planned("b")]), .succeededWithErrors, percent: 60, results: [.failed])
    #expect(
      JobTable.history([warned, done], timeOffset: 3600) == [
        "JOB  ENDED                RESULT                  TOOK  BY   WHAT",
        "  2  2026-01-01 13:03:28  succeeded with errors  1m48s  ops  b 1.0-1",
        "  1  2026-01-01 13:03:28  succeeded              1m48s  ops  a 1.0-1",
      ])
  }

  @Test func `what ended with errors has a mark, a letter and a word of its own`() {
    let others = JobMark.allCases.filter { $0 != .warned }
    #expect(!others.contains { $0.glyph == JobMark.warned.glyph })
    #expect(!others.contains { $0.letter == JobMark.warned.letter })
    #expect(!others.contains { $0.countWord == JobMark.warned.countWord })
  }

  @Test func `what stays as it is was not upgraded`() {
    var job = Scene.ended(
      Scene.job(1, [Scene.planned("a"), Scene.planned("held")], operation: .upgrade), .succeeded,
      percent: 100, results: [.succeeded, .succeeded])
    job.updates[1].note = .notReached
    job.plan?[1].note = .notReached
    let (_, lines) = Self.report([job], only: [JobID(1)])
    #expect(lines.last == "job 1 succeeded: a upgraded; held left out")
    let row = JobTable.job(job).first { $0.hasPrefix("held ") }
    #expect(row?.contains("left out") == true)
  }

  @Test func `what could be upgraded is a line each, with why it is kept back`() {
    var held = Scene.planned("b", "2.0", from: "1.0")
    held.keptBack = "held"
    var urgent = Scene.planned("c", "2.0", from: "1.0")
    urgent.isSecurity = true
    #expect(
      UpdatesTable.lines([Scene.planned("a", "2.0", from: "1.0"), held, urgent]) == [
        "PACKAGE  ARCH   FROM  TO    FETCH  ORIGIN",
        "a        amd64  1.0   2.0  480 kB  Debian:bookworm/main",
        "b        amd64  1.0   2.0  480 kB  Debian:bookworm/main            kept back: held",
        "c        amd64  1.0   2.0  480 kB  Debian:bookworm/main  security",
        "2 packages can be upgraded, 960 kB to fetch; 1 kept back",
      ])
    #expect(UpdatesTable.lines([]).count == 1)
  }

  @Test func `one job is shown with its packages`() throws {
    let lines = JobTable.job(Scene.upgrade)
    #expect(lines[0] == "job 1042: upgrade libc6 and 4 more, 6 packages in all")
    #expect(lines.contains("  state:      unpack, package 3/6"))
    #expect(
      lines.contains(
        "  abort:      abort now would stop after linux-image-6.1.0-31-amd64 (about 7s)"))
    let header = try #require(lines.first { $0.hasPrefix("PACKAGE") })
    let row = try #require(lines.first { $0.hasPrefix("libc6 ") })
    let column = try #require(header.firstRange(of: "STAGE")).lowerBound
    #expect(row.dropFirst(header[..<column].count).hasPrefix("upgraded"))
    #expect(lines.contains { $0.hasPrefix("old-kernel") })
  }
}

@Suite struct Logs {
  @Test func `pieces join to lines, what is known is left out, a gap is told`() {
    var log = LogTail(job: JobID(1))
    log.append(offset: 0, text: "one\ntw")
    log.append(offset: 6, text: "o\r\nthree\n")
    log.append(offset: 0, text: "one\n")
    log.append(offset: 9, text: "three\nfour\n")
    #expect(log.lines == ["one", "two", "three", "four"])
    log.append(offset: 30, text: "later\n")
    #expect(log.lines.suffix(2) == ["[10 bytes of the log are not shown]", "later"])
    #expect(log.end == 36)
  }

  @Test func `a log that begins late says so`() {
    var log = LogTail(job: JobID(1))
    log.append(offset: 100, text: "x\n")
    #expect(log.lines == ["[the log begins earlier]", "x"])
  }

  @Test func `what is kept is bounded, whatever a job prints`() {
    var log = LogTail(job: JobID(1))
    var offset: Int64 = 0
    for _ in 0..<20 {
      let text = String(repeating: "a line\n", count: 500)
      log.append(offset: offset, text: text)
      offset += Int64(text.utf8.count)
    }
    log.append(offset: offset, text: String(repeating: "ä", count: 100_000))
    #expect(log.lines.count <= LogTail.capacity * 5 / 4 + 1)
    #expect(log.lines.allSatisfy { $0.utf8.count <= LogTail.lineCapacity + 3 })
    #expect(log.dropped + log.lines.count == 10_001)
    #expect(log.lines.last?.hasSuffix(" [the rest of this line is left out]") == true)
  }

  @Test func `scrolling up holds the log, End follows again`() {
    var state = Scene.monitor([Scene.upgrade], log: String(repeating: "x\n", count: 200))
    Scene.press([.character("3"), .pageUp], in: &state)
    let look = Golden.looks[0].look
    let before = state.render(state.size, look).text.split(separator: "\n").dropFirst(2).first
    #expect(!state.logView.isFollowing)
    _ = state.update(
      Scene.event(1042, .log(offset: 400, text: "new\nnew\nnew\n")))
    let after = state.render(state.size, look).text
    #expect(after.split(separator: "\n").dropFirst(2).first == before)
    #expect(after.contains("log, paused, 3 new below"))
    Scene.press([.end], in: &state)
    #expect(state.logView.isFollowing)
    #expect(state.render(state.size, look).text.contains("new"))
  }

  @Test func `finding in the log marks the words and holds their line`() {
    let lines = (1...200).map { "line \($0)\n" }.joined()
    var state = Scene.monitor([Scene.upgrade], log: lines)
    Scene.press(
      [.character("3"), .character("/")] + "line 7".map { .character($0) } + [.enter], in: &state)
    let canvas = state.render(state.size, Golden.looks[0].look)
    #expect(canvas.text.split(separator: "\n")[2] == ">line 7")
    let marked = canvas[Point(column: 1, row: 2)].style
    #expect(marked == Golden.looks[0].look.theme.style(.logMatch))
  }

  @Test func `live lines wait for the piece that was asked for, and a gap asks again`() {
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot([Scene.upgrade]))
    #expect(
      state.update(.snapshotEnd(seq: 1)) == [
        .fetchPlan(JobID(1042)), .fetchLog(JobID(1042), from: nil),
      ])
    #expect(state.update(Scene.event(1042, .log(offset: 104, text: "live\n"))).isEmpty)
    #expect(state.log.lines.isEmpty)
    _ = state.update(.logChunk(JobID(1042), offset: 100, text: "old\nlive\n"))
    _ = state.update(Scene.event(1042, .log(offset: 109, text: "next\n")))
    #expect(state.log.lines == ["[the log begins earlier]", "old", "live", "next"])
    #expect(
      state.update(Scene.event(1042, .log(offset: 120, text: "far\n"))) == [
        .fetchLog(JobID(1042), from: 114)
      ])
    _ = state.update(.logChunk(JobID(1042), offset: 114, text: "missed\nfar\n"))
    #expect(state.log.lines.suffix(2) == ["missed", "far"])
  }

  @Test func `a gap that nobody can fill is shown and not asked for for ever`() {
    var state = Scene.monitor([Scene.upgrade], log: "one\n")
    let far = Scene.event(1042, .log(offset: 50, text: "far\n"))
    #expect(state.update(far) == [.fetchLog(JobID(1042), from: 4)])
    _ = state.update(.logChunk(JobID(1042), offset: 4, text: ""))
    #expect(state.update(far).isEmpty)
    #expect(state.log.lines == ["one", "[46 bytes of the log are not shown]", "far"])
  }

  @Test func `only the log of the shown job is kept`() {
    var state = Scene.monitor()
    _ = state.update(.logChunk(JobID(1043), offset: 0, text: "other\n"))
    _ = state.update(Scene.event(1043, .log(offset: 0, text: "other\n")))
    #expect(!state.log.lines.contains("other"))
    Scene.press([.down], in: &state)
    #expect(state.log.lines.isEmpty)
    #expect(state.book[JobID(1042)]?.job.plan == nil)
  }
}

@Suite struct LogWindows {
  static func log(_ lines: [String]) -> LogTail {
    var log = LogTail(job: JobID(1))
    log.append(offset: 0, text: lines.joined(separator: "\n") + "\n")
    return log
  }

  @Test func `wrapped lines go on in the next row, from the end or from where one reads`() {
    let log = Self.log(["short", String(repeating: "ab", count: 10), "日本語日本語"])
    var view = LogView()
    view.toggleWrap()
    var window = LogWindow(log, view, rows: 4, columns: 8)
    #expect(window.rows == ["abababab", "abab", "日本語日", "本語"])
    view.hold(log, rows: 9)
    window = LogWindow(log, view, rows: 3, columns: 8)
    #expect(window.rows == ["short", "abababab", "abababab"] && window.below == 1)
  }

  @Test func `the log is moved sideways by columns, never before its first`() {
    let log = Self.log(["0123456789", "日本語", ""])
    var view = LogView()
    view.shift(by: 3)
    #expect(LogWindow(log, view, rows: 9, columns: 80).rows == ["3456789", "語", ""])
    view.shift(by: -20)
    #expect(view.shift == 0)
  }
}
