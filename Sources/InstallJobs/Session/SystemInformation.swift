public import FoundationEssentials

/// Information about the engine and its machine that matters for installations (rows S1 to S4, S6,
/// S9, S10).
///
/// It is the same over a socket and in the engine's process (row S3).
public struct SystemInformation: Sendable, Hashable {
  /// Why other tools should not change packages now, or why earlier work is incomplete.
  public enum Servicing: Sendable, Hashable {
    /// A job of the engine is running.
    case job(JobID)
    /// A foreign process holds the package lock.
    case lockHolder(LockHolder)
    /// A package is incomplete, because work on it was interrupted.
    case unfinishedPackage(String)
  }

  /// The engine's version, as `--version` prints it.
  public var engineVersion: String
  /// The version of the protocol between client and engine; nil for an engine in this process (row
  /// S4).
  public var protocolVersion: Int?
  /// The package provider: `apt` or `simulated`.
  public var provider: String
  /// The package root as an absolute path, or the scenario's name.
  public var root: String
  /// Versions of the package system's tools, by name: `apt`, `dpkg` (row S4).
  public var toolVersions: [String: String]
  /// The name of the operating system: `Debian GNU/Linux 12 (bookworm)`; nil if unknown.
  public var operatingSystem: String?
  /// The operating system's support page, as a URL (row S2); nil if unknown.
  public var supportLink: String?
  /// Whether a restart of the machine is pending (row S1).
  public var requiresReboot: Bool
  /// The packages that asked for the restart, without duplicates (row S1).
  public var rebootReasons: [String]
  /// Running and incomplete package work (row S6); empty if there is none.
  public var servicing: [Servicing]
  /// The pause of the queue with cause, user and time; nil if jobs can start (row S9).
  public var pause: QueuePause?
  /// When the last job that installed or upgraded a package ended successfully; nil if there is
  /// none (row S10).
  package var lastInstalledAt: Timestamp?
  /// When the package index was last downloaded; nil if there is no index (row S10).
  package var lastRefreshedAt: Timestamp?

  /// Creates a value from its parts.
  package init(
    engineVersion: String, provider: String, root: String, toolVersions: [String: String] = [:],
    operatingSystem: String? = nil, supportLink: String? = nil, requiresReboot: Bool = false,
    rebootReasons: [String] = [], servicing: [Servicing] = [], pause: QueuePause? = nil
  ) {
    self.engineVersion = engineVersion
    self.provider = provider
    self.root = root
    self.toolVersions = toolVersions
    self.operatingSystem = operatingSystem
    self.supportLink = supportLink
    self.requiresReboot = requiresReboot
    self.rebootReasons = rebootReasons
    self.servicing = servicing
    self.pause = pause
  }

  /// Whether there is running or incomplete package work (row S6).
  public var isServicing: Bool { !servicing.isEmpty }
  /// When the last job that installed or upgraded a package ended successfully; nil if there is
  /// none.
  public var lastSuccessfulInstallation: Date? { lastInstalledAt?.date }
  /// When the package index was last downloaded; nil if there is no index.
  public var lastSuccessfulRefresh: Date? { lastRefreshedAt?.date }
}

extension SystemInformation: Codable {
  private enum Key: String, CodingKey {
    case engineVersion, protocolVersion, provider, root, toolVersions, operatingSystem, supportLink
    case rebootRequired, rebootReasons, servicing, pause, lastInstalledAt, lastRefreshedAt
  }

  /// Decodes the form of the wire protocol; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      engineVersion: try box.decode(String.self, forKey: .engineVersion),
      provider: try box.decode(String.self, forKey: .provider),
      root: try box.decode(String.self, forKey: .root),
      toolVersions: try box.decode([String: String].self, forKey: .toolVersions),
      operatingSystem: try box.decodeIfPresent(String.self, forKey: .operatingSystem),
      supportLink: try box.decodeIfPresent(String.self, forKey: .supportLink),
      requiresReboot: try box.decode(Bool.self, forKey: .rebootRequired),
      rebootReasons: try box.decode([String].self, forKey: .rebootReasons),
      servicing: try box.decode([Servicing].self, forKey: .servicing),
      pause: try box.decodeIfPresent(QueuePause.self, forKey: .pause))
    protocolVersion = try box.decodeIfPresent(Int.self, forKey: .protocolVersion)
    lastInstalledAt = try box.decodeIfPresent(Timestamp.self, forKey: .lastInstalledAt)
    lastRefreshedAt = try box.decodeIfPresent(Timestamp.self, forKey: .lastRefreshedAt)
  }

  /// Encodes the form of the wire protocol; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(engineVersion, forKey: .engineVersion)
    try box.encodeIfPresent(protocolVersion, forKey: .protocolVersion)
    try box.encode(provider, forKey: .provider)
    try box.encode(root, forKey: .root)
    try box.encode(toolVersions, forKey: .toolVersions)
    try box.encodeIfPresent(operatingSystem, forKey: .operatingSystem)
    try box.encodeIfPresent(supportLink, forKey: .supportLink)
    try box.encode(requiresReboot, forKey: .rebootRequired)
    try box.encode(rebootReasons, forKey: .rebootReasons)
    try box.encode(servicing, forKey: .servicing)
    try box.encodeIfPresent(pause, forKey: .pause)
    try box.encodeIfPresent(lastInstalledAt, forKey: .lastInstalledAt)
    try box.encodeIfPresent(lastRefreshedAt, forKey: .lastRefreshedAt)
  }
}

extension SystemInformation.Servicing: Codable {
  private enum Key: String, CodingKey { case kind, job, holder, package }

  /// Decodes the form of the wire protocol; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    switch try box.decode(String.self, forKey: .kind) {
    case "job": self = .job(try box.decode(JobID.self, forKey: .job))
    case "lockHolder": self = .lockHolder(try box.decode(LockHolder.self, forKey: .holder))
    case "unfinishedPackage":
      self = .unfinishedPackage(try box.decode(String.self, forKey: .package))
    case let kind:
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: box, debugDescription: "unknown kind '\(kind)'")
    }
  }

  /// Encodes the form of the wire protocol; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    switch self {
    case .job(let job):
      try box.encode("job", forKey: .kind)
      try box.encode(job, forKey: .job)
    case .lockHolder(let holder):
      try box.encode("lockHolder", forKey: .kind)
      try box.encode(holder, forKey: .holder)
    case .unfinishedPackage(let name):
      try box.encode("unfinishedPackage", forKey: .kind)
      try box.encode(name, forKey: .package)
    }
  }
}
