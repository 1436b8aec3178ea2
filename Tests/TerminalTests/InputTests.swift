import Canvas
import Dispatch
import Glibc
import Support
import Terminal
import Testing

extension TerminalTests {
  @Suite @MainActor struct Input {
    @Test(arguments: [
      ("q", Key.character("q")), ("é", .character("é")), ("日", .character("日")),
      ("\u{1b}OA", .up), ("\u{1b}OB", .down), ("\u{1b}OC", .right), ("\u{1b}OD", .left),
      ("\u{1b}[5~", .pageUp), ("\u{1b}[6~", .pageDown), ("\u{1b}OH", .home), ("\u{1b}OF", .end),
      ("\u{1b}[2~", .insert), ("\u{1b}[3~", .delete), ("\u{1b}[Z", .backTab), ("\t", .tab),
      ("\r", .enter), ("\n", .enter), ("\u{7f}", .backspace), ("\u{8}", .backspace),
      ("\u{1b}OP", .function(1)), ("\u{1b}[21~", .function(10)), ("\u{1b}[24~", .function(12)),
      ("\u{1b}9", .function(9)), ("\u{1b}0", .function(10)), ("\u{1b}x", .alt("x")),
      ("\u{3}", .control("c")), ("\u{6}", .control("f")), ("\u{1c}", .control("\\")),
      ("\u{1b}", .escape),
    ])
    func `a key typed into the terminal comes back as that key`(typed: String, key: Key)
      async throws
    {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.send(typed)
        #expect(await events.next() == .key(key))
        pseudoTerminal.send(".")
        #expect(await events.next() == .key(.character(".")))
      }
    }

    @Test func `five arrow keys in one write are five keys`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        pseudoTerminal.send(String(repeating: "\u{1b}OB", count: 5) + "x")
        var keys: [TerminalEvent] = []
        for await event in terminal.events {
          keys.append(event)
          if event == .key(.character("x")) { break }
        }
        #expect(keys == Array(repeating: .key(.down), count: 5) + [.key(.character("x"))])
      }
    }

    @Test func `an escape sequence that comes in pieces is one key`() async throws {
      try await withTerminal(escapeDelay: 30_000) { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        DispatchQueue(label: "slow link").async {
          for piece in ["\u{1b}", "[", "6", "~", "y"] { pseudoTerminal.send(piece) }
        }
        #expect(await events.next() == .key(.pageDown))
        #expect(await events.next() == .key(.character("y")))
      }
    }

    @Test func `invalid bytes and unknown sequences swallow no key and type none`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.send([0xff, 0xc3] + Array("a\u{1b}[1;9Xb\u{1b}[?62;4cd".utf8))
        for key in "abd" { #expect(await events.next() == .key(.character(key))) }
      }
    }

    @Test func `a paste is one event, whatever it contains`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.send("\u{1b}[200~q\u{3}x\r\nabort é\u{1b}[A\t!\u{1b}[201~z")
        #expect(await events.next() == .paste("qx\nabort é[A\t!"))
        #expect(await events.next() == .key(.character("z")))
      }
    }

    @Test func `a paste whose end never comes ends by itself`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.send("\u{1b}[200~half")
        #expect(await events.next() == .paste("half"))
        pseudoTerminal.send("k")
        #expect(await events.next() == .key(.character("k")))
      }
    }

    @Test(arguments: [
      ("\u{1b}[A", Key.up), ("\u{1b}[H", .home), ("\u{1b}[5~", .pageUp),
      ("\u{1b}[15~", .function(5)),
      ("\u{1b}OP", .function(1)), ("\u{1b}[24~", .function(12)), ("\u{1b}[Z", .backTab),
    ])
    func `keys that the terminal type does not list are known all the same`(
      typed: String, key: Key
    ) async throws {
      try await withTerminal(type: "vt100") { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.send(typed)
        #expect(await events.next() == .key(key))
      }
    }

    @Test func `a paste is cut at one mebibyte and the keys after it are keys again`()
      async throws
    {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        DispatchQueue(label: "paste").async {
          pseudoTerminal.send("\u{1b}[200~")
          pseudoTerminal.send([UInt8](repeating: 0x61, count: 1_100_000))
          pseudoTerminal.send("\u{1b}[201~k")
        }
        guard case .paste(let text) = await events.next() else {
          Issue.record("no paste")
          return
        }
        #expect(text.utf8.count == 1 << 20)
        #expect(await events.next() == .key(.character("k")))
      }
    }

    @Test func `bracketed paste is on while the screen is open and off afterwards`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        let start = String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
        #expect(start.contains("\u{1b}[?2004h"))
        #expect(!start.contains("\u{1b}[?1000h"))
        terminal.close()
        let end = String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
        #expect(end.contains("\u{1b}[?2004l"))
        #expect(end.contains("\u{1b}[?1049l"))
      }
    }

    @Test func `keys typed before a question are thrown away`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.send("first")
        #expect(await events.next() == .key(.character("f")))
        terminal.discardInput()
        pseudoTerminal.send("n")
        #expect(await events.next() == .key(.character("n")))
      }
    }

    @Test func `what is typed, pasted or begun before a question never answers it`() async throws {
      try await withTerminal(escapeDelay: 0) { terminal, pseudoTerminal in
        pseudoTerminal.send("x")
        #expect(await terminal.nextEvent() == .key(.character("x")))
        pseudoTerminal.send("a\u{1b}[200~aaaa")
        pseudoTerminal.waitForInput()
        terminal.discardInput()
        pseudoTerminal.send("aaaa\u{1b}[201~n")
        #expect(await terminal.nextEvent() == .key(.character("n")))
      }
    }

    @Test func `a resize is told once with the new size, and the next frame fits it`()
      async throws
    {
      try await withTerminal(columns: 80, rows: 24) { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        terminal.present(Canvas(size: terminal.size, lines: ["before"]))
        pseudoTerminal.resize(columns: 100, rows: 30)
        kill(getpid(), SIGWINCH)
        let size = Size(columns: 100, rows: 30)
        #expect(await events.next() == .resize(size))
        #expect(terminal.size == size)
        _ = await pseudoTerminal.drain()
        let emulator = EmulatedTerminal(columns: 100, rows: 30)
        var canvas = Canvas(size: size, lines: ["after"])
        canvas[Point(column: 99, row: 29)].base = "z"
        terminal.present(canvas)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.shows(canvas))
      }
    }

    @Test func `a thousand resizes of any size leave the screen right`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        var numbers = RepeatableNumbers(seed: 3)
        for _ in 0..<1_000 {
          var size = terminal.size
          while size == terminal.size {
            size = Size(
              columns: Int.random(in: 1...140, using: &numbers),
              rows: Int.random(in: 1...50, using: &numbers))
          }
          pseudoTerminal.resize(columns: size.columns, rows: size.rows)
          kill(getpid(), SIGWINCH)
          #expect(await events.next() == .resize(size))
          _ = await pseudoTerminal.drain()
          var canvas = Canvas(size: size)
          canvas[Point(column: size.columns - 1, row: size.rows - 1)].base = "z"
          terminal.present(canvas)
        }
        let emulator = EmulatedTerminal(
          columns: terminal.size.columns, rows: terminal.size.rows)
        emulator.feed(await pseudoTerminal.drain())
        #expect(emulator.line(terminal.size.rows - 1).last == "z")
      }
    }

    @Test func `a hundred thousand random bytes do not crash, and the next key arrives`()
      async throws
    {
      try await withTerminal(escapeDelay: 0) { terminal, pseudoTerminal in
        DispatchQueue(label: "noise").async {
          var numbers = RepeatableNumbers(seed: 11)
          var bytes: [UInt8] = []
          for _ in 0..<100_000 { bytes.append(UInt8.random(in: 0...255, using: &numbers)) }
          // The stop key would stop the tests.
          pseudoTerminal.send(bytes.filter { $0 != 0x1a })
          pseudoTerminal.send("\u{1b}[201~\u{7}語語語")
        }
        var count = 0
        for await event in terminal.events {
          if event == .key(.character("語")) { break }
          count += 1
        }
        #expect(count > 10_000)
      }
    }

    @Test func `a vanished terminal ends the events at once`() async throws {
      try await withTerminal { terminal, pseudoTerminal in
        var events = terminal.events.makeAsyncIterator()
        pseudoTerminal.vanish()
        #expect(await events.next() == .hangup)
        #expect(await events.next() == nil)
        terminal.present(Canvas(size: terminal.size, lines: ["to nobody"]))
      }
    }
  }
}
