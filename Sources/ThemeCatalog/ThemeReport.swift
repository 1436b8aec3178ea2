package import Canvas

/// The measurements of a theme and its violations of the rules.
///
/// Contrasts and distances are the lower values of 256 colours and truecolor; the other levels use
/// the terminal's own colours, which cannot be measured.
package struct ThemeReport: Sendable, Hashable {
  /// One role at every colour level.
  package struct Row: Sendable, Hashable {
    /// The role of this row.
    package let role: Role
    /// The styles in the order of `ColorLevel.allCases`: mono, 16, 256, truecolor.
    package let styles: [Style]
    /// The contrasts in the order of `Backdrop.all`; nil when the terminal's own colours are used.
    package let contrasts: [Double]?
    /// The lowest contrast on the backgrounds of the theme's kind; nil when the terminal's own
    /// colours are used.
    package let contrast: Double?
  }

  /// A violation of a rule.
  package enum Finding: Sendable, Hashable {
    /// A role with too little contrast on a background of the theme's kind.
    case faint(Role, on: Backdrop, contrast: Double, least: Double)
    /// Two states with too similar colours.
    case alike(StateDistance, vision: ColorVision)
    /// A warning about the file.
    case warning(ThemeIssue)
  }

  /// The contrast that every theme must have: WCAG 2.1's minimum for signs, which the default theme
  /// keeps on dark and light backgrounds.
  package static let leastContrast = 3.0

  /// The distance that the key states must have, for full colour vision and for each vision that a
  /// theme promises.
  ///
  /// Red and green of an ordinary dark palette have a distance of 16 for eyes without the green
  /// cone and are confused; palettes made for these eyes have 26 and more.
  package static let leastDistance = 25.0

  /// The theme's name.
  package let name: String
  /// The backgrounds for which the theme is made.
  package let kind: ThemeKind
  /// The promise of its file.
  package let promise: ThemePromise
  /// The rows in the order of `Role.allCases`.
  package let rows: [Row]
  /// The most similar key states for each colour vision.
  package let closestStates: [ColorVision: StateDistance]
  /// The findings in the order of rows, then of colour vision, then of the file's lines.
  package let findings: [Finding]

  /// Measures `definition` at all colour levels; `issues` are the warnings of its file.
  package init(_ definition: ThemeDefinition, issues: [ThemeIssue] = []) {
    let themes = ColorLevel.allCases.map { definition.theme(at: $0) }
    name = definition.name
    kind = definition.kind
    promise = definition.promise
    rows = Role.allCases.map { role in
      let contrasts = Backdrop.all.compactMap { backdrop in
        themes.compactMap { $0.contrast(of: role, on: backdrop.color) }.min()
      }
      return Row(
        role: role, styles: themes.map { $0.style(role) },
        contrasts: contrasts.isEmpty ? nil : contrasts,
        contrast: themes.compactMap { $0.contrast(of: role) }.min())
    }
    var closest: [ColorVision: StateDistance] = [:]
    for vision in ColorVision.allCases {
      closest[vision] = themes.compactMap { $0.closestStates(vision: vision) }
        .min { $0.distance < $1.distance }
    }
    closestStates = closest

    let least = max(Self.leastContrast, promise.contrast ?? 0)
    var findings: [Finding] = []
    for row in rows {
      for (backdrop, contrast) in zip(Backdrop.all, row.contrasts ?? [])
      where contrast < least && backdrop.fits(kind) {
        findings.append(.faint(row.role, on: backdrop, contrast: contrast, least: least))
      }
    }
    for vision in ColorVision.allCases where vision == .full || promise.vision.contains(vision) {
      guard let pair = closest[vision], pair.distance < Self.leastDistance else { continue }
      findings.append(.alike(pair, vision: vision))
    }
    self.findings = findings + issues.map { .warning($0) }
  }

  /// The last line of the report: the number of findings in words.
  package var verdict: String {
    switch findings.count {
    case 0: "sound"
    case 1: "1 finding"
    default: "\(findings.count) findings"
    }
  }
}

extension ThemeReport.Finding: CustomStringConvertible {
  /// One sentence without a full stop.
  package var description: String {
    switch self {
    case .faint(let role, let backdrop, let contrast, let least):
      "\(role.name) has contrast \(figure(contrast)) on \(backdrop.name), less than \(figure(least))"
    case .alike(let pair, let vision):
      "\(pair.one.name) and \(pair.other.name) look alike (vision \(vision.rawValue)): distance "
        + "\(figure(pair.distance)), less than \(figure(ThemeReport.leastDistance))"
    case .warning(let issue):
      "\(issue)"
    }
  }
}

/// Returns a number with one decimal, rounded down, so that 2.96 is not shown as 3.0.
func figure(_ value: Double) -> String {
  let tenths = Int(value * 10 + 1e-9)
  return "\(tenths / 10).\(tenths % 10)"
}
