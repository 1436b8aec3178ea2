package import Canvas

/// The backgrounds for which a theme is made.
package enum ThemeKind: String, Sendable, Hashable, CaseIterable {
  /// All backgrounds.
  case neutral
  case dark
  case light
  /// Draws without colour at every level.
  case mono
}

/// A theme with the style of every role, for one colour level.
package struct Theme: Sendable, Hashable {
  /// The theme's `name` in its file.
  package let name: String
  /// The backgrounds for which it is made.
  package let kind: ThemeKind
  /// The level for which its colours were chosen.
  package let level: ColorLevel

  /// The styles by the role's raw value.
  private let styles: [Style]
  /// Whether a role uses the colour of the row's state, by the role's raw value.
  private let takesState: [Bool]

  init(
    name: String, kind: ThemeKind, level: ColorLevel, styles: [Style], takesState: [Bool]
  ) {
    self.name = name
    self.kind = kind
    self.level = level
    self.styles = styles
    self.takesState = takesState
  }

  /// Returns the style of `role`; a role that follows the row's state has the terminal's own
  /// colour.
  package func style(_ role: Role) -> Style { styles[Int(role.rawValue)] }

  /// Returns the style of `role` in a row whose state is drawn in the role `state`.
  ///
  /// A role that follows the state uses its colours but not its attributes: a reversed bar would
  /// show the opposite of its meaning.
  package func style(_ role: Role, state: Role) -> Style {
    var style = styles[Int(role.rawValue)]
    guard takesState[Int(role.rawValue)] else { return style }
    let other = styles[Int(state.rawValue)]
    style.foreground = other.foreground
    style.background = other.background
    return style
  }

  /// The letter of each style, for dumps of a canvas; if roles share a style, the first role's
  /// letter.
  ///
  /// The letters are `a…z`, `A…Z`, `0…9` in the order of `Role.allCases`.
  package var letters: [Style: Character] {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var letters: [Style: Character] = [:]
    for (role, letter) in zip(Role.allCases, alphabet) where letters[style(role)] == nil {
      letters[style(role)] = letter
    }
    return letters
  }
}
