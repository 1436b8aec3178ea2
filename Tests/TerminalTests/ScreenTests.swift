import Canvas
import Support
import Terminal
import Testing

extension TerminalTests {
  @Suite @MainActor struct Screens {
    @Test(arguments: ["xterm-256color", "screen-256color", "tmux-256color"])
    func `the screen shows the canvas cell by cell: text, marks, wide characters, colours`(
      type: String
    ) async throws {
      try await withTerminal(columns: 40, rows: 6, type: type) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 40, rows: 6)
        let canvas = Self.rich(terminal.size)
        terminal.present(canvas)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.shows(canvas))
        #expect(emulator.line(1) == "日本 e\u{301} ▏▎▍▌▋▊▉█")
      }
    }

    @Test func `random changes from frame to frame end in the same screen as the last canvas`()
      async throws
    {
      try await withTerminal(columns: 30, rows: 8) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 30, rows: 8)
        var numbers = RepeatableNumbers(seed: 7)
        var canvas = Canvas(size: terminal.size)
        for frame in 0..<200 {
          for _ in 0..<12 { Self.change(&canvas, &numbers) }
          terminal.present(canvas)
          emulator.feed(await pseudoTerminal.drain())
          #expect(emulator.shows(canvas), "frame \(frame)")
        }
      }
    }

    @Test func `the bottom right cell is shown and nothing scrolls`() async throws {
      try await withTerminal(columns: 20, rows: 5) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 20, rows: 5)
        let full = Canvas(
          size: terminal.size, lines: (0..<5).map { "\($0)abcdefghijklmnopqr\($0)" })
        terminal.present(full)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.shows(full))
        var changed = full
        changed[Point(column: 19, row: 4)].base = "!"
        terminal.present(changed)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.shows(changed))
      }
    }

    @Test func `control characters and characters of another width never reach the terminal`()
      async throws
    {
      try await withTerminal(columns: 20, rows: 2) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 20, rows: 2)
        var canvas = Canvas(
          size: terminal.size, lines: ["a\u{1b}b\u{9b}c\u{7f}d\u{202e}e\u{65e5}f"])
        canvas[Point(column: 19, row: 0)] = Cell("日", width: 2)
        terminal.present(canvas)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.line(0) == "a?b?c?d?e?f        ?")
      }
    }

    @Test func `a canvas that is larger or smaller than the terminal is cut or padded`()
      async throws
    {
      try await withTerminal(columns: 10, rows: 3) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 10, rows: 3)
        let lines = (0..<5).map { _ in "0123456789abcdef" }
        terminal.present(Canvas(size: Size(columns: 16, rows: 5), lines: lines))
        emulator.feed(await pseudoTerminal.drain())
        #expect((0..<3).map(emulator.line) == Array(repeating: "0123456789", count: 3))
        terminal.present(Canvas(size: Size(columns: 4, rows: 1), lines: ["tiny"]))
        emulator.feed(await pseudoTerminal.drain())
        #expect((0..<3).map(emulator.line) == ["tiny", "", ""])
      }
    }

    @Test func `more colours than there are pairs still give a screen`() async throws {
      try await withTerminal(columns: 16, rows: 8, type: "xterm") { terminal, pseudoTerminal in
        #expect(terminal.capabilities.colorCount == 8)
        let emulator = EmulatedTerminal(columns: 16, rows: 8)
        for round in 0..<3 {
          var canvas = Canvas(size: terminal.size)
          for row in 0..<8 {
            for column in 0..<8 {
              canvas[Point(column: column, row: row)] = Cell(
                "x",
                style: Style(
                  foreground: .indexed(UInt8((column + round) % 8)),
                  background: .indexed(UInt8(row))))
            }
          }
          terminal.present(canvas)
          emulator.feed(await pseudoTerminal.drain())
          #expect((0..<8).map(emulator.line) == Array(repeating: "xxxxxxxx", count: 8))
        }
        let few = Canvas(
          size: terminal.size, lines: ["few"], style: Style(foreground: .indexed(3)))
        terminal.present(few)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.shows(few))
      }
    }

    @Test(arguments: ["vt100", "linux", "vt220", "ansi", "xterm-mono"])
    func `a terminal with few or no colours shows the text and does not crash`(type: String)
      async throws
    {
      try await withTerminal(columns: 40, rows: 6, type: type) { terminal, pseudoTerminal in
        let emulator = EmulatedTerminal(columns: 40, rows: 6)
        let style = Style(foreground: .indexed(200), background: .rgb(1, 2, 3), attributes: .bold)
        terminal.present(Canvas(size: terminal.size, lines: ["plain", "as ever"], style: style))
        emulator.feed(await pseudoTerminal.drain())
        #expect(terminal.capabilities.type == type)
        #expect((0..<3).map(emulator.line) == ["plain", "as ever", ""])
      }
    }

    @Test func `a dumb terminal gets no control sequence, not even at the end`() async throws {
      let pseudoTerminal = PseudoTerminal()
      var options = TerminalOptions()
      options.input = pseudoTerminal.terminal
      options.output = pseudoTerminal.terminal
      options.type = "dumb"
      options.holdsErrors = false
      let terminal = try Terminal.open(options)
      #expect(!terminal.capabilities.canMoveCursor)
      terminal.present(
        Canvas(
          size: terminal.size, lines: ["text"], style: Style(foreground: .indexed(1))))
      terminal.close()
      #expect(await !pseudoTerminal.drain().contains(0x1b))
    }

    @Test(arguments: [
      ("xterm-kitty", "xterm-256color"), ("no-such-terminal", "xterm-256color"),
      ("tmux-of-tomorrow", "screen-256color"),
    ])
    func `an unknown terminal type is replaced by one of its family, and that is said`(
      asked: String, taken: String
    ) async throws {
      try await withTerminal(type: asked) { terminal, _ in
        #expect(terminal.capabilities.type == taken)
        #expect(terminal.capabilities.notice?.contains(asked) == true)
        #expect(terminal.capabilities.colorCount == 256)
      }
    }

    @Test func `there is one screen, and only on a terminal`() async throws {
      try await withTerminal { _, pseudoTerminal in
        var options = TerminalOptions()
        options.input = pseudoTerminal.terminal
        options.output = pseudoTerminal.terminal
        #expect(throws: TerminalError.alreadyOpen) { try Terminal.open(options) }
      }
      let nothing = TerminalOptions.onNothing
      #expect(throws: TerminalError.notATerminal) { try Terminal.open(nothing) }
    }

    @Test func `the cursor is shown where the canvas wants it, and hidden without`() async throws {
      try await withTerminal(columns: 20, rows: 3) { terminal, pseudoTerminal in
        var canvas = Canvas(size: terminal.size, lines: ["name:"])
        canvas.cursor = Point(column: 6, row: 0)
        terminal.present(canvas)
        #expect(
          String(decoding: await pseudoTerminal.drain(), as: UTF8.self).contains("\u{1b}[?25h"))
        canvas.cursor = nil
        terminal.present(canvas)
        #expect(String(decoding: await pseudoTerminal.drain(), as: UTF8.self) == "\u{1b}[?25l")
      }
    }

    private static func rich(_ size: Size) -> Canvas {
      var canvas = Canvas(
        size: size, lines: ["plain text"], style: Style(foreground: .indexed(75)))
      let marked = Style(foreground: .indexed(208), background: .indexed(17), attributes: .bold)
      canvas[Point(column: 0, row: 1)] = Cell("日", width: 2, style: marked)
      canvas[Point(column: 1, row: 1)] = Cell(" ", width: 0, style: marked)
      canvas[Point(column: 2, row: 1)] = Cell("本", width: 2)
      canvas[Point(column: 3, row: 1)] = Cell(" ", width: 0)
      canvas[Point(column: 5, row: 1)] = Cell("e", marks: ["\u{301}"])
      for (column, scalar) in "▏▎▍▌▋▊▉█".unicodeScalars.enumerated() {
        canvas[Point(column: 7 + column, row: 1)] = Cell(
          scalar, style: Style(foreground: .indexed(UInt8(16 + column))))
      }
      let looks: [Attributes] = [.bold, .underline, .reverse, [.bold, .underline]]
      for (column, attributes) in looks.enumerated() {
        canvas[Point(column: column * 2, row: 2)] = Cell("x", style: Style(attributes: attributes))
      }
      return canvas
    }

    private static func change(_ canvas: inout Canvas, _ numbers: inout RepeatableNumbers) {
      let row = Int.random(in: 0..<canvas.size.rows, using: &numbers)
      let column = Int.random(in: 0..<canvas.size.columns - 1, using: &numbers)
      let style = Style(
        foreground: .indexed(UInt8.random(in: 0...255, using: &numbers)),
        attributes: Bool.random(using: &numbers) ? .bold : [])
      clear(&canvas, column, row)
      if Bool.random(using: &numbers) {
        clear(&canvas, column + 1, row)
        canvas[Point(column: column, row: row)] = Cell("語", width: 2, style: style)
        canvas[Point(column: column + 1, row: row)] = Cell(" ", width: 0, style: style)
      } else {
        let scalar = "abc█▌é".unicodeScalars.randomElement(using: &numbers) ?? "a"
        canvas[Point(column: column, row: row)] = Cell(scalar, style: style)
      }
    }

    /// Blanks a cell together with the other half of a wide character.
    private static func clear(_ canvas: inout Canvas, _ column: Int, _ row: Int) {
      let width = canvas[Point(column: column, row: row)].width
      if width == 2 { canvas[Point(column: column + 1, row: row)] = Cell() }
      if width == 0 { canvas[Point(column: column - 1, row: row)] = Cell() }
      canvas[Point(column: column, row: row)] = Cell()
    }
  }
}

extension TerminalOptions {
  /// Descriptors that are not open.
  fileprivate static var onNothing: TerminalOptions {
    var options = TerminalOptions()
    options.input = -1
    options.output = -1
    return options
  }
}
