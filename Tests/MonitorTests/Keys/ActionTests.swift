import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct ActionsOnJobs {
  @Test func `retry asks for one job at once and for several after a question`() {
    var state = Scene.monitor(Scene.queue.filter { $0.id == JobID(1038) })
    #expect(Scene.press([.character("r")], in: &state) == [.retry(JobID(1038))])
    state = Scene.monitor()
    #expect(Scene.press([.character("*"), .character("r")], in: &state) == [.discardInput])
    let intents = Scene.press([.character("r")], in: &state)
    #expect(intents == [1035, 1036, 1038, 1039].map { .retry(JobID($0)) })
  }

  @Test func `what cannot be retried or held says why`() {
    var state = Scene.monitor([Scene.upgrade])
    #expect(Scene.press([.character("r")], in: &state).isEmpty)
    #expect(state.message?.text.contains("job 1042 is not over") == true)
    state = Scene.monitor(Scene.queue.filter { $0.id == JobID(1037) })
    #expect(Scene.press([.character("r")], in: &state).isEmpty)
    #expect(state.message?.text.contains("all of job 1037 succeeded") == true)
    #expect(Scene.press([.character("p")], in: &state).isEmpty)
    #expect(state.message?.text.contains("job 1037 is over") == true)
  }

  @Test func `hold holds what works and lets go on what is held`() {
    var state = Scene.monitor([Scene.upgrade])
    #expect(Scene.press([.function(7)], in: &state) == [.pauseJob(JobID(1042))])
    state = Scene.monitor(Scene.queue.filter { $0.state == .suspended })
    #expect(Scene.press([.character("p")], in: &state) == [.resumeJob(JobID(1049))])
  }

  @Test func `settings change at once, are kept, and the mouse key is one of them`() {
    var state = MonitorState(
      size: Size(columns: 80, rows: 24), preferences: Preferences(theme: "dark"),
      themes: ["neutral", "dark", "mono"])
    var wanted = Preferences(theme: "mono")
    #expect(
      Scene.press([.character(","), .right], in: &state) == [.useTheme("mono"), .keep(wanted)])
    wanted.columns.toggle(.phase)
    #expect(
      Scene.press([.down, .down, .down, .character(" ")], in: &state) == [.keep(wanted)])
    wanted.usesMouse = true
    #expect(
      Scene.press([.escape, .character("m")], in: &state) == [.useMouse(true), .keep(wanted)])
    #expect(state.screen == .queue)
  }

  @Test func `a frame rate stays between 1 and 20`() {
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    Scene.press([.character(",")] + Array(repeating: .down, count: 8), in: &state)
    Scene.press(Array(repeating: .left, count: 30), in: &state)
    #expect(state.preferences.frameRate == 1)
    Scene.press(Array(repeating: .right, count: 50), in: &state)
    #expect(state.preferences.frameRate == 20)
  }

  @Test func `the timeline shows when each package was worked on`() throws {
    let job = Scene.timed
    let timeline = try #require(JobTimeline(job))
    #expect(timeline.length == 50)
    let spans = timeline.spans(of: try #require(job.plan?[0]))
    #expect(spans.map(\.activity) == [.download, .wait, .unpack, .wait, .configure])
    #expect(spans.map(\.start) == [0, 6, 20, 23, 30] && spans.last?.end == 34)
    // What is at work reaches to the last sign of life, and a short span is never lost.
    let cells = timeline.cells(of: try #require(job.plan?[2]), columns: 10)
    #expect(cells.last == .unpack)
    #expect(timeline.cells(of: try #require(job.plan?[1]), columns: 5).contains(.configure))
    #expect(timeline.marks(most: 5) == [0, 10, 20, 30, 40, 50])
    #expect(JobTimeline(Scene.job(1, [Scene.planned("a")])) == nil)
  }

  @Test func `copying takes the number, the package or the line`() {
    var state = Scene.monitor([Scene.upgrade])
    #expect(Scene.press([.character("y")], in: &state) == [.copy("1042")])
    guard case .copy(let line)? = Scene.press([.character("Y")], in: &state).first else {
      Issue.record("no line")
      return
    }
    #expect(line.contains("1042 upgrade libc6"))
    Scene.press([.enter], in: &state)
    #expect(
      Scene.press([.character("y")], in: &state) == [.copy("linux-image-6.1.0-31-amd64")])
  }
}
