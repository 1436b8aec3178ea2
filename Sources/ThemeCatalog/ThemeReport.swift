package import Canvas

/// What a theme looks like in figures, for people who write one.
package struct ThemeReport: Sendable, Hashable {
  /// One role at every colour level.
  package struct Row: Sendable, Hashable {
    /// The role of this row.
    package let role: Role
    /// In the order of `ColorLevel.allCases`: mono, 16, 256, truecolor.
    package let styles: [Style]
    /// The lower contrast of 256 colours and truecolor on the theme's backgrounds; nil where the
    /// terminal's own colours decide.
    package let contrast: Double?
  }

  /// The contrast below which text is hard to read; what the default theme keeps everywhere.
  package static let leastContrast = 3.0

  /// The theme's name.
  package let name: String
  /// In the order of `Role.allCases`.
  package let rows: [Row]
  /// The smallest distance of the colours of the states that matter most, for each kind of eyes,
  /// the lower one of 256 colours and truecolor.
  package let stateDistances: [ColorVision: Double]

  /// Measures `definition` at every colour level.
  package init(_ definition: ThemeDefinition) {
    let themes = ColorLevel.allCases.map { definition.theme(at: $0) }
    name = definition.name
    rows = Role.allCases.map { role in
      Row(
        role: role, styles: themes.map { $0.style(role) },
        contrast: themes.compactMap { $0.contrast(of: role) }.min())
    }
    var distances: [ColorVision: Double] = [:]
    for vision in ColorVision.allCases {
      distances[vision] = themes.compactMap { $0.stateDistance(vision: vision) }.min()
    }
    stateDistances = distances
  }

  /// The roles that are hard to read on one of the theme's backgrounds.
  package var weakRoles: [Role] {
    rows.filter { $0.contrast ?? .infinity < Self.leastContrast }.map(\.role)
  }

  /// The report as lines of text, at most 105 columns wide.
  package var lines: [String] {
    var lines = [
      padded("role", to: 20)
        + ColorLevel.allCases.map { padded($0.rawValue, to: 18) }.joined() + "contrast"
    ]
    for row in rows {
      let contrast = row.contrast.map(Self.tenths) ?? "–"
      let mark = weakRoles.contains(row.role) ? " low" : ""
      lines.append(
        padded(row.role.name, to: 20)
          + row.styles.map { padded(truncated("\($0)", to: 17), to: 18) }.joined() + contrast
          + mark)
    }
    for vision in ColorVision.allCases {
      guard let distance = stateDistances[vision] else { continue }
      lines.append(
        "least distance of running, done, failed, warnings (\(vision.rawValue)): "
          + Self.tenths(distance))
    }
    return lines
  }

  /// A figure with one decimal, rounded down, so that 2.96 does not read as 3.0.
  private static func tenths(_ value: Double) -> String {
    let tenths = Int(value * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }
}
