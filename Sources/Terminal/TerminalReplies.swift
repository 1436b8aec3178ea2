/// What a terminal answered to the questions of the start.
package struct TerminalReplies: Sendable, Hashable {
  /// Whether it can hold back a frame until it is whole (mode 2026).
  package var hasSynchronizedFrames = false
  /// The colour behind its text as it wrote it (`rgb:1e1e/1e1e/2e2e`): printable ASCII, at most 64
  /// characters, otherwise unchecked; nil without an answer.
  package var background: String?
}

extension TerminalReplies {
  /// Nothing was answered.
  var isEmpty: Bool { self == TerminalReplies() }

  /// Takes over a control sequence that answers one of the questions.
  ///
  /// - Returns: Whether it is the answer to the last one, which every terminal gives.
  mutating func apply(parameters: [UInt8], finalByte: UInt8) -> Bool {
    switch finalByte {
    case UInt8(ascii: "c"): return parameters.first == UInt8(ascii: "?")
    case UInt8(ascii: "y"):
      let text = String(decoding: parameters, as: UTF8.self)
      // Known to the terminal, and not fixed: 1 is on now, 2 off.
      if text == "?2026;1$" || text == "?2026;2$" { hasSynchronizedFrames = true }
    default: break
    }
    return false
  }

  /// How the answer about the background begins.
  static let backgroundPrefix = Array("11;".utf8)

  /// Takes over an operating system command that answers the question for the background.
  mutating func apply(command: [UInt8]) {
    guard command.starts(with: Self.backgroundPrefix) else { return }
    let value = command.dropFirst(Self.backgroundPrefix.count)
    guard (1...64).contains(value.count), value.allSatisfy({ (0x20...0x7e).contains($0) }) else {
      return
    }
    background = String(decoding: value, as: UTF8.self)
  }
}
