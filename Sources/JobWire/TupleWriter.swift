/// Writes JSON arrays whose elements are identified by position.
///
/// Absent and default values are written as `null`, and omitted at the end of an array.
struct TupleWriter {
  /// The bytes written so far.
  private(set) var bytes: [UInt8]
  /// The end of the last element of the innermost array that must be kept; only `null` elements
  /// follow.
  private var kept: Int

  /// A writer that appends to `start`.
  init(after start: [UInt8] = []) {
    bytes = start
    kept = start.count
  }

  /// Writes bytes outside of elements, such as the end of an envelope.
  mutating func close(with end: some Sequence<UInt8>) {
    bytes += end
    kept = bytes.count
  }

  /// Writes an array; `body` writes its elements.
  ///
  /// Trailing `null` elements are omitted.
  mutating func tuple(_ body: (inout TupleWriter) throws -> Void) rethrows {
    begin()
    bytes.append(UInt8(ascii: "["))
    kept = bytes.count
    try body(&self)
    bytes.removeLast(bytes.count - kept)
    bytes.append(UInt8(ascii: "]"))
    kept = bytes.count
  }

  /// Writes an array of elements of one type; none is omitted.
  mutating func list<Element>(
    _ elements: [Element], _ body: (inout TupleWriter, Element) throws -> Void
  ) rethrows {
    try tuple { writer in
      for element in elements {
        try body(&writer, element)
        writer.kept = writer.bytes.count
      }
    }
  }

  /// Writes `null`, for an absent or default value.
  mutating func absent() {
    begin()
    bytes += "null".utf8
  }

  mutating func number(_ value: Int64?) {
    guard let value else { return absent() }
    begin()
    bytes += String(value).utf8
    kept = bytes.count
  }

  mutating func number(_ value: Int?) { number(value.map(Int64.init)) }

  // Infinities and NaN, which JSON numbers cannot express, are written as text, as in the other
  // messages.
  mutating func number(_ value: Double?) {
    guard let value else { return absent() }
    guard value.isFinite else { return text(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf") }
    if let whole = Int64(exactly: value), value != 0 || value.sign == .plus {
      return number(whole)
    }
    begin()
    bytes += value.description.utf8
    kept = bytes.count
  }

  /// Writes a Boolean; false is the default.
  mutating func flag(_ value: Bool) {
    guard value else { return absent() }
    begin()
    bytes += "true".utf8
    kept = bytes.count
  }

  mutating func text(_ value: String?) {
    guard let value else { return absent() }
    begin()
    bytes.append(UInt8(ascii: "\""))
    if value.utf8.contains(where: Self.isEscaped) {
      for byte in value.utf8 { append(escaped: byte) }
    } else {
      bytes += value.utf8
    }
    bytes.append(UInt8(ascii: "\""))
    kept = bytes.count
  }

  /// Writes an encoded JSON value.
  mutating func json(_ value: [UInt8]?) {
    guard let value else { return absent() }
    begin()
    bytes += value
    kept = bytes.count
  }

  private mutating func begin() {
    guard let last = bytes.last, last != UInt8(ascii: "["), last != UInt8(ascii: ":") else {
      return
    }
    bytes.append(UInt8(ascii: ","))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func append(escaped byte: UInt8) {
    guard Self.isEscaped(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    guard byte < 0x20 else { return bytes.append(byte) }
    let digits = Array("0123456789abcdef".utf8)
    bytes += "u00".utf8
    bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
