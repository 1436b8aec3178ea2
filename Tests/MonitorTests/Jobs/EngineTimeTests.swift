import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct EngineTimes {
  /// A message of the engine that was written at one second and came at another.
  static func tell(_ state: inout MonitorState, _ written: Double, cameAt here: Double) {
    _ = state.update(.clock(Scene.at(here)))
    _ = state.update(Scene.event(1047, .log(offset: 0, text: ""), at: written))
  }

  @Test func `what is delivered late sets the engine's clock and a lateness not back`() {
    var state = Lateness.promised()
    Self.tell(&state, 200, cameAt: 200)
    #expect(Lateness.tail(state) == "+10s late")
    let moment = state.nextMoment
    Self.tell(&state, 196, cameAt: 200.5)
    Self.tell(&state, 199, cameAt: 200.9)
    #expect(Lateness.tail(state) == "+10s late")
    #expect(state.nextMoment == moment)
    // What came with less delay says more about the engine's clock.
    Self.tell(&state, 205, cameAt: 203)
    #expect(Lateness.tail(state) == "+15s late")
  }

  @Test func `the engine's clock goes on with ours when nothing is told`() {
    var time = MonitorTime()
    time.applyEngineTime(Scene.at(1000))
    time.apply(Scene.at(10))
    time.apply(Scene.at(15))
    #expect(time.engine == Scene.at(1005))
    time.applyEngineTime(Scene.at(1004))
    #expect(time.engine == Scene.at(1005))
    time.apply(Scene.at(12))
    #expect(time.engine == Scene.at(1005) && time.here == Scene.at(15))
    time.dropEngineTime()
    #expect(time.engine == nil && time.present == Scene.at(15))
  }

  @Test func `an answer tells that the engine's clock was set back, what is only slow does not`() {
    var time = MonitorTime()
    time.apply(Scene.at(10))
    time.apply(answer: Scene.at(1000))
    time.apply(answer: Scene.at(996))
    #expect(time.engine == Scene.at(1000))
    time.apply(answer: Scene.at(500))
    #expect(time.engine == Scene.at(500))
  }

  @Test func `another engine's clock counts from its own telling`() {
    var state = Lateness.promised()
    Self.tell(&state, 5000, cameAt: 200)
    #expect(state.time.engine == Scene.at(5000))
    _ = state.update(.link(.lost(retryIn: 1)))
    _ = state.update(.snapshotBegin)
    #expect(state.time.engine == nil)
    var status = Scene.status
    status.time = Scene.at(201)
    _ = state.update(.engine(status))
    #expect(state.time.engine == Scene.at(201))
  }

  @Test func `opened on a job that is overdue and silent, it is late from the first frame`() {
    var job = Scene.upgrade
    job.lastActivityAt = Scene.at(150)
    job.etaSeconds = 30
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    _ = state.update(.clock(Scene.at(9000)))
    _ = state.update(.snapshotBegin)
    var status = Scene.status
    status.time = Scene.at(200)
    _ = state.update(.engine(status))
    _ = state.update(.snapshot([job]))
    _ = state.update(.snapshotEnd(seq: 40))
    #expect(Acknowledgements.row(state, 1042).contains("+20s late"))
    #expect(state.nextMoment == Scene.at(9001))
    _ = state.update(.clock(Scene.at(9001)))
    #expect(Acknowledgements.row(state, 1042).contains("+21s late"))
  }

  @Test func `ages of a filter count by the engine's clock`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(90_000)))
    var status = Scene.status
    status.time = Scene.at(1042 + 601)
    _ = state.update(.engine(status))
    state.setFilter("age>10m")
    let old = Scene.queue.map(\.id.rawValue).filter { $0 <= 1042 }
    #expect(Set(Arrangements.order(state)) == Set(old))
  }
}
