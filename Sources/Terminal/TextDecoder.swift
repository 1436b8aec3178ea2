/// A decoder of UTF-8, byte by byte.
///
/// Malformed bytes are dropped; the text after them is kept.
struct TextDecoder: Sendable {
  private var value: UInt32 = 0
  private var missing = 0
  private var least: UInt32 = 0

  /// Decodes a byte from 0x80 up and returns the scalar that it completes.
  mutating func receive(_ byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case 0x80...0xbf:
      guard missing > 0 else { return nil }
      value = value << 6 | UInt32(byte & 0x3f)
      missing -= 1
      return missing == 0 && value >= least ? Unicode.Scalar(value) : nil
    case 0xc2...0xdf: begin(byte & 0x1f, missing: 1, least: 0x80)
    case 0xe0...0xef: begin(byte & 0x0f, missing: 2, least: 0x800)
    case 0xf0...0xf4: begin(byte & 0x07, missing: 3, least: 0x1_0000)
    default: missing = 0
    }
    return nil
  }

  private mutating func begin(_ bits: UInt8, missing: Int, least: UInt32) {
    value = UInt32(bits)
    self.missing = missing
    self.least = least
  }
}
