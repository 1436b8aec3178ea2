/// Patterns in which `*` stands for any text and `?` for one character.
package enum Glob: Sendable {
  /// Whether a text is a pattern.
  package static func isPattern(_ text: some StringProtocol) -> Bool {
    text.utf8.contains { $0 == star || $0 == any }
  }

  /// Returns a text that the pattern matches.
  static func example(_ pattern: String) -> String {
    pattern.replacing("*", with: "x").replacing("?", with: "x")
  }

  private static let (star, any) = (UInt8(ascii: "*"), UInt8(ascii: "?"))

  /// Whether `pattern` covers the whole of `text`.
  ///
  /// The time is at most proportional to the product of their lengths.
  package static func matches(
    _ text: some StringProtocol, _ pattern: some StringProtocol
  ) -> Bool {
    let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
    var (at, next) = (0, 0)
    // The position of the last `*`, and of the text up to which it matches.
    var retry: (pattern: Int, text: Int)?
    while at < text.count {
      if next < pattern.count, pattern[next] == star {
        retry = (next, at)
        next += 1
      } else if next < pattern.count, [text[at], any].contains(pattern[next]) {
        (at, next) = (at + 1, next + 1)
      } else if let (before, taken) = retry {
        retry = (before, taken + 1)
        (at, next) = (taken + 1, before + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == star }
  }
}
