/// A key pressed by the user, independent of the terminal's encoding.
package enum Key: Sendable, Hashable {
  /// A printable character.
  ///
  /// Combining marks after their base are separate characters.
  case character(Character)
  /// A printable ASCII character with Alt, sent as an escape directly before it.
  ///
  /// Never a digit: those are function keys.
  case alt(Character)
  /// Ctrl with a lower-case letter, or with one of `@ \ ] ^ _`.
  ///
  /// Never `i`, `j`, `m`, `h` or `[`: terminals send the same bytes for tab, enter, enter,
  /// backspace and escape.
  case control(Character)
  /// F1 and up.
  ///
  /// An escape directly before a digit counts as well; 0 is F10.
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
