import Glibc

/// A question on the terminal, answered by one letter.
enum Question: Sendable {
  /// Prints a question and reads one line.
  ///
  /// - Parameters:
  ///   - text: The question, without a line feed.
  ///   - yes: The letter for yes.
  ///   - otherwise: The letter that an empty line means.
  /// - Returns: Whether the answer was `yes`; the end of the input counts as an empty line.
  static func ask(_ text: String, yes: Character, otherwise: Character) -> Bool {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    let answer = readLine()?.lowercased().first ?? otherwise
    return answer == yes
  }
}
