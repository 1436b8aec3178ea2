/// A key pressed by the user, independent of the terminal's encoding.
package enum Key: Sendable, Hashable {
  /// A printable character, including the space.
  ///
  /// Combining marks after their base are separate characters.
  case character(Character)
  /// Ctrl with a lower-case letter, or with one of `@ \ ] ^ _`: `control("l")` is Ctrl-L.
  ///
  /// Never `i`, `j`, `m`, `h` or `[`: terminals send the same bytes for tab, enter, enter,
  /// backspace and escape.
  case control(Character)
  /// A printable ASCII character with Alt, sent as an escape directly before it.
  ///
  /// Never a digit: those are function keys.
  case alt(Character)
  /// F1 is `function(1)`.
  ///
  /// An escape directly before a digit counts as well, for terminals that intercept function keys;
  /// 0 is F10.
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
  case backTab
  case backspace
  case delete
  case insert

  /// The key's name in help and settings: `x`, `F9`, `Ctrl-L`, `Space`, `PgUp`.
  package var name: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .control(let character): "Ctrl-" + character.uppercased()
    case .alt(let character): "Alt-" + String(character)
    case .function(let number): "F\(number)"
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .home: "Home"
    case .end: "End"
    case .enter: "Enter"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backTab: "Shift-Tab"
    case .backspace: "Backspace"
    case .delete: "Delete"
    case .insert: "Insert"
    }
  }

  /// The key whose ``name`` is `text`.
  ///
  /// Case is ignored, except for a single letter.
  package init?(named text: String) {
    let known: [Key] =
      [
        .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .tab, .backTab,
        .backspace, .delete, .insert, .character(" "),
      ] + (1...12).map { .function($0) }
    if let key = known.first(where: { $0.name.lowercased() == text.lowercased() }) {
      self = key
    } else if text.count == 1, let character = text.first {
      self = .character(character)
    } else if text.lowercased().hasPrefix("ctrl-"), text.count == 6,
      let letter = text.lowercased().last, letter.isASCII, letter.isLetter
    {
      self = .control(letter)
    } else if text.lowercased().hasPrefix("alt-"), text.count == 5, let character = text.last {
      self = .alt(character)
    } else {
      return nil
    }
  }
}
