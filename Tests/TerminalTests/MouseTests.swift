import Canvas
import Support
import Testing

@testable import Terminal

struct MouseTests {
  @Test(arguments: [
    ("<0;1;1M", MouseEvent(.press(.left), column: 0, row: 0)),
    ("<1;80;24M", MouseEvent(.press(.middle), column: 79, row: 23)),
    ("<2;400;300M", MouseEvent(.press(.right), column: 399, row: 299)),
    ("<16;9;9M", MouseEvent(.press(.left), column: 8, row: 8)),
    ("<64;3;4M", MouseEvent(.wheelUp, column: 2, row: 3)),
    ("<65;3;4M", MouseEvent(.wheelDown, column: 2, row: 3)),
    ("M !!", MouseEvent(.press(.left), column: 0, row: 0)),
    ("M`$#", MouseEvent(.wheelUp, column: 3, row: 2)),
  ])
  func `presses and the wheel are told with their cell, beyond column 223 too`(
    report: String, event: MouseEvent
  ) {
    var decoder = KeyDecoder()
    decoder.usesMouse = true
    #expect(events("\u{1b}[" + report, &decoder) == [.mouse(event)])
  }

  @Test(arguments: [
    "<0;1;1m", "<32;5;5M", "<35;5;5M", "<3;5;5M", "<66;5;5M", "<128;5;5M", "<0;0;1M", "<0;1M",
    "<0;1;1;1M", "<;;M", "<-1;2;2M", "<0;99999999999999999999;1M", "0;1;1M", "M\u{7f}!",
  ])
  func `releases, moves and nonsense are no event and type nothing`(report: String) {
    var decoder = KeyDecoder()
    decoder.usesMouse = true
    let found = events("\u{1b}[" + report, &decoder)
    #expect(found.allSatisfy { $0 == .key(.character("!")) } && found.count <= 1)
  }

  @Test func `a report that comes in pieces is one event, and without the mouse it is none`() {
    var decoder = KeyDecoder()
    decoder.usesMouse = true
    var found: [TerminalEvent] = []
    for piece in ["\u{1b}[<0;", "12;7", "M", "\u{1b}[M", " +", "'q"] {
      found += events(piece, &decoder)
      found += decoder.endBurst()
    }
    let press = TerminalEvent.mouse(MouseEvent(.press(.left), column: 11, row: 6))
    let second = TerminalEvent.mouse(MouseEvent(.press(.left), column: 10, row: 6))
    #expect(found == [press, second, .key(.character("q"))])
    decoder.usesMouse = false
    #expect(events("\u{1b}[<0;12;7Mx", &decoder) == [.key(.character("x"))])
  }

  @Test func `two presses of a button on a cell within 400 ms are a double click`() {
    var pace = DoubleClickDetector()
    let press = MouseEvent(.press(.left), column: 4, row: 2)
    let times = [0, 400, 500, 1_000, 1_401, 1_500].map(Duration.milliseconds)
    let doubles = times.map { pace.receive(press, at: $0).isDouble }
    #expect(doubles == [false, true, false, false, false, true])
    let other = MouseEvent(.press(.left), column: 5, row: 2)
    let wheel = MouseEvent(.wheelUp, column: 5, row: 2)
    #expect(!pace.receive(press, at: .seconds(2)).isDouble)
    #expect(!pace.receive(other, at: .seconds(2)).isDouble)
    #expect(!pace.receive(wheel, at: .seconds(2)).isDouble)
    #expect(!pace.receive(other, at: .seconds(2)).isDouble)
    #expect(pace.receive(other, at: .seconds(2)).isDouble)
  }

  private func events(_ text: String, _ decoder: inout KeyDecoder) -> [TerminalEvent] {
    text.utf8.flatMap { decoder.receive(Int32($0)) }
  }
}

extension TerminalTests {
  @Suite @MainActor struct Mouse {
    @Test func `the mouse is off until asked for, told while on, and off afterwards`()
      async throws
    {
      try await withTerminal { terminal, pseudoTerminal in
        let start = String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
        #expect(!start.contains("\u{1b}[?1000h"))
        terminal.useMouse(true)
        #expect(
          String(decoding: await pseudoTerminal.drain(), as: UTF8.self)
            == "\u{1b}[?1000h\u{1b}[?1006h")
        pseudoTerminal.send("\u{1b}[<0;250;7M\u{1b}[<0;250;7m\u{1b}[<0;250;7Mq")
        var press = MouseEvent(.press(.left), column: 249, row: 6)
        #expect(await terminal.nextEvent() == .mouse(press))
        press.isDouble = true
        #expect(await terminal.nextEvent() == .mouse(press))
        #expect(await terminal.nextEvent() == .key(.character("q")))
        terminal.useMouse(false)
        pseudoTerminal.send("\u{1b}[<0;250;7Mz")
        #expect(await terminal.nextEvent() == .key(.character("z")))
        #expect(
          String(decoding: await pseudoTerminal.drain(), as: UTF8.self).hasSuffix("\u{1b}[?1000l"))
      }
    }

    @Test(arguments: ["screen-256color", "xterm", "vt100"])
    func `other types report the mouse as well`(type: String) async throws {
      try await withTerminal(type: type, mouse: true) { terminal, pseudoTerminal in
        pseudoTerminal.send("\u{1b}[<65;5;6M\u{1b}[M !!")
        #expect(
          await terminal.nextEvent() == .mouse(MouseEvent(.wheelDown, column: 4, row: 5)))
        #expect(
          await terminal.nextEvent() == .mouse(MouseEvent(.press(.left), column: 0, row: 0)))
      }
    }
  }
}
