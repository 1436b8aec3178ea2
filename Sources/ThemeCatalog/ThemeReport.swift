package import Canvas

/// What a theme looks like in figures, and what does not keep to the rules.
///
/// Figures are the lower ones of 256 colours and truecolor; the other levels take the terminal's
/// own colours, whose light nobody knows.
package struct ThemeReport: Sendable, Hashable {
  /// One role at every colour level.
  package struct Row: Sendable, Hashable {
    /// The role of this row.
    package let role: Role
    /// In the order of `ColorLevel.allCases`: mono, 16, 256, truecolor.
    package let styles: [Style]
    /// In the order of `Backdrop.all`; nil where the terminal's own colours decide.
    package let contrasts: [Double]?
    /// The lowest contrast on the backgrounds that the theme is made for; nil likewise.
    package let contrast: Double?
  }

  /// Something that does not keep to the rules.
  package enum Finding: Sendable, Hashable {
    /// A role that is hard to read on a background that the theme is made for.
    case faint(Role, on: Backdrop, contrast: Double, least: Double)
    /// Two states whose colours look alike.
    case alike(StateDistance, vision: ColorVision)
    /// What reading the file warned of.
    case warning(ThemeIssue)
  }

  /// The contrast that every theme has to have: what WCAG 2.1 asks of signs, and what the default
  /// theme keeps on dark and light backgrounds alike.
  package static let leastContrast = 3.0

  /// The distance that the key states have to have, for all eyes that a theme is made for.
  ///
  /// Red and green of an ordinary dark palette come to 16 for eyes without the green cone and are
  /// taken for each other; the palettes made for these eyes come to 26 and more.
  package static let leastDistance = 25.0

  /// The theme's name.
  package let name: String
  /// For which backgrounds it is made.
  package let kind: ThemeKind
  /// What its file promises.
  package let promise: ThemePromise
  /// In the order of `Role.allCases`.
  package let rows: [Row]
  /// The most alike of the key states for each kind of eyes.
  package let closestStates: [ColorVision: StateDistance]
  /// In the order of rows, then of eyes, then of the file's lines.
  package let findings: [Finding]

  /// Measures `definition` at every colour level; `issues` are what reading it warned of.
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

  /// The last line of a report: what the exit status says, in words.
  package var verdict: String {
    switch findings.count {
    case 0: "sound"
    case 1: "1 finding"
    default: "\(findings.count) findings"
    }
  }

  /// The roles that are hard to read on one of the theme's backgrounds.
  package var weakRoles: [Role] {
    rows.map(\.role).filter { role in
      findings.contains { if case .faint(role, _, _, _) = $0 { true } else { false } }
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

/// A figure with one decimal, rounded down, so that 2.96 does not read as 3.0.
func figure(_ value: Double) -> String {
  let tenths = Int(value * 10 + 1e-9)
  return "\(tenths / 10).\(tenths % 10)"
}
