package import Canvas

/// An event of the terminal; events come in the order in which they happened.
package enum TerminalEvent: Sendable, Hashable {
  /// A key was pressed.
  case key(Key)
  /// Text was pasted: at most 1 MiB, the rest is dropped.
  ///
  /// Lines end in `\n`; tab is the only other control character left.
  case paste(String)
  /// A mouse button was pressed or the wheel turned; only while the mouse is used.
  case mouse(MouseEvent)
  /// The terminal replied to the queries at the start; at most once, and often never.
  case replies(TerminalReplies)
  /// The terminal has another size now; the screen must be drawn anew.
  case resize(Size)
  /// The process was stopped and has continued; the screen has been repainted already.
  case resumed
  /// The terminal is gone, or SIGHUP came.
  ///
  /// The last event.
  case hangup
  /// A signal asks the process to end; the terminal is restored.
  ///
  /// The last event: clean up, then call `Terminal.endProcess(by:)` or exit.
  case terminate(signal: Int32)
}
