import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct Keys {
  @Test func `the selection stays on its job while jobs are sorted anew, come and leave`() {
    var state = Scene.monitor()
    Scene.press([.down, .down, .down, .down, .down, .down, .down], in: &state)
    #expect(state.selected == JobID(1047))
    _ = state.update(
      Scene.event(
        1042, .completed(Self.outcome(.succeeded, 100, Scene.upgrade.updates)), at: 300))
    _ = state.update(
      Scene.event(2000, .submitted(Scene.job(2000, [Scene.planned("jq")], priority: 90))))
    #expect(state.selected == JobID(1047))
    _ = state.update(.resize(Size(columns: 40, rows: 9)))
    #expect(state.selected == JobID(1047))
    _ = state.update(.resize(Size(columns: 120, rows: 40)))
    #expect(state.selected == JobID(1047))
    let look = Golden.looks[0].look
    let canvas = state.render(state.size, look)
    #expect(canvas.text.split(separator: "\n").contains { $0.hasPrefix("> ∙ 1047") })
  }

  @Test func `a selected job that leaves gives the selection to the one in its place`() {
    var state = Scene.monitor()
    Scene.press([.end], in: &state)
    #expect(state.selected == JobID(1036))
    _ = state.update(Scene.event(1036, .cleanedUp(by: Scene.ops)))
    #expect(state.selected == JobID(1037))
  }

  @Test func `keys that arrive together all move`() {
    var state = Scene.monitor()
    Scene.press(Array(repeating: .down, count: 5), in: &state)
    #expect(state.selected == JobID(1049))
    Scene.press([.character("k"), .character("g"), .pageDown, .home, .character("j")], in: &state)
    #expect(state.selected == JobID(1043))
  }

  @Test func `following goes to the job at work until one moves`() {
    var state = Scene.monitor([Scene.nginx, Scene.job(1050, [Scene.planned("jq")])])
    #expect(state.selected == JobID(1043))
    let over = Self.outcome(.succeeded, 100, Scene.nginx.updates)
    let begun = JobStateChange(.downloading, abortPreview: .accepted(stopsAfter: nil))
    _ = state.update(Scene.event(1050, .state(begun)))
    let intents = state.update(Scene.event(1043, .completed(over)))
    #expect(state.selected == JobID(1050))
    #expect(intents == [.fetchPlan(JobID(1050)), .fetchLog(JobID(1050), from: nil)])
    Scene.press([.down], in: &state)
    #expect(state.selected == JobID(1043))
    _ = state.update(Scene.event(1050, .state(begun)))
    #expect(state.selected == JobID(1043))
  }

  @Test func `q goes back first and leaves at the top, F10 and Ctrl-C leave at once`() {
    var state = Scene.monitor()
    Scene.press([.enter, .enter], in: &state)
    #expect(state.screen == .log(JobID(1042)))
    #expect(Scene.press([.character("q"), .escape], in: &state).isEmpty)
    #expect(state.screen == .queue)
    #expect(Scene.press([.escape], in: &state).isEmpty)
    #expect(Scene.press([.character("q")], in: &state) == [.quit])
    Scene.press([.enter], in: &state)
    #expect(Scene.press([.function(10)], in: &state) == [.quit])
    #expect(Scene.press([.control("c")], in: &state) == [.quit])
  }

  @Test func `tags are put, kept and removed, and actions apply to them`() {
    var state = Scene.monitor()
    Scene.press([.character(" "), .character(" ")], in: &state)
    #expect(state.tags == [JobID(1042), JobID(1043)])
    #expect(state.targets == [JobID(1042), JobID(1043)])
    Scene.press([.up, .character(" ")], in: &state)
    #expect(state.tags == [JobID(1042)])
    Scene.press([.character("*")], in: &state)
    #expect(state.tags.count == 14)
    Scene.press([.character("u")], in: &state)
    #expect(state.tags.isEmpty)
    #expect(state.targets == [JobID(1044)])
  }

  @Test func `pasted text is dropped outside a field and taken inside`() {
    var state = Scene.monitor()
    #expect(state.update(.paste("xaq")).isEmpty)
    #expect(state.dialogue == nil)
    #expect(state.message?.isAlert == true)
    Scene.press([.character("\\")], in: &state)
    #expect(state.update(.paste("redis\u{1B}[31m\n")).isEmpty)
    #expect(state.prompt?.text == "redis[31m")
  }

  @Test func `the filter narrows the list as it is typed and Esc widens it`() {
    var state = Scene.monitor()
    Scene.press([.character("\\")] + "state:failed".map { .character($0) }, in: &state)
    #expect(state.shownBook.list(.queue).places.map(\.job) == [JobID(1038)])
    Scene.press([.enter], in: &state)
    #expect(state.selected == JobID(1038))
    _ = state.update(
      Scene.event(1043, .completed(Self.outcome(.failed, 20, Scene.nginx.updates)), at: 400))
    #expect(Set(state.shownBook.list(.queue).places.map(\.job)) == [JobID(1038), JobID(1043)])
    Scene.press([.escape], in: &state)
    #expect(state.shownBook.list(.queue).count == 14)
  }

  @Test func `a filter with an error leaves the one in force and says what is wrong`() {
    var state = Scene.monitor()
    Scene.press([.character("\\")] + "state:failed".map { .character($0) } + [.enter], in: &state)
    Scene.press(
      [.character("\\"), .control("u")] + "state:nope".map { .character($0) } + [.enter], in: &state
    )
    #expect(state.book.filter.text == "state:failed")
    #expect(state.message?.isAlert == true)
    #expect(state.message?.text.contains("no state 'nope': ") == true)
    #expect(state.message?.text.contains("'state:failed' stays") == true)
    Scene.press(
      [.character(":")] + "filter op:nope".map { .character($0) } + [.enter], in: &state)
    #expect(state.book.filter.text == "state:failed")
    #expect(state.message?.text.contains("no operation 'nope'") == true)
  }

  @Test func `lines that are pasted into a command are words with spaces between`() {
    var state = Scene.monitor()
    Scene.press([.character(":")], in: &state)
    _ = state.update(.paste("install alder\r\nbirch\ncedar\n"))
    #expect(state.prompt?.text == "install alder birch cedar")
  }

  @Test func `where only one line has room, a question names the job or counts jobs`() {
    var state = Scene.monitor(size: Size(columns: 19, rows: 4))
    func text() -> String { state.render(state.size, Golden.looks[0].look).text }
    Scene.press([.character("x")], in: &state)
    #expect(text().contains("abort job 1042? Esc"))
    Scene.press([.escape, .character(" "), .character(" "), .character("x")], in: &state)
    #expect(text().contains("abort 2 jobs? Esc"))
  }

  @Test func `finding goes to the next match, round the end, and says when there is none`() {
    var state = Scene.monitor()
    Scene.press([.character("/")] + "redis".map { .character($0) } + [.enter], in: &state)
    #expect(state.selected == JobID(1047))
    Scene.press([.character("n")], in: &state)
    #expect(state.selected == JobID(1046))
    Scene.press([.character("n")], in: &state)
    #expect(state.selected == JobID(1047))
    Scene.press([.character("N")], in: &state)
    #expect(state.selected == JobID(1046))
    Scene.press([.character("/")] + "nothing".map { .character($0) } + [.enter], in: &state)
    #expect(state.message == MonitorState.Message(text: "'nothing' is not found", isAlert: true))
  }

  @Test func `a held display stays as it was while jobs go on`() {
    var state = Scene.monitor()
    Scene.press([.character("z")], in: &state)
    let before = state.shownBook[JobID(1042)]?.job.percentComplete
    _ = state.update(
      Scene.event(1042, .completed(Self.outcome(.succeeded, 100, Scene.upgrade.updates))))
    #expect(state.shownBook[JobID(1042)]?.job.percentComplete == before)
    Scene.press([.character("z")], in: &state)
    #expect(state.shownBook[JobID(1042)]?.job.percentComplete == 100)
  }

  @Test func `reconnecting asks for it only without a connection`() {
    var state = Scene.monitor()
    #expect(Scene.press([.character("R")], in: &state).isEmpty)
    _ = state.update(.link(.lost(retryIn: 9)))
    #expect(Scene.press([.character("R")], in: &state) == [.reconnect])
    #expect(Scene.press([.control("l"), .control("z")], in: &state) == [.repaint, .suspend])
  }

  @Test(arguments: [
    (InstallationError.Code.protocolMismatch, LinkState.Refusal.otherVersion, "OTHER VERSION"),
    (.notPermitted, .notPermitted, "NOT PERMITTED"),
  ])
  func `S4: what answers and cannot be talked to is a state of its own with its name`(
    code: InstallationError.Code, refusal: LinkState.Refusal, word: String
  ) {
    #expect(LinkState.Refusal(InstallationError(code, "x")) == refusal)
    #expect(LinkState.Refusal(InstallationError(.engineUnreachable, "x")) == nil)
    var state = Scene.monitor()
    _ = state.update(.link(.refused(refusal, retryIn: 4)))
    let canvas = state.render(state.size, Golden.looks[0].look)
    #expect(canvas.text.contains("\(word), retry in 4s (R now)"))
    #expect(state.book.queue.count > 0, "what was known stays")
    #expect(Scene.press([.character("x")], in: &state).isEmpty)
    #expect(state.dialogue == nil, "no order can be given")
    #expect(Scene.press([.character("R")], in: &state) == [.reconnect])
  }

  @Test func `a new connection fetches the plan and the log from where it ended`() {
    var state = Scene.monitor()
    _ = state.update(.link(.lost(retryIn: nil)))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(Scene.queue))
    let intents = state.update(.snapshotEnd(seq: 90))
    #expect(
      intents == [
        .fetchPlan(JobID(1042)),
        .fetchLog(JobID(1042), from: Int64(Scene.logText.utf8.count)),
      ])
    #expect(state.link == .live)
    #expect(state.selected == JobID(1042))
  }

  static func outcome(
    _ code: OperationResultCode, _ percent: Double, _ updates: [UpdateStatus],
    error: InstallationError? = nil
  ) -> JobOutcome {
    JobOutcome(
      state: .completed, resultCode: code, percentComplete: percent, error: error,
      requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [], updates: updates)
  }
}
