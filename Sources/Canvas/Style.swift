/// A colour as a terminal knows it, already chosen for the terminal's colour level.
package enum Color: Sendable, Hashable {
  /// The terminal's own foreground or background.
  case terminalDefault
  /// One of the terminal's indexed colours: 0...15, or 0...255 where it has them.
  case indexed(UInt8)
  /// A direct colour; only for terminals that take one.
  case rgb(UInt8, UInt8, UInt8)
}

/// Attributes that need no colour.
package struct Attributes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let bold = Attributes(rawValue: 1)
  package static let dim = Attributes(rawValue: 2)
  package static let underline = Attributes(rawValue: 4)
  package static let reverse = Attributes(rawValue: 8)
}

/// How a cell looks.
package struct Style: Sendable, Hashable {
  package var foreground: Color
  package var background: Color
  package var attributes: Attributes

  package init(
    foreground: Color = .terminalDefault, background: Color = .terminalDefault,
    attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  /// The terminal's own look.
  package static let plain = Style()
}

extension Style {
  /// This style with more attributes.
  package func adding(_ attributes: Attributes) -> Style {
    Style(
      foreground: foreground, background: background,
      attributes: self.attributes.union(attributes))
  }

  /// This style under `other`: the colours that `other` sets win, attributes add up.
  package func overlaid(with other: Style) -> Style {
    Style(
      foreground: other.foreground == .terminalDefault ? foreground : other.foreground,
      background: other.background == .terminalDefault ? background : other.background,
      attributes: attributes.union(other.attributes))
  }
}
