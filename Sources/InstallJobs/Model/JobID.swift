/// The number of a job: assigned by the engine in order of submission, starting at 1, and never
/// reused.
public struct JobID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, starting at 1.
  public let rawValue: Int
  /// Creates the id with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Creates the id with this number.
  public init(_ number: Int) { self.rawValue = number }

  /// The number in decimal digits.
  public var description: String { String(rawValue) }
  /// Orders jobs by submission.
  public static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }
}

extension JobID: Codable {
  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int.self))
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
