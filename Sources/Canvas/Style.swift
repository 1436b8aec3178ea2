/// A colour of a terminal, already reduced to the terminal's colour level.
package enum Color: Sendable, Hashable {
  /// The terminal's own foreground or background.
  case terminalDefault
  /// An indexed colour of the terminal: 0...15, or 0...255 if the terminal has 256 colours.
  case indexed(UInt8)
  /// A direct colour; only for terminals with direct colours.
  case rgb(UInt8, UInt8, UInt8)
}

/// Text attributes besides colours.
package struct Attributes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let bold = Attributes(rawValue: 1)
  package static let dim = Attributes(rawValue: 2)
  package static let underline = Attributes(rawValue: 4)
  package static let reverse = Attributes(rawValue: 8)
}

/// The colours and attributes of a cell.
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

  /// The terminal's own style.
  package static let plain = Style()
}

extension Style {
  /// This style with additional attributes.
  package func adding(_ attributes: Attributes) -> Style {
    Style(
      foreground: foreground, background: background,
      attributes: self.attributes.union(attributes))
  }
}
