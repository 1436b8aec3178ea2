import Testing

@testable import Bench

@Suite struct `Words on a screen` {
  private func text(_ output: String) -> String { ScreenText(Array(output.utf8)).text }

  @Test(
    arguments: [
      ("\u{1b}[1mPID\u{1b}[0;39m USER", "PID USER"), ("PID\u{1b}[5GUSER", "PID USER"),
      ("a\u{1b}(Bb", "ab"), ("\u{1b}]0;title\u{7}x", "x"), ("\u{1b}]0;t\u{1b}\\x", "x"),
      ("one\r\ntwo", "one  two"), ("\u{1b}[?2004h█▌", " █▌"), ("cut \u{1b}[12", "cut "),
      ("\u{1b}[?1049h\u{1b}[2J\u{1b}7top", "   top"),
    ])
  func `attributes vanish and whatever moves the cursor is a blank`(output: String, shown: String) {
    #expect(text(output) == shown)
  }

  @Test func `words count in any order, all of them`() {
    let screen = ScreenText(Array("\u{1b}[1mPHASE\u{1b}[m \u{1b}[9Gpackage-1 ".utf8))
    #expect(screen.shows(["package-1 ", "PHASE"]))
    #expect(!screen.shows(["PHASE", "package-2"]))
  }

  @Test func `readings that lie close together are one frame`() {
    var log = OutputLog()
    for (at, bytes) in [(0, 9), (100, 5), (110, 6), (124, 1), (139, 2), (300, 7)] {
      log.add(OutputLog.Reading(at: .milliseconds(at), bytes: bytes))
    }
    #expect(log.frames() == [9, 12, 2, 7])
    #expect(log.since(.milliseconds(110)).frames() == [7, 2, 7])
    #expect(log.since(.milliseconds(301)).byteCount == 0)
    #expect(log.byteCount == 30)
  }
}
