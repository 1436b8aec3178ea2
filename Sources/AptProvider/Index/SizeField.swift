/// Parses the size fields of packages and indexes.
///
/// A package can state any number, so sizes are limited to 64 TiB and sums of them do not overflow.
enum SizeField: Sendable {
  /// Maximum size in bytes.
  private static let bytesAtMost: Int64 = 1 << 46

  /// Parses a number of bytes; 0 for any other text.
  static func bytes(_ text: some StringProtocol) -> Int64 {
    bounded(text, bytesAtMost)
  }

  /// Parses a number of KiB; 0 for any other text.
  static func kibibytes(_ text: some StringProtocol) -> Int64 {
    bounded(text, bytesAtMost >> 10)
  }

  private static func bounded(_ text: some StringProtocol, _ most: Int64) -> Int64 {
    // A number that overflows Int64 becomes the maximum, not 0.
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Int64(text) ?? most, most)
  }
}
