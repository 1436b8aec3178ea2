internal import InstallJobs

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
  mutating func array(_ body: (inout TupleWriter) throws -> Void) rethrows {
    begin()
    bytes.append(UInt8(ascii: "["))
    kept = bytes.count
    try body(&self)
    bytes.removeLast(bytes.count - kept)
    bytes.append(UInt8(ascii: "]"))
    kept = bytes.count
  }

  private mutating func absent() {
    begin()
    bytes += "null".utf8
  }

  private mutating func write(_ text: some Sequence<UInt8>) {
    begin()
    bytes += text
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

extension TupleWriter: TupleFields {
  static var isReading: Bool { false }

  var malformed: TupleReader.Malformed { TupleReader.Malformed(offset: bytes.count) }

  mutating func integer<Value: FixedWidthInteger>(_ value: inout Value?) {
    guard let value else { return absent() }
    write(String(value).utf8)
  }

  // Infinities and NaN, which JSON numbers cannot express, are written as text, as in the other
  // messages.
  mutating func real(_ value: inout Double?) {
    guard let value else { return absent() }
    guard value.isFinite else {
      return write((value.isNaN ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"").utf8)
    }
    if let whole = Int64(exactly: value), value != 0 || value.sign == .plus {
      return write(String(whole).utf8)
    }
    write(value.description.utf8)
  }

  mutating func flag(_ value: inout Bool) {
    guard value else { return absent() }
    write("true".utf8)
  }

  mutating func text(_ value: inout String?) {
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

  mutating func json<Value: Codable>(_ value: inout Value?) throws {
    guard let value else { return absent() }
    write(try WireCodec.encode(value))
  }

  mutating func extras(_ job: inout JobSnapshot) throws {
    guard let extras = try JobExtras(of: job) else { return absent() }
    write(try WireCodec.encode(extras))
  }

  mutating func tuple<Value: TupleValue>(_ value: inout Value?) throws {
    guard value != nil else { return absent() }
    try array { try value?.visit(&$0) }
  }

  mutating func list<Value: TupleValue>(_ values: inout [Value]?) throws {
    guard let values else { return absent() }
    try array { writer in
      for var value in values { try writer.array { try value.visit(&$0) } }
    }
  }

  mutating func integers(_ values: inout [Int?]) {
    array { writer in
      for var value in values {
        writer.integer(&value)
        writer.kept = writer.bytes.count
      }
    }
  }

  mutating func newerWord<Word: RawRepresentable<String>>(_ word: inout Word) {
    var text: String? = word.rawValue
    self.text(&text)
  }
}
