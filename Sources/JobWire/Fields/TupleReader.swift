/// Reads JSON arrays whose elements are identified by position.
///
/// An element that is `null` or beyond the end of the array is absent. Extra elements at the end
/// are skipped. Every read ends within the given bytes, even if they are not valid JSON.
struct TupleReader {
  /// The error for an unexpected byte or value.
  struct Malformed: Error, Sendable, Hashable {
    /// Offset from the start, in bytes.
    var offset: Int
  }

  let bytes: [UInt8]
  var index: Int
  /// Whether no element of the current array was read yet.
  ///
  /// Only the first element has no comma before it.
  private var isFirst = true
  /// Whether the current array has a word that only a newer version knows.
  var hasNewerWord = false

  /// A reader of `bytes` from `start` on.
  init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    index = start
  }

  var malformed: Malformed { Malformed(offset: index) }

  /// Reads an array; `body` reads its elements.
  ///
  /// Returns false, and reads no element, if the array is absent.
  @discardableResult
  mutating func array(_ body: (inout TupleReader) throws -> Void) throws -> Bool {
    guard try begin() else { return false }
    try readElements(body)
    return true
  }

  /// Reads the elements of an array that is there; those that `body` leaves are skipped.
  mutating func readElements(_ body: (inout TupleReader) throws -> Void) throws {
    try expect(UInt8(ascii: "["))
    isFirst = true
    try body(&self)
    while !isAtEnd {
      if try begin() { try skip() }
    }
    index += 1
    isFirst = false
  }

  /// Reads expected bytes outside of elements, such as the end of an envelope, and the end of the
  /// input.
  mutating func readEnd(with end: some Sequence<UInt8>) throws {
    for expected in end { try expect(expected) }
    skipSpace()
    guard index == bytes.count else { throw malformed }
  }

  // MARK: Bytes

  /// The next byte; 0, which valid JSON does not contain, at the end.
  var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return byte == UInt8(ascii: "]")
    }
  }

  /// Moves to the next element; false if there is none or it is `null`.
  mutating func begin() throws -> Bool {
    skipSpace()
    if byte == UInt8(ascii: "]") { return false }
    if !isFirst {
      try expect(UInt8(ascii: ","))
      skipSpace()
    }
    isFirst = false
    guard index < bytes.count else { throw malformed }
    return !literal("null")
  }

  private mutating func skipSpace() {
    while byte == 0x20 || byte == 0x09 || byte == 0x0D { index += 1 }
  }

  private mutating func expect(_ expected: UInt8) throws {
    skipSpace()
    guard byte == expected else { throw malformed }
    index += 1
  }

  mutating func literal(_ word: String) -> Bool {
    guard let first = word.utf8.first, byte == first,
      bytes[index...].starts(with: word.utf8)
    else { return false }
    index += word.utf8.count
    return true
  }

  func digit(_ byte: UInt8) -> Int64? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte & 15) : nil
  }

  /// Skips one JSON value of any type and depth.
  mutating func skip() throws {
    var depth = 0
    let start = index
    while index < bytes.count {
      switch byte {
      case UInt8(ascii: "\""):
        _ = try stringEnd()
        if depth == 0 { return }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 {
          guard index > start else { throw malformed }
          return
        }
        depth -= 1
        index += 1
        if depth == 0 { return }
      case UInt8(ascii: ",") where depth == 0:
        guard index > start else { throw malformed }
        return
      default: index += 1
      }
    }
    throw malformed
  }

  /// Skips the string that begins here.
  ///
  /// - Returns: The range of the bytes between its quotes, and whether it contains escapes.
  private mutating func stringEnd() throws -> (Range<Int>, isEscaped: Bool) {
    guard byte == UInt8(ascii: "\"") else { throw malformed }
    index += 1
    let start = index
    var isEscaped = false
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        return (start..<(index - 1), isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        index += 2
      default: index += 1
      }
    }
    throw malformed
  }

  mutating func string(known: String?) throws -> String {
    let (range, isEscaped) = try stringEnd()
    guard isEscaped else {
      if let known, known.utf8.count == range.count, bytes[range].elementsEqual(known.utf8) {
        return known
      }
      return String(decoding: bytes[range], as: UTF8.self)
    }
    guard let text = JSONText.unescaped(bytes[range]) else {
      throw Malformed(offset: range.lowerBound)
    }
    return text
  }
}
