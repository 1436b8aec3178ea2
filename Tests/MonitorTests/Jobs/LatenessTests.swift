import Canvas
import InstallJobs
import JobText
import Testing

@testable import Monitor

@Suite struct Lateness {
  static func tick(_ percent: Double, eta: Double?) -> JobEvent.Payload {
    .progress(
      JobProgressTick(
        percentComplete: percent, currentUpdateIndex: 0, currentStepIndex: 2, downloadedBytes: 0,
        bytesPerSecond: nil, etaSeconds: eta, lastActivityAt: nil, isStalled: false,
        abortPreview: .accepted(stopsAfter: nil), steps: []))
  }

  /// A monitor of one job that promised at second 160 to be over in 30 seconds.
  static func promised(_ size: Size = Size(columns: 80, rows: 24)) -> MonitorState {
    var state = Scene.monitor([Scene.upgrade], size: size)
    _ = state.update(.clock(Scene.at(160)))
    _ = state.update(Scene.event(1042, tick(62, eta: 30), at: 160))
    return state
  }

  static func tail(_ state: MonitorState) -> String {
    state.book[JobID(1042)].map { state.words(of: $0).tail } ?? ""
  }

  @Test func `a job that has passed its promised end says by how much`() {
    var state = Self.promised()
    #expect(Self.tail(state) == "~30s")
    for (seconds, words) in [(30.0, "~30s"), (31, "+1s late"), (50, "+20s late")] {
      _ = state.update(.clock(Scene.at(160 + seconds)))
      #expect(Self.tail(state) == words)
    }
    #expect(Acknowledgements.row(state, 1042).contains(" +20s late"))
    Scene.press([.enter], in: &state)
    #expect(
      state.render(state.size, Golden.looks[0].look).text.contains("62%  elapsed 1m50s  +20s late"))
  }

  @Test func `figures without progress put no end off, progress makes a new promise`() {
    var state = Self.promised()
    for second in 161...200 {
      let climbing = 30 + Double(second - 160)
      _ = state.update(.clock(Scene.at(Double(second))))
      _ = state.update(Scene.event(1042, Self.tick(62, eta: climbing), at: Double(second)))
      if second <= 190 { #expect(Self.tail(state) == "~\(190 - second)s") }
    }
    #expect(Self.tail(state) == "+10s late")
    _ = state.update(Scene.event(1042, Self.tick(70, eta: 12), at: 201))
    #expect(Self.tail(state) == "~12s")
  }

  @Test func `what is left changes at most once a second`() {
    var state = Self.promised()
    var shown: [String] = []
    for tenth in 1...40 {
      let at = 160 + Double(tenth) / 10
      _ = state.update(
        Scene.event(1042, Self.tick(62 + at / 1000, eta: 30 + Double(tenth % 7)), at: at))
      if shown.last != Self.tail(state) { shown.append(Self.tail(state)) }
    }
    #expect(shown.count <= 5)
    #expect(shown.count >= 3)
  }

  @Test func `what is left is hidden in the first 3 s, below 2 %, and while a job cannot go on`() {
    let job = Scene.running(Scene.job(1042, [Scene.planned("a")]), .installing, percent: 0)
    var state = Scene.monitor([job])
    _ = state.update(Scene.event(1042, Self.tick(50, eta: 9), at: 102.9))
    #expect(Self.tail(state).isEmpty)
    state = Scene.monitor([job])
    _ = state.update(Scene.event(1042, Self.tick(1.9, eta: 9), at: 110))
    #expect(Self.tail(state).isEmpty)
    _ = state.update(Scene.event(1042, Self.tick(2, eta: 9), at: 112))
    #expect(Self.tail(state) == "~9s")
    let waiting = JobStateChange(.waitingForInput, abortPreview: .accepted(stopsAfter: nil))
    _ = state.update(Scene.event(1042, .state(waiting), at: 113))
    _ = state.update(.clock(Scene.at(500)))
    #expect(Self.tail(state).isEmpty)
    #expect(state.nextMoment == nil)
  }

  @Test func `one is woken for the lateness and for nothing before it`() {
    var state = Self.promised()
    #expect(state.nextMoment == Scene.at(191))
    _ = state.update(.clock(Scene.at(191)))
    #expect(state.nextMoment == Scene.at(192))
    _ = state.update(.clock(Scene.at(192.5)))
    #expect(state.nextMoment == Scene.at(193))
    let done = Keys.outcome(.succeeded, 100, Scene.upgrade.updates)
    _ = state.update(Scene.event(1042, .completed(done), at: 193))
    #expect(state.nextMoment == nil)
  }

  @Test func `a held or stale display does not count on`() {
    var state = Self.promised()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.character("z")], in: &state)
    _ = state.update(.clock(Scene.at(300)))
    #expect(Self.tail(state) == "+10s late")
    #expect(state.nextMoment == nil)
    Scene.press([.character("z")], in: &state)
    #expect(Self.tail(state) == "+1m50s late")
    _ = state.update(.link(.stale(seconds: 6)))
    #expect(!Acknowledgements.row(state, 1042).contains("late"))
    #expect(state.nextMoment == nil)
  }

  @Test(arguments: [(120, "+20s late"), (80, "+20s late"), (40, "late 20s"), (36, "late 20s")])
  func `a lateness is said as fully as there is room`(_ columns: Int, _ words: String) {
    var state = Self.promised(Size(columns: columns, rows: 24))
    _ = state.update(.clock(Scene.at(210)))
    #expect(Acknowledgements.row(state, 1042).contains(words))
  }

  @Test func `a new connection does not put off an end by an estimate that climbed`() {
    var state = Self.promised()
    _ = state.update(.clock(Scene.at(185)))
    var job = Scene.upgrade
    (job.percentComplete, job.etaSeconds, job.lastActivityAt) = (62, 55, Scene.at(185))
    Returns.connect(&state, [job])
    #expect(Self.tail(state) == "~5s")
    (job.percentComplete, job.etaSeconds, job.lastActivityAt) = (70, 12, Scene.at(189))
    Returns.connect(&state, [job])
    #expect(Self.tail(state) == "~12s")
  }

  @Test func `however many jobs are overdue and aborts open, one is woken once a second`() {
    let jobs = (0..<8).map { index in
      var job = Scene.running(
        Scene.job(1042 + index, [Scene.planned("a")]), .installing, percent: 50)
      job.etaSeconds = 20 + Double(index) / 10
      return job
    }
    var state = Scene.monitor(jobs)
    _ = state.update(.clock(Scene.at(200)))
    var status = Scene.status
    status.time = Scene.at(200)
    _ = state.update(.engine(status))
    for isAsked in [false, true] {
      if isAsked { Scene.press([.character("x"), .character("a")], in: &state) }
      let begin = state.time.here ?? Scene.noon
      var wakes = 0
      while let moment = state.nextMoment, moment.seconds(since: begin) <= 5 {
        _ = state.update(.clock(moment))
        wakes += 1
      }
      #expect(wakes == 5)
    }
  }

  @Test func `a lateness takes no other column's place where the speed stands elsewhere`() throws {
    var preferences = Preferences()
    while preferences.columns.move(.speed, by: -1) {}
    var state = MonitorState(size: Size(columns: 80, rows: 24), preferences: preferences)
    for event in [MonitorEvent.snapshotBegin, .snapshot([Scene.upgrade]), .snapshotEnd(seq: 40)] {
      _ = state.update(event)
    }
    _ = state.update(.clock(Scene.at(160)))
    _ = state.update(Scene.event(1042, Self.tick(62, eta: 30), at: 160))
    let before = Acknowledgements.row(state, 1042)
    _ = state.update(.clock(Scene.at(160 + 30 + 4000)))
    let row = Acknowledgements.row(state, 1042)
    let tracks = JobColumn.arranged(state, columns: 80)
    let tail = try #require(tracks.first { $0.id == .tail })
    #expect(tracks.last { $0.start < tail.start }?.id != .speed)
    #expect(row.prefix(tail.start) == before.prefix(tail.start))
    #expect(row.contains("late"))
  }

  @Test func `rows, order and lines show the same time left`() {
    var other = Scene.nginx
    other.etaSeconds = 15
    other.lastActivityAt = Scene.at(160)
    var state = Scene.monitor([Scene.upgrade, other])
    state.sort(by: JobSort(.time))
    _ = state.update(Scene.event(1042, Self.tick(62, eta: 30), at: 160))
    #expect(Arrangements.order(state) == [1043, 1042])
    // The estimate climbs without progress; what was promised counts down.
    _ = state.update(Scene.event(1042, Self.tick(62, eta: 300), at: 180))
    #expect(Self.tail(state) == "~10s")
    #expect(Arrangements.order(state) == [1042, 1043])
    var report = PlainReport()
    for event in [MonitorEvent.snapshotBegin, .snapshot([Scene.upgrade]), .snapshotEnd(seq: 40)] {
      _ = report.apply(event)
    }
    _ = report.apply(Scene.event(1042, Self.tick(62, eta: 30), at: 160))
    let lines = report.apply(Scene.event(1042, Self.tick(62, eta: 300), at: 181))
    #expect(lines.allSatisfy { $0.hasSuffix(" eta=9s") } && lines.count == 1)
    #expect(
      report.apply(Scene.event(1042, Self.tick(62, eta: 300), at: 212)).first?
        .hasSuffix(" eta=0s late=22s") == true)
  }
}
