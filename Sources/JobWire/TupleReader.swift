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

  private let bytes: [UInt8]
  private var index: Int
  /// Whether no element of the current array was read yet.
  ///
  /// Only the first element has no comma before it.
  private var isFirst = true

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
  mutating func tuple(_ body: (inout TupleReader) throws -> Void) throws -> Bool {
    guard try begin() else { return false }
    try expect(UInt8(ascii: "["))
    isFirst = true
    try body(&self)
    while !isAtEnd {
      if try begin() { try skip() }
    }
    index += 1
    isFirst = false
    return true
  }

  /// Reads an array of elements of one type, each with one call of `body`; nil if the array is
  /// absent.
  mutating func list<Element>(_ body: (inout TupleReader) throws -> Element) throws -> [Element]? {
    var elements: [Element] = []
    let isThere = try tuple { reader in
      while !reader.isAtEnd {
        let start = reader.index
        elements.append(try body(&reader))
        guard reader.index > start else { throw reader.malformed }
      }
    }
    return isThere ? elements : nil
  }

  mutating func number() throws -> Int64? {
    guard try begin() else { return nil }
    let start = index
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var value: Int64 = 0
    let digits = index
    while let digit = digit(byte) {
      let (scaled, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, beyond) = scaled.subtractingReportingOverflow(digit)
      guard !over, !beyond else { throw malformed }
      value = sum
      index += 1
    }
    // The value is accumulated as a negative number, because the negative range has one value more.
    guard index > digits, isNegative || value != .min else { throw Malformed(offset: start) }
    return isNegative ? value : -value
  }

  mutating func integer() throws -> Int? {
    try number().map { value in
      guard let value = Int(exactly: value) else { throw malformed }
      return value
    }
  }

  mutating func real() throws -> Double? {
    guard try begin() else { return nil }
    if byte == UInt8(ascii: "\"") {
      switch try string() {
      case "inf": return .infinity
      case "-inf": return -.infinity
      case "nan": return .nan
      default: throw malformed
      }
    }
    let start = index
    var isWhole = true
    while byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]") {
      if digit(byte) == nil { isWhole = false }
      index += 1
    }
    if isWhole, index > start, index - start < 16 {
      return Double(bytes[start..<index].reduce(0) { $0 * 10 + Int64($1 & 15) })
    }
    guard let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)),
      value.isFinite
    else { throw Malformed(offset: start) }
    return value
  }

  /// Reads a Boolean; false if it is absent.
  mutating func flag() throws -> Bool {
    guard try begin() else { return false }
    if literal("true") { return true }
    guard literal("false") else { throw malformed }
    return false
  }

  /// Reads a string.
  ///
  /// Returns `known` instead of a new string if both are equal.
  mutating func text(known: String? = nil) throws -> String? {
    guard try begin() else { return nil }
    return try string(known: known)
  }

  /// The raw bytes of one JSON value; nil if it is absent.
  mutating func json() throws -> ArraySlice<UInt8>? {
    guard try begin() else { return nil }
    let start = index
    try skip()
    return bytes[start..<index]
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
  private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return byte == UInt8(ascii: "]")
    }
  }

  /// Moves to the next element; false if there is none or it is `null`.
  private mutating func begin() throws -> Bool {
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

  private mutating func literal(_ word: String) -> Bool {
    guard let first = word.utf8.first, byte == first,
      bytes[index...].starts(with: word.utf8)
    else { return false }
    index += word.utf8.count
    return true
  }

  private func digit(_ byte: UInt8) -> Int64? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte & 15) : nil
  }

  /// Skips one JSON value of any type and depth.
  private mutating func skip() throws {
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

  private mutating func string(known: String? = nil) throws -> String {
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
