/// Makes text from tools, packages and files safe to show on a terminal.
package enum Sanitised {
  /// Returns one line.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - limit: The most characters; what is beyond is replaced by `...`.
  ///   - replacement: What control characters, line separators and marks that change the direction
  ///     of writing become.
  /// - Returns: The line.
  package static func line(
    _ text: some StringProtocol, limit: Int = 300, replacement: Unicode.Scalar = " "
  ) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return result + "..." }
      result.unicodeScalars.append(isPlain(scalar) ? scalar : replacement)
      count += 1
    }
    return result
  }

  /// Returns several lines, each sanitised, of at most `limit` characters in all.
  package static func text(_ text: String, limit: Int = 8192) -> String {
    text.prefix(limit).split(separator: "\n", omittingEmptySubsequences: false)
      .map { line($0, limit: limit) }.joined(separator: "\n")
  }

  // False for controls, line and paragraph separators, and marks that change the direction of
  // writing.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
