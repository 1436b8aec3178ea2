import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

/// When jobs that wait begin and end, as the monitor adds it up.
@Suite struct Forecasts {
  static func waiting(_ id: Int, _ seconds: Double?, priority: Int = 0) -> JobSnapshot {
    var job = Scene.job(id, [Scene.planned("wait-\(id)")], priority: priority)
    job.expected = seconds.map {
      ExpectedWork(downloadSeconds: 0, packageSeconds: $0, spreadSeconds: 6)
    }
    return job
  }

  /// The upgrade with 60 seconds left at second 160, and three jobs behind it.
  static func monitor(_ size: Size = Size(columns: 80, rows: 24)) -> MonitorState {
    let jobs = [
      Scene.upgrade, waiting(1043, 30), waiting(1044, 200), waiting(1045, 50, priority: 1),
    ]
    var state = Scene.monitor(jobs, size: size)
    _ = state.update(.clock(Scene.at(160)))
    _ = state.update(Scene.event(1042, tick(62, eta: 60, spread: 8), at: 160))
    return state
  }

  static func tick(
    _ percent: Double, eta: Double?, spread: Double? = nil, overdue: OverdueStage? = nil
  ) -> JobEvent.Payload {
    var tick = JobProgressTick(
      percentComplete: percent, currentUpdateIndex: 0, currentStepIndex: 2, downloadedBytes: 0,
      bytesPerSecond: nil, etaSeconds: eta, lastActivityAt: nil, isStalled: false,
      abortPreview: .accepted(stopsAfter: nil), steps: [])
    tick.etaSpreadSeconds = spread
    tick.overdue = overdue
    return .progress(tick)
  }

  private func tail(_ state: MonitorState, _ id: Int) -> String {
    state.book[JobID(id)].map { state.words(of: $0).tail } ?? ""
  }

  private func wait(_ state: MonitorState, _ id: Int) -> String? {
    state.book[JobID(id)].flatMap { state.words(of: $0).waitReason(offset: 0) }
  }

  @Test func `each job that waits says when it begins and ends, in the queue's order`() {
    var state = Self.monitor()
    #expect(["~2m15s", "~5m45s", "~1m45s"] == [1043, 1044, 1045].map { tail(state, $0) })
    #expect(wait(state, 1043) == "job 1042 goes first: starts in ~1m45s, ends in ~2m15s")
    #expect(wait(state, 1045) == "job 1042 goes first: starts in ~1m00s, ends in ~1m45s")
    // The job at work comes nearer to its end, and with it all others.
    _ = state.update(Scene.event(1042, Self.tick(80, eta: 10), at: 165))
    #expect(tail(state, 1045) == "~1m00s")
    #expect(Acknowledgements.row(state, 1045).contains("  ~1m00s"))
  }

  @Test func `all is over when the last job that waits is, where all is known`() {
    var state = Self.monitor()
    #expect(state.overallEta == "~5m45s")
    #expect(state.render(state.size, Golden.looks[0].look).text.contains("over   eta ~5m45s"))
    let job = Self.waiting(1046, nil).withoutPlan
    _ = state.update(
      .event(JobEvent(seq: 41, at: Scene.at(161), job: job.id, payload: .submitted(job))))
    #expect(state.overallEta == nil)
  }

  @Test func `P6: no bar goes back when an engine that was away tells all anew`() {
    var state = Self.monitor()
    var job = Scene.upgrade
    job.percentComplete = 55
    Returns.connect(&state, [job])
    #expect(state.book[JobID(1042)]?.job.percentComplete == 62)
    // Another journal's job of the same number is another job.
    job.submittedAt = Scene.at(1)
    Returns.connect(&state, [job])
    #expect(state.book[JobID(1042)]?.job.percentComplete == 55)
  }

  @Test func `lines for a pipe tell what takes too long`() {
    var report = PlainReport()
    var job = Scene.upgrade
    job.overdue = OverdueStage(.unpack, of: "libc6", usualSeconds: 5, since: Scene.at(130))
    for event in [MonitorEvent.snapshotBegin, .snapshot([job])] { _ = report.apply(event) }
    let line = report.apply(.snapshotEnd(seq: 40)).first
    #expect(line?.contains("overdue=\"unpacks libc6\" usual=5.0s") == true)
  }

  @Test func `held, moved and aborted jobs take their seconds along`() {
    var state = Self.monitor()
    func change(_ id: Int, _ body: (inout JobStateChange) -> Void) {
      var change = JobStateChange(.queued, abortPreview: .accepted(stopsAfter: nil))
      body(&change)
      _ = state.update(Scene.event(id, .state(change), at: 161))
    }
    change(1045) { change in
      change.waitingFor = WaitReason(.paused, "held by ops")
      change.waitingFor?.by = Scene.ops
    }
    #expect(tail(state, 1045).isEmpty)
    #expect(tail(state, 1043) == "~1m30s")
    change(1045) { _ in }
    #expect(tail(state, 1043) == "~2m15s")
    change(1044) { $0.priority = 9 }
    #expect(tail(state, 1044) == "~4m15s")
    let done = Keys.outcome(.aborted, 0, [])
    _ = state.update(Scene.event(1044, .completed(done), at: 162))
    #expect(tail(state, 1043) == "~2m15s")
  }

  @Test func `a job counts from when its own time or job has come`() {
    var (after, later) = (Self.waiting(1044, 20), Self.waiting(1045, 40))
    after.options.after = JobID(1041)
    later.options.earliestStart = Scene.at(165)
    let before = Scene.running(Scene.job(1041, [Scene.planned("b")]), .suspended, percent: 20)
    var state = Scene.monitor([before, after, later, Self.waiting(1046, 5)])
    var status = Scene.status
    status.time = Scene.at(160)
    _ = state.update(.clock(Scene.at(160)))
    _ = state.update(.engine(status))
    let done = Keys.outcome(.succeeded, 100, [])
    _ = state.update(Scene.event(1041, .completed(done), at: 161))
    #expect([1044, 1045, 1046].map { tail(state, $0) } == ["~20s", "", "~25s"])
    _ = state.update(.clock(Scene.at(166)))
    #expect([1044, 1045, 1046].map { tail(state, $0) } == ["~20s", "~1m00s", "~1m00s"])
  }

  @Test(arguments: ["unknown", "late", "overdue", "lock", "stalled", "paused", "stale"])
  func `nothing is said where nobody knows`(_ what: String) {
    var state = Self.monitor()
    switch what {
    case "unknown":
      let job = Self.waiting(1046, nil, priority: 5).withoutPlan
      _ = state.update(
        .event(
          JobEvent(seq: 41, at: Scene.at(161), job: job.id, payload: .submitted(job))))
    case "late": _ = state.update(.clock(Scene.at(300)))
    case "overdue":
      let overdue = OverdueStage(.configure, of: "libfoo", usualSeconds: 5, since: Scene.at(130))
      _ = state.update(Scene.event(1042, Self.tick(62, eta: 500, overdue: overdue), at: 161))
    case "lock":
      let change = JobStateChange(.waitingForLock, abortPreview: .accepted(stopsAfter: nil))
      _ = state.update(Scene.event(1042, .state(change), at: 161))
    case "stalled":
      guard case .progress(var tick) = Self.tick(62, eta: nil) else { return }
      tick.isStalled = true
      _ = state.update(Scene.event(1042, .progress(tick), at: 161))
    case "paused":
      var status = Scene.status
      status.queue.pause = QueuePause(.request, by: Scene.ops, since: Scene.at(161))
      _ = state.update(.engine(status))
    default: _ = state.update(.link(.stale(seconds: 6)))
    }
    for id in 1043...1045 { #expect(tail(state, id).isEmpty, "\(id)") }
  }

  @Test func `a job that has just begun is foreseen by what is expected of it`() {
    var first = Self.waiting(1042, 90)
    first.state = .installing
    first.startedAt = Scene.at(159)
    var state = Scene.monitor([first, Self.waiting(1043, 30)])
    var status = Scene.status
    status.time = Scene.at(160)
    _ = state.update(.clock(Scene.at(160)))
    _ = state.update(.engine(status))
    #expect(tail(state, 1043) == "~2m00s")
    #expect(tail(state, 1042).isEmpty)
  }

  @Test func `how far an end may be off is said on the job's own screen, not in the list`() {
    var state = Self.monitor(Size(columns: 120, rows: 40))
    #expect(!Acknowledgements.row(state, 1042).contains("±"))
    Scene.press([.enter], in: &state)
    #expect(state.render(state.size, Golden.looks[0].look).text.contains("~1m00s ±8s"))
    _ = state.update(.clock(Scene.at(300)))
    #expect(!state.render(state.size, Golden.looks[0].look).text.contains("±"))
  }

  @Test func `a stage that takes too long is told with what is usual, and counted on`() {
    var state = Self.monitor(Size(columns: 120, rows: 40))
    let overdue = OverdueStage(.configure, of: "libfoo", usualSeconds: 5, since: Scene.at(130))
    _ = state.update(.clock(Scene.at(170)))
    _ = state.update(Scene.event(1042, Self.tick(62, eta: 500, overdue: overdue), at: 170))
    #expect(wait(state, 1042) == "configures libfoo for 40s, expected 5.0s")
    let next = state.nextMoment
    #expect(next == Scene.at(171))
    _ = state.update(.clock(Scene.at(171)))
    #expect(wait(state, 1042)?.contains("for 41s") == true)
    // What was promised is late, even when no other figure comes.
    _ = state.update(.clock(Scene.at(240)))
    _ = state.update(Scene.event(1042, Self.tick(62, eta: nil, overdue: overdue), at: 240))
    #expect(tail(state, 1042) == "+20s late")
    _ = state.update(Scene.event(1042, Self.tick(63, eta: 30), at: 241))
    #expect(wait(state, 1042) == nil)
  }
}

@Suite struct `The outlook on a queue` {
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 33)
    }
  }

  @Test(arguments: 1...4) func `is what adding up from the front gives`(seed: Int) {
    var random = Numbers(state: UInt64(seed))
    var known: [JobOrder.Place: QueueLoad] = [:]
    func some() -> (JobOrder.Place, QueueLoad) {
      let job = Forecasts.waiting(
        Int.random(in: 1...2000, using: &random),
        Int.random(in: 0..<200, using: &random) == 0
          ? nil : Double(Int.random(in: 0...50, using: &random)),
        priority: Int.random(in: -2...2, using: &random))
      return (.queue(job), QueueLoad(job))
    }
    for _ in 0..<300 {
      let (place, load) = some()
      known[place] = load
    }
    var outlook = QueueOutlook(known.map { ($0.key, $0.value) })
    for turn in 0..<4000 {
      let (place, load) = some()
      if Int.random(in: 0..<5, using: &random) < 3 {
        outlook.set(load, at: place)
        known[place] = load
      } else {
        let gone = turn.isMultiple(of: 2) ? known.keys.randomElement(using: &random) : nil
        outlook.remove(gone ?? place)
        known[gone ?? place] = nil
      }
      guard turn.isMultiple(of: 100) else { continue }
      let before = known.filter { $0.key < place }.sorted { $0.key < $1.key }
      let sum = before.reduce(QueueLoad()) { $0.followed(by: $1.value) }
      #expect(outlook.load(before: place) == sum)
    }
    let whole = known.sorted { $0.key < $1.key }.reduce(QueueLoad()) { $0.followed(by: $1.value) }
    #expect(outlook.load == whole)
    for place in known.keys { outlook.remove(place) }
    #expect(outlook.load(before: some().0) == QueueLoad())
  }
}

@Suite struct `What plain tables foresee` {
  private var job: JobSnapshot {
    var job = Forecasts.waiting(1043, 30)
    job.queuePosition = 2
    (job.startsInSeconds, job.endsInSeconds, job.etaSpreadSeconds) = (105, 135, 9.4)
    return job
  }

  @Test func `a job that waits says when it begins and ends`() {
    let row = JobTable.jobs([job])[1]
    #expect(row.contains("2nd in the queue, starts in ~1m45s"))
    #expect(row.contains("  ~2m15s  "))
    let lines = JobTable.job(job)
    #expect(lines.contains("  eta:        starts in ~1m45s, ends in ~2m15s +-10s"))
    var unknown = job
    (unknown.startsInSeconds, unknown.endsInSeconds) = (nil, nil)
    #expect(!JobTable.job(unknown).joined().contains("eta:"))
    #expect(!JobTable.jobs([unknown])[1].contains("~"))
  }

  @Test func `a job at work says how far its end may be off, and what takes too long`() {
    var job = Scene.upgrade
    job.etaSpreadSeconds = 12
    #expect(JobTable.job(job, now: Scene.at(160)).contains("  eta:        ~1m20s +-12s"))
    job.overdue = OverdueStage(.conclude, of: nil, usualSeconds: 2, since: Scene.at(140))
    let lines = JobTable.job(job, now: Scene.at(160))
    #expect(lines.contains("  eta:        ~1m20s"))
    #expect(lines.contains { $0.hasSuffix("runs triggers and verifies for 20s, expected 2.0s") })
    #expect(JobTable.jobs([job])[1].contains("  ~1m20s  "))
    job.etaSpreadSeconds = nil
    #expect(JobTable.job(job).contains("  eta:        ~1m20s"))
  }
}
