/// The words in what a program wrote to its terminal, for finding out what has been shown.
///
/// Not an emulator: attributes are dropped, whatever moves the cursor counts as a blank, so words
/// are whole, their places are unknown, and text that was painted over is still there.
struct ScreenText: Sendable, Hashable {
  let text: String

  /// Reads the bytes of a terminal that understands the common sequences.
  init(_ bytes: some Collection<UInt8>) {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index != bytes.endIndex {
      let byte = bytes[index]
      index = bytes.index(after: index)
      if byte == 0x1b {
        if Self.skipSequence(bytes, &index) { plain.append(0x20) }
      } else {
        plain.append(byte < 0x20 || byte == 0x7f ? 0x20 : byte)
      }
    }
    text = String(decoding: plain, as: UTF8.self)
  }

  /// Whether all of the words were shown, in any order: a later frame writes only what it changes.
  func shows(_ words: [String]) -> Bool { words.allSatisfy { text.contains($0) } }

  /// Skips what an escape character begins; true when it may have moved the cursor.
  private static func skipSequence<Bytes: Collection<UInt8>>(
    _ bytes: Bytes, _ index: inout Bytes.Index
  ) -> Bool {
    func next() -> UInt8? {
      guard index != bytes.endIndex else { return nil }
      defer { index = bytes.index(after: index) }
      return bytes[index]
    }
    switch next() {
    case UInt8(ascii: "["):
      while let byte = next() {
        if (0x40...0x7e).contains(byte) { return byte != UInt8(ascii: "m") }
      }
      return false
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"):
      // Ends with a bell or with escape and backslash.
      while let byte = next(), byte != 0x07 {
        if byte == 0x1b {
          _ = next()
          break
        }
      }
      return false
    case UInt8(ascii: "("), UInt8(ascii: ")"):
      _ = next()
      return false
    default: return true
    }
  }
}
