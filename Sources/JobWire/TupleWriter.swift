/// Writes JSON arrays whose elements have their meaning by position.
///
/// What is absent or has its default is `null`, and the trailing ones are left out.
struct TupleWriter {
  /// What has been written so far.
  private(set) var bytes: [UInt8]
  /// Where the innermost array can be cut without losing anything.
  private var kept: Int

  /// A writer that goes on after `start`.
  init(after start: [UInt8] = []) {
    bytes = start
    kept = start.count
  }

  /// Writes bytes that are no element, such as the end of an envelope.
  mutating func close(with end: some Sequence<UInt8>) {
    bytes += end
    kept = bytes.count
  }

  /// An array of elements with a meaning each.
  mutating func tuple(_ body: (inout TupleWriter) throws -> Void) rethrows {
    begin()
    bytes.append(UInt8(ascii: "["))
    kept = bytes.count
    try body(&self)
    bytes.removeLast(bytes.count - kept)
    bytes.append(UInt8(ascii: "]"))
    kept = bytes.count
  }

  /// An array of any number of alike elements, none of which is left out.
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

  /// An element that is absent or has its default.
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

  // A number that JSON cannot write goes as text, as it does elsewhere on the wire.
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

  /// A truth; false is the default.
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

  /// JSON that is written already.
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
