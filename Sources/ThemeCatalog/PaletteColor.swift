package import Canvas

/// One colour of a palette, chosen by hand for each colour level.
package struct PaletteColor: Sendable, Hashable {
  /// The colour on terminals with direct colour.
  package var truecolor: Color
  /// The colour on terminals with 256 colours.
  package var indexed256: Color
  /// The colour on terminals with 16 or 8 colours.
  package var ansi16: Color
  /// Attributes that replace a colour missing among the 16, for example dim for grey.
  ///
  /// Also used at other levels when the colour there is the terminal's own.
  package var ansi16Attributes: Attributes

  /// The terminal's own colour at every level.
  package static let terminalDefault = PaletteColor(
    truecolor: .terminalDefault, indexed256: .terminalDefault, ansi16: .terminalDefault,
    ansi16Attributes: [])

  /// Returns the colour at `level`; the terminal's own in mono.
  package func color(at level: ColorLevel) -> Color {
    switch level {
    case .truecolor: truecolor
    case .indexed256: indexed256
    case .ansi16: ansi16
    case .mono: .terminalDefault
    }
  }

  /// Reads `#rrggbb` or `default`.
  static func direct(_ text: String) -> Color? {
    if text == "default" { return .terminalDefault }
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt32(text.dropFirst(), radix: 16)
    else { return nil }
    return .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
  }

  /// The names of the 16 ANSI colours by index; the bright colours have the indexes 8 to 15.
  static let ansiNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright-black",
    "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta",
    "bright-cyan", "bright-white",
  ]

  /// Reads one of the 16 names or `default`.
  static func ansi(_ text: some StringProtocol) -> Color? {
    if text == "default" { return .terminalDefault }
    return ansiNames.firstIndex { $0 == text }.map { .indexed(UInt8($0)) }
  }
}
