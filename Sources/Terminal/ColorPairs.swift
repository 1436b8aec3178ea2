import CNcurses
import Canvas

/// The colour pairs in use on the screen.
@MainActor
struct ColorPairs: Sendable {
  private struct Colors: Hashable, Sendable {
    var foreground: Int32
    var background: Int32
  }

  private let colorCount: Int
  private let hasDirectColor: Bool
  private let hasDefaults: Bool
  /// Maximum number of pairs in use.
  ///
  /// Terminals with at most 16 colours often have 64 pairs in all.
  private let limit: Int
  private var pairs: [Colors: Int32] = [:]
  private var last: (foreground: Color, background: Color, pair: Int32)?

  /// Whether no pair was left for a style since the last `reset`.
  private(set) var isExhausted = false

  init() {
    colorCount = Int(cn_colors())
    hasDirectColor = cn_has_direct_color()
    hasDefaults = cn_has_default_colors()
    limit = min(Int(cn_color_pairs()) - 4, colorCount <= 16 ? 60 : 4_096)
  }

  /// The pair for a style; 0, the terminal's own colours, if no pair is left.
  mutating func pair(for style: Style) -> Int32 {
    if let last, last.foreground == style.foreground, last.background == style.background {
      return last.pair
    }
    let pair = find(
      Colors(
        foreground: number(style.foreground, otherwise: 7),
        background: number(style.background, otherwise: 0)))
    last = (style.foreground, style.background, pair)
    return pair
  }

  /// Frees all pairs, before a frame is drawn anew.
  mutating func reset() {
    for pair in pairs.values { cn_free_pair(pair) }
    pairs = [:]
    last = nil
    isExhausted = false
  }

  private mutating func find(_ colors: Colors) -> Int32 {
    guard limit > 0, colors != Colors(foreground: -1, background: -1) else { return 0 }
    if let pair = pairs[colors] { return pair }
    guard pairs.count < limit else {
      isExhausted = true
      return 0
    }
    let pair = cn_pair(colors.foreground, colors.background)
    guard pair > 0 else { return 0 }
    pairs[colors] = pair
    return pair
  }

  private func number(_ color: Color, otherwise standard: Int32) -> Int32 {
    let terminalDefault = hasDefaults ? -1 : standard
    switch color {
    case .terminalDefault: return terminalDefault
    case .indexed(let index):
      if hasDirectColor, index > 7 { return terminalDefault }
      if Int(index) < colorCount { return Int32(index) }
      // The bright colours 8 to 15 become 0 to 7 on a terminal with eight colours.
      return index < 16 && colorCount == 8 ? Int32(index) - 8 : terminalDefault
    case .rgb(let red, let green, let blue):
      guard hasDirectColor else { return terminalDefault }
      let value = Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
      // In direct-colour mode the values 0 to 7 mean indexed colours.
      return value < 8 ? 0 : value
    }
  }
}
