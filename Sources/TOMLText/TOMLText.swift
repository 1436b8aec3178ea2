/// Text on its way to the TOML parser.
package enum TOMLText: Sendable {
  /// A value that no file of ours has, and that the parser is not given.
  package struct Refusal: Error, Sendable, Hashable {
    /// The value's line, from 1.
    package var line: Int
    /// What is wrong and what to write instead, in one line without a full stop.
    package var problem: String
  }

  /// `text` with what the parser must not be given replaced by what it refuses, on the same line.
  ///
  /// toml++ ends the process by an assertion, in released programs too, for a table's header
  /// without a key (`[=`), for a brace where an array has to go on (`[}`), and for U+0085, U+2028
  /// and U+2029 where a value is expected. It reads no further than to the first zero byte. The
  /// first three become `?`, which it refuses by name; a zero byte becomes another control
  /// character, which TOML allows nowhere either, and the escape of one loses its letter: it would
  /// cut a key short. Strings stay as they are otherwise, and so does everything else that is TOML.
  ///
  /// - Throws: ``Refusal`` for the first value that begins like a date or a time. toml++ ends the
  ///   process for many that are cut off (`1979-05-27T`), and no file of ours has one.
  package static func parsable(_ text: String) throws(Refusal) -> String {
    var scanner = TOMLScanner(text)
    return try scanner.parsable()
  }
}
