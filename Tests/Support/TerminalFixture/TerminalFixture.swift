import Canvas
import Glibc
import Terminal

/// A full-screen program that does what tests ask for: it shows what it was told, and ends in
/// every way in which a program can end.
///
/// Keys: `q` quits, `e` exits without closing, `t` traps, `a` aborts, `s` hangs, `w` writes to
/// standard error, `p` paints as many frames as fill any pipe, `b` keeps the first thread from every
/// signal until the program goes on after a stop. The mouse is used if the first argument is `mouse`.
@main
@MainActor
struct TerminalFixture: Sendable {
  private var count = 0
  private var last: [String] = []

  static func main() async {
    let terminal: Terminal
    var options = TerminalOptions()
    options.usesMouse = CommandLine.arguments.dropFirst().first == "mouse"
    do {
      terminal = try Terminal.open(options)
    } catch {
      print("no screen: \(error)")
      exit(2)
    }
    var fixture = TerminalFixture()
    terminal.present(fixture.canvas(for: terminal))
    for await event in terminal.events {
      switch event {
      case .key(.character("q")):
        terminal.close()
        exit(0)
      case .key(.character("e")): exit(3)
      case .key(.character("t")): fatalError("a planted trap")
      case .key(.character("a")): abort()
      case .key(.character("s")):
        write("hanging", to: 1)
        while true { pause() }
      case .key(.character("p")): paint(on: terminal)
      case .key(.character("b")): BusyThread.begin()
      case .resumed: BusyThread.end()
      case .key(.character("w")): write("noise on standard error\n", to: 2)
      case .terminate(let signal): Terminal.endProcess(by: signal)
      case .hangup: exit(4)
      default: break
      }
      fixture.note(event)
      terminal.present(fixture.canvas(for: terminal))
    }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  private static func paint(on terminal: Terminal) {
    for letter in "abcdefghijklmnopqrstuvwxyz".unicodeScalars {
      for scalar in [letter, "-"] {
        var canvas = Canvas(size: terminal.size)
        for row in 0..<terminal.size.rows {
          for column in 0..<terminal.size.columns {
            canvas[Point(column: column, row: row)].base = (row + column) % 2 == 0 ? scalar : "."
          }
        }
        terminal.present(canvas)
      }
    }
  }

  private mutating func note(_ event: TerminalEvent) {
    count += 1
    last = last.suffix(7) + ["\(count) \(event)"]
  }

  private func canvas(for terminal: Terminal) -> Canvas {
    var canvas = Canvas(size: terminal.size)
    let size =
      "size \(terminal.size.columns)x\(terminal.size.rows) as \(terminal.capabilities.type)"
    let text = terminal.capabilities.isUTF8 ? "text UTF-8" : "text ASCII"
    for (row, line) in ([size, text] + last).enumerated() where row < terminal.size.rows {
      for (column, scalar) in line.unicodeScalars.prefix(terminal.size.columns).enumerated() {
        canvas[Point(column: column, row: row)].base = scalar.isASCII ? scalar : "?"
      }
    }
    return canvas
  }
}

/// The process's first thread, held in the handler of a signal with all others blocked.
private enum BusyThread: Sendable {
  // Opened once, before the handler that uses them is there.
  nonisolated(unsafe) private static var begun: [Int32] = [-1, -1]
  nonisolated(unsafe) private static var over: [Int32] = [-1, -1]

  @MainActor static func begin() {
    guard unsafe pipe(&begun) == 0, unsafe pipe(&over) == 0 else { return }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in
      var byte: UInt8 = 0
      unsafe Glibc.write(BusyThread.begun[1], &byte, 1)
      unsafe read(BusyThread.over[0], &byte, 1)
    }
    unsafe sigfillset(&action.sa_mask)
    action.sa_flags = SA_RESTART
    unsafe sigaction(SIGURG, &action, nil)
    // The first thread is preferred, and between two signals it has none blocked.
    kill(getpid(), SIGURG)
    var byte: UInt8 = 0
    unsafe read(begun[0], &byte, 1)
  }

  @MainActor static func end() {
    var byte: UInt8 = 0
    if unsafe over[1] >= 0 { unsafe Glibc.write(over[1], &byte, 1) }
  }
}
