/// A warning about a plan, a search or a result; it prevents nothing (rows V1 to V4).
///
/// Lists of warnings are in the order in which first the package system and then the engine
/// reported them.
public struct UpdateWarning: Sendable, Hashable {
  /// The kind of warning, spelled as in JSON; the same cause always has the same code.
  ///
  /// The set is open: a newer engine may send codes that this version does not know.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The spelling in JSON.
    public let rawValue: String
    /// Creates the code with this spelling, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The spelling in JSON.
    public var description: String { rawValue }

    /// Packages with newer versions stay at their versions because they are held.
    public static let held = Code(rawValue: "held")
    /// Packages stay because they are only marked as installed in this root: their files belong to
    /// the host.
    public static let onlyCounted = Code(rawValue: "onlyCounted")
    /// Packages stay because the request excludes them.
    public static let excluded = Code(rawValue: "excluded")
    /// Packages stay because only security updates were asked for.
    public static let notSecurity = Code(rawValue: "notSecurity")
    /// Packages stay because upgrading them would install or remove other packages.
    public static let keptBack = Code(rawValue: "keptBack")
    /// A requested name is a virtual package; the only package that provides it is taken.
    public static let providedBy = Code(rawValue: "providedBy")
    /// Scripts use debconf, which is only marked as installed in this root.
    public static let hostDebconf = Code(rawValue: "hostDebconf")
    /// A retry does not request packages that are no longer available.
    public static let leftOutOfRetry = Code(rawValue: "leftOutOfRetry")
    /// Earlier work left a package incomplete.
    public static let unfinishedPackage = Code(rawValue: "unfinishedPackage")
    /// A configured source has no index, so its packages were not searched.
    public static let missingIndex = Code(rawValue: "missingIndex")
    /// Records of the index cannot be read, so their packages are missing.
    public static let unreadableRecord = Code(rawValue: "unreadableRecord")
    /// More updates match a search than it may return, or there are more packages than it reads.
    public static let tooManyMatches = Code(rawValue: "tooManyMatches")
    /// A warning from an engine that sends no codes.
    public static let unspecified = Code(rawValue: "unspecified")
  }

  /// The subject area of a warning.
  public enum Context: String, Sendable, Hashable, Codable, CaseIterable {
    /// The machine, or nothing specific.
    case general
    /// The work of a job.
    case installer
    /// A search that could not cover everything.
    case incompleteSearch
  }

  /// The kind of warning.
  public var code: Code
  /// The subject area of the warning.
  public var context: Context
  /// The warning in one line without a full stop, for display.
  public var message: String
  /// The name of the package that the warning is about, if any.
  public var update: String?

  /// Creates a value from its parts.
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

  /// Decodes the form of the JSON contract; an unknown context of a newer version becomes
  /// `general`.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      try box.decode(Code.self, forKey: .code), try box.decode(String.self, forKey: .message),
      context: Context(rawValue: try box.decode(String.self, forKey: .context)) ?? .general,
      update: try box.decodeIfPresent(String.self, forKey: .update))
  }

  /// Encodes the form of the JSON contract.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(code, forKey: .code)
    try box.encode(context, forKey: .context)
    try box.encode(message, forKey: .message)
    try box.encodeIfPresent(update, forKey: .update)
  }
}
