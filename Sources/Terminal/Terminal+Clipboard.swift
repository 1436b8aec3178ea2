/// The clipboard of the user's own terminal.
extension Terminal {
  /// Sends text to the clipboard of the terminal (OSC 52); a terminal may ignore it without a
  /// reply.
  ///
  /// Inside tmux the command is sent plain and wrapped for the outer terminal, since tmux passes on
  /// one or the other, depending on its settings. GNU screen passes on wrapped commands only.
  ///
  /// - Parameter text: At most 74,994 bytes of UTF-8, the limit of xterm; a longer text is refused.
  /// - Returns: Whether the text was sent.
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
