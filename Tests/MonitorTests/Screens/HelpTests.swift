import Canvas
import InstallJobs
import Testing
import ThemeCatalog

@testable import Monitor

@Suite struct Help {
  static let look = Golden.looks[0].look

  static func open(_ size: Size = Size(columns: 80, rows: 24), by name: String = "queue")
    -> MonitorState
  {
    var state = Scene.monitor(size: size)
    Scene.press([.character("?")], in: &state)
    return state
  }

  static func rows(_ state: MonitorState) -> [String] {
    let text = state.render(state.size, look).text
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The rows of the screen in which something has the look of a match.
  static func marked(_ state: MonitorState) -> [Int] {
    let canvas = state.render(state.size, look)
    return (0..<state.size.rows).filter { row in
      (0..<state.size.columns).contains { column in
        canvas[Point(column: column, row: row)].style == look.theme.style(.logMatch)
      }
    }
  }

  @Test func `words are looked for in all of help, and the matches are gone through`() throws {
    var state = Self.open()
    Scene.press([.character("/")] + Scene.typed("Package"), in: &state)
    #expect(Self.rows(state)[23] == " Find: Package")
    Scene.press([.enter], in: &state)
    let count = HelpPage(state, size: state.size).matches.count
    #expect(count > 3)
    #expect(Self.rows(state)[23].hasPrefix(" match 1 of \(count)"))
    var seen: Set<String> = []
    for _ in 0..<count {
      // The match gone to is in sight, and told from the others by a sign.
      let row = try #require(Self.rows(state).firstIndex { $0.hasPrefix(">") })
      #expect(Self.rows(state)[row].lowercased().contains("package"))
      #expect(Self.marked(state).contains(row))
      seen.insert(Self.rows(state)[row])
      Scene.press([.character("n")], in: &state)
    }
    #expect(seen.count == count)
    #expect(Self.rows(state)[23].hasPrefix(" match 1 of \(count)"))
    Scene.press([.character("N")], in: &state)
    #expect(Self.rows(state)[23].hasPrefix(" match \(count) of \(count)"))
  }

  @Test func `Esc leaves the line, then the search, then help`() {
    var state = Self.open()
    Scene.press([.character("/")] + Scene.typed("x") + [.escape], in: &state)
    #expect(state.help != nil && Self.marked(state).isEmpty)
    Scene.press([.character("/")] + Scene.typed("abort") + [.enter], in: &state)
    #expect(!Self.marked(state).isEmpty)
    Scene.press([.escape], in: &state)
    #expect(state.help != nil && Self.marked(state).isEmpty)
    Scene.press([.escape], in: &state)
    #expect(state.help == nil)
  }

  @Test func `letters typed into the search are text, pasted text too`() {
    var state = Self.open()
    #expect(Scene.press([.character("/")] + Scene.typed("qx"), in: &state).isEmpty)
    _ = state.update(.paste("\u{1b}yz\n"))
    #expect(Self.rows(state)[23].hasPrefix(" Find: qx") && Self.rows(state)[23].contains("yz"))
    Scene.press([.enter], in: &state)
    #expect(Self.rows(state)[23].contains("is not found"))
    Scene.press([.character("n"), .character("N")], in: &state)
    #expect(state.help != nil)
  }

  @Test func `a match further down is scrolled to, in columns too`() {
    for size in [Size(columns: 80, rows: 10), Size(columns: 160, rows: 10)] {
      var state = Self.open(size)
      Scene.press([.character("/")] + Scene.typed("per cent") + [.enter], in: &state)
      #expect(Self.rows(state).contains { $0.contains("per cent done") })
      #expect(!Self.marked(state).isEmpty)
    }
  }

  @Test(arguments: [50, 80, 120])
  func `a key that does nothing now is dim and says why`(_ columns: Int) throws {
    var state = Scene.monitor(
      Scene.queue.filter { $0.id == JobID(1047) }, size: Size(columns: columns, rows: 24))
    Scene.press([.character("?")], in: &state)
    let page = HelpPage(state, size: state.size)
    let text = page.columns.flatMap { $0 }.flatMap(\.texts).joined(separator: " ")
    #expect(text.contains("job 1047 is not over"))
    let canvas = state.render(state.size, Self.look)
    let row = try #require(Self.rows(state).firstIndex { $0.contains("retry what did not") })
    let dim = Self.look.theme.style(.keyDisabled)
    #expect(canvas[Point(column: columns >= 60 ? 1 : 0, row: row)].style == dim)
  }

  @Test(arguments: [40, 50, 60, 80, 120, 160])
  func `every word of help is read, at any width`(_ columns: Int) {
    var state = Scene.monitor(size: Size(columns: columns, rows: 400))
    Scene.press([.character("?")], in: &state)
    let words = state.render(state.size, Self.look).text.split { " \n".contains($0) }
    for action in ActionTable.standard.actions
    where action.screens?.contains(.queue) ?? true {
      for word in action.help.split(separator: " ") {
        #expect(words.contains(word), "\(action.name): \(word)")
      }
    }
    #expect(!words.contains { $0.hasSuffix("…") })
  }
}
