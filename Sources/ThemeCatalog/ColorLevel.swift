/// The number of colours that a screen is drawn with.
package enum ColorLevel: String, Sendable, Hashable, CaseIterable, Comparable {
  /// No colours: only normal, dim, bold, underline and reverse.
  case mono
  /// The terminal's 16 colours (8 on older terminals), as the user set them.
  case ansi16 = "16"
  case indexed256 = "256"
  case truecolor

  /// Orders levels by their number of colours.
  package static func < (left: ColorLevel, right: ColorLevel) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .mono: 0
    case .ansi16: 1
    case .indexed256: 2
    case .truecolor: 3
    }
  }
}

/// The values of `--color`.
package enum ColorChoice: String, Sendable, Hashable, CaseIterable {
  case auto
  case never
  case ansi16 = "16"
  case indexed256 = "256"
  case truecolor
}

/// The information about a terminal's colours before the first frame.
package struct ColorEvidence: Sendable, Hashable {
  /// The value of `--color`, or of the setting with the same name.
  package var choice: ColorChoice
  /// The value of `NO_COLOR`; nil where it is not set.
  package var noColor: String?
  /// The value of `TERM`; nil where it is not set.
  package var term: String?
  /// The value of `COLORTERM`; nil where it is not set.
  package var colorTerm: String?
  /// `colors` of the terminfo entry; 0 or less when it has none.
  package var terminfoColors: Int
  /// Whether a direct-colour terminfo entry of the terminal's family can be loaded.
  package var hasDirectColor: Bool

  /// Creates evidence from values; a missing value is unknown or absent.
  package init(
    choice: ColorChoice = .auto, noColor: String? = nil, term: String? = nil,
    colorTerm: String? = nil, terminfoColors: Int = 0, hasDirectColor: Bool = false
  ) {
    self.choice = choice
    self.noColor = noColor
    self.term = term
    self.colorTerm = colorTerm
    self.terminfoColors = terminfoColors
    self.hasDirectColor = hasDirectColor
  }

  /// Reads the variables from `environment`.
  package init(
    choice: ColorChoice, environment: [String: String], terminfoColors: Int,
    hasDirectColor: Bool = false
  ) {
    self.init(
      choice: choice, noColor: environment["NO_COLOR"], term: environment["TERM"],
      colorTerm: environment["COLORTERM"], terminfoColors: terminfoColors,
      hasDirectColor: hasDirectColor)
  }

  /// Creates evidence for lines outside of the monitor; no terminfo entry is read, and `TERM` and
  /// `COLORTERM` decide the number of colours.
  package init(linesOf choice: ColorChoice, environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    let announced = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
    let isDirect = announced || term.hasSuffix("-direct")
    let hasNone = term.isEmpty || term == "dumb" || term.hasPrefix("vt")
    let colors = isDirect || term.contains("256color") ? 256 : hasNone ? 0 : 8
    self.init(
      choice: choice, environment: environment, terminfoColors: colors, hasDirectColor: isDirect)
  }

  /// The level to draw with.
  ///
  /// `--color` wins over `NO_COLOR`, which counts when it is not empty (no-color.org); then the
  /// terminfo entry decides. The level never exceeds the entry's colours, since more would require
  /// changing the palette of the user's terminal. Direct colour requires `--color truecolor`, a
  /// terminfo entry for it, and `COLORTERM` or `TERM` that announces it.
  package var level: ColorLevel {
    let able: ColorLevel =
      switch terminfoColors {
      case 256...: .indexed256
      case 8...: .ansi16
      default: .mono
      }
    guard term != "dumb" else { return .mono }
    switch choice {
    case .never:
      return .mono
    case .auto:
      return noColor?.isEmpty ?? true ? able : .mono
    case .ansi16:
      return min(able, .ansi16)
    case .indexed256:
      return min(able, .indexed256)
    case .truecolor:
      let announced =
        colorTerm == "truecolor" || colorTerm == "24bit" || term?.hasSuffix("-direct") ?? false
      return announced && hasDirectColor ? .truecolor : able
    }
  }
}
