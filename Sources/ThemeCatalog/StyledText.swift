package import Canvas

extension Style {
  /// Returns `text` between the ECMA-48 sequences that start and end the style.
  ///
  /// For lines on a terminal outside of the monitor; the terminal must support the style's colours.
  package func written(_ text: String) -> String {
    var codes: [String] = []
    let attributes: [(Attributes, String)] = [
      (.bold, "1"), (.dim, "2"), (.underline, "4"), (.reverse, "7"),
    ]
    for (attribute, code) in attributes where self.attributes.contains(attribute) {
      codes.append(code)
    }
    if let code = Self.code(of: foreground, base: 30) { codes.append(code) }
    if let code = Self.code(of: background, base: 40) { codes.append(code) }
    guard !codes.isEmpty else { return text }
    return "\u{1B}[" + codes.joined(separator: ";") + "m" + text + "\u{1B}[0m"
  }

  private static func code(of color: Color, base: Int) -> String? {
    switch color {
    case .terminalDefault: nil
    case .indexed(let index) where index < 8: "\(base + Int(index))"
    case .indexed(let index) where index < 16: "\(base + 60 + Int(index) - 8)"
    case .indexed(let index): "\(base + 8);5;\(index)"
    case .rgb(let red, let green, let blue): "\(base + 8);2;\(red);\(green);\(blue)"
    }
  }
}
