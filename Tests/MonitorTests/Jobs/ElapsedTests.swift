import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `Elapsed times` {
  /// A monitor of a job that removes a package since second 160, at second 165 of the engine.
  static func removing(_ preferences: Preferences = Preferences()) -> MonitorState {
    var job = Scene.running(
      Scene.job(
        1042, [Scene.planned("nginx", from: "1.24", size: 0, action: .remove)],
        operation: .remove), .installing, percent: 10)
    job.plan?[0].phase = .removing
    job.plan?[0].phaseTimes.record(.removing, at: Scene.at(160))
    job.updates = job.plan ?? []
    var state = MonitorState(size: Size(columns: 80, rows: 24), preferences: preferences)
    _ = state.update(.clock(Scene.at(5000)))
    _ = state.update(.snapshotBegin)
    var status = Scene.status
    status.time = Scene.at(165)
    _ = state.update(.engine(status))
    _ = state.update(.snapshot([job]))
    _ = state.update(.snapshotEnd(seq: 40))
    Scene.answer(&state, [job])
    return state
  }

  static func row(_ state: MonitorState) -> String {
    state.render(state.size, Golden.looks[0].look).text.split(separator: "\n")
      .first { $0.contains("nginx") && $0.contains("remove") && !$0.contains("1042") }
      .map(String.init) ?? ""
  }

  @Test(arguments: [false, true])
  func `work whose progress nobody can know shows how long it goes on, also when calm`(
    _ isCalm: Bool
  ) {
    var preferences = Preferences()
    preferences.isCalm = isCalm
    var state = Self.removing(preferences)
    #expect(Self.row(state).contains(" 5s"))
    #expect(state.nextMoment == Scene.at(5001))
    _ = state.update(.clock(Scene.at(5060.5)))
    #expect(Self.row(state).contains("1m05s"))
    #expect(state.nextMoment == Scene.at(5061))
    _ = state.update(.link(.stale(seconds: 6)))
    #expect(Self.row(state).contains("?") && !Self.row(state).contains("1m05s"))
    #expect(state.nextMoment == nil)
  }

  @Test
  func `a job at work says how long it has been, once a second, one that is over how long it took`()
  {
    var state = Self.removing()
    Scene.press([.enter], in: &state)
    let text = { (state: MonitorState) in state.render(state.size, Golden.looks[0].look).text }
    #expect(text(state).contains("10%  elapsed 1m05s"))
    _ = state.update(.clock(Scene.at(5001)))
    #expect(text(state).contains("elapsed 1m06s"))
    #expect(state.nextMoment == Scene.at(5002))
    let done = Keys.outcome(.succeeded, 100, state.book[JobID(1042)]?.job.updates ?? [])
    _ = state.update(Scene.event(1042, .completed(done), at: 170))
    #expect(!text(state).contains("elapsed") && text(state).contains("100%  1m10s"))
    #expect(state.nextMoment == nil)
  }

  @Test func `an overdue job on its screen wakes once a second`() {
    var state = Lateness.promised()
    _ = state.update(.clock(Scene.at(200.3)))
    _ = state.update(Scene.event(1042, Lateness.tick(62, eta: 99), at: 200.3))
    Scene.press([.enter], in: &state)
    #expect(state.nextMoment == Scene.at(201))
    _ = state.update(.clock(Scene.at(201)))
    #expect(state.nextMoment == Scene.at(202))
    #expect(Lateness.tail(state) == "+11s late")
  }
}
