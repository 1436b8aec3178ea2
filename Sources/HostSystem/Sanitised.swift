/// Text from tools, packages and files, made fit to be shown.
package enum Sanitised {
  /// One line: control characters and line separators become spaces, what is too long is cut.
  package static func line(_ text: some StringProtocol, limit: Int = 300) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return result + "..." }
      result.unicodeScalars.append(isPlain(scalar) ? scalar : " ")
      count += 1
    }
    return result
  }

  /// Several lines, each made fit, together of at most `limit` characters.
  package static func text(_ text: String, limit: Int = 8192) -> String {
    text.prefix(limit).split(separator: "\n", omittingEmptySubsequences: false)
      .map { line($0, limit: limit) }.joined(separator: "\n")
  }

  // Controls, line and paragraph separators, and the marks that turn the direction of writing.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
