/// A configuration file that was changed on the machine and by the package's new version, and what
/// the job's policy made of it.
public struct ConffileChange: Sendable, Hashable, Codable {
  /// Which of the two files is in place now.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The machine's file stays; the package's new one lies beside it as `.dpkg-dist`.
    case kept
    /// The package's new file is in place; the machine's lies beside it as `.dpkg-old`.
    case replaced
  }

  /// The file's path on the machine: below the package root where that is another than `/`.
  public var path: String
  /// Which file is in place.
  public var outcome: Outcome

  /// A value of its parts.
  public init(path: String, outcome: Outcome) {
    self.path = path
    self.outcome = outcome
  }

  /// The path of the file that is not in place.
  public var other: String { path + (outcome == .kept ? ".dpkg-dist" : ".dpkg-old") }

  private enum CodingKeys: String, CodingKey { case path, outcome, other }

  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    path = try box.decode(String.self, forKey: .path)
    outcome = try box.decode(Outcome.self, forKey: .outcome)
  }

  /// Writes the form of the JSON contract, with the other file's path; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    try box.encode(path, forKey: .path)
    try box.encode(outcome, forKey: .outcome)
    try box.encode(other, forKey: .other)
  }
}
