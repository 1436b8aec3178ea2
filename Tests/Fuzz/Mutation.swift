/// An input on its way to another one.
struct Mutation: Sendable {
  /// The most bytes that an input grows to.
  static let bytesAtMost = 16 << 10

  private(set) var bytes: [UInt8]

  /// Bytes that often mean something to a reader.
  private static let telling: [UInt8] = [
    0x00, 0x07, 0x09, 0x0A, 0x0D, 0x1B, 0x20, 0x22, 0x27, 0x2C, 0x2D, 0x2E, 0x3A, 0x3D, 0x5B, 0x5C,
    0x5D, 0x7B, 0x7D, 0x7F, 0x80, 0x9B, 0x9D, 0xC2, 0xE2, 0xED, 0xF0, 0xF4, 0xFF,
  ]
  /// Texts that are hard for any reader of text or figures.
  private static let hard = [
    "0", "-1", "255", "256", "65536", "2147483648", "9223372036854775807", "-9223372036854775808",
    "18446744073709551616", "1e308", "1e999", "-0.0", "nan", "0x7f", "\u{0}", "\r\n", "\u{85}",
    "\u{2028}", "\u{200D}", "\u{301}", "\u{301}\u{301}\u{301}\u{301}\u{301}", "\u{202E}",
    "\u{FEFF}",
    "\u{1F3FB}", "\u{1F469}\u{200D}\u{1F680}", "\u{10FFFF}", "\u{E0041}", "\u{1100}\u{1161}",
    "\u{130}", "\u{DF}", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{9B}31m", "null", "{}", "[]", "\"\"",
  ]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Changes one thing.
  mutating func change(
    _ random: inout FuzzRandom, tokens: [String], others: [[UInt8]]
  ) {
    let place = random.below(bytes.count + 1)
    switch random.below(10) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
    case 1 where place < bytes.count: bytes[place] = random.one(of: Self.telling)
    case 2: bytes.insert(random.one(of: Self.telling), at: place)
    case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(8)))
    case 4: bytes.removeLast(bytes.count - place)
    case 5: put(Array(random.one(of: Self.hard).utf8), at: place)
    case 6: replaceNumber(at: place, with: random.one(of: Self.hard))
    case 7:
      let piece = Array(bytes[place..<min(bytes.count, place + 1 + random.below(64))])
      let times = random.oneIn(8) ? 1 + random.below(400) : 1 + random.below(3)
      put(Array(repeatElement(piece, count: times).joined()), at: place)
    case 8 where !others.isEmpty:
      let other = random.one(of: others)
      put(Array(other[random.below(other.count + 1)...]), at: place)
    default:
      if !tokens.isEmpty { put(Array(random.one(of: tokens).utf8), at: place) }
    }
  }

  private mutating func put(_ piece: [UInt8], at place: Int) {
    bytes.insert(contentsOf: piece.prefix(max(0, Self.bytesAtMost - bytes.count)), at: place)
  }

  /// Puts another text in place of the first figure from `place` on.
  private mutating func replaceNumber(at place: Int, with text: String) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let start = bytes[place...].firstIndex(where: digits.contains) else { return }
    let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.endIndex
    bytes.replaceSubrange(start..<end, with: text.utf8)
  }
}
