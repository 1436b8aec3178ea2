package import Canvas

/// For which backgrounds a theme is made.
package enum ThemeKind: String, Sendable, Hashable, CaseIterable {
  /// For all of them.
  case neutral
  case dark
  case light
  /// Draws without colour at every level.
  case mono
}

/// A theme with all roles decided, for one colour level.
package struct Theme: Sendable, Hashable {
  /// The theme's `name` in its file.
  package let name: String
  /// For which backgrounds it is made.
  package let kind: ThemeKind
  /// The level its colours were chosen for.
  package let level: ColorLevel

  /// By raw value of the role.
  private let styles: [Style]
  /// Which roles take the colour of the row's state.
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

  /// How `role` looks; roles that follow a row's state keep the terminal's own colour.
  package func style(_ role: Role) -> Style { styles[Int(role.rawValue)] }

  /// How `role` looks in a row whose state is drawn in the role `state`.
  ///
  /// A role that follows the state takes its colours, not its attributes: a reversed bar would
  /// show the opposite of what it means.
  package func style(_ role: Role, state: Role) -> Style {
    var style = styles[Int(role.rawValue)]
    guard takesState[Int(role.rawValue)] else { return style }
    let other = styles[Int(state.rawValue)]
    style.foreground = other.foreground
    style.background = other.background
    return style
  }

  /// A letter for the style of each role, for dumps of a canvas; the first role of a style wins.
  ///
  /// The letters go through `a…z`, `A…Z`, `0…9` in the order of `Role.allCases`.
  package var letters: [Style: Character] {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var letters: [Style: Character] = [:]
    for (role, letter) in zip(Role.allCases, alphabet) where letters[style(role)] == nil {
      letters[style(role)] = letter
    }
    return letters
  }
}
