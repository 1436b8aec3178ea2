/// The characters that rules and frames are made of.
package struct LineGlyphs: Sendable, Hashable {
  /// The top and the bottom of a frame, and rules.
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

  /// For terminals without box drawing, or where it is two columns wide.
  package static let ascii = LineGlyphs(
    horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+",
    bottomRight: "+")
}
