/// The characters of rules and frames.
package struct LineGlyphs: Sendable, Hashable {
  /// The top and bottom of a frame, and rules.
  package let horizontal: Unicode.Scalar
  /// The sides of a frame.
  package let vertical: Unicode.Scalar
  /// The top left corner.
  package let topLeft: Unicode.Scalar
  /// The top right corner.
  package let topRight: Unicode.Scalar
  /// The bottom left corner.
  package let bottomLeft: Unicode.Scalar
  /// The bottom right corner.
  package let bottomRight: Unicode.Scalar

  /// Thin box drawing characters.
  package static let light = LineGlyphs(
    horizontal: "─", vertical: "│", topLeft: "┌", topRight: "┐", bottomLeft: "└",
    bottomRight: "┘")

  /// ASCII characters, for terminals without box drawing, or with box drawing two columns wide.
  package static let ascii = LineGlyphs(
    horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+",
    bottomRight: "+")
}
