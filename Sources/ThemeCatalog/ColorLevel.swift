/// How many colours a screen is drawn with.
package enum ColorLevel: String, Sendable, Hashable, CaseIterable, Comparable {
  /// None: only normal, dim, bold, underline and reverse.
  case mono
  /// The eight colours every colour terminal has, as the user set them.
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

/// What the user asked for with `--color`.
package enum ColorChoice: String, Sendable, Hashable, CaseIterable {
  case auto
  case never
  case ansi16 = "16"
  case indexed256 = "256"
  case truecolor
}

/// What can be known about a terminal's colours before anything is drawn.
package struct ColorEvidence: Sendable, Hashable {
  /// `--color`, or the setting of the same name.
  package var choice: ColorChoice
  /// The value of `NO_COLOR`; nil where it is not set.
  package var noColor: String?
  /// The value of `TERM`; nil where it is not set.
  package var term: String?
  /// The value of `COLORTERM`; nil where it is not set.
  package var colorTerm: String?
  /// `colors` of the terminfo entry; negative or 0 where it has none.
  package var terminfoColors: Int
  /// Whether a direct-colour terminfo entry of the terminal's family can be loaded.
  package var hasDirectColor: Bool

  /// Evidence from values; what is not given is unknown or absent.
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

  /// Evidence for lines outside of the monitor, for which no terminfo entry is read: the name of
  /// the terminal tells how many colours it has.
  package init(linesOf choice: ColorChoice, environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    let announced = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
    let isDirect = announced || term.hasSuffix("-direct")
    let hasNone = term.isEmpty || term == "dumb" || term.hasPrefix("vt")
    let colors = isDirect || term.contains("256color") ? 256 : hasNone ? 0 : 8
    self.init(
      choice: choice, environment: environment, terminfoColors: colors, hasDirectColor: isDirect)
  }

  /// Whether the terminal cannot move its cursor, so that only plain output is possible.
  package var needsPlainOutput: Bool { term == "dumb" || term?.isEmpty ?? true }

  /// The level to draw with.
  ///
  /// `--color` goes before `NO_COLOR`, which counts when it is not empty (no-color.org); then the
  /// terminfo entry decides. No level goes beyond what the entry can show, since more could not be
  /// drawn without changing the palette of the user's terminal. Direct colour needs the user's
  /// wish, an entry for it, and a terminal that is known for it by `COLORTERM` or by `TERM`.
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
