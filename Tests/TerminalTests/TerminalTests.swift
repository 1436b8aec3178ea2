import Canvas
import Glibc
import Support
import Terminal
import Testing

/// Everything that opens the one screen of this process stands in here, one after another.
@Suite(.serialized, .timeLimit(.minutes(10)), .endsOrAborts)
@MainActor
struct TerminalTests {}

/// Opens a terminal on a pseudo-terminal, closes it afterwards, and hands both over.
@MainActor
func withTerminal(
  columns: Int = 80, rows: Int = 24, type: String = "xterm-256color", escapeDelay: Int = 25,
  mouse: Bool = false, asks: Bool = false,
  body: @MainActor (Terminal, PseudoTerminal) async throws -> Void
) async throws {
  let pseudoTerminal = PseudoTerminal(columns: columns, rows: rows)
  var options = TerminalOptions()
  options.input = pseudoTerminal.terminal
  options.output = pseudoTerminal.terminal
  options.type = type
  options.escapeDelay = escapeDelay
  options.holdsErrors = false
  options.usesMouse = mouse
  options.asksTerminal = asks
  let terminal = try Terminal.open(options)
  defer { terminal.close() }
  try await body(terminal, pseudoTerminal)
}

extension Canvas {
  /// A canvas with lines of text, whose characters are all one column wide.
  init(size: Size, lines: [String], style: Style = .plain) {
    self.init(size: size)
    for (row, line) in lines.enumerated() {
      for (column, scalar) in line.unicodeScalars.enumerated() {
        self[Point(column: column, row: row)] = Cell(scalar, style: style)
      }
    }
  }
}

extension EmulatedTerminal {
  /// Whether the screen shows a canvas, text and looks alike.
  func shows(_ canvas: Canvas) -> Bool {
    for row in 0..<canvas.size.rows {
      for column in 0..<canvas.size.columns {
        let wanted = canvas[Point(column: column, row: row)]
        guard wanted.width > 0 else { continue }
        let shown = cell(column: column, row: row)
        let text = String(String.UnicodeScalarView([wanted.base] + wanted.marks))
        guard
          shown.text.isEmpty
            ? text == " " : shown.text.unicodeScalars.elementsEqual(text.unicodeScalars)
        else { return false }
        guard shown.isReverse == wanted.style.attributes.contains(.reverse),
          shown.background == wanted.style.background.index
        else { return false }
        // A blank has no foreground to be seen.
        guard text != " " else { continue }
        guard shown.width == Int(wanted.width),
          shown.isBold == wanted.style.attributes.contains(.bold),
          shown.isUnderlined == wanted.style.attributes.contains(.underline),
          shown.foreground == wanted.style.foreground.index
        else { return false }
      }
    }
    return true
  }
}

extension Color {
  fileprivate var index: UInt8? {
    if case .indexed(let index) = self { index } else { nil }
  }
}
