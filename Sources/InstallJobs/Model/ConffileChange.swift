/// A configuration file that changed both on the machine and in the package's new version, with the
/// file that the job's policy chose.
public struct ConffileChange: Sendable, Hashable, Codable {
  /// The file that is now in place.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The machine's file stays; the package's new file is beside it as `.dpkg-dist`.
    case kept
    /// The package's new file is in place; the machine's file is beside it as `.dpkg-old`.
    case replaced
  }

  /// The file's path on the machine; relative to the package root if that is not `/`.
  public var path: String
  /// The file that is now in place.
  public var outcome: Outcome

  /// Creates a value from its parts.
  public init(path: String, outcome: Outcome) {
    self.path = path
    self.outcome = outcome
  }

  /// The path of the file that is not in place.
  public var other: String { path + (outcome == .kept ? ".dpkg-dist" : ".dpkg-old") }

  private enum CodingKeys: String, CodingKey { case path, outcome, other }

  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    path = try box.decode(String.self, forKey: .path)
    outcome = try box.decode(Outcome.self, forKey: .outcome)
  }

  /// Encodes the form of the JSON contract, including the path of the other file; throws the
  /// encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    try box.encode(path, forKey: .path)
    try box.encode(outcome, forKey: .outcome)
    try box.encode(other, forKey: .other)
  }
}
