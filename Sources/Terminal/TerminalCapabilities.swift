/// The capabilities of a terminal, for the choice of glyphs and colour level.
package struct TerminalCapabilities: Sendable, Hashable {
  /// The terminal type in use; it may differ from the requested one.
  package var type: String
  /// A sentence for the user if another type is in use than the requested one.
  package var notice: String?
  /// Number of indexed colours, 0 for none; 16,777,216 for direct colours.
  package var colorCount: Int
  /// Whether `Color.rgb` is shown; otherwise it becomes the terminal's own colour.
  package var hasDirectColor: Bool
  /// Whether text is UTF-8; if not, all characters outside ASCII are shown as `?`.
  package var isUTF8: Bool
  /// Whether the cursor can be positioned.
  ///
  /// If not (type `dumb`), a full screen is harmless but useless: use the plain output.
  package var canMoveCursor: Bool
  /// Whether the terminal is at the other end of an ssh link.
  package var isRemote: Bool
}
