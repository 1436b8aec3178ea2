internal import FoundationEssentials
internal import InstallJobs

extension TupleReader: TupleFields {
  static var isReading: Bool { true }

  mutating func integer<Value: FixedWidthInteger>(_ value: inout Value?) throws {
    value = try begin() ? try readInteger() : nil
  }

  private mutating func readInteger<Value: FixedWidthInteger>() throws -> Value {
    let start = index
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var number: Int64 = 0
    let digits = index
    while let digit = digit(byte) {
      let (scaled, over) = number.multipliedReportingOverflow(by: 10)
      let (sum, beyond) = scaled.subtractingReportingOverflow(digit)
      guard !over, !beyond else { throw malformed }
      number = sum
      index += 1
    }
    // The number is accumulated as a negative number, because the negative range has one value more.
    guard index > digits, isNegative || number != .min,
      let value = Value(exactly: isNegative ? number : -number)
    else { throw Malformed(offset: start) }
    return value
  }

  mutating func real(_ value: inout Double?) throws {
    value = try begin() ? try readReal() : nil
  }

  private mutating func readReal() throws -> Double {
    if byte == UInt8(ascii: "\"") {
      switch try string(known: nil) {
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

  mutating func flag(_ value: inout Bool) throws {
    value = false
    guard try begin() else { return }
    value = literal("true")
    guard value || literal("false") else { throw malformed }
  }

  mutating func text(_ value: inout String?) throws {
    value = try begin() ? try string(known: value) : nil
  }

  mutating func json<Value: Codable>(_ value: inout Value?) throws {
    value = try json().map { try WireCodec.decoder.decode(Value.self, from: Data($0)) }
  }

  mutating func extras(_ job: inout JobSnapshot) throws {
    guard let object = try json() else { return }
    job = try WireCodec.decoder.decode(JobExtras.self, from: Data(object), configuration: job).job
  }

  mutating func tuple<Value: TupleValue>(_ value: inout Value?) throws {
    value = try begin() ? try readValue(after: nil) : nil
  }

  /// Reads the fields of a value; nil if it has a word that only a newer version knows.
  private mutating func readValue<Value: TupleValue>(after previous: Value?) throws -> Value? {
    var value = Value.blank(after: previous)
    let outer = hasNewerWord
    hasNewerWord = false
    defer { hasNewerWord = outer }
    try readElements { try value.visit(&$0) }
    return hasNewerWord ? nil : value
  }

  mutating func list<Value: TupleValue>(_ values: inout [Value]?) throws {
    var read: [Value] = []
    let first = values?.first
    let isThere = try array { reader in
      while !reader.isAtEnd {
        guard try reader.begin() else { throw reader.malformed }
        if let value = try reader.readValue(after: read.last ?? first) { read.append(value) }
      }
    }
    values = isThere ? read : nil
  }

  mutating func integers(_ values: inout [Int?]) throws {
    values = []
    try array { reader in
      while !reader.isAtEnd {
        var value: Int?
        try reader.integer(&value)
        values.append(value)
      }
    }
  }

  mutating func newerWord<Word: RawRepresentable<String>>(_ word: inout Word) throws {
    var text: String?
    try self.text(&text)
    guard let text else { throw malformed }
    if let known = Word(rawValue: text) { word = known } else { hasNewerWord = true }
  }

  /// The raw bytes of one JSON value; nil if it is absent.
  private mutating func json() throws -> ArraySlice<UInt8>? {
    guard try begin() else { return nil }
    let start = index
    try skip()
    return bytes[start..<index]
  }
}
