import Canvas
import Support
import Testing

@testable import Terminal

struct ReplyTests {
  @Test func `answers are told apart from keys, whole or in any two pieces`() {
    let answer = Array("\u{1b}]11;rgb:1e1e/1e1e/2e2e\u{1b}\\\u{1b}[?2026;2$y\u{1b}[?62;4cq".utf8)
    for cut in 0...answer.count {
      var decoder = KeyDecoder()
      decoder.expectsReplies = true
      // ncurses waits for what follows an escape.
      if cut > 0, answer[cut - 1] == 0x1b { continue }
      // Escape and bracket alone may as well have been typed.
      var events: [TerminalEvent] = []
      for piece in [answer[..<cut], answer[cut...]] {
        for byte in piece { events += decoder.receive(Int32(byte)) }
        events += decoder.endBurst()
      }
      #expect(events == [.key(.character("q"))], "cut at \(cut)")
      #expect(
        decoder.replies
          == TerminalReplies(hasSynchronizedFrames: true, background: "rgb:1e1e/1e1e/2e2e"))
      #expect(!decoder.expectsReplies)
    }
  }

  @Test(arguments: ["0", "3", "4", ""])
  func `only a mode that can be switched counts`(value: String) {
    var decoder = KeyDecoder()
    decoder.expectsReplies = true
    for byte in "\u{1b}[?2026;\(value)$y".utf8 { _ = decoder.receive(Int32(byte)) }
    #expect(decoder.replies == TerminalReplies())
  }

  @Test(arguments: ["\u{1b}]11;\u{7}", "\u{1b}]11;a\nb\u{7}", "\u{1b}]10;rgb:0/0/0\u{7}"])
  func `a background that is none is not told`(text: String) {
    var decoder = KeyDecoder()
    decoder.expectsReplies = true
    for byte in text.utf8 { _ = decoder.receive(Int32(byte)) }
    #expect(decoder.replies == TerminalReplies())
  }

  @Test func `nothing is taken for an answer that nobody asked for`() {
    var decoder = KeyDecoder()
    for byte in "\u{1b}]11;rgb:0/0/0\u{7}\u{1b}[?2026;2$y".utf8 {
      #expect(decoder.receive(Int32(byte)).isEmpty)
    }
    #expect(decoder.replies == TerminalReplies())
  }

  @Test func `a bracket with Alt does not swallow the keys after it`() {
    for expects in [false, true] {
      var decoder = KeyDecoder()
      decoder.expectsReplies = expects
      var events: [TerminalEvent] = []
      for piece in ["\u{1b}]", "x", "a"] {
        for byte in piece.utf8 { events += decoder.receive(Int32(byte)) }
        events += decoder.endBurst()
      }
      #expect(events == [.key(.character("x")), .key(.character("a"))])
    }
  }

  @Test func `the rest of a paste that was thrown away is still no key`() {
    var decoder = KeyDecoder()
    _ = decoder.receive(KeyDecoder.pasteBegin)
    _ = decoder.receive(0x61)
    decoder.discard()
    #expect(decoder.receive(0x61).isEmpty)
    #expect(decoder.receive(KeyDecoder.pasteEnd).isEmpty)
    #expect(decoder.receive(0x61) == [.key(.character("a"))])
  }

  @Test func `a command goes through tmux both ways and through screen in pieces`() {
    let command = Array("\u{1b}]52;c;QQ==\u{7}".utf8)
    let tmux = Multiplexer { $0 == "TMUX" ? "/tmp/tmux" : nil }
    #expect(
      String(decoding: tmux.wrapped(command), as: UTF8.self)
        == "\u{1b}]52;c;QQ==\u{7}\u{1b}Ptmux;\u{1b}\u{1b}]52;c;QQ==\u{7}\u{1b}\\")
    let screen = Multiplexer { $0 == "STY" ? "1.pts" : nil }
    #expect(
      String(decoding: screen.wrapped(command), as: UTF8.self)
        == "\u{1b}P\u{1b}]52;c;QQ==\u{7}\u{1b}\\")
    #expect(screen.wrapped([UInt8](repeating: 0x41, count: 1_500)).count == 1_500 + 3 * 4)
    #expect(Multiplexer { _ in nil }.wrapped(command) == command)
  }
}

extension TerminalTests {
  @Suite @MainActor struct Questions {
    private static let questions = "\u{1b}]11;?\u{1b}\\\u{1b}[?2026$p\u{1b}[c"

    @Test func `frames are held until whole once the terminal can, unchanged ones are free`()
      async throws
    {
      try await withTerminal(asks: true) { terminal, pseudoTerminal in
        // The first frame does not wait for the answers.
        terminal.present(Canvas(size: terminal.size, lines: ["first"]))
        let start = String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
        #expect(start.contains(Self.questions) && start.contains("first"))
        #expect(!start.contains("\u{1b}[?2026h"))
        pseudoTerminal.send("\u{1b}]11;rgb:ffff/ffff/dddd\u{7}\u{1b}[?2026;2$y\u{1b}[?62cq")
        terminal.replyDeadline = .now + .seconds(1_000)
        let events = [await terminal.nextEvent(), await terminal.nextEvent()]
        let replies = TerminalReplies(
          hasSynchronizedFrames: true, background: "rgb:ffff/ffff/dddd")
        #expect(Set(events) == [.key(.character("q")), .replies(replies)])
        terminal.present(Canvas(size: terminal.size, lines: ["second"]))
        let frame = String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
        #expect(frame.hasPrefix("\u{1b}[?2026h") && frame.hasSuffix("\u{1b}[?2026l"))
        #expect(frame.contains("second"))
        terminal.present(Canvas(size: terminal.size, lines: ["second"]))
        #expect(await pseudoTerminal.drain().isEmpty)
      }
    }

    @Test func `answers that come too late change nothing and type nothing`() async throws {
      try await withTerminal(asks: true) { terminal, pseudoTerminal in
        terminal.replyDeadline = .now - .seconds(1)
        pseudoTerminal.send("\u{1b}]11;rgb:0/0/0\u{7}\u{1b}[?2026;2$y\u{1b}[?62cq")
        #expect(await terminal.nextEvent() == .key(.character("q")))
        pseudoTerminal.send("z")
        #expect(await terminal.nextEvent() == .key(.character("z")))
        #expect(!terminal.holdsFrames)
      }
    }

    @Test(arguments: ["linux", "vt100", "ansi"])
    func `a console that would show questions as text is asked nothing`(type: String) async throws {
      try await withTerminal(type: type, asks: true) { _, pseudoTerminal in
        #expect(
          !String(decoding: await pseudoTerminal.drain(), as: UTF8.self).contains("2026$p"))
      }
    }

    @Test func `answers under way at the end do not reach the shell`() async throws {
      let pseudoTerminal = PseudoTerminal()
      var options = TerminalOptions()
      options.input = pseudoTerminal.terminal
      options.output = pseudoTerminal.terminal
      options.type = "xterm-256color"
      options.holdsErrors = false
      let terminal = try Terminal.open(options)
      terminal.replyDeadline = .now + .seconds(1_000)
      pseudoTerminal.send("\u{1b}]11;rgb:0/0/0\u{7}\u{1b}[?2026;2$y\u{1b}[?62c")
      pseudoTerminal.waitForInput()
      terminal.close()
      #expect(!pseudoTerminal.hasWaitingInput)
    }
  }
}
