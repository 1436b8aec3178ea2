import Canvas

/// The guarantees of a theme beyond the general rules; ``ThemeReport`` checks them.
package struct ThemePromise: Sendable, Hashable {
  /// The least contrast of every role, from 1 to 21; nil for no guarantee.
  package var contrast: Double?
  /// The kinds of colour vision, besides full vision, with which the key states can be
  /// distinguished by colour.
  package var vision: Set<ColorVision> = []

  /// Creates an empty promise.
  package init() {}
}

/// A theme merged with the themes it inherits from, for all colour levels.
package struct ThemeDefinition: Sendable {
  /// The `name` in the file, otherwise the file's name.
  package let name: String
  /// The `kind` of its own file, otherwise of the nearest theme it inherits from.
  package let kind: ThemeKind

  /// One line about its purpose, from its own file; empty when the file has none.
  package let purpose: String
  /// The promise of its own file; it is not inherited, since other colours may break it.
  package let promise: ThemePromise

  private var palette: [String: ThemeFile.Entry<PaletteColor>] = [:]
  /// The roles that the theme or a theme that it inherits from defines.
  private(set) var roles: [Role: ThemeFile.Entry<RoleStyle>] = [:]
  private var mono: [Role: ThemeFile.Entry<Attributes>] = [:]

  /// Merges a chain of files, the base theme first.
  init(_ chain: [ThemeFile]) {
    name = chain.last?.name ?? ""
    purpose = chain.last?.purpose ?? ""
    promise = chain.last?.promise ?? ThemePromise()
    kind = chain.reversed().lazy.compactMap(\.kind).first ?? .neutral
    for file in chain {
      palette.merge(file.palette) { $1 }
      roles.merge(file.roles) { $1 }
      mono.merge(file.mono) { $1 }
    }
  }

  /// The errors in the roles' references to the palette and to each other.
  var issues: [ThemeIssue] {
    var issues: [ThemeIssue] = []
    for role in Role.allCases {
      guard let entry = roles[role] else { continue }
      func report(_ message: String) {
        issues.append(
          ThemeIssue(
            file: entry.file, line: entry.line, severity: .error,
            message: "\(role.name): " + message))
      }
      for source in [entry.value.foreground, entry.value.background] {
        switch source {
        case .palette(let name) where palette[name] == nil:
          report("the palette has no colour \"\(name)\"")
        case .state where Role.states.contains(role):
          report("a state cannot take its colour from @state")
        default:
          break
        }
      }
      if case .role = entry.value.foreground, let cycle = cycle(from: role) {
        report("refers to itself: " + cycle.map(\.name).joined(separator: " → "))
      }
    }
    return issues
  }

  private func cycle(from start: Role) -> [Role]? {
    var way = [start]
    while let last = way.last, case .role(let next) = roles[last]?.value.foreground {
      way.append(next)
      if next == start { return way }
      if way.count > Role.allCases.count { return nil }
    }
    return nil
  }

  /// Returns the theme at a colour level; a theme of kind `mono` has only the mono level.
  package func theme(at level: ColorLevel) -> Theme {
    let level = kind == .mono ? .mono : level
    var styles: [Style] = []
    var takesState: [Bool] = []
    for role in Role.allCases {
      styles.append(style(of: role, at: level, depth: 0))
      takesState.append(level != .mono && followsState(role, depth: 0))
    }
    return Theme(
      name: name, kind: kind, level: level, styles: styles, takesState: takesState)
  }

  private func style(of role: Role, at level: ColorLevel, depth: Int) -> Style {
    if level == .mono, let attributes = mono[role]?.value {
      return Style(attributes: attributes)
    }
    guard let look = roles[role]?.value, depth <= Role.allCases.count else { return .plain }
    if case .role(let other) = look.foreground {
      return style(of: other, at: level, depth: depth + 1).adding(look.attributes)
    }
    var style = Style(attributes: look.attributes)
    if case .palette(let name) = look.foreground, let color = palette[name]?.value {
      style.foreground = color.color(at: level)
      if level == .ansi16 || style.foreground == .terminalDefault {
        style.attributes.formUnion(color.ansi16Attributes)
      }
    }
    if case .palette(let name) = look.background, let color = palette[name]?.value {
      style.background = color.color(at: level)
    }
    return style
  }

  private func followsState(_ role: Role, depth: Int) -> Bool {
    guard let look = roles[role]?.value, depth <= Role.allCases.count else { return false }
    switch look.foreground {
    case .state: return true
    case .role(let other): return followsState(other, depth: depth + 1)
    case .palette, .terminalDefault: return false
    }
  }
}
