/// Why a full screen cannot be opened.
package enum TerminalError: Error, Sendable, Hashable {
  /// Input or output is not a terminal.
  case notATerminal
  /// Neither the named terminal type nor a fallback for it is installed.
  case unknownType(String)
  /// The process has opened its terminal already.
  case alreadyOpen
}
