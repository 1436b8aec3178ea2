/// Checks and repairs text before it is given to the TOML parser.
package enum TOMLText: Sendable {
  /// A value that this program does not use and that is not given to the parser.
  package struct Refusal: Error, Sendable, Hashable {
    /// The value's line, from 1.
    package var line: Int
    /// What is wrong and what to write instead, in one line without a full stop.
    package var problem: String
  }

  /// Returns `text` with dangerous input replaced by input that the parser refuses on the same
  /// line.
  ///
  /// toml++ ends the process by an assertion, also in release builds, for a table header without a
  /// key (`[=`), for a brace where an array must continue (`[}`), and for U+0085, U+2028 and U+2029
  /// where a value is expected. It also stops reading at the first zero byte, and an escaped zero
  /// would truncate a key. The first three inputs and the letter of an escaped zero become `?`,
  /// which toml++ refuses by name; a zero byte becomes another control character, which TOML
  /// forbids as well. All other TOML, strings included, is unchanged.
  ///
  /// - Throws: ``Refusal`` for the first value that begins like a date or a time. toml++ ends the
  ///   process for many truncated ones (`1979-05-27T`), and no file of this program has dates.
  package static func parsable(_ text: String) throws(Refusal) -> String {
    var scanner = TOMLScanner(text)
    return try scanner.parsable()
  }
}
