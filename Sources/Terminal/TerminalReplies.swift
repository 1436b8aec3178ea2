/// The replies of the terminal to the queries at the start.
package struct TerminalReplies: Sendable, Hashable {
  /// Whether the terminal supports synchronized frames (mode 2026).
  package var hasSynchronizedFrames = false
  /// The background colour as the terminal wrote it (`rgb:1e1e/1e1e/2e2e`); nil without a reply.
  ///
  /// Printable ASCII, at most 64 characters, otherwise unchecked.
  package var background: String?
}

extension TerminalReplies {
  /// Whether there was no reply.
  var isEmpty: Bool { self == TerminalReplies() }

  /// Applies a control sequence that replies to a query.
  ///
  /// - Returns: Whether it replies to the last query, to which every terminal replies.
  mutating func apply(parameters: [UInt8], finalByte: UInt8) -> Bool {
    switch finalByte {
    case UInt8(ascii: "c"): return parameters.first == UInt8(ascii: "?")
    case UInt8(ascii: "y"):
      let text = String(decoding: parameters, as: UTF8.self)
      // 1 (on) and 2 (off) mean that the terminal supports the mode and can switch it.
      if text == "?2026;1$" || text == "?2026;2$" { hasSynchronizedFrames = true }
    default: break
    }
    return false
  }

  /// The beginning of the reply with the background colour.
  static let backgroundPrefix = Array("11;".utf8)

  /// Applies an operating system command that replies to the query for the background colour.
  mutating func apply(command: [UInt8]) {
    guard command.starts(with: Self.backgroundPrefix) else { return }
    let value = command.dropFirst(Self.backgroundPrefix.count)
    guard (1...64).contains(value.count), value.allSatisfy({ (0x20...0x7e).contains($0) }) else {
      return
    }
    background = String(decoding: value, as: UTF8.self)
  }
}
