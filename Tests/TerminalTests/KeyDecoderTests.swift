import Canvas
import Testing

@testable import Terminal

struct KeyDecoderTests {
  @Test func `a character that comes in pieces is one key`() {
    var decoder = KeyDecoder()
    var events: [TerminalEvent] = []
    for byte in "語".utf8 {
      events += decoder.receive(Int32(byte))
      events += decoder.endBurst()
    }
    #expect(events == [.key(.character("語"))])
  }

  @Test(arguments: [
    [0xc0, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80], [0xfe],
    [0xc2, 0x9b],
  ])
  func `ill-formed text and control characters of two bytes are no key`(bytes: [Int32]) {
    var decoder = KeyDecoder()
    #expect(bytes.flatMap { decoder.receive($0) }.isEmpty)
    #expect(decoder.receive(0x71) == [.key(.character("q"))])
  }

  @Test func `an escape is the key itself as soon as nothing follows`() {
    var decoder = KeyDecoder()
    #expect(decoder.receive(0x1b).isEmpty)
    #expect(decoder.endBurst() == [.key(.escape)])
    #expect(decoder.receive(0x31) == [.key(.character("1"))])
  }

  @Test func `an unknown sequence that comes in pieces types nothing`() {
    var decoder = KeyDecoder()
    var events: [TerminalEvent] = []
    for piece in ["\u{1b}[1;", "5", "X", "q"] {
      for byte in piece.utf8 { events += decoder.receive(Int32(byte)) }
      events += decoder.endBurst()
    }
    #expect(events == [.key(.character("q"))])
  }

  @Test func `a terminal's answer in a string sequence types nothing`() {
    var decoder = KeyDecoder()
    let events = "\u{1b}]11;rgb:0/0/0\u{7}a\u{1b}P1$r0m\u{1b}\\b".utf8.flatMap {
      decoder.receive(Int32($0))
    }
    #expect(events == [.key(.character("a")), .key(.character("b"))])
  }

  @Test(arguments: [
    ("xterm-kitty", ["xterm-kitty", "xterm-256color", "xterm", "vt100"]),
    (
      "tmux-256color",
      ["tmux-256color", "screen-256color", "screen", "xterm-256color", "xterm", "vt100"]
    ),
    ("xterm-256color", ["xterm-256color", "xterm", "vt100"]),
    ("", ["xterm-256color", "xterm", "vt100"]),
  ])
  func `the types that may stand in for a terminal, best first`(name: String, types: [String]) {
    #expect(TerminalType.candidates(for: name) == types)
  }
}
