import Canvas
import InstallJobs
import Testing

@testable import Monitor

/// Tab in the command prompt.
@Suite struct Completions {
  private static func typed(_ text: String, _ keys: [Key] = []) -> MonitorState {
    var state = MonitorState(
      size: Size(columns: 80, rows: 24), themes: ["dark", "dusk", "light", "neutral"])
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(Scene.queue))
    _ = state.update(.snapshotEnd(seq: 1))
    Scene.press([.character(":")] + Scene.typed(text) + keys, in: &state)
    return state
  }

  private static func line(_ text: String, _ keys: [Key]) -> String {
    typed(text, keys).prompt?.text ?? ""
  }

  @Test(arguments: [
    ("the", "theme "), ("theme", "theme "), ("theme da", "theme dark"), ("withd", "withdraw "),
    ("sort u", "sort user"), ("sort user r", "sort user reverse"), ("column sp", "column speed"),
    ("abort 104", "abort 1042"), ("abort 1042 1043 104", "abort 1042 1043 1044"),
    ("zzz", "zzz"), ("theme dark d", "theme dark d"), ("quit", "quit"),
  ])
  func `completes a command, then what stands behind it`(_ typed: String, _ whole: String) {
    #expect(Self.line(typed, [.tab]) == whole)
  }

  @Test func `again it goes on, round the end over what was typed, and Shift-Tab back`() {
    #expect(Self.line("theme d", [.tab, .tab]) == "theme dusk")
    #expect(Self.line("theme d", [.tab, .tab, .tab]) == "theme d")
    #expect(Self.line("theme d", [.tab, .tab, .tab, .tab]) == "theme dark")
    #expect(Self.line("theme d", [.backTab]) == "theme dusk")
    #expect(Self.line("theme d", [.tab, .backTab]) == "theme d")
    // Typing ends it: Tab then begins anew.
    #expect(Self.line("theme d", [.tab, .backspace, .tab]) == "theme dark")
  }

  @Test func `all ways are listed above the line, the present one in sight at any width`() {
    for columns in [20, 40, 80, 120] {
      var state = Self.typed("", [.tab])
      _ = state.update(.resize(Size(columns: columns, rows: 24)))
      for _ in 0..<80 {
        guard let completion = state.prompt?.completion, let index = completion.index else {
          Scene.press([.tab], in: &state)
          continue
        }
        let lines = state.render(state.size, Golden.looks[0].look).text.split(
          separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[21].contains(completion.candidates[index].word), "\(lines[21])")
        Scene.press([.tab], in: &state)
      }
    }
  }

  @Test func `every name it offers is a command`() {
    let line = CommandLine(actions: .standard, themes: ["dark"], jobs: [JobID(7)])
    for candidate in line.candidates(for: "") {
      if case .unknown(let reason) = line.command(candidate.word) {
        // Those that take more say what.
        #expect(!reason.hasPrefix("no command"), "\(candidate.word): \(reason)")
      }
    }
  }

  @Test func `a column is shown or hidden by name, steady ones stay`() {
    var state = Scene.monitor()
    #expect(Commands.run("column speed", in: &state) == [.keep(state.preferences)])
    #expect(!state.preferences.columns.shown.contains(.speed))
    #expect(Commands.run("column job", in: &state).isEmpty)
    #expect(state.message?.text == "column job is always shown")
    #expect(Commands.run("column colour", in: &state).isEmpty)
    #expect(state.message?.isAlert == true)
  }

  @Test func `half a page goes half as far as a page, and in a text field it goes nowhere`() {
    var state = Scene.monitor(
      (1...200).map { Scene.job($0, [Scene.planned("a")]) }, size: Size(columns: 80, rows: 24))
    let rows = FrameLayout(state, size: state.size).list.size.rows
    Scene.press([.control("d")], in: &state)
    #expect(state.selected == JobID(1 + rows / 2))
    Scene.press([.control("u")], in: &state)
    #expect(state.selected == JobID(1))
    Scene.press([.character(":"), .control("d")], in: &state)
    #expect(state.prompt?.text.isEmpty == true && state.selected == JobID(1))
    Scene.press(Scene.typed("ab") + [.control("u")], in: &state)
    #expect(state.prompt?.text.isEmpty == true)
    Scene.press([.escape, .character("i"), .tab, .control("d"), .control("u")], in: &state)
    #expect(state.screen == .compose)
  }
}
