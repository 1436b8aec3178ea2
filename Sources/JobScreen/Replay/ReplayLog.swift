import InstallJobs

/// A piece of a long log, enough of it for what was read last at a moment.
struct ReplayLog: Sendable {
  /// Bytes of a piece.
  static let length: Int64 = 65_536
  // Where pieces may begin: the same for the same moment, whichever way one came there.
  private static let step: Int64 = 16_384

  /// The byte that was asked for.
  let asked: Int64
  private let offset: Int64
  private let text: String

  init(asked: Int64, offset: Int64, text: String) {
    // No log is so long; what a peer says can be.
    (self.asked, self.offset) = (asked, min(max(0, offset), 1 << 62))
    // More than a piece is never shown of it, and not kept.
    var end =
      text.utf8.index(
        text.startIndex, offsetBy: Int(Self.length), limitedBy: text.endIndex) ?? text.endIndex
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    self.text = end == text.endIndex ? text : String(text[..<end])
  }

  /// Where the piece begins that shows a log of `length` bytes, of which there are `all` at last.
  static func start(for length: Int64, of all: Int64) -> Int64 {
    let last = max(0, all - Self.length)
    guard length < all else { return last }
    return min(max(0, length / step * step - 2 * step), last)
  }

  /// Whether it shows a log of so many bytes.
  func holds(_ length: Int64) -> Bool {
    length >= asked && length <= max(offset, asked) + Self.length
  }

  /// The log as it was with `length` bytes.
  func tail(upTo length: Int64, of job: JobID) -> LogTail {
    var tail = LogTail(job: job)
    guard length > offset else { return tail }
    let bytes = text.utf8
    let wanted = Int(min(length - offset, Int64(bytes.count)))
    var end = bytes.index(bytes.startIndex, offsetBy: wanted)
    // A character that had not come as a whole comes later.
    while end.samePosition(in: text.unicodeScalars) == nil { end = bytes.index(before: end) }
    tail.append(offset: offset, text: String(text[..<end]))
    return tail
  }
}
