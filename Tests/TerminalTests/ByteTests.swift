import Canvas
import Support
import Terminal
import Testing

extension TerminalTests {
  @Suite @MainActor struct Bytes {
    @Test func `an unchanged frame costs no byte`() async throws {
      try await withTerminal(columns: 120, rows: 40) { terminal, pseudoTerminal in
        let canvas = Self.bars(terminal.size, moving: 36, frame: 0)
        terminal.present(canvas)
        #expect(await pseudoTerminal.drain().count > 1_000)
        for _ in 0..<99 { terminal.present(canvas) }
        #expect(await pseudoTerminal.drain().isEmpty)
      }
    }

    @Test(arguments: [(8, 600), (36, 2_500)])
    func `a frame with moving bars at 120x40 stays in its budget of bytes`(
      moving: Int, budget: Int
    ) async throws {
      try await withTerminal(columns: 120, rows: 40) { terminal, pseudoTerminal in
        terminal.present(Self.bars(terminal.size, moving: moving, frame: 0))
        _ = await pseudoTerminal.drain()
        var counts: [Int] = []
        for frame in 1...50 {
          terminal.present(Self.bars(terminal.size, moving: moving, frame: frame))
          counts.append(await pseudoTerminal.drain().count)
        }
        let most = counts.max() ?? 0
        #expect(most <= budget && most > 0)
      }
    }

    @Test(arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("é\n\u{1b}", "w6kKGw=="),
    ])
    func `copied text goes out encoded, so that it can hold anything`(text: String, encoded: String)
      async throws
    {
      try await withTerminal { terminal, pseudoTerminal in
        _ = await pseudoTerminal.drain()
        #expect(terminal.copy(text))
        let sent = String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
        #expect(sent == "\u{1b}]52;c;\(encoded)\u{7}")
        #expect(!terminal.copy(String(repeating: "a", count: 74_995)))
      }
    }

    @Test func `the bell is one byte, and none when the terminal was given back`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        _ = await pseudoTerminal.drain()
        terminal.ringBell()
        #expect(await pseudoTerminal.drain() == [0x07])
        terminal.close()
        _ = await pseudoTerminal.drain()
        terminal.ringBell()
        #expect(await pseudoTerminal.drain().isEmpty)
      }
    }

    @Test func `a full repaint is one frame, and only when asked for`() async throws {
      try await withTerminal(columns: 80, rows: 24) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 80, rows: 24)
        let canvas = Self.bars(terminal.size, moving: 20, frame: 3)
        terminal.present(canvas)
        _ = await pseudoTerminal.drain()
        terminal.repaint()
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.shows(canvas))
      }
    }

    /// Rows with a name, a bar whose tip moves by an eighth of a cell each frame, and a figure.
    private static func bars(_ size: Size, moving: Int, frame: Int) -> Canvas {
      let tips = Array(" ▏▎▍▌▋▊▉".unicodeScalars)
      var canvas = Canvas(size: size)
      for row in 0..<min(size.rows, 38) {
        let eighths = 40 + row * 3 + (row < moving ? frame * 3 : 0)
        let figure = "\(eighths / 8)%"
        let bar = String(repeating: "█", count: eighths / 8)
        let text =
          Array("package-\(row)  ".unicodeScalars) + Array(bar.unicodeScalars)
          + [tips[eighths % 8]]
        for (column, scalar) in text.enumerated() where column < size.columns {
          canvas[Point(column: column, row: row)] = Cell(
            scalar, style: Style(foreground: .indexed(column < 12 ? 250 : 75)))
        }
        for (column, scalar) in figure.unicodeScalars.enumerated() {
          canvas[Point(column: size.columns - 6 + column, row: row)] = Cell(scalar)
        }
      }
      return canvas
    }
  }
}
