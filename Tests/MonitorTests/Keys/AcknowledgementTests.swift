import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct Acknowledgements {
  /// A monitor at `seconds` whose first job was just asked to stop.
  static func asked(_ size: Size = Size(columns: 80, rows: 24)) -> MonitorState {
    var state = Scene.monitor(size: size)
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.character("x"), .character("a")], in: &state)
    return state
  }

  static func row(_ state: MonitorState, _ id: Int) -> String {
    let text = state.render(state.size, Golden.looks[0].look).text
    return text.split(separator: "\n").first { $0.contains(" \(id) ") }.map(String.init) ?? ""
  }

  @Test func `an abort without an answer shows its age, after 5 s as not acknowledged`() {
    var state = Self.asked()
    #expect(Self.row(state, 1042).contains("abort asked  "))
    for (seconds, words) in [
      (3, "abort asked 3s"), (4, "abort asked 4s"), (5, "not acknowledged 5s"),
      (65, "not acknowledged 1m05s"),
    ] {
      _ = state.update(.clock(Scene.at(200 + Double(seconds))))
      #expect(Self.row(state, 1042).contains(words))
      #expect(Self.row(state, 1042).contains("61%"))
      #expect(!Self.row(state, 1043).contains("ack"))
    }
    Scene.press([.enter], in: &state)
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("not acknowledged 1m05s"))
    #expect(text.contains("asked for 1m05s ago: not acknowledged, the engine has not answered"))
  }

  @Test func `columns in any order have a place for it`() {
    let choices = ColumnChoice.Column.allCases
    for shift in choices.indices {
      for isBackward in [false, true] {
        let turned = Array(choices[shift...] + choices[..<shift])
        for columns in [120, 80, 64, 60, 40] {
          var state = Self.asked(Size(columns: columns, rows: 24))
          state.preferences.columns = ColumnChoice(isBackward ? turned.reversed() : turned)
          _ = state.update(.clock(Scene.at(207)))
          #expect(state.render(state.size, Golden.looks[0].look).size == state.size)
        }
      }
    }
  }

  @Test(arguments: [80, 60, 40, 36])
  func `the age of an abort without an answer is seen in narrow windows too`(_ columns: Int) {
    var state = Self.asked(Size(columns: columns, rows: 24))
    _ = state.update(.clock(Scene.at(207)))
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(
      Self.row(state, 1042).contains(columns >= 40 ? "not acknowledged 7s" : "no ack"))
    #expect(text.contains("asked for 7s ago"))
  }

  @Test func `a silent engine does not hide how long it has not acknowledged an abort`() {
    var state = Self.asked()
    _ = state.update(.link(.stale(seconds: 6)))
    _ = state.update(.clock(Scene.at(206)))
    #expect(Self.row(state, 1042).contains("not acknowledged 6s"))
  }

  static let record = AbortRecord(
    requestedAt: Scene.at(200), requestedBy: Scene.ops,
    disposition: .accepted(stopsAfter: "libc-bin"), acknowledgedAt: Scene.at(206))

  static let endings: [[MonitorEvent]] = [
    [.abortAnswer(JobID(1042), record.disposition)],
    [Scene.event(1042, .abortRequested(record), at: 206)],
    [.failed(InstallationError(.notPermitted, "no"), job: JobID(1042))],
    [Scene.event(1042, .completed(Keys.outcome(.succeeded, 100, Scene.upgrade.updates)), at: 206)],
    [.link(.lost(retryIn: 1)), .snapshotBegin, .snapshot(Scene.queue), .snapshotEnd(seq: 50)],
  ]

  @Test(arguments: endings)
  func `the answer, a failure, the end or a new connection end the waiting`(
    _ events: [MonitorEvent]
  ) {
    var state = Self.asked()
    _ = state.update(.clock(Scene.at(206)))
    #expect(Self.row(state, 1042).contains("not acknowledged"))
    #expect(state.nextMoment != nil)
    for event in events { _ = state.update(event) }
    #expect(!Self.row(state, 1042).contains("not acknowledged"))
    #expect(state.pendingCommands.areAbortsAnswered)
  }

  @Test func `the time is asked for once a second, and only while an abort waits`() {
    var idle = Scene.monitor(Scene.queue.filter { $0.state.isFinal || $0.state == .queued })
    _ = idle.update(.clock(Scene.at(200)))
    #expect(idle.nextMoment == nil)
    var state = Self.asked()
    for second in 200..<210 {
      #expect(state.nextMoment == Scene.at(Double(second) + 1))
      _ = state.update(.clock(Scene.at(Double(second) + 0.4)))
      #expect(state.nextMoment == Scene.at(Double(second) + 1))
      _ = state.update(.clock(Scene.at(Double(second) + 1)))
    }
    _ = state.update(.abortAnswer(JobID(1042), .accepted(stopsAfter: "libc-bin")))
    #expect(state.nextMoment == nil)
  }

  @Test func `of several, each has its own age and the last answer ends the counting`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.character(" "), .character(" "), .character("x"), .character("a")], in: &state)
    _ = state.update(.clock(Scene.at(203)))
    Scene.press([.end, .home], in: &state)
    while state.selected != JobID(1047) { Scene.press([.down], in: &state) }
    Scene.press([.character("x"), .character("a")], in: &state)
    _ = state.update(.clock(Scene.at(206)))
    #expect(Self.row(state, 1042).contains("not acknowledged 6s"))
    #expect(Self.row(state, 1043).contains("not acknowledged 6s"))
    #expect(Self.row(state, 1047).contains("abort asked 3s"))
    for id in [1042, 1043] { _ = state.update(.abortAnswer(JobID(id), .alreadyCompleted)) }
    #expect(state.nextMoment != nil)
    _ = state.update(.abortAnswer(JobID(1047), .alreadyCompleted))
    #expect(state.pendingCommands.areAbortsAnswered)
  }

  @Test func `an acknowledged abort says when it was asked for, which stays right`() {
    var job = Scene.upgrade
    job.etaSeconds = nil
    var state = Scene.monitor([job])
    // A clock here that is an hour ahead of the engine's.
    _ = state.update(.clock(Scene.at(3800)))
    _ = state.update(Scene.event(1042, .abortRequested(Self.record), at: 206))
    let words = "stops after libc-bin · asked for by ops at 12:03:20"
    #expect(Self.detail(state).contains(words))
    _ = state.update(.clock(Scene.at(3900)))
    #expect(Self.detail(state).contains(words))
    // Nothing counts on: nobody is woken for it.
    #expect(state.nextMoment == nil)
  }

  @Test func `an ended job keeps who asked for its abort, when, and what came of it`() {
    var job = Scene.ended(
      Scene.job(1036, [Scene.planned("tree"), Scene.planned("sl")]), .aborted, percent: 31,
      results: [.succeeded, .notStarted], took: 140)
    job.abort = Self.record
    for key in ["1", "2", "4"] {
      var state = Scene.monitor([job], size: Size(columns: 120, rows: 24))
      Scene.press([.character(Character(key))], in: &state)
      #expect(
        Self.detail(state).contains(
          "abort asked for by ops at 12:03:20, acknowledged 12:03:26, honoured 12:04:00"))
    }
    #expect(
      JobTable.job(job).contains(
        "  abort:      abort asked for by ops at 12:03:20, acknowledged 12:03:26, honoured 12:04:00"
      ))
    job.resultCode = .succeeded
    job.abort?.acknowledgedAt = nil
    #expect(
      JobTable.job(job).contains(
        "  abort:      abort asked for by ops at 12:03:20, finished before the stop"))
    for (code, state, words) in [
      (OperationResultCode.succeededWithErrors, JobState.completed, "finished"),
      (.failed, .completed, "failed"), (.failed, .interrupted, "interrupted"),
    ] {
      (job.resultCode, job.state) = (code, state)
      #expect(JobTable.job(job).contains { $0.hasSuffix(", \(words) before the stop") })
    }
    (job.resultCode, job.state) = (.succeeded, .completed)
    var refused = Self.record
    refused.disposition = .refused(reason: .finalStep("sl"))
    job.abort = refused
    #expect(!JobTable.job(job).contains { $0.contains("asked for") })
  }

  @Test func `a job that stops says when it was asked to and when it agreed`() {
    var job = Scene.upgrade
    job.state = .stopping
    job.abort = Self.record
    var state = Scene.monitor([job], size: Size(columns: 120, rows: 24))
    let words =
      "stops after libc-bin · asked for by ops at 12:03:20, acknowledged 12:03:26"
    #expect(Self.detail(state).contains(words))
    Scene.press([.enter], in: &state)
    #expect(Self.detail(state).contains(words))
    #expect(
      JobTable.job(job).contains(
        "  request:    abort asked for by ops at 12:03:20, acknowledged 12:03:26"))
    #expect(JobTable.job(job).contains("  abort:      stops after libc-bin"))
  }

  static func detail(_ state: MonitorState) -> String {
    state.render(state.size, Golden.looks[0].look).text
  }
}
