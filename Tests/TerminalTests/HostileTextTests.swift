import Canvas
import Support
import Testing

@testable import Terminal

extension TerminalTests {
  /// What packages and peers may call themselves, through ncurses' own bytes into an emulator.
  @Suite @MainActor struct HostileText {
    private static let texts = [
      "\u{1b}[2J\u{1b}[1;1Hgone", "\u{1b}]52;c;QQ==\u{7}copied", "\u{1b}]0;title\u{1b}\\",
      "\u{1b}[?1000h\u{1b}[?25h\u{1b}[?1049l", "\u{9b}31mred\u{9d}0;t\u{9c}", "\u{1b}c\u{1b}(0qqq",
      "a\rb\nc\td\u{8}\u{8}e\u{7f}\u{0}", "\u{202e}evil\u{202c}\u{2066}x\u{2069}\u{200f}",
      "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}", "\u{301}\u{302}alone",
      "日本語パッケージ", "👨‍👩‍👧‍👦🏷️⏳🇩🇪", "\u{feff}\u{200b}\u{ad}\u{e000}\u{10ffff}\u{fffe}",
      "\u{1b}P1$r0m", "\u{1b}[999999999999;1", "ﷺ𒐫꧅", "\u{1b}", "",
    ]

    @Test(arguments: ["xterm-256color", "screen-256color", "tmux-256color", "linux", "vt100"])
    func `names of any kind stay in their place and switch nothing`(type: String) async throws {
      try await withTerminal(columns: 50, rows: 20, type: type) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 50, rows: 20)
        terminal.present(Canvas(size: terminal.size, lines: ["before"]))
        emulator.feed(await pseudoTerminal.drain())
        let modes = emulator.modes
        var canvas = Canvas(size: terminal.size)
        for (row, text) in Self.texts.enumerated() {
          canvas.draw("|", at: Point(column: 0, row: row))
          canvas.draw(text, at: Point(column: 1, row: row), maxColumns: 47)
          canvas.draw("|", at: Point(column: 48, row: row))
        }
        terminal.present(canvas)
        let bytes = await pseudoTerminal.drain()
        emulator.feed(bytes)
        #expect(emulator.modes == modes)
        for row in Self.texts.indices {
          #expect(emulator.cell(column: 0, row: row).text == "|", "row \(row)")
          #expect(emulator.cell(column: 48, row: row).text == "|", "row \(row)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for forbidden in ["\u{1b}]", "\u{1b}P", "\u{1b}c", "\u{9b}", "\u{9d}", "\u{202e}", "\u{7}"]
        {
          #expect(!text.unicodeScalars.contains(forbidden.unicodeScalars), "\(forbidden.utf8)")
        }
      }
    }
  }
}

extension String.UnicodeScalarView {
  /// Whether other scalars stand in here one after the other.
  fileprivate func contains(_ other: String.UnicodeScalarView) -> Bool {
    indices.contains { self[$0...].starts(with: other) }
  }
}
