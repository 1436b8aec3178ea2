/// A key as the user pressed it, free of how the terminal encodes it.
package enum Key: Sendable, Hashable {
  /// Printable text; marks that a keyboard sends after their base come as characters of their own.
  case character(Character)
  /// A printable ASCII character together with Alt (an escape directly before it). Digits never:
  /// they are function keys.
  case alt(Character)
  /// Control with a lower case letter, or with one of `@ \ ] ^ _`. Never `i`, `j`, `m`, `h`, `[`,
  /// which terminals cannot tell from tab, enter, enter, backspace and escape.
  case control(Character)
  /// F1 and up; escape directly followed by a digit counts as well, 0 being F10.
  case function(Int)
  case up
  case down
  case left
  case right
  case pageUp
  case pageDown
  case home
  case end
  case enter
  case escape
  case tab
  case backtab
  case backspace
  case delete
  case insert
}
