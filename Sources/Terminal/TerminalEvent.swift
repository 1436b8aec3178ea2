package import Canvas

/// What a terminal has to tell, in the order in which it happened.
package enum TerminalEvent: Sendable, Hashable {
  /// A key was pressed.
  case key(Key)
  /// Text was pasted: at most 1 MiB, the rest is dropped; lines end in `\n`, and control
  /// characters other than that and tab are gone.
  case paste(String)
  /// A button of the mouse was pressed or its wheel turned; only while the mouse is used.
  case mouse(MouseEvent)
  /// The terminal answered the questions of the start; at most once, and often never.
  case replies(TerminalReplies)
  /// The terminal has another size now; what it shows is to be drawn anew.
  case resize(Size)
  /// The process was stopped and goes on; the screen has been painted again already.
  case resumed
  /// The terminal is gone, or says so (SIGHUP). The last event.
  case hangup
  /// The process was asked to end by this signal; the terminal is restored. The last event: end
  /// in your own way, then call `Terminal.endProcess(by:)` or exit.
  case terminate(signal: Int32)
}
