/// The options for opening a terminal; the defaults suit most programs.
package struct TerminalOptions: Sendable, Hashable {
  /// The descriptor from which keys are read.
  package var input: Int32 = 0
  /// The descriptor to which the screen is written.
  package var output: Int32 = 1
  /// The terminal type; nil means the variable `TERM`.
  package var type: String?
  /// How long an escape may be the start of a key, in milliseconds.
  ///
  /// Nil means the variable `ESCDELAY`, else 25, or 100 on an ssh connection.
  package var escapeDelay: Int?
  /// Whether standard error is kept off the screen and printed after the terminal is closed.
  package var holdsErrors = true
  /// Whether the mouse is used from the start; selecting text then needs Shift.
  package var usesMouse = false
  /// Whether to query the terminal for its background colour and for synchronized frames.
  package var asksTerminal = true

  package init() {}
}
