import Glibc
import HostSystem

/// A piece of a job's log.
package struct LogChunk: Sendable, Hashable {
  /// Maximum number of bytes of a piece.
  package static let limit: Int64 = 65_536

  /// Offset of the piece in the log, in bytes.
  package var offset: Int64
  /// The text, with a question mark for each byte that is not UTF-8, so that text and log have the
  /// same length.
  ///
  /// Untrusted: packages print it.
  package var text: String
  /// Offset of the next piece.
  package var nextOffset: Int64
  /// Present length of the log, in bytes.
  package var length: Int64

  // Values of lseek(2) that Glibc's overlay lacks.
  private static let seekData: Int32 = 3
  private static let seekHole: Int32 = 4

  /// Reads at most `limit` bytes of a file.
  ///
  /// A character that the end of the piece would cut belongs to the next piece. A hole in the
  /// middle of a long log, from which text was removed, is skipped: the piece then begins after it.
  ///
  /// - Returns: The piece, which is empty beyond the end of the file; nil when the file cannot be
  ///   read.
  package static func read(_ path: String, from offset: Int64, limit: Int64) -> LogChunk? {
    guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW), file.isRegular else {
      return nil
    }
    let length = Int64(lseek(file.number, 0, SEEK_END))
    let wanted = max(0, min(offset, length))
    let data = lseek(file.number, off_t(wanted), Self.seekData)
    let start = data > off_t(wanted) ? Int64(data) : wanted
    let gap = lseek(file.number, off_t(start), Self.seekHole)
    let end = gap > off_t(start) ? min(length, Int64(gap)) : length
    let count = Int(max(0, min(limit, Self.limit, end - start)))
    guard let bytes = file.read(at: start, limit: count) else { return nil }
    var kept = bytes[...]
    if start + Int64(bytes.count) < end { kept = kept.droppingCutCharacter() }
    return LogChunk(
      offset: start, text: kept.textOfSameLength,
      nextOffset: start + Int64(kept.count), length: length)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes as text of the same number of bytes; each byte that is not UTF-8 becomes a question
  /// mark.
  fileprivate var textOfSameLength: String {
    let text = String(decoding: self, as: UTF8.self)
    guard text.utf8.count != count else { return text }
    var repaired: [UInt8] = []
    repaired.reserveCapacity(count)
    var rest = self
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
      let character = rest.prefix(length)
      if String(validating: character, as: UTF8.self) != nil {
        repaired += character
        rest = rest.dropFirst(character.count)
      } else {
        repaired.append(UInt8(ascii: "?"))
        rest = rest.dropFirst()
      }
    }
    return String(decoding: repaired, as: UTF8.self)
  }

  /// Drops an incomplete character at the end.
  fileprivate func droppingCutCharacter() -> ArraySlice<UInt8> {
    guard let lead = suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return self }
    let needed =
      switch self[lead] {
      case 0xC0...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF7: 4
      default: 1
      }
    return lead + needed > endIndex ? self[..<lead] : self
  }
}
