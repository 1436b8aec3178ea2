/// How a terminal is to be opened; the standard values are what a program wants.
package struct TerminalOptions: Sendable, Hashable {
  /// The descriptor keys come from.
  package var input: Int32 = 0
  /// The descriptor the screen goes to.
  package var output: Int32 = 1
  /// The terminal type; nil takes `TERM`.
  package var type: String?
  /// How long an escape may be the start of a key, in milliseconds.
  ///
  /// Nil takes the variable `ESCDELAY`, else 25, or 100 where the terminal is at the other end of
  /// an ssh link.
  package var escapeDelay: Int?
  /// Whether standard error is kept off the screen and printed at the end.
  package var holdsErrors = true
  /// Whether the mouse is used from the start; selecting text with it then needs Shift.
  package var usesMouse = false
  /// Whether the terminal is asked for its background and for whole frames.
  package var asksTerminal = true

  package init() {}
}
