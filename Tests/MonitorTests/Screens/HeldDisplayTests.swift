import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `A display that is held` {
  private static func text(_ state: MonitorState) -> String {
    state.render(state.size, Golden.looks[0].look).text
  }

  private static func log(_ offset: Int, _ text: String) -> MonitorEvent {
    Scene.event(1042, .log(offset: Int64(offset), text: text))
  }

  @Test(arguments: Golden.sizes.dropLast())
  func `stands still in every cell, log and message too, and catches up`(_ size: Size) {
    for page in ["1", "2", "3"] as [Character] {
      var state = Scene.monitor(size: size)
      _ = state.update(.clock(Scene.at(200)))
      Scene.press([.character(page), .character("z")], in: &state)
      let before = Self.body(state)
      _ = state.update(Self.log(Scene.logText.utf8.count, "something new\n"))
      let done = Keys.outcome(.succeeded, 100, Scene.nginx.updates)
      _ = state.update(Scene.event(1043, .completed(done)))
      _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
      _ = state.update(Failures.fail(1044))
      _ = state.update(.clock(Scene.at(260)))
      #expect(Self.body(state) == before)
      Scene.press([.character("z")], in: &state)
      let after = Self.text(state)
      if page == "3", size.rows > 8 { #expect(after.contains("something new")) }
      #expect(state.message?.text.contains("1044 ") == true)
      #expect(state.message?.text.hasPrefix("display live again; meanwhile: ") == true)
    }
  }

  private static func body(_ state: MonitorState) -> String {
    text(state).split(separator: "\n").dropFirst().joined(separator: "\n")
  }

  @Test func `says so as long as it is held, whatever key is pressed`() {
    var state = Scene.monitor()
    Scene.press([.character("z"), .down, .up], in: &state)
    #expect(Self.text(state).contains("display paused, jobs go on: z shows them again"))
    Scene.press([.character("z"), .down], in: &state)
    #expect(!Self.text(state).contains("display paused"))
  }

  @Test func `still answers keys`() {
    var state = Scene.monitor(Scene.waiting)
    Scene.press([.character("z"), .down, .character("p")], in: &state)
    _ = state.update(.answered(.pauseJob(JobID(1051))))
    #expect(Self.text(state).contains("job 1051 is paused"))
  }
}
