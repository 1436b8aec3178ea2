/// The information about a terminal's background.
package struct BackgroundEvidence: Sendable, Hashable {
  /// The colour that the terminal reported; nil when no answer came in time.
  package var answer: RGB?
  /// The value of `COLORFGBG`; nil where it is not set.
  package var colorFGBG: String?

  /// Creates evidence from values; a missing value is unknown.
  package init(answer: RGB? = nil, colorFGBG: String? = nil) {
    self.answer = answer
    self.colorFGBG = colorFGBG
  }

  /// The kind of theme for this background: `dark`, `light`, or `neutral` when nothing is known.
  ///
  /// The terminal's answer wins over `COLORFGBG`, which a session keeps when it moves to another
  /// terminal. A background is dark when white has at least as much contrast to it as black.
  package var kind: ThemeKind {
    if let answer {
      let (black, white) = (RGB(0, 0, 0), RGB(255, 255, 255))
      return answer.contrast(with: white) >= answer.contrast(with: black) ? .dark : .light
    }
    // `foreground;background`, sometimes with a third value between them; indexes of the 16 ANSI
    // colours.
    let parts = (colorFGBG ?? "").split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count >= 2, let last = parts.last, last.count <= 2, let index = UInt8(last),
      index < 16
    else { return .neutral }
    return index < 7 || index == 8 ? .dark : .light
  }

  /// Returns the name of the theme to use: `wanted`, or the theme for the background when `wanted`
  /// is nil or `auto`.
  package func theme(wanted: String?) -> String {
    if let wanted, wanted != "auto" { return wanted }
    switch kind {
    case .dark: return "dark"
    case .light: return "light"
    case .neutral, .mono: return ThemeCatalog.defaultName
    }
  }
}

extension RGB {
  /// Parses a terminal's answer to `OSC 11 ; ?` or `OSC 10 ; ?`, with or without its control
  /// sequence.
  ///
  /// Accepts `rgb:R/G/B` and `rgba:R/G/B/A` with one to four hexadecimal digits each (4, 8, 12 or
  /// 16 bits), and `#` with three, six, nine or twelve digits, ended by BEL or ST. Nil for any
  /// other text: the answer is untrusted input.
  package init?(terminalAnswer text: String) {
    var scalars = Array(text.unicodeScalars.prefix(65))[...]
    guard scalars.count < 65 else { return nil }
    if scalars.starts(with: "\u{1B}]".unicodeScalars) {
      scalars = scalars.dropFirst(2)
    } else if scalars.first == "\u{9D}" {
      scalars = scalars.dropFirst()
    }
    if scalars.last == "\u{07}" || scalars.last == "\u{9C}" {
      scalars = scalars.dropLast()
    } else if scalars.suffix(2).elementsEqual("\u{1B}\\".unicodeScalars) {
      scalars = scalars.dropLast(2)
    }
    var body = String(String.UnicodeScalarView(scalars))[...]
    for start in ["11;", "10;"] where body.hasPrefix(start) { body = body.dropFirst(3) }
    let parts: [Substring]
    if body.hasPrefix("#") {
      let digits = body.dropFirst()
      guard (3...12).contains(digits.count), digits.count.isMultiple(of: 3) else { return nil }
      let width = digits.count / 3
      parts = (0..<3).map { digits.dropFirst($0 * width).prefix(width) }
    } else if body.hasPrefix("rgb:") {
      parts = body.dropFirst(4).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
    } else if body.hasPrefix("rgba:") {
      parts = body.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 4 else { return nil }
    } else {
      return nil
    }
    let channels = parts.compactMap(Self.channel)
    guard channels.count == parts.count else { return nil }
    self.init(channels[0], channels[1], channels[2])
  }

  /// Scales a channel of 4 to 16 bits to 8 bits, rounded to nearest.
  private static func channel(_ digits: Substring) -> UInt8? {
    guard (1...4).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
      let value = UInt32(digits, radix: 16)
    else { return nil }
    let most = (UInt32(1) << (4 * UInt32(digits.count))) - 1
    return UInt8((value * 255 + most / 2) / most)
  }
}
