import InstallJobs

/// A piece of a log, large enough for the log's end at a moment of the replay.
struct ReplayLog: Sendable {
  /// Length of a piece in bytes.
  static let length: Int64 = 65_536
  // Pieces begin at multiples of this many bytes, or one piece before the end, so that a moment
  // always needs the same piece.
  private static let step: Int64 = 16_384

  /// The byte that was requested.
  let asked: Int64
  private let offset: Int64
  private let text: String

  init(asked: Int64, offset: Int64, text: String) {
    // A hostile peer may send any offset; no log is this long.
    (self.asked, self.offset) = (asked, min(max(0, offset), 1 << 62))
    // Text beyond the length of a piece is not needed.
    var end =
      text.utf8.index(
        text.startIndex, offsetBy: Int(Self.length), limitedBy: text.endIndex) ?? text.endIndex
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    self.text = end == text.endIndex ? text : String(text[..<end])
  }

  /// The first byte of the piece for a log of `length` bytes, out of `all` bytes in the end.
  static func start(for length: Int64, of all: Int64) -> Int64 {
    let last = max(0, all - Self.length)
    guard length < all else { return last }
    return min(max(0, length / step * step - 2 * step), last)
  }

  /// Whether the piece covers the end of a log of `length` bytes.
  func holds(_ length: Int64) -> Bool {
    length >= asked && length <= max(offset, asked) + Self.length
  }

  /// The log as it was at `length` bytes.
  func tail(upTo length: Int64, of job: JobID) -> LogTail {
    var tail = LogTail(job: job)
    guard length > offset else { return tail }
    let bytes = text.utf8
    let wanted = Int(min(length - offset, Int64(bytes.count)))
    var end = bytes.index(bytes.startIndex, offsetBy: wanted)
    // An incomplete character at the end is left out until it is complete.
    while end.samePosition(in: text.unicodeScalars) == nil { end = bytes.index(before: end) }
    tail.append(offset: offset, text: String(text[..<end]))
    return tail
  }
}
