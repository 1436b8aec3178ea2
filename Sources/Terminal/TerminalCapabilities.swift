/// What a terminal can do: enough to choose glyphs and a level of colour.
package struct TerminalCapabilities: Sendable, Hashable {
  /// The type that is used; perhaps not the one asked for.
  package var type: String
  /// One sentence for the user when another type had to be taken.
  package var notice: String?
  /// Colours in the table, 0 for none; 16,777,216 where colours are direct.
  package var colorCount: Int
  /// Whether `Color.rgb` is shown as such; everywhere else it becomes the terminal's own colour.
  package var hasDirectColor: Bool
  /// Whether text is UTF-8; if not, everything beyond ASCII is shown as `?`.
  package var isUTF8: Bool
  /// Whether the cursor can be placed.
  ///
  /// Without (type `dumb`) a full screen is no use, though it
  /// does no harm: take the plain output.
  package var canMoveCursor: Bool
  /// Whether the terminal is at the other end of an ssh link.
  package var isRemote: Bool
}
