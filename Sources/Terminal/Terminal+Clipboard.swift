/// The clipboard of the user's own terminal.
extension Terminal {
  /// Asks the terminal to take text to its clipboard (OSC 52); terminals may ignore it, and nobody
  /// is told.
  ///
  /// Inside tmux it is also wrapped for the terminal outside, since tmux hands on one or the other
  /// depending on its settings; GNU screen only hands on what is wrapped.
  ///
  /// - Parameter text: at most 74,994 bytes of UTF-8, which is what xterm takes; more is refused.
  /// - Returns: whether it was sent.
  @discardableResult
  package func copy(_ text: String) -> Bool {
    guard state == .active, isANSI, text.utf8.count <= 74_994 else { return false }
    let command =
      Array("\u{1b}]52;c;".utf8) + Base64.encoded(Array(text.utf8)) + [UInt8(0x07)]
    write(Multiplexer(environment: Self.environment).wrapped(command))
    return true
  }
}

/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var value = 0
      for index in start..<start + 3 {
        value = value << 8 | (index < bytes.count ? Int(bytes[index]) : 0)
      }
      for place in 0..<4 {
        let isPadding = place > group.count
        result.append(isPadding ? UInt8(ascii: "=") : digits[value >> (18 - place * 6) & 0x3f])
      }
    }
    return result
  }
}
