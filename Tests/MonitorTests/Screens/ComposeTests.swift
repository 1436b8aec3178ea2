import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct Composing {
  static func text(_ state: MonitorState) -> String {
    state.render(state.size, Golden.looks[0].look).text
  }

  @Test func `nothing is submitted before its plan was seen`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    #expect(Scene.press([.enter], in: &state) == [.plan(Scene.nginxRequest)])
    // Enter again while the plan is made asks again and submits nothing.
    #expect(Scene.press([.enter], in: &state) == [.plan(Scene.nginxRequest)])
    // What was typed ahead is thrown away when the plan comes.
    #expect(
      state.update(.planned(Scene.nginxRequest, Scene.nginxPlan)) == [.discardInput])
    #expect(Self.text(state).contains("4 packages, 6.4 MB to fetch"))
    #expect(Scene.press([.enter], in: &state) == [.submit(Scene.nginxRequest)])
    #expect(Scene.press([.enter, .enter], in: &state).isEmpty)
    let job = Scene.job(2000, [Scene.planned("nginx")])
    _ = state.update(.submitted(job, of: Scene.nginxRequest))
    #expect(state.screen == .queue)
    _ = state.update(Scene.event(2000, .submitted(job)))
    #expect(state.selected == JobID(2000))
  }

  @Test func `a plan's warnings stand with it and push no package out of sight`() {
    func shown(_ plan: JobPlan, pages: Int = 0) -> String {
      var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
      Scene.press([.enter], in: &state)
      _ = state.update(.planned(Scene.nginxRequest, plan))
      for _ in 0..<pages { Scene.press([.pageDown], in: &state) }
      return Self.text(state)
    }
    var plan = Scene.warnedPlan
    let first = shown(plan)
    #expect(first.contains("2 warnings"))
    #expect(first.contains("warning: kept back because held: tzdata"))
    #expect(first.contains("libmaxminddb0") && first.contains("nginx-common"))
    // What has no room above the packages stands below them, to the last word.
    #expect(!first.contains("libcounted90"))
    #expect(shown(plan, pages: 4).contains("libcounted90"))
    // What packages wrote is no command to the terminal, and no line end.
    plan.warnings = [UpdateWarning(.unspecified, "one\ntwo \u{1b}[31mred\u{9b}2J")]
    #expect(shown(plan).contains("warning: one two red"))
    plan.steps = []
    plan.requests = []
    #expect(shown(plan).contains("nothing is to be done"))
    #expect(shown(plan).contains("warning: one two red"))
  }

  @Test func `a plan that removes what was not named is submitted by y alone`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    Scene.press([.enter], in: &state)
    var plan = Scene.nginxPlan
    plan.steps.append(
      PlannedUpdate(name: "apache2", architecture: "amd64", action: .remove, fromVersion: "2.4"))
    _ = state.update(.planned(Scene.nginxRequest, plan))
    for other in [Key.enter, .escape, .character("n")] {
      #expect(Scene.press([.enter], in: &state) == [.discardInput])
      #expect(state.message?.text.hasPrefix("apache2 would be removed") == true)
      #expect(Scene.press([other], in: &state).isEmpty)
    }
    Scene.press([.enter], in: &state)
    var consented = Scene.nginxRequest
    consented.options.planning.consentedRemovals = ["apache2:amd64"]
    #expect(Scene.press([.character("y")], in: &state) == [.submit(consented)])
  }

  @Test func `a plan of what stood there before is not submitted`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    Scene.press([.enter], in: &state)
    _ = state.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
    Scene.press(Scene.typed("-core"), in: &state)
    #expect(Self.text(state).contains("plan of what stood there before"))
    let intents = Scene.press([.enter], in: &state)
    guard case .plan(let request)? = intents.first else {
      Issue.record("\(intents)")
      return
    }
    #expect(request.updates == [Update("nginx-core")])
    // The answer to the older question is not shown.
    _ = state.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
    #expect(!Self.text(state).contains("Enter submits"))
  }

  @Test(arguments: ["", "-rf", "a;b", "nginx=", "nginx nginx=1", "\u{1b}[31m"])
  func `what cannot be a package is refused before anything is asked`(_ text: String) {
    var state = Scene.composing(Size(columns: 80, rows: 24), text)
    #expect(Scene.press([.enter], in: &state).isEmpty)
    #expect(state.message?.isAlert == true)
    #expect(Self.text(state).contains("refused"))
  }

  @Test func `letters are text here, and pasted lines are names`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "xcqCr")
    #expect(state.draft.packages.text == "xcqCr")
    Scene.press([.control("u")], in: &state)
    _ = state.update(.paste("nginx\nredis-server\r\ntree"))
    Scene.press([.escape], in: &state)
    #expect(state.screen == .queue)
    // What was written is still there.
    Scene.press([.character("i")], in: &state)
    #expect((try? state.draft.request())?.updates.map(\.name) == ["nginx", "redis-server", "tree"])
  }

  @Test func `upgrades are picked from a list`() {
    var state = Scene.composing(Size(columns: 80, rows: 24), "")
    #expect(Scene.press([.backTab, .right, .right], in: &state) == [.fetchUpgradable])
    _ = state.update(.upgradable(Scene.upgradable))
    Scene.press([.tab, .tab, .tab, .tab, .character(" "), .down, .character(" ")], in: &state)
    let request = try? state.draft.request()
    #expect(request?.operation == .upgrade)
    #expect(request?.updates.map(\.name) == ["libc6", "tzdata"])
  }

  @Test func `a refusal goes when the text is changed, and is not there when opened again`() {
    let refusal = InstallationError(.invalidArgument, "there is no package 'nope'")
    func refused() -> MonitorState {
      var state = Scene.composing(Size(columns: 80, rows: 24), "nope")
      guard case .plan(let request)? = Scene.press([.enter], in: &state).first else { return state }
      _ = state.update(.refused(request, refusal))
      return state
    }
    var state = refused()
    Scene.press([.left], in: &state)
    #expect(state.draft.planning == .refused(refusal), "the text is what it was")
    Scene.press([.character("x")], in: &state)
    #expect(state.draft.planning == .none)
    state = refused()
    Scene.press([.escape, .character("i")], in: &state)
    #expect(state.draft.planning == .none)
    #expect(state.draft.packages.text == "nope")
  }

  @Test func `a new job is no repair because one was looked at before`() {
    var state = Scene.monitor()
    Scene.press([.character("!")], in: &state)
    #expect(state.screen == .compose && state.draft.operation == .repair)
    Scene.press([.escape, .character("i")], in: &state)
    #expect(state.screen == .compose && state.draft == ComposeDraft())
  }

  @Test func `who may only look composes nothing`() {
    var state = Scene.monitor(readOnlyReason: "read-only: started with --read-only")
    #expect(Scene.press([.character("i")], in: &state).isEmpty)
    #expect(state.screen == .queue)
    var ready = Scene.composing(Size(columns: 80, rows: 24), "nginx")
    Scene.press([.enter], in: &ready)
    _ = ready.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
    _ = ready.update(.link(.lost(retryIn: 3)))
    #expect(Scene.press([.enter], in: &ready).isEmpty)
    #expect(ready.message?.text.contains("not connected") == true)
  }

  @Test(arguments: [
    ("q", [Intent.quit]), ("abort", [.discardInput]), ("nonsense", []), ("sort colour", []),
    ("theme nosuch", []), ("job 9999", []), ("", []),
  ])
  func `the command prompt does what keys do, and says what it does not know`(
    _ line: String, _ intents: [Intent]
  ) {
    var state = Scene.monitor()
    let done = Scene.press([.character(":")] + Scene.typed(line) + [.enter], in: &state)
    #expect(done == intents)
    #expect(!intents.isEmpty || state.message?.isAlert == true)
  }

  @Test func `every action that has a command can be typed by its name`() {
    for action in ActionTable.standard.actions {
      let line = CommandLine(actions: .standard, themes: [])
      guard case .action(let id) = line.command(action.name) else {
        // Names that take more open something else with the same meaning.
        #expect(CommandLine.words.contains { $0.name == action.name })
        continue
      }
      #expect(id == action.id)
    }
  }

  @Test func `commands are completed`() {
    let line = CommandLine(actions: .standard, themes: ["neutral", "dark"])
    #expect(line.completion(of: "clean") == "-up")
    #expect(line.completion(of: "theme da") == "rk")
    #expect(line.completion(of: "sort sp") == "eed")
    #expect(line.completion(of: "filter us") == "er:")
    #expect(line.completion(of: "zzz") == "")
    var state = Scene.monitor()
    Scene.press([.character(":")] + Scene.typed("inst") + [.tab, .character(" ")], in: &state)
    Scene.press(Scene.typed("nginx") + [.enter], in: &state)
    #expect(state.screen == .compose)
    #expect(state.draft.packages.text == "nginx")
  }

  @Test func `a line is edited where its cursor is`() {
    var line = LineEdit("one two")
    _ = line.handle(.left)
    _ = line.handle(.backspace)
    #expect(line.text == "one to" && line.cursor == 5)
    _ = line.handle(.control("w"))
    #expect(line.text == "one o" && line.cursor == 4)
    _ = line.handle(.home)
    line.insert("a\u{301}b\u{7}")
    #expect(line.text == "a\u{301}bone o" && line.cursor == 2)
    _ = line.handle(.control("k"))
    #expect(line.text == "a\u{301}b")
    _ = line.handle(.delete)
    _ = line.handle(.control("u"))
    _ = line.handle(.backspace)
    #expect(line.text == "" && line.cursor == 0)
    line.insert(String(repeating: "x", count: 9000))
    #expect(line.text.count == LineEdit.capacity)
  }
}
