package import Canvas
import JobText
package import ThemeCatalog

/// The drawing style for one terminal: colours by the theme, characters by its capabilities.
package struct DrawStyle: Sendable, Hashable {
  /// The colours and attributes of every role.
  package var theme: Theme
  /// The resolution of bars; `ascii` also replaces every glyph and line by ASCII.
  package var blocks: BlockLevel

  /// A style with this theme; bars are drawn in eighths of a cell by default.
  package init(theme: Theme, blocks: BlockLevel = .eighth) {
    self.theme = theme
    self.blocks = blocks
  }

  var isASCII: Bool { blocks == .ascii }
  var lines: LineGlyphs { isASCII ? .ascii : .light }
  /// The sign of the followed job; in ASCII the key that follows.
  var followed: String { isASCII ? "f" : "»" }
  var marker: TruncationMarker { isASCII ? .tilde : .ellipsis }

  /// The text; in ASCII with replacements for all other characters.
  func shown(_ text: String) -> String {
    guard isASCII, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    var plain = ""
    for glyph in Sanitized(text) {
      switch glyph.base {
      case "→": plain += ">"
      case "─", "·", "–", "—": plain += "-"
      case "∙": plain += "."
      case "▸": plain += ">"
      case "✓": plain += "ok"
      case "✗": plain += "x"
      case "⊘", "⊗": plain += "/"
      case "⧗": plain += "w"
      case "↺": plain += "c"
      case "…": plain += "~"
      case "±": plain += "+-"
      default: plain += glyph.base.isASCII ? String(glyph.base) : "?"
      }
    }
    return plain
  }
}

/// A canvas with the style to draw on it.
struct Painter: Sendable {
  var canvas: Canvas
  let look: DrawStyle
  /// Whether to draw everything as out of date: no row has the colour of its state then.
  var isStale = false
  /// Whether the percentage of running jobs is known.
  var hasPercent = true

  init(size: Size, look: DrawStyle) {
    canvas = Canvas(size: size)
    self.look = look
  }

  func style(_ role: Role, state: Role? = nil) -> Style {
    if let state { look.theme.style(role, state: state) } else { look.theme.style(role) }
  }

  /// Draws text from `column` on and returns the column after it.
  @discardableResult
  mutating func put(_ text: String, _ column: Int, _ row: Int, _ role: Role, to end: Int = .max)
    -> Int
  {
    guard end > column else { return column }
    let room = end == .max ? Int.max : end - column
    let shown =
      room == .max
      ? look.shown(text) : truncated(look.shown(text), to: room, marker: look.marker)
    return column
      + canvas.draw(
        shown, at: Point(column: column, row: row), style: style(role), maxColumns: room)
  }

  /// Draws text into a field of exactly `columns` columns.
  mutating func field(
    _ text: String, _ column: Int, _ row: Int, columns: Int, _ role: Role,
    _ alignment: Alignment = .left
  ) {
    canvas.draw(
      look.shown(text), at: Point(column: column, row: row), columns: columns,
      alignment: alignment, style: style(role), marker: look.marker)
  }

  /// Draws text that ends before column `end` and returns its first column.
  @discardableResult
  mutating func putRight(_ text: String, endingAt end: Int, _ row: Int, _ role: Role) -> Int {
    let start = max(0, end - TextWidth.columns(look.shown(text)))
    put(text, start, row, role, to: end)
    return start
  }

  mutating func bar(
    _ bar: Bar.Value, _ column: Int, _ row: Int, columns: Int, state: Role,
    isStarted: Bool = false
  ) {
    canvas.draw(
      Bar(bar, columns: columns, level: look.blocks, started: isStarted),
      at: Point(column: column, row: row), fill: style(.barFill, state: state),
      track: style(.barTrack), cap: style(.barCap))
  }

  mutating func glyph(_ mark: JobMark, _ column: Int, _ row: Int) {
    let scalar = look.isASCII ? mark.letter : mark.glyph
    canvas.draw(String(scalar), at: Point(column: column, row: row), style: style(mark.role))
  }

  /// Draws a horizontal line with a title in it: `── title ───────── right ──`.
  mutating func rule(_ row: Int, title: String, right: String = "", _ role: Role = .header) {
    rule(row, parts: [LinePart(title, role: role, weight: 0, isName: true)], right: right)
  }

  /// Draws a horizontal line with as many title parts as fit, and `right` at its end if there is
  /// room for both.
  mutating func rule(_ row: Int, parts: [LinePart], right: String = "") {
    let columns = canvas.size.columns
    canvas.rule(
      at: Point(column: 0, row: row), columns: columns, style: style(.textDim), lines: look.lines)
    var end = columns - 3
    let whole = fitted(parts, columns: .max)
    if !right.isEmpty, TextWidth.columns(look.shown(right)) + whole.columns + 10 < columns {
      end = putRight(" " + right + " ", endingAt: columns - 2, row, .textDim) - 1
    }
    let title = fitted(parts, columns: end - 4)
    guard let first = title.parts.first else { return }
    put(" ", 2, row, first.role)
    put(" ", put(title, 3, row), row, first.role)
  }
}

extension JobMark {
  /// The role for the colour of this state.
  var role: Role {
    switch self {
    case .paused: .stateHeld
    case .queued: .stateQueued
    case .waiting: .stateWait
    case .running: .stateRunning
    case .asking: .stateAsk
    case .abortAsked, .stopping: .stateAbort
    case .aborted: .stateAborted
    case .cleaning: .stateCleanup
    case .done: .stateDone
    case .warned: .stateWarn
    case .failed: .stateFailed
    case .interrupted: .stateInterrupted
    }
  }
}
