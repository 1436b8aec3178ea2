package import Canvas

/// A colour in sRGB: red, green and blue.
package struct RGB: Sendable, Hashable, CustomStringConvertible {
  /// The amount of red in sRGB.
  package let red: UInt8
  /// The amount of green in sRGB.
  package let green: UInt8
  /// The amount of blue in sRGB.
  package let blue: UInt8

  /// A colour from its three sRGB channels.
  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Converts a colour that is the same on every terminal.
  ///
  /// Nil for the terminal's default colour and for the first 16, which users set themselves.
  package init?(_ color: Color) {
    switch color {
    case .terminalDefault, .indexed(0..<16):
      return nil
    case .indexed(let index) where index >= 232:
      let grey = 8 + 10 * (index - 232)
      self.init(grey, grey, grey)
    case .indexed(let index):
      let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
      let cube = Int(index) - 16
      self.init(steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6])
    case .rgb(let red, let green, let blue):
      self.init(red, green, blue)
    }
  }

  /// The colour as `#rrggbb`.
  package var description: String { "\(Color.rgb(red, green, blue))" }
}
