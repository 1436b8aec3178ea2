/// Sizes that packages and indexes state of themselves.
///
/// They are held at 64 TiB, so that nothing that counts with them runs out of figures: a package can
/// state what it likes.
enum SizeField: Sendable {
  /// The most bytes that a package is believed to have.
  private static let bytesAtMost: Int64 = 1 << 46

  /// Bytes; 0 for what is no number.
  static func bytes(_ text: some StringProtocol) -> Int64 {
    bounded(text, bytesAtMost)
  }

  /// Kibibytes; 0 for what is no number.
  static func kibibytes(_ text: some StringProtocol) -> Int64 {
    bounded(text, bytesAtMost >> 10)
  }

  private static func bounded(_ text: some StringProtocol, _ most: Int64) -> Int64 {
    // A number beyond every other one is large, not absent.
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Int64(text) ?? most, most)
  }
}
