import Canvas
import InstallJobs
import Testing

@testable import Monitor

/// What must not happen to a job that nobody looks at or means.
@Suite struct WhatIsMeant {
  static func command(_ line: String, in state: inout MonitorState) -> [Intent] {
    Scene.press([.character(":")] + Scene.typed(line) + [.enter], in: &state)
  }

  @Test(arguments: [
    ("retry 1038", [Intent.retry(JobID(1038))]), ("pause 1043", [.pauseJob(JobID(1043))]),
    ("hold-job 1049", [.resumeJob(JobID(1049))]), ("cleanup --finished", [.discardInput]),
    ("cleanup 1037", [.cleanUp([JobID(1037)])]), ("abort 1043 1046", [.discardInput]),
    ("abort now", []), ("abort -1", []), ("retry 9999", []), ("help me", []), ("q now", []),
  ])
  func `a command acts on the jobs that it names and on no other`(
    _ line: String, _ intents: [Intent]
  ) {
    var state = Scene.monitor()
    Scene.press([.end], in: &state)
    #expect(Self.command(line, in: &state) == intents)
    #expect(!intents.isEmpty || state.message?.isAlert == true)
    #expect(state.namedJobs == nil)
    if line.hasPrefix("abort 1043"), case .abort(let question, _) = state.dialogue {
      #expect(question.ids == [1043, 1046].map { JobID($0) })
    }
  }

  @Test func `what is tagged is seen: a filter or another list takes other tags away`() {
    var state = Scene.monitor()
    Scene.press(
      [.character("*"), .character("\\")] + Scene.typed("state:failed") + [.enter], in: &state)
    #expect(state.tags == [JobID(1038)])
    Scene.press([.escape], in: &state)
    #expect(state.tags == [JobID(1038)])
    // One tagged job that is not the selected one is asked for.
    Scene.press([.home], in: &state)
    #expect(Scene.press([.character("c")], in: &state) == [.discardInput])
    Scene.press([.escape, .character("*"), .character("4")], in: &state)
    #expect(state.tags.allSatisfy { state.book[$0]?.job.state.isFinal ?? false })
  }

  @Test func `a tagged job that leaves the list is tagged no more`() {
    var state = Scene.monitor()
    Scene.press(
      [.character("\\")] + Scene.typed("state:queued") + [.enter, .character("*")], in: &state)
    #expect(state.tags.count == 2)
    let begun = JobStateChange(.downloading, abortPreview: .accepted(stopsAfter: nil))
    _ = state.update(Scene.event(1047, .state(begun)))
    #expect(state.tags == [JobID(1046)])
  }

  @Test(arguments: [(20, 5), (36, 5), (80, 6), (40, 7)])
  func `a plan is submitted only where some of it can be seen`(_ columns: Int, _ rows: Int) {
    var state = Scene.composing(Size(columns: columns, rows: rows), "nginx")
    Scene.press([.enter], in: &state)
    _ = state.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
    let text = Composing.text(state)
    let isSeen = text.contains("nginx-c")
    let intents = Scene.press([.enter], in: &state)
    #expect(intents == (isSeen ? [.submit(Scene.nginxRequest)] : []))
  }

  @Test func `removals of a plan come first and are counted first`() {
    var plan = Scene.nginxPlan
    plan.steps.append(Scene.planned("apache2", nil, from: "2.4", size: 0, action: .remove))
    var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    Scene.press([.enter], in: &state)
    _ = state.update(.planned(Scene.nginxRequest, plan))
    let lines = Composing.text(state).split(separator: "\n")
    let heading = lines.firstIndex { $0.contains("plan: removes 1 of 5 packages") }
    #expect(heading.map { lines[$0 + 1].contains("apache2") } == true)
  }

  @Test func `an accepted job of another kind leaves what is being written alone`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "curl")
    #expect(state.update(.submitted(Scene.job(2000, [Scene.planned("vim")]), of: nil)).isEmpty)
    #expect(state.screen == .compose && state.draft.packages.text == "curl")
  }

  @Test func `an answer that comes after leaving compose ends the draft, a lost link frees it`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    Scene.press([.enter], in: &state)
    _ = state.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
    Scene.press([.enter, .escape], in: &state)
    _ = state.update(.submitted(Scene.job(2000, [Scene.planned("nginx")]), of: Scene.nginxRequest))
    #expect(state.draft.packages.text == "")
    Scene.press([.character("i")] + Scene.typed("nginx") + [.enter], in: &state)
    _ = state.update(.link(.lost(retryIn: 2)))
    #expect(state.draft.planning == .none)
    _ = state.update(.link(.live))
    #expect(Scene.press([.enter], in: &state) == [.plan(Scene.nginxRequest)])
  }

  @Test func `keys typed ahead do not submit a plan that was left open`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    Scene.press([.enter], in: &state)
    _ = state.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
    Scene.press([.escape], in: &state)
    #expect(state.update(.key(.character("i"))) == [.discardInput])
  }

  @Test func `where one line is all there is nothing can be said yes to`() {
    var state = Scene.monitor(size: Size(columns: 19, rows: 4))
    Scene.press([.character("x")], in: &state)
    #expect(state.dialogue != nil)
    #expect(Scene.press([.character("a"), .enter, .tab, .enter], in: &state).isEmpty)
    Scene.press([.escape], in: &state)
    #expect(state.dialogue == nil)
  }

  @Test func `cleaning up by the mouse is asked for`() {
    var state = Scene.monitor(
      Scene.queue.filter { $0.id == JobID(1037) }, size: Size(columns: 120, rows: 40))
    let bar = FunctionBar(state, columns: 120)
    let column = bar.items.first { $0.action?.id == .cleanUp }?.columns.lowerBound ?? 0
    let intents = state.update(.mouse(MouseEvent(.press(.left), column: column, row: 39)))
    #expect(intents == [.discardInput] && state.dialogue != nil)
  }

  @Test func `a narrowed list says so at every size`() {
    for size in Golden.sizes.dropLast(2) {
      var state = Scene.monitor(size: size)
      Scene.press(
        [.character("\\")] + Scene.typed("user:cron") + [.enter, .character("*")], in: &state)
      let title = Composing.text(state).split(separator: "\n")[0]
      #expect(title.contains("filt") && title.contains("6 tagged"), "\(title)")
    }
  }

  @Test func `a held display shows the plan of a job that is moved to`() {
    var state = Scene.monitor()
    Scene.press([.character("z"), .down], in: &state)
    Scene.answer(&state, Scene.queue)
    #expect(!Composing.text(state).contains("on its way"))
  }

  @Test func `searching a log goes through all matches, the last page too`() {
    let lines = (1...100).map { $0 == 90 || $0 == 95 ? "match \($0)\n" : "line \($0)\n" }
    var state = Scene.monitor([Scene.upgrade], log: lines.joined())
    Scene.press(
      [.character("3"), .home, .character("/")] + Scene.typed("match") + [.enter], in: &state)
    let view = state.logView
    Scene.press([.character("n")], in: &state)
    #expect(state.message?.text == "match 2 of 2" && state.logView != view)
    Scene.press([.character("n")], in: &state)
    #expect(state.message?.text == "match 2 of 2: none below" && state.message?.isAlert == true)
    Scene.press([.character("N")], in: &state)
    #expect(state.message?.text == "match 1 of 2" && state.logView == view)
  }

  @Test func `a log with carriage returns is cut into its lines`() {
    var slice = LogSlice(of: "x")
    let lines = slice.append("Unpacking y (1)\r\nSetting up x (1)\r\nhalf") + slice.finish()
    #expect(lines == ["Setting up x (1)", "half"])
    var endless = LogSlice(of: nil)
    for _ in 0..<100 { #expect(endless.append(String(repeating: "a", count: 1000)).isEmpty) }
    let end = endless.append("b\nshort\n")
    #expect(end.first?.hasSuffix("a [the rest of this line is left out]") == true)
    #expect(end.first.map { $0.utf8.count < LogSlice.lineCapacity + 100 } == true)
    #expect(end.dropFirst() == ["short"])
  }

  @Test func `a failed look at a log leaves what was asked of the job`() {
    var state = Scene.monitor([Scene.upgrade])
    Scene.press([.character("x"), .character("a")], in: &state)
    _ = state.update(.unread(InstallationError(.internal, "no log"), job: JobID(1042)))
    #expect(state.book[JobID(1042)]?.isAbortAsked == true)
  }

  @Test func `ages are counted again as time goes by`() {
    var state = Scene.monitor([Scene.job(100, [Scene.planned("a")])])
    _ = state.update(.clock(Scene.at(100 + 300)))
    Scene.press([.character("\\")] + Scene.typed("age>10m") + [.enter], in: &state)
    #expect(state.shownBook.list(.queue).count == 0)
    _ = state.update(
      Scene.event(101, .submitted(Scene.job(101, [Scene.planned("b")])), at: 100 + 700))
    #expect(state.shownBook.list(.queue).places.map(\.job.rawValue).contains(100))
  }

  @Test func `a frame looks at no more jobs because many are tagged`() {
    var state = Scene.monitor(
      (1...3000).map { Scene.job($0, [Scene.planned("p\($0)")]) },
      size: Size(columns: 120, rows: 40))
    Scene.press([.character("*")], in: &state)
    let meter = JobStore.Meter()
    state.book.meter = meter
    _ = state.render(state.size, Golden.looks[0].look)
    #expect(meter.lookUps < 600)
  }
}

@Suite struct PlainTruth {
  @Test func `a lost engine frees the conversation and says so once`() {
    var talk = PlainConversations.conversation()
    for words in ["", "9", "1", "nginx"] { _ = talk.handle(line: words) }
    #expect(talk.handle(.link(.lost(retryIn: 2))).lines.count == 1)
    #expect(talk.handle(.link(.lost(retryIn: 1))).lines.isEmpty)
    #expect(talk.handle(line: "").lines == ["nothing was submitted"])
    #expect(talk.handle(line: "").lines.count > 5)
  }

  @Test func `a late refusal does not take the place of a question`() {
    var talk = PlainConversations.conversation()
    for words in ["", "9", "1", "nginx", "", "", "4"] { _ = talk.handle(line: words) }
    let question = talk.handle(line: "1042")
    #expect(question.intents == [.discardInput] && question.lines.first == "Abort job 1042?")
    _ = talk.handle(.refused(Scene.nginxRequest, InstallationError(.internal, "no")))
    #expect(talk.handle(line: "2").intents == [.requestAbort([JobID(1042)])])
  }
}
