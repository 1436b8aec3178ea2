import Canvas
import InstallJobs
import Testing
import ThemeCatalog

@testable import Monitor

@Suite struct LogReading {
  static let mixed = (1...300).map { number in
    let what = number.isMultiple(of: 10) ? "E: " : number.isMultiple(of: 5) ? "W: " : ""
    return "\(what)line \(number) of it\n"
  }.joined()

  static func reading(_ log: String = mixed) -> MonitorState {
    var state = Scene.monitor([Scene.upgrade], log: log)
    Scene.press([.character("3")], in: &state)
    return state
  }

  static func rows(_ state: MonitorState) -> [String] {
    let text = state.render(state.size, Golden.looks[0].look).text
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  static func add(_ text: String, to state: inout MonitorState) {
    let end = state.log.end ?? 0
    _ = state.update(Scene.event(1042, .log(offset: end, text: text)))
  }

  @Test func `one key leaves out what is no warning, then what is no error, then nothing`() {
    var state = Self.reading()
    Scene.press([.character("o")], in: &state)
    var rows = Self.rows(state)
    #expect(rows[1].contains("log, following, warnings and errors only"))
    #expect(rows[1].contains("60 of 300 lines"))
    #expect(rows[21] == " E: line 300 of it" && rows[20] == " W: line 295 of it")
    Scene.press([.character("o")], in: &state)
    rows = Self.rows(state)
    #expect(rows[1].contains("log, following, errors only") && rows[1].contains("30 of 300 lines"))
    #expect(rows[20] == " E: line 290 of it")
    Scene.press([.character("o")], in: &state)
    #expect(Self.rows(state)[20] == " line 299 of it")
  }

  @Test func `a log without a warning says so and shows the first one that comes`() {
    var state = Self.reading("all is well\n")
    Scene.press([.character("o")], in: &state)
    #expect(Self.rows(state)[2] == " no warnings or errors in the lines at hand")
    // A line is a warning from its second letter on.
    Self.add("W", to: &state)
    #expect(Self.rows(state)[2] == " no warnings or errors in the lines at hand")
    Self.add(": mirror is slow", to: &state)
    #expect(Self.rows(state)[2] == " W: mirror is slow")
    Self.add("\nE: gone\nplain\n", to: &state)
    #expect(Array(Self.rows(state)[2...4]) == [" W: mirror is slow", " E: gone", ""])
  }

  @Test func `what is in sight stays near when lines are left out`() {
    var state = Self.reading()
    Scene.press([.character("g")], in: &state)
    Scene.press(Array(repeating: .down, count: 101), in: &state)
    #expect(Self.rows(state)[2] == " line 102 of it")
    Scene.press([.character("o")], in: &state)
    #expect(Self.rows(state)[2] == " W: line 105 of it")
    Scene.press([.character("o"), .character("o")], in: &state)
    #expect(Self.rows(state)[2] == " line 102 of it")
  }

  @Test func `dropped lines are forgotten in what is left out and in what was found`() {
    var log = LogTail(job: JobID(1))
    var view = LogView()
    view.search(for: "error", in: log)
    for number in 0..<6000 {
      log.append(offset: log.end ?? 0, text: number.isMultiple(of: 100) ? "E: error\n" : "x\n")
      view.search(log)
    }
    #expect(log.dropped > 3000 && log.dropped + log.lines.count == 6000)
    #expect(log.errors == (0..<60).map { $0 * 100 }.filter { $0 >= log.dropped })
    #expect(view.matches == log.errors && log.problems == log.errors)
    let lines = LogLines(log, atLeast: .error)
    #expect((0..<lines.count).allSatisfy { lines[$0] == "E: error" })
  }

  @Test func `what is found says which match it is of how many, also of those that come`() {
    var state = Self.reading()
    Scene.press([.character("g"), .character("/")] + Scene.typed("line 29") + [.enter], in: &state)
    #expect(state.message?.text == "match 1 of 11")
    #expect(Self.rows(state)[1].contains("match 1 of 11 · 300 lines"))
    #expect(Self.rows(state)[2] == ">line 29 of it")
    Scene.press([.character("n")], in: &state)
    #expect(state.message?.text == "match 2 of 11")
    Self.add("line 29 again\nline", to: &state)
    #expect(Self.rows(state)[1].contains("match 2 of 12"))
    Self.add(" 29 grew\n", to: &state)
    #expect(Self.rows(state)[1].contains("match 2 of 13"))
    Scene.press([.character("N"), .character("N")], in: &state)
    #expect(state.message?.text == "match 1 of 13: none above")
    // Only lines that are shown are found.
    Scene.press([.character("o"), .character("o"), .character("n")], in: &state)
    #expect(state.message?.text == "match 1 of 1")
    #expect(Self.rows(state).contains(">E: line 290 of it"))
  }

  @Test func `no match says so, and finding nothing takes the marks away`() {
    var state = Self.reading()
    Scene.press([.character("/")] + Scene.typed("nowhere") + [.enter], in: &state)
    #expect(state.message?.text == "'nowhere' is not found")
    #expect(Self.rows(state)[1].contains("no match"))
    Scene.press([.character("/"), .enter], in: &state)
    #expect(!Self.rows(state)[1].contains("match"))
  }

  @Test func `new lines below count from what was in sight`() {
    var state = Self.reading()
    Scene.press([.character("k")], in: &state)
    #expect(Self.rows(state)[1].contains("log, paused, 1 below"))
    Self.add("a\nb\nc\n", to: &state)
    #expect(Self.rows(state)[1].contains("log, paused, 3 new below"))
    Scene.press([.character("j"), .character("j")], in: &state)
    #expect(Self.rows(state)[1].contains("log, paused, 2 new below"))
    // What was in sight once is not new when one goes back.
    Scene.press([.character("k"), .character("k")], in: &state)
    #expect(Self.rows(state)[1].contains("log, paused, 2 new below"))
    Scene.press([.end], in: &state)
    #expect(Self.rows(state)[1].contains("log, following"))
  }

  @Test func `a wrapped warning has one look in all of its rows`() {
    var log = LogTail(job: JobID(1))
    log.append(offset: 0, text: "W: 0123456789\nx\n")
    var view = LogView()
    view.toggleWrap()
    let window = LogWindow(log, view, rows: 5, columns: 8)
    #expect(window.rows == ["W: 01234", "56789", "x"])
    #expect(window.origins.map(\.level) == [.warning, .warning, .info])
    #expect(window.origins.map(\.number) == [0, nil, 1])
  }
}
