import Canvas
import InstallJobs
import Testing
import ThemeCatalog

@testable import Monitor

/// What the roles of rows mean, each beside a sign or word that says the same without colour.
@Suite struct RolesOfRows {
  static let look = Golden.looks[0].look

  static func row(_ state: MonitorState, _ row: Int, from column: Int = 0) -> [Style] {
    let canvas = state.render(state.size, look)
    return (column..<state.size.columns).map { canvas[Point(column: $0, row: row)].style }
  }

  static func line(_ state: MonitorState, _ row: Int) -> String {
    let text = state.render(state.size, look).text
    return String(text.split(separator: "\n", omittingEmptySubsequences: false)[row])
  }

  @Test(arguments: [Key.character("/"), .character(":"), .character("s")])
  func `the selected row says when the keys are for something else`(_ key: Key) {
    var state = Scene.monitor()
    let theme = Self.look.theme
    let (held, other) = (theme.style(.rowSelected), theme.style(.rowSelectedOther))
    #expect(Self.row(state, 3).contains(held) && !Self.row(state, 3).contains(other))
    Scene.press([key], in: &state)
    #expect(Self.row(state, 3).contains(other) && !Self.row(state, 3).contains(held))
    #expect(Self.line(state, 3).hasPrefix(">"))
    Scene.press([.escape], in: &state)
    #expect(Self.row(state, 3).contains(held) && !Self.row(state, 3).contains(other))
  }

  @Test func `the job that the selection goes along with has a sign, until one moves away`() {
    var state = Scene.monitor()
    #expect(Self.line(state, 3).hasPrefix(">»▸"))
    // It is no hole in the bar of the selection.
    #expect(Self.row(state, 3)[0..<4].allSatisfy { $0 == Self.look.theme.style(.rowSelected) })
    Scene.press([.down], in: &state)
    #expect(!Self.line(state, 3).contains("»") && !Self.line(state, 4).contains("»"))
    Scene.press([.character("f")], in: &state)
    #expect(Self.line(state, 3).hasPrefix(">»▸"))
    // A tag is worth more than the sign.
    Scene.press([.character("*")], in: &state)
    #expect(Self.line(state, 3).hasPrefix(">*▸"))
    // Where nothing is at work nothing is followed.
    state = Scene.monitor(Scene.queue.filter { $0.state == .queued })
    #expect(!Self.line(state, 3).contains("»"))
  }

  @Test func `the timeline's cursor is on the package at work, then on the one found`() throws {
    var state = Scene.monitor([Scene.timed])
    Scene.press([.character("5")], in: &state)
    let cursor = Self.look.theme.style(.timelineCursor)
    func marked() -> [String] {
      (2..<20).filter { Self.row(state, $0)[4] == cursor }.map { Self.line(state, $0) }
    }
    #expect(marked().count == 1 && marked()[0].hasPrefix("> ▸ linux-image"))
    Scene.press([.character("/")] + Scene.typed("openssl") + [.enter], in: &state)
    #expect(marked().count == 1 && marked()[0].hasPrefix("> ") && marked()[0].contains("openssl"))
    #expect(Scene.press([.character("y")], in: &state) == [.copy("openssl")])
  }

  @Test func `upgrades for security and those kept back say so`() throws {
    var state = Scene.composing(Size(columns: 120, rows: 40), "")
    Scene.press([.backTab, .right, .right], in: &state)
    _ = state.update(.upgradable(Scene.mixedUpgradable))
    let rows = (0..<40).map { Self.line(state, $0) }
    let secure = try #require(rows.firstIndex { $0.contains("[ ]!openssl") })
    let kept = try #require(rows.firstIndex { $0.contains("[ ]=tzdata") })
    #expect(rows[secure].contains("security Debian") && rows[kept].contains("kept back: held"))
    #expect(Self.row(state, secure)[5] == Self.look.theme.style(.composeSecurity))
    #expect(Self.row(state, kept)[5] == Self.look.theme.style(.composeHeld))
    #expect(rows.contains { $0.contains("1 for security (!), 1 kept back (=)") })
  }
}
