/// The number of a job: given by the engine in order of submission from 1, never reused.
public struct JobID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// The job with this number.
  public init(_ number: Int) { self.rawValue = number }

  public var description: String { String(rawValue) }
  public static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }
}

extension JobID: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
