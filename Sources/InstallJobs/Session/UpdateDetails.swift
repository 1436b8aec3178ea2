/// What the package system knows about one version of one package (table U of the contract).
///
/// A value of the moment at which it was searched for: what has changed since, a new search tells. What a
/// job would do about it (order, dependencies, sizes in all) is in a plan; see
/// ``UpdateSession/plan(_:)``.
public struct UpdateDetails: Sendable, Hashable {
  /// How the version stands in the package database.
  public struct Presence: Sendable, Hashable, Codable {
    /// The version in the package database; nil where nothing is installed.
    public var installedVersion: String?
    /// Whether only configuration files of the package are left.
    public var hasOnlyConfiguration = false
    /// Whether an upgrade of everything leaves it as it is, because an administrator said so (row U12).
    public var isHeld = false
    /// Whether the machine does not work without it: it is never removed (rows U9, U11).
    public var isEssential = false
    /// Whether the archive of this version lies on the machine, with the size and the hash of the index
    /// (row U6).
    public var isDownloaded = false

    /// A package of which nothing is there.
    public init() {}
  }

  /// The package's name (row U1).
  public var name: String
  /// The version, ordered by the rules of dpkg (row U2).
  public var version: String
  /// Its architecture: `amd64`, `all` (row U1).
  public var architecture: String
  /// What it is, in one line (row U3); empty where the package system does not say.
  public var title = ""
  /// What it is, at length, in several lines (row U4); empty where the package system does not say.
  public var description = ""
  /// Where more is to be read about it (row U5).
  public var homepage: String?
  /// Bytes of its own archive (row U17); 0 where none is on offer.
  public var downloadSize: Int64 = 0
  /// Bytes on disk by the index, multiples of 1024 (row U38); 0 when unknown.
  public var installedSize: Int64 = 0
  /// Where it comes from, as ``PlannedUpdate/origin``; nil for what is only installed.
  public var origin: String?
  /// The part of the archive it belongs to: `net`, `libs` (row U36).
  public var section: String?
  /// Whether it is the version that the package system would install.
  public var isCandidate = false
  /// Whether an archive of security updates has it (rows U26, U32).
  public var isSecurity = false
  /// Names of packages whose files it takes over (row U35).
  public var replaces: [String] = []
  /// How the package stands in the package database.
  public var presence = Presence()
  /// Everything else that the package says of itself, by the name of the field (row U41).
  public var otherFields: [String: String] = [:]

  /// A value of what is always known.
  public init(name: String, version: String, architecture: String) {
    self.name = name
    self.version = version
    self.architecture = architecture
  }
}

extension UpdateDetails {
  /// What an installer is asked for to get this very version.
  public var update: Update { Update(name, version: version, architecture: architecture) }

  /// Whether this very version is installed (row U7).
  public var isInstalled: Bool { presence.installedVersion == version }

  /// Whether anything of the package is on the machine, in any version (row U8).
  public var isPresent: Bool {
    presence.installedVersion != nil || presence.hasOnlyConfiguration
  }

  /// Whether it is installed and may be removed as far as the package itself is concerned (row U9);
  /// whether others need it, the plan of a removal tells.
  public var isUninstallable: Bool { isInstalled && !presence.isEssential }

  /// Whether another version of the package is installed, and this is the one that would take its place.
  public var isUpgrade: Bool {
    isCandidate && presence.installedVersion != nil && !isInstalled
  }

  /// Whether it is no final version (row U43): by its number, as `1.0~rc1` or `2.0~beta3`, or by the archive
  /// that has it, as Debian's `experimental` and the `-proposed` ones.
  ///
  /// A tilde alone does not say so: `~deb12u1` marks a version made for an older release.
  public var isPrerelease: Bool {
    let archives = [":experimental", ":rc-buggy", "-proposed"]
    if let origin, archives.contains(where: { origin.contains($0) }) { return true }
    return version.lowercased().split(separator: "~").dropFirst().contains { part in
      ["alpha", "beta", "rc", "preview", "pre", "dev", "git", "a", "b"].contains { word in
        part.hasPrefix(word) && !(part.dropFirst(word.count).first?.isLetter ?? false)
      }
    }
  }

  /// Languages that the package is made for by its name (row U44): `de` of `alpha-l10n-de`.
  public var languages: [String] {
    for mark in ["-l10n-", "-i18n-", "-locale-", "-langpack-"] {
      guard let end = name.firstRange(of: mark)?.upperBound, end < name.endIndex else { continue }
      return [String(name[end...])]
    }
    return []
  }
}

extension UpdateDetails {
  /// The bytes of all that the package says of itself.
  var textBytes: Int {
    let fields = otherFields.lazy.map { $0.key.utf8.count + $0.value.utf8.count }.reduce(0, +)
    return fields + replaces.lazy.map(\.utf8.count).reduce(0, +)
      + [name, version, title, description, homepage ?? "", section ?? "", origin ?? ""].lazy
      .map(\.utf8.count).reduce(0, +)
  }
}

extension UpdateDetails: Identifiable {
  /// Name, architecture and version as ``Update/init(parsing:)`` reads them (rows U1, U2).
  public var id: String { "\(name):\(architecture)=\(version)" }
}

extension UpdateDetails: Codable {
  private enum Key: String, CodingKey {
    case name, version, architecture, title, description, homepage, downloadSize, installedSize
    case origin, section, candidate, security, replaces, presence, otherFields
  }

  /// Reads the form of the wire; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      name: try box.decode(String.self, forKey: .name),
      version: try box.decode(String.self, forKey: .version),
      architecture: try box.decode(String.self, forKey: .architecture))
    title = try box.decodeIfPresent(String.self, forKey: .title) ?? ""
    description = try box.decodeIfPresent(String.self, forKey: .description) ?? ""
    homepage = try box.decodeIfPresent(String.self, forKey: .homepage)
    downloadSize = try box.decodeIfPresent(Int64.self, forKey: .downloadSize) ?? 0
    installedSize = try box.decodeIfPresent(Int64.self, forKey: .installedSize) ?? 0
    origin = try box.decodeIfPresent(String.self, forKey: .origin)
    section = try box.decodeIfPresent(String.self, forKey: .section)
    isCandidate = try box.decodeIfPresent(Bool.self, forKey: .candidate) ?? false
    isSecurity = try box.decodeIfPresent(Bool.self, forKey: .security) ?? false
    replaces = try box.decodeIfPresent([String].self, forKey: .replaces) ?? []
    presence = try box.decodeIfPresent(Presence.self, forKey: .presence) ?? Presence()
    otherFields = try box.decodeIfPresent([String: String].self, forKey: .otherFields) ?? [:]
  }

  /// Writes the form of the wire; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(name, forKey: .name)
    try box.encode(version, forKey: .version)
    try box.encode(architecture, forKey: .architecture)
    try box.encode(title, forKey: .title)
    try box.encode(description, forKey: .description)
    try box.encodeIfPresent(homepage, forKey: .homepage)
    try box.encode(downloadSize, forKey: .downloadSize)
    try box.encode(installedSize, forKey: .installedSize)
    try box.encodeIfPresent(origin, forKey: .origin)
    try box.encodeIfPresent(section, forKey: .section)
    try box.encode(isCandidate, forKey: .candidate)
    try box.encode(isSecurity, forKey: .security)
    try box.encode(replaces, forKey: .replaces)
    try box.encode(presence, forKey: .presence)
    try box.encode(otherFields, forKey: .otherFields)
  }
}
