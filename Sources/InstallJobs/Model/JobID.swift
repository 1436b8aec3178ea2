/// The number of a job: given by the engine in order of submission from 1, never reused.
public struct JobID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number itself, from 1.
  public let rawValue: Int
  /// The job with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// The job with this number.
  public init(_ number: Int) { self.rawValue = number }

  /// The number in decimal digits.
  public var description: String { String(rawValue) }
  /// Orders jobs by submission.
  public static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }
}

extension JobID: Codable {
  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int.self))
  }

  /// Writes the form of the JSON contract; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
