/// Text from tools, packages and files, made fit to be shown.
enum Sanitised {
  /// One line: control characters and line separators become spaces, what is too long is cut.
  ///
  /// - Parameter limit: The most characters kept.
  static func line(_ text: some StringProtocol, limit: Int = 300) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return result + "..." }
      result.unicodeScalars.append(isPlain(scalar) ? scalar : " ")
      count += 1
    }
    return result
  }

  // Controls, line and paragraph separators, and the marks that turn the direction of writing.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
