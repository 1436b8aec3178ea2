/// Why there can be no full screen here.
package enum TerminalError: Error, Sendable, Hashable {
  /// Input or output is not a terminal.
  case notATerminal
  /// Neither the named type of terminal nor any that could stand for it is known here.
  case unknownType(String)
  /// A process has one screen, and it is open.
  case alreadyOpen
}
