/// The characters that rules and frames are made of.
package struct LineGlyphs: Sendable, Hashable {
  package let horizontal: Unicode.Scalar
  package let vertical: Unicode.Scalar
  package let topLeft: Unicode.Scalar
  package let topRight: Unicode.Scalar
  package let bottomLeft: Unicode.Scalar
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
