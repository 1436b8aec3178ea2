import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct Commands {
  static func run(_ line: String, in state: inout MonitorState) -> [Intent] {
    Scene.press([.character(":")] + Scene.typed(line) + [.enter], in: &state)
  }

  @Test(arguments: ["withdraw 1044", "abort --withdraw 1044"])
  func `an abort is cancelled by the number of its job`(_ line: String) {
    var state = Scene.monitor()
    #expect(Self.run(line, in: &state) == [.cancelAbort(JobID(1044))])
    #expect(state.message?.text == "cancel the abort: asked for job 1044")
  }

  @Test func `what is not asked to stop has nothing to cancel`() {
    var state = Scene.monitor()
    #expect(Self.run("withdraw 1042 1044", in: &state) == [.cancelAbort(JobID(1044))])
    #expect(state.message?.text == "cancel the abort: job 1042 is not asked to stop")
    #expect(Self.run("withdraw", in: &state).isEmpty)
    #expect(Self.run("withdraw 9", in: &state).isEmpty)
    #expect(state.message?.text == "no job has the number 9")
    #expect(Self.run("withdraw x", in: &state).isEmpty)
    #expect(state.message?.text == "withdraw takes numbers of jobs, not 'x'")
  }

  @Test func `pause only holds and resume only lets go on, whatever is selected`() {
    var state = Scene.monitor()
    #expect(Self.run("pause 1042", in: &state) == [.pauseJob(JobID(1042))])
    #expect(Self.run("pause 1049", in: &state).isEmpty)
    #expect(state.message?.text == "pause: job 1049 is paused already")
    #expect(Self.run("resume 1049", in: &state) == [.resumeJob(JobID(1049))])
    #expect(Self.run("resume 1042", in: &state).isEmpty)
    #expect(state.message?.isAlert == true)
  }

  @Test(arguments: ["withdraw 1044", "pause 1042", "resume 1049", "abort --withdraw 1044"])
  func `who may only look changes nothing with them`(_ line: String) {
    var state = Scene.monitor(readOnlyReason: "read-only: started with --read-only")
    #expect(Self.run(line, in: &state).isEmpty)
    #expect(state.message?.text.contains("read-only") == true)
  }

  @Test(arguments: [
    ("wi", "withdraw"), ("pau", "pause"), ("res", "resume"), ("abort --", "abort --withdraw"),
    ("cleanup -", "cleanup --finished"), ("log-", "log-level"), ("column-r", "column-right"),
  ])
  func `Tab completes them`(_ typed: String, _ whole: String) {
    let line = CommandLine(actions: .standard, themes: [])
    #expect(typed + line.completion(of: typed) == whole)
  }
}
