import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct Truth {
  @Test func `text from packages, people and logs never reaches a cell or a line unescaped`() {
    let hostile = "ev\u{1B}]0;owned\u{7}il\u{1B}[2J\u{9B}31m\u{202E}\r\n\u{0}"
    var job = Scene.running(
      Scene.job(66, [Scene.planned(hostile, hostile, from: hostile)], by: hostile), .installing,
      percent: 10)
    job.options.comment = hostile
    job.waitingFor = WaitReason(.lock, hostile, holder: LockHolder(pid: 1, command: hostile))
    job.abortPreview = .refused(reason: AbortRefusal(.finalStep, hostile))
    var state = Scene.monitor(
      [job], size: Size(columns: 120, rows: 40), log: hostile + "\n" + hostile)
    _ = state.update(.failed(InstallationError(.internal, hostile, hint: hostile)))
    for keys in [[], [Key.enter], [.character("3")], [.character("1"), .character("x")]] {
      Scene.press(keys, in: &state)
      for size in Golden.sizes {
        for look in Golden.looks {
          for cell in state.render(size, look.look).cells {
            let value = cell.base.value
            #expect(value >= 0x20 && !(0x7F...0x9F).contains(value) && value != 0x202E)
          }
        }
      }
    }
    var report = PlainReport()
    _ = report.apply(.snapshotBegin)
    _ = report.apply(.snapshot([job]))
    var lines = report.apply(.snapshotEnd(seq: 1))
    lines += report.apply(
      Scene.event(
        66,
        .completed(
          Keys.outcome(
            .failed, 10, job.updates, error: InstallationError(.packageFailed, hostile)))))
    lines += report.apply(.failed(InstallationError(.internal, hostile)))
    lines += JobTable.jobs([job]) + JobTable.job(job) + [JobTable.line(of: job)]
    #expect(lines.count > 8)
    for line in lines {
      #expect(
        line.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E
        })
    }
  }

  @Test func `C22: every state of a job has its own word on the screen`() {
    var phases: Set<String> = []
    for state in JobState.allCases {
      var job = Scene.running(Scene.job(5, [Scene.planned("jq")]), state, percent: 10, step: nil)
      if state == .completed { job.resultCode = .succeeded }
      phases.insert(JobWords(job).phase)
    }
    #expect(phases.count == JobState.allCases.count)
    #expect(phases.allSatisfy { $0.count <= 12 })
  }

  @Test func `C22: the phase of the package at work is the job's word`() {
    var state = Scene.monitor([Scene.upgrade])
    for phase in [UpdatePhase.unpacked, .configuring, .triggers] {
      let change = Scene.upgrade.plan.map { plan in
        var status = plan[2]
        status.phase = phase
        return status
      }
      guard let change else { return }
      _ = state.update(Scene.event(1042, .update(index: 2, status: change)))
      let row = state.render(state.size, Golden.looks[0].look).text.split(separator: "\n")
        .first { $0.contains(" 1042 ") }
      #expect(row?.contains(phase.word) == true)
    }
  }

  @Test func `states differ by glyph or word, and each glyph is one cell in both sets`() {
    let marks = JobMark.allCases
    #expect(Set(marks.map { "\($0.glyph)\($0.countWord)" }).count == marks.count)
    for mark in marks {
      #expect(TextWidth.of(mark.glyph) == 1)
      #expect(mark.letter.isASCII)
    }
  }

  @Test func `bars never go back, whatever arrives`() {
    var state = Scene.monitor([Scene.upgrade])
    var numbers = SystemRandomNumberGenerator()
    var last = 0.0
    var steps = [Double](repeating: 0, count: 6)
    for _ in 0..<500 {
      let index = Int.random(in: 0..<6, using: &numbers)
      var status = UpdateStatus(Scene.planned("p\(index)"))
      status.phase = UpdatePhase.allCases.randomElement(using: &numbers) ?? .pending
      status.percentComplete = Double.random(in: -10...100, using: &numbers)
      _ = state.update(Scene.event(1042, .update(index: index, status: status)))
      let tick = JobProgressTick(
        percentComplete: Double.random(in: -10...99, using: &numbers), currentUpdateIndex: nil,
        currentStepIndex: index, downloadedBytes: Int64.random(in: 0...9_000_000, using: &numbers),
        bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
        abortPreview: .accepted(stopsAfter: nil),
        steps: [
          JobProgressTick.Step(
            index: index, percentComplete: Double.random(in: -10...100, using: &numbers),
            downloadedBytes: 5)
        ])
      _ = state.update(Scene.event(1042, .progress(tick)))
      if Bool.random(using: &numbers), let plan = Scene.upgrade.plan {
        _ = state.update(.plan(JobID(1042), plan))
      }
      let job = state.book[JobID(1042)]?.job
      let percent = job?.percentComplete ?? -1
      #expect(percent >= last)
      last = percent
      for (step, status) in (job?.plan ?? []).enumerated() {
        #expect(status.percentComplete >= steps[step])
        steps[step] = status.percentComplete
      }
      #expect(job?.plan?.count == 6)
    }
  }

  @Test func `a bar is full only when its package is there`() {
    let look = Golden.looks[0].look
    var job = Scene.upgrade
    job.plan?[2].percentComplete = 99.99
    job.percentComplete = 99.99
    var state = Scene.monitor([job], size: Size(columns: 120, rows: 40))
    Scene.press([.enter], in: &state)
    let rows = state.render(state.size, look).text.split(separator: "\n")
    let row = rows.first { $0.contains("> ▸") }
    #expect(row?.contains("  99%") == true)
    #expect(row?.contains("─") == true)
    #expect(rows[2].contains("99%") && !rows[2].contains("100%"))
  }

  @Test func `progress that cannot be known has no figure and only then ticks are wanted`() {
    var status = UpdateStatus(Scene.planned("old", nil, from: "1.0", size: 0, action: .remove))
    status.phase = .removing
    #expect(UpdateGauge(status) == .unknown)
    status.phase = .pending
    #expect(UpdateGauge(status) == .none)
    #expect(!Scene.monitor([Scene.nginx]).wantsTick)
    let removal = Screens.cases.first { $0.name == "job-removal" }
    var state = removal?.make(Size(columns: 80, rows: 24)) ?? Scene.monitor([])
    #expect(state.wantsTick)
    _ = state.update(.link(.stale(seconds: 6)))
    #expect(!state.wantsTick)
  }

  @Test func `a tick changes nothing on a screen whose figures are all known`() {
    var state = Scene.monitor()
    let look = Golden.looks[0].look
    let before = state.render(state.size, look)
    _ = state.update(.tick)
    #expect(state.render(state.size, look) == before)
  }
}

@Suite struct Scale {
  static func many(_ count: Int) -> [JobSnapshot] {
    var jobs = (1...count).map { Scene.job($0, [Scene.planned("p\($0)")]) }
    jobs[0] = Scene.running(jobs[0], .installing, percent: 5)
    return jobs
  }

  /// Look-ups of jobs for one frame and for one event.
  static func work(_ count: Int) -> (frame: Int, event: Int) {
    let meter = JobStore.Meter()
    var state = Scene.monitor(many(count))
    state.book.meter = meter
    Scene.press([.pageDown, .pageDown], in: &state)
    let look = Golden.looks[0].look
    let start = meter.lookUps
    _ = state.render(state.size, look)
    let frame = meter.lookUps - start
    let done = Keys.outcome(.succeeded, 100, [])
    _ = state.update(Scene.event(1, .completed(done)))
    return (frame, meter.lookUps - start - frame)
  }

  @Test func `a frame and an event cost the same look-ups with 100,000 jobs as with 1,000`() {
    let (small, large) = (Self.work(1000), Self.work(100_000))
    #expect(small.frame == large.frame)
    #expect(small.event == large.event)
    #expect(large.frame < 60)
    #expect(large.event < 20)
  }

  @Test func `sums and lists agree with a count over all jobs after many events`() {
    var state = Scene.monitor(Self.many(300))
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let id = Int.random(in: 1...320, using: &numbers)
      let payload: JobEvent.Payload =
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: .submitted(Scene.job(id, [Scene.planned("new")], priority: id % 7))
        case 1: .state(JobStateChange(.installing, abortPreview: .alreadyCompleted))
        case 2: .completed(Keys.outcome(.failed, 30, []))
        case 3: .cleanedUp(by: Scene.ops)
        default: .state(JobStateChange(.waitingForLock, abortPreview: .alreadyCompleted))
        }
      _ = state.update(Scene.event(id, payload, at: Double(id)))
    }
    let jobs = (1...320).compactMap { state.book[JobID($0)] }
    let kept = jobs.filter { !$0.job.isCleanedUp }
    #expect(state.book.queue.places == kept.map { .queue($0.job) }.sorted())
    #expect(
      state.book.history.places
        == jobs.filter { $0.job.state.isFinal }.map { .history($0.job) }.sorted())
    for mark in JobMark.allCases {
      #expect(state.book.tally[mark] == kept.count { $0.mark == mark })
    }
    #expect(state.book.tally.jobs == kept.count)
    #expect(state.book.tally.over == kept.count { $0.job.state.isFinal })
  }

  @Test func `the queue goes by priority and number, then the ended ones, the newest first`() {
    let jobs = [
      Scene.job(1, [Scene.planned("a")]), Scene.job(2, [Scene.planned("b")], priority: 5),
      Scene.running(Scene.job(3, [Scene.planned("c")]), .installing, percent: 1),
      Scene.ended(
        Scene.job(4, [Scene.planned("d")]), .succeeded, percent: 100, results: [.succeeded], took: 5
      ),
      Scene.ended(
        Scene.job(5, [Scene.planned("e")]), .failed, percent: 1, results: [.failed], took: 9),
    ]
    let state = Scene.monitor(jobs)
    #expect(state.book.queue.places.map(\.job.rawValue) == [3, 2, 1, 5, 4])
    #expect(state.book[JobID(1)].flatMap { state.book.queuePlace(of: $0.job) } == 2)
  }
}

@Suite struct Endings {
  @Test(arguments: [
    (OperationResultCode.succeeded, UpdateNote?.none, "succeeded: jq installed"),
    (.succeeded, .alreadyInstalled, "succeeded: jq there already"),
    (.notStarted, .notReached, "aborted: jq not started"),
  ])
  func `an ending says what became of what was asked for`(
    _ code: OperationResultCode, _ note: UpdateNote?, _ sentence: String
  ) {
    var job = Scene.ended(
      Scene.job(5, [Scene.planned("jq")]), code == .succeeded ? .succeeded : .aborted, percent: 50,
      results: [code])
    job.updates[0].note = note
    #expect(JobEnding(job)?.sentence == sentence)
  }

  @Test func `many names are folded on the screen and listed in plain lines`() {
    let names = (1...9).map { "p\($0)" }
    let job = Scene.ended(
      Scene.job(5, names.map { Scene.planned($0) }), .succeeded, percent: 100,
      results: names.map { _ in .succeeded })
    #expect(JobEnding(job)?.sentence == "succeeded: p1, p2, p3 and 6 more installed")
    #expect(
      JobEnding(job)?.longSentence == "succeeded: " + names.joined(separator: ", ") + " installed")
  }

  @Test func `the last package can be scrolled to`() {
    let steps = (1...60).map { Scene.planned("p\($0)", isRequested: $0 == 60) }
    var state = Scene.monitor([Scene.running(Scene.job(7, steps), .installing, percent: 3)])
    Scene.press([.enter, .end], in: &state)
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains(" p60 ") && text.contains(" above, 0 below"))
    Scene.press([.home], in: &state)
    #expect(state.render(state.size, Golden.looks[0].look).text.contains(" p1 "))
  }

  @Test func `a job without its plan says that the plan is coming`() {
    let steps = (1...6).map { Scene.planned("p\($0)", isRequested: $0 == 6) }
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot([Scene.job(7, steps)]))
    _ = state.update(.snapshotEnd(seq: 1))
    Scene.press([.enter], in: &state)
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("the plan of 6 packages is on its way"))
  }
}
