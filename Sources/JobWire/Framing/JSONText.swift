/// Decoding of JSON strings.
enum JSONText {
  /// The text of the bytes between two quotes of a JSON string; nil for an invalid escape.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
    var units: [UInt8] = []
    units.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      guard let letter = rest.popFirst() else { return nil }
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(letter)
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "u"):
        guard let scalar = scalar(&rest) else { return nil }
        units += Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter
      default: return nil
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The character of `\uXXXX`, given the bytes after `\u`; reads a second `\uXXXX` for a surrogate
  /// pair.
  private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let first = unit(&rest) else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), rest.starts(with: "\\u".utf8) else { return nil }
    rest = rest.dropFirst(2)
    guard let second = unit(&rest), (0xDC00..<0xE000).contains(second) else { return nil }
    return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
  }

  private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
    let digits = rest.prefix(4)
    guard digits.count == 4 else { return nil }
    rest = rest.dropFirst(4)
    var value: UInt32 = 0
    for digit in digits {
      guard digit < 0x80, let nibble = Character(Unicode.Scalar(digit)).hexDigitValue else {
        return nil
      }
      value = value << 4 + UInt32(nibble)
    }
    return value
  }
}
