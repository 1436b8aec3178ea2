import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `A picture of an engine that is not heard` {
  /// A monitor that heard the engine last at noon, and is seven seconds older.
  static func monitor(_ link: LinkState, size: Size = Size(columns: 100, rows: 24)) -> MonitorState
  {
    var state = Scene.monitor(size: size)
    _ = state.update(.clock(Scene.noon))
    _ = state.update(.engine(Scene.status))
    _ = state.update(.clock(Scene.at(7)))
    _ = state.update(.link(link))
    return state
  }

  static func text(_ state: MonitorState) -> String {
    state.render(state.size, Golden.looks[0].look).text
  }

  @Test func `says that jobs go on without it, and how old it is`() {
    let text = Self.text(Self.monitor(.lost(retryIn: 2)))
    #expect(text.contains("jobs go on without it: shown is as of 12:00:00, 7s ago"))
    #expect(
      Self.text(Self.monitor(.stale(seconds: 7))).contains("the engine is silent, jobs may go on"))
    #expect(
      Self.text(Self.monitor(.lost(retryIn: 2), size: Size(columns: 40, rows: 12)))
        .contains("jobs go on, as of 12:00:00"))
    #expect(!Self.text(Self.monitor(.live)).contains("as of"))
    var state = Self.monitor(.stale(seconds: 7))
    _ = state.update(.notice("something to know"))
    #expect(Self.text(state).contains("the engine is silent"))
    _ = state.update(.notice("something went wrong", isAlert: true))
    #expect(Self.text(state).contains("something went wrong"))
    #expect(Self.text(state).split(separator: "\n")[1].contains("as of 12:00:00"))
  }

  @Test func `marks counts and what an abort would do as what was known last`() {
    var state = Self.monitor(.lost(retryIn: 2))
    #expect(Self.text(state).contains("3 running?"))
    Scene.press([.enter], in: &state)
    #expect(Self.text(state).contains("as of 12:00:00: abort now would stop after"))
    state = Self.monitor(.live)
    #expect(Self.text(state).contains("3 running "))
    Scene.press([.enter], in: &state)
    #expect(!Self.text(state).contains("as of"))
  }
}
