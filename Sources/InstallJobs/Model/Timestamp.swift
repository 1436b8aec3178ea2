/// A point in time in UTC with millisecond resolution, written as RFC 3339
/// (`2026-01-31T23:59:59.000Z`).
package struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
  package var milliseconds: Int64

  /// Creates the point this many milliseconds after 1970-01-01T00:00:00Z.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Orders points by time.
  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Returns the seconds from `earlier` to this point; negative if `earlier` is later.
  package func seconds(since earlier: Timestamp) -> Double {
    Double(milliseconds - earlier.milliseconds) / 1000
  }

  /// Returns this point moved by `seconds`.
  package func advanced(bySeconds seconds: Double) -> Timestamp {
    Timestamp(milliseconds: milliseconds + Int64((seconds * 1000).rounded()))
  }
}

extension Timestamp: CustomStringConvertible {
  /// The RFC 3339 form in UTC with milliseconds in three digits.
  package var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the UTF-8 text of ``description``.
  package func write(to bytes: inout [UInt8]) {
    let (days, rest) = milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000)
    let (year, month, day) = Self.civil(fromDays: days)
    Self.write(year, digits: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Self.write(month, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Self.write(day, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    Self.write(rest / 3_600_000, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Self.write(rest / 60_000 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Self.write(rest / 1000 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    Self.write(rest % 1000, digits: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Appends a number with two to four digits; a number that does not fit is written in full.
  private static func write(_ value: Int64, digits: Int, to bytes: inout [UInt8]) {
    guard value >= 0, value < 10_000 else {
      bytes += String(value).utf8
      return
    }
    var unit: Int64 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
    while unit > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(value / unit % 10))
      unit /= 10
    }
  }

  /// Parses the form of ``description``; fraction and offset may be absent or differ.
  ///
  /// Accepts `YYYY-MM-DDTHH:MM:SS`, an optional fraction, and `Z` or `+HH:MM`. Nil for anything
  /// else, including a day that its month does not have, and times outside the years 0000 to 9999.
  package init?(_ text: String) {
    var scan = text.utf8[...]
    guard let year = Self.number(&scan, digits: 4), Self.consume(&scan, "-"),
      let month = Self.number(&scan, digits: 2), (1...12).contains(month), Self.consume(&scan, "-"),
      let day = Self.number(&scan, digits: 2), (1...31).contains(day),
      Self.consume(&scan, "T") || Self.consume(&scan, " "),
      let hour = Self.number(&scan, digits: 2), hour < 24, Self.consume(&scan, ":"),
      let minute = Self.number(&scan, digits: 2), minute < 60, Self.consume(&scan, ":"),
      let second = Self.number(&scan, digits: 2), second < 61
    else { return nil }
    var thousandths: Int64 = 0
    if Self.consume(&scan, ".") {
      let digits = scan.prefix { Self.digit($0) != nil }
      guard !digits.isEmpty, digits.count <= 9 else { return nil }
      scan = scan.dropFirst(digits.count)
      for place in 0..<3 {
        thousandths = thousandths * 10 + (digits.dropFirst(place).first.flatMap(Self.digit) ?? 0)
      }
    }
    var offset: Int64 = 0
    if !Self.consume(&scan, "Z") {
      let sign: Int64 = Self.consume(&scan, "+") ? 1 : Self.consume(&scan, "-") ? -1 : 0
      guard sign != 0, let hours = Self.number(&scan, digits: 2), hours < 24,
        Self.consume(&scan, ":"),
        let minutes = Self.number(&scan, digits: 2), minutes < 60
      else { return nil }
      offset = sign * (hours * 60 + minutes) * 60
    }
    guard scan.isEmpty else { return nil }
    let days = Self.days(year: year, month: month, day: day)
    guard Self.civil(fromDays: days) == (year, month, day) else { return nil }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    self.init(milliseconds: seconds * 1000 + thousandths)
    guard Self.writable.contains(milliseconds) else { return nil }
  }

  /// The milliseconds of the years 0000 to 9999, the only years with four digits; only these are
  /// sent.
  package static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  private static func consume(_ scan: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool
  {
    guard scan.first == UInt8(ascii: character) else { return false }
    scan.removeFirst()
    return true
  }

  private static func number(_ scan: inout Substring.UTF8View, digits: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<digits {
      guard let digit = scan.popFirst().flatMap(Self.digit) else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  private static func digit(_ byte: UInt8) -> Int64? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte & 15) : nil
  }

  // Both directions count years from March, so that the leap day is the last day of a year; eras
  // are the 400-year cycles of the Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension Timestamp: Codable {
  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Timestamp(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is not an RFC 3339 time")
    }
    self = value
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Int64 {
  fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
