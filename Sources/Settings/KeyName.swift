/// A key by name, spelled as the monitor's help spells it: `x`, `F9`, `Ctrl-X`, `PgUp`, `Space`.
package struct KeyName: Sendable, Hashable, CustomStringConvertible {
  /// The canonical spelling.
  package let description: String

  private static let named: [String: String] = [
    "space": "Space", "enter": "Enter", "return": "Enter", "esc": "Esc", "escape": "Esc",
    "tab": "Tab", "shift-tab": "Shift-Tab", "back-tab": "Shift-Tab", "backtab": "Shift-Tab",
    "backspace": "Backspace", "delete": "Delete", "del": "Delete", "insert": "Insert",
    "ins": "Insert", "up": "Up", "down": "Down", "left": "Left", "right": "Right",
    "page-up": "PgUp", "pageup": "PgUp", "pgup": "PgUp", "page-down": "PgDn",
    "pagedown": "PgDn", "pgdn": "PgDn", "home": "Home", "end": "End",
  ]

  /// Parses a key name; nil for a text that is not a key of a terminal, for example Ctrl with a
  /// digit.
  ///
  /// Accepts `ctrl-x` and `^x`; `alt-x`; `f1` to `f12`; `page-up`, `pgup` and so on; any single
  /// printable character. Case matters only for a single character, alone or after `alt-`.
  package init?(_ text: String) {
    let lower = text.lowercased()
    if let name = Self.named[lower] {
      description = name
    } else if text.count == 1, let character = text.first {
      guard text == SettingsDocument.printable(text) else { return nil }
      description = character == " " ? "Space" : text
    } else if let letter = Self.rest(of: lower, after: ["ctrl-", "ctrl+", "control-", "^"]) {
      guard letter.isASCII, letter.isLetter else { return nil }
      description = "Ctrl-" + letter.uppercased()
    } else if let character = Self.rest(of: text, after: ["alt-", "Alt-", "ALT-", "alt+"]) {
      guard character.isASCII, String(character) == SettingsDocument.printable(String(character)),
        character != " "
      else { return nil }
      description = "Alt-" + String(character)
    } else if lower.first == "f", lower.count <= 3, let number = Int(lower.dropFirst()),
      (1...12).contains(number), lower.dropFirst().allSatisfy(\.isNumber),
      !lower.dropFirst().hasPrefix("0")
    {
      description = "F\(number)"
    } else {
      return nil
    }
  }

  /// Returns the single character after one of the prefixes; nil otherwise.
  private static func rest(of text: String, after beginnings: [String]) -> Character? {
    for beginning in beginnings where text.hasPrefix(beginning) {
      let rest = text.dropFirst(beginning.count)
      if rest.count == 1 { return rest.first }
    }
    return nil
  }
}
