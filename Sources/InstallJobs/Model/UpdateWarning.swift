/// A remark on a plan, a search or a result that keeps nothing from happening (rows V1 to V4).
///
/// A list of warnings keeps the order in which the package system and then the engine made them.
public struct UpdateWarning: Sendable, Hashable {
  /// What kind of thing is remarked, spelled as in JSON; the same cause has the same code always.
  ///
  /// The set is open: a newer engine may send codes that this version has no name for.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The spelling in JSON.
    public let rawValue: String
    /// The code with this spelling, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The spelling in JSON.
    public var description: String { rawValue }

    /// Packages that could be upgraded stay as they are because they are held.
    public static let held = Code(rawValue: "held")
    /// Packages stay because they only count as installed in this root: their files are the host's.
    public static let onlyCounted = Code(rawValue: "onlyCounted")
    /// Packages stay because an upgrade of them would install or remove others.
    public static let keptBack = Code(rawValue: "keptBack")
    /// Scripts use debconf, which only counts as installed in this root.
    public static let hostDebconf = Code(rawValue: "hostDebconf")
    /// A retry does not ask again for what cannot be had any more.
    public static let leftOutOfRetry = Code(rawValue: "leftOutOfRetry")
    /// A package is in the middle of something that earlier work left.
    public static let unfinishedPackage = Code(rawValue: "unfinishedPackage")
    /// The index of a configured source is not there: what the source has was not looked at.
    public static let missingIndex = Code(rawValue: "missingIndex")
    /// Records of the index cannot be read: what they describe is left out.
    public static let unreadableRecord = Code(rawValue: "unreadableRecord")
    /// More updates match a search than it may answer with, or more packages than it reads.
    public static let tooManyMatches = Code(rawValue: "tooManyMatches")
    /// From an engine that tells no codes.
    public static let unspecified = Code(rawValue: "unspecified")
  }

  /// What a warning is about.
  public enum Context: String, Sendable, Hashable, Codable, CaseIterable {
    /// The machine, or nothing in particular.
    case general
    /// The work of a job.
    case installer
    /// A search that could not look everywhere.
    case incompleteSearch
  }

  /// What kind of thing it is.
  public var code: Code
  /// What it is about.
  public var context: Context
  /// The remark in one line without a full stop, for people.
  public var message: String
  /// The name of the package that it is about, where it is about one.
  public var update: String?

  /// A value of its parts.
  public init(
    _ code: Code, _ message: String, context: Context = .installer, update: String? = nil
  ) {
    self.code = code
    self.context = context
    self.message = message
    self.update = update
  }
}

extension UpdateWarning: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension UpdateWarning: Codable {
  private enum Key: String, CodingKey { case code, context, message, update }

  /// Reads the form of the JSON contract; a context of a newer version is `general`.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      try box.decode(Code.self, forKey: .code), try box.decode(String.self, forKey: .message),
      context: Context(rawValue: try box.decode(String.self, forKey: .context)) ?? .general,
      update: try box.decodeIfPresent(String.self, forKey: .update))
  }

  /// Writes the form of the JSON contract.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(code, forKey: .code)
    try box.encode(context, forKey: .context)
    try box.encode(message, forKey: .message)
    try box.encodeIfPresent(update, forKey: .update)
  }
}
