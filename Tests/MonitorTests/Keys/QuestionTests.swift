import Canvas
import InstallJobs
import JobText
import Testing

@testable import Monitor

@Suite struct Questions {
  static let everyKey: [Key] =
    (32...126).map { .character(Character(Unicode.Scalar(UInt8($0)))) }
    + "abcdefghijklmnopqrstuvwxyz".map { .control($0) } + (1...12).map { .function($0) }
    + "0123456789ax".map { .alt($0) }
    + [
      .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .tab, .backTab,
      .backspace, .delete, .insert,
    ]

  @Test func `x and then Enter keeps the job running`() {
    var state = Scene.monitor()
    #expect(Scene.press([.character("x")], in: &state) == [.discardInput])
    #expect(state.dialogue?.focus == .keep)
    #expect(Scene.press([.enter], in: &state).isEmpty)
    #expect(state.dialogue == nil)
  }

  @Test(arguments: [[Key.character("a")], [.tab, .enter], [.right, .enter], [.backTab, .enter]])
  func `only the letter, or moving to Abort and Enter, aborts`(_ keys: [Key]) {
    var state = Scene.monitor()
    Scene.press([.function(9)], in: &state)
    #expect(Scene.press(keys, in: &state) == [.requestAbort([JobID(1042)])])
    #expect(state.book[JobID(1042)]?.mark == .abortAsked)
  }

  @Test(arguments: everyKey)
  func `no other key does anything to a job while the question stands`(_ key: Key) {
    var state = Scene.monitor()
    Scene.press([.character("x")], in: &state)
    let intents = Scene.press([key], in: &state)
    let acts = intents.contains { intent in
      switch intent {
      case .requestAbort, .cancelAbort, .cleanUp: true
      default: false
      }
    }
    #expect(acts == (key == .character("a")))
  }

  @Test(arguments: everyKey)
  func `no single key stops a job, or cleans up one that is not over`(_ key: Key) {
    var state = Scene.monitor()
    for id in [1042, 1037] {
      Scene.press([.character("u"), .home], in: &state)
      while state.selected != JobID(id) { Scene.press([.down], in: &state) }
      let intents = Scene.press([key], in: &state)
      #expect(
        intents.allSatisfy { intent in
          switch intent {
          case .requestAbort, .cancelAbort: false
          case .cleanUp(let ids): id == 1037 && ids == [JobID(1037)]
          default: true
          }
        })
      Scene.press([.escape, .escape, .escape, .character("1")], in: &state)
    }
  }

  @Test func `the question is about the jobs that were meant, whatever the list does`() {
    var state = Scene.monitor()
    Scene.press([.down, .character("x")], in: &state)
    let change = JobStateChange(.completed, abortPreview: .alreadyCompleted)
    _ = state.update(Scene.event(1042, .state(change)))
    _ = state.update(
      Scene.event(
        1042, .completed(Keys.outcome(.succeeded, 100, Scene.upgrade.updates)), at: 170))
    #expect(Scene.press([.character("a")], in: &state) == [.requestAbort([JobID(1043)])])
  }

  @Test func `C24: the question says for each job what an abort would do at this moment`() throws {
    var state = Scene.monitor()
    Scene.press([.character("x")], in: &state)
    var text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("stops after linux-image-6.1.0-31-amd64 (about 7s)"))
    let refusal = AbortDisposition.refused(reason: .finalStep("old-kernel"))
    _ = state.update(Scene.event(1042, .state(JobStateChange(.installing, abortPreview: refusal))))
    text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("cannot stop: old-kernel is the last step and is already running"))
  }

  @Test func `C24: the pane says where an abort would stop`() {
    let state = Scene.monitor()
    let text = state.render(Size(columns: 80, rows: 24), Golden.looks[0].look).text
    #expect(text.contains("abort now would stop after linux-image-6.1.0-31-amd64 (about 7s)"))
  }

  @Test func `B22: a refused abort shows its reason on the screen`() {
    var state = Scene.monitor()
    Scene.press([.character("x"), .character("a")], in: &state)
    _ = state.update(
      .abortAnswer(JobID(1042), .refused(reason: .finalStep("linux-image-6.1.0-31-amd64"))))
    #expect(state.book[JobID(1042)]?.mark == .running)
    let text = state.render(Size(columns: 120, rows: 40), Golden.looks[0].look).text
    #expect(
      text.contains(
        "job 1042 cannot stop: linux-image-6.1.0-31-amd64 is the last step and is already running"))
  }

  @Test func `B22: a job that cannot stop says so instead of asking`() {
    var job = Scene.upgrade
    job.abortPreview = .refused(reason: .finalStep("old-kernel"))
    var state = Scene.monitor([job])
    #expect(Scene.press([.character("x")], in: &state).isEmpty)
    #expect(state.dialogue == nil)
    #expect(
      state.message?.text
        == "job 1042 cannot stop: old-kernel is the last step and is already running")
  }

  @Test func `x again takes the abort back`() {
    var state = Scene.monitor()
    let record = AbortRecord(
      requestedAt: Scene.at(160), requestedBy: Scene.ops,
      disposition: .accepted(stopsAfter: "libc-bin"))
    Scene.press([.character("x"), .character("a")], in: &state)
    #expect(Scene.press([.character("x")], in: &state).isEmpty)
    _ = state.update(.abortAnswer(JobID(1042), record.disposition))
    _ = state.update(Scene.event(1042, .abortRequested(record)))
    #expect(state.book[JobID(1042)]?.mark == .stopping)
    #expect(Scene.press([.character("x")], in: &state) == [.cancelAbort(JobID(1042))])
    _ = state.update(Scene.event(1042, .abortWithdrawn(by: Scene.ops)))
    #expect(state.book[JobID(1042)]?.mark == .running)
  }

  @Test func `what somebody else asked for is taken back only by a second key`() {
    var state = Scene.monitor()
    let record = AbortRecord(
      requestedAt: Scene.at(160), requestedBy: Requester(uid: 7, user: "ci"),
      disposition: .accepted(stopsAfter: "libc-bin"))
    _ = state.update(Scene.event(1042, .abortRequested(record)))
    #expect(Scene.press([.character("x")], in: &state).isEmpty)
    #expect(state.message?.text.contains("asked for by ci") == true)
    #expect(Scene.press([.character("f"), .character("x")], in: &state).isEmpty)
    #expect(Scene.press([.character("x")], in: &state) == [.cancelAbort(JobID(1042))])
  }

  @Test func `an abort that was asked for is not shown as done`() {
    var state = Scene.monitor()
    Scene.press([.character("x"), .character("a")], in: &state)
    let text = state.render(Size(columns: 80, rows: 24), Golden.looks[0].look).text
    let row = text.split(separator: "\n").first { $0.contains(" 1042 ") }
    #expect(row?.contains("abort asked") == true)
    _ = state.update(
      .failed(InstallationError(.notPermitted, "ops may not abort job 1042"), job: JobID(1042)))
    #expect(state.book[JobID(1042)]?.mark == .running)
    #expect(state.message?.text == "ops may not abort job 1042")
  }

  @Test func `ended jobs are left out of an abort and have nothing to abort`() {
    var state = Scene.monitor()
    Scene.press([.end, .character("x")], in: &state)
    #expect(state.dialogue == nil)
    #expect(state.message?.text == "job 1036 is over: there is nothing to abort")
    Scene.press([.character("*"), .character("x")], in: &state)
    guard case .abort(let question, _) = state.dialogue else {
      Issue.record("no question")
      return
    }
    #expect(question.ids.allSatisfy { state.book[$0]?.job.state.isFinal == false })
    #expect(!question.ids.contains(JobID(1044)))
  }

  @Test func `clean up asks, then cleans what is over and nothing else`() {
    var state = Scene.monitor()
    Scene.press([.character("c")], in: &state)
    #expect(state.message?.text == "job 1042 is not over: it can be cleaned up when it has ended")
    Scene.press([.character(" "), .end, .character(" "), .character("c")], in: &state)
    #expect(state.dialogue != nil)
    #expect(Scene.press([.enter], in: &state).isEmpty)
    Scene.press([.character("c")], in: &state)
    #expect(Scene.press([.character("c")], in: &state) == [.cleanUp([JobID(1036)])])
    #expect(state.book[JobID(1036)]?.mark == .cleaning)
    _ = state.update(Scene.event(1036, .cleanedUp(by: Scene.ops)))
    #expect(!state.book.queue.places.map(\.job).contains(JobID(1036)))
    #expect(state.book.history.places.map(\.job).contains(JobID(1036)))
  }

  @Test func `one job that left nothing to mend is cleaned up by one key`() {
    var state = Scene.monitor()
    Scene.press([.end], in: &state)
    #expect(Scene.press([.character("c")], in: &state) == [.cleanUp([JobID(1036)])])
    #expect(state.dialogue == nil)
    #expect(state.book[JobID(1036)]?.mark == .cleaning)
  }

  @Test func `clean up of all ended jobs names them all`() {
    var state = Scene.monitor()
    #expect(Scene.press([.character("C")], in: &state) == [.discardInput])
    let ids = [1035, 1036, 1037, 1038, 1039].map { JobID($0) }
    #expect(Scene.press([.character("c")], in: &state) == [.cleanUp(ids)])
  }

  @Test func `read-only refuses every act with its reason and still looks`() {
    for key in ["x", "c", "C", "r"] {
      var state = Scene.monitor(readOnlyReason: "read-only: started with --read-only")
      #expect(Scene.press([.character(Character(key))], in: &state).isEmpty)
      #expect(state.dialogue == nil)
      #expect(state.message?.text.hasSuffix("read-only: started with --read-only") == true)
    }
    var state = Scene.monitor(readOnlyReason: "read-only: started with --read-only")
    Scene.press([.enter], in: &state)
    #expect(state.screen == .job(JobID(1042)))
  }

  @Test func `a question that was open when the engine went away does not act`() {
    var state = Scene.monitor()
    Scene.press([.character("x")], in: &state)
    _ = state.update(.link(.lost(retryIn: 3)))
    #expect(Scene.press([.character("a")], in: &state).isEmpty)
    #expect(state.message?.text == "abort: not connected to the engine")
  }
}

@Suite struct Table {
  let table = ActionTable.standard

  /// Keys that are bound to two actions on one screen.
  private func conflicts(_ table: ActionTable) -> Set<Key> {
    Set(table.actions.flatMap(\.keys)).filter { key in
      Screen.Kind.allCases.contains { screen in
        table.actions.count {
          $0.keys.contains(key) && $0.screens?.contains(screen) ?? true
        } > 1
      }
    }
  }

  @Test func `no key stands for two actions on one screen`() { #expect(conflicts(table).isEmpty) }

  @Test(arguments: [
    Key.delete, .backspace, .insert, .control("k"), .control("s"), .control("q"),
  ])
  func `keys that are unbound on purpose stay unbound`(_ key: Key) {
    for screen in Screen.Kind.allCases { #expect(table.action(for: key, on: screen) == nil) }
  }

  @Test func `every action is in the table once, with a key, help and a name of its own`() {
    #expect(table.actions.map(\.id).count == Action.ID.allCases.count)
    #expect(Set(table.actions.map(\.id)) == Set(Action.ID.allCases))
    #expect(Set(table.actions.map(\.name)).count == table.actions.count)
    #expect(table.action(.cleanUpFinished)?.name == "clean-up-finished")
    for action in table.actions {
      #expect(!action.keys.isEmpty && !action.help.isEmpty)
    }
  }

  @Test func `every function key has a letter beside it`() {
    for action in table.actions {
      // What is offered for ended jobs stands in the place of another key.
      guard let bar = action.bar, bar.jobs != .ended else { continue }
      let number = bar.number
      #expect(action.keys.contains(.function(number)))
      #expect(
        action.keys.contains { key in
          if case .character = key { true } else { false }
        })
    }
  }

  @Test func `every key of the table has a name that reads back`() {
    for key in table.actions.flatMap(\.keys) { #expect(Key(named: key.name) == key) }
    for name in ["", "Ctrl-", "Ctrl-LL", "F13", "nothing"] { #expect(Key(named: name) == nil) }
  }

  @Test func `keys can be bound anew, and a clash is seen`() throws {
    let quit = try #require(table.action(named: "quit"))
    let bound = table.binding(quit.id, to: [.control("q")])
    #expect(bound.action(for: .character("q"), on: .queue) == nil)
    #expect(bound.action(for: .control("q"), on: .queue)?.id == .quit)
    #expect(conflicts(bound).isEmpty)
    #expect(conflicts(table.binding(.quit, to: [.character("x")])) == [.character("x")])
    var state = MonitorState(size: Size(columns: 80, rows: 24), actions: bound)
    #expect(state.update(.key(.control("q"))) == [.quit])
    #expect(state.update(.key(.function(10))).isEmpty)
  }

  @Test func `every dangerous action asks first`() {
    for action in table.actions where action.flags.contains(.dangerous) {
      var state = Scene.monitor(Scene.queue)
      if action.id == .cleanUp { Scene.press([.end], in: &state) }
      #expect(state.perform(action.id) == [.discardInput])
      #expect(state.dialogue != nil)
    }
  }
}
