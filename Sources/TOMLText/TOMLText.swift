/// Text on its way to the TOML parser.
package enum TOMLText: Sendable {
  /// `text` with what the parser must not be given replaced by what it refuses, on the same line.
  ///
  /// toml++ ends the process by an assertion, in released programs too, for a table's header
  /// without a key (`[=`), for a brace where an array has to go on (`[}`), and for U+0085, U+2028
  /// and U+2029 where a value is expected. It reads no further than to the first zero byte. The
  /// first three become `?`, which it refuses by name; a zero byte becomes another control
  /// character, which TOML allows nowhere either. Strings stay as they are, and so does everything
  /// that is TOML.
  package static func parsable(_ text: String) -> String {
    var scanner = TOMLScanner(text)
    return scanner.parsable()
  }
}
