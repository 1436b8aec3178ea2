/// The package system's data about one version of one package (table U of the contract).
///
/// The value describes the time of the search; search again for later changes. The effect of a job
/// (order, dependencies, total sizes) is in its plan; see ``UpdateSession/plan(_:)``.
public struct UpdateDetails: Sendable, Hashable {
  /// The package's state in the package database.
  public struct Presence: Sendable, Hashable, Codable {
    /// The installed version; nil if the package is not installed.
    public var installedVersion: String?
    /// Whether only the package's configuration files are left.
    public var hasOnlyConfiguration = false
    /// Whether the package is held by an administrator: an upgrade of everything does not change it
    /// (row U12).
    public var isHeld = false
    /// Whether the package is essential: it is never removed (rows U9, U11).
    public var isEssential = false
    /// Whether the archive of this version is on the machine, with the size and the hash of the
    /// index (row U6).
    public var isDownloaded = false

    /// Creates the state of a package that is not installed.
    public init() {}
  }

  /// The package's name (row U1).
  public var name: String
  /// The version; versions are ordered by dpkg's rules (row U2).
  public var version: String
  /// The package's architecture: `amd64`, `all` (row U1).
  public var architecture: String
  /// The short description, one line (row U3); empty if the package system has none.
  public var title = ""
  /// The long description, several lines (row U4); empty if the package system has none.
  public var description = ""
  /// The package's home page (row U5).
  public var homepage: String?
  /// Size of the package's own archive in bytes (row U17); 0 if no source has it.
  public var downloadSize: Int64 = 0
  /// Size on disk in bytes according to the index, multiples of 1024 (row U38); 0 if unknown.
  public var installedSize: Int64 = 0
  /// The source of the archive, as in ``PlannedUpdate/origin``; nil if the version is only
  /// installed.
  public var origin: String?
  /// The section of the archive: `net`, `libs` (row U36).
  public var section: String?
  /// Whether the version is the candidate: the version that the package system would install.
  public var isCandidate = false
  /// Whether the version comes from an archive of security updates (rows U26, U32).
  public var isSecurity = false
  /// Names of the packages whose files this package replaces (row U35).
  public var replaces: [String] = []
  /// The package's state in the package database.
  public var presence = Presence()
  /// All other fields of the package's record, by field name (row U41).
  public var otherFields: [String: String] = [:]

  /// Creates details from the values that are always known.
  public init(name: String, version: String, architecture: String) {
    self.name = name
    self.version = version
    self.architecture = architecture
  }
}

extension UpdateDetails {
  /// The update to request for exactly this version.
  public var update: Update { Update(name, version: version, architecture: architecture) }

  /// Whether exactly this version is installed (row U7).
  public var isInstalled: Bool { presence.installedVersion == version }

  /// Whether any version of the package is installed or has left configuration files (row U8).
  public var isPresent: Bool {
    presence.installedVersion != nil || presence.hasOnlyConfiguration
  }

  /// Whether this version is installed and not essential (row U9).
  ///
  /// The plan of a removal shows whether other packages need it.
  public var isUninstallable: Bool { isInstalled && !presence.isEssential }

  /// Whether another version is installed, and this version is the candidate that would replace it.
  public var isUpgrade: Bool {
    isCandidate && presence.installedVersion != nil && !isInstalled
  }

  /// Whether the version is a pre-release (row U43).
  ///
  /// A version is a pre-release by its number, as `1.0~rc1` or `2.0~beta3`, or by its archive, as
  /// Debian's `experimental` and the `-proposed` archives. A tilde alone is not enough: `~deb12u1`
  /// marks a version built for an older release.
  public var isPrerelease: Bool {
    let archives = [":experimental", ":rc-buggy", "-proposed"]
    if let origin, archives.contains(where: { origin.contains($0) }) { return true }
    return version.lowercased().split(separator: "~").dropFirst().contains { part in
      ["alpha", "beta", "rc", "preview", "pre", "dev", "git", "a", "b"].contains { word in
        part.hasPrefix(word) && !(part.dropFirst(word.count).first?.isLetter ?? false)
      }
    }
  }

  /// The languages that the package's name contains (row U44): `de` for `alpha-l10n-de`.
  public var languages: [String] {
    for mark in ["-l10n-", "-i18n-", "-locale-", "-langpack-"] {
      guard let end = name.firstRange(of: mark)?.upperBound, end < name.endIndex else { continue }
      return [String(name[end...])]
    }
    return []
  }
}

extension UpdateDetails {
  /// Total size in bytes of the package's texts.
  var textBytes: Int {
    let fields = otherFields.lazy.map { $0.key.utf8.count + $0.value.utf8.count }.reduce(0, +)
    return fields + replaces.lazy.map(\.utf8.count).reduce(0, +)
      + [name, version, title, description, homepage ?? "", section ?? "", origin ?? ""].lazy
      .map(\.utf8.count).reduce(0, +)
  }
}

extension UpdateDetails: Identifiable {
  /// Name, architecture and version in the form that ``Update/init(parsing:)`` parses (rows U1,
  /// U2).
  public var id: String { "\(name):\(architecture)=\(version)" }
}

extension UpdateDetails: Codable {
  private enum Key: String, CodingKey {
    case name, version, architecture, title, description, homepage, downloadSize, installedSize
    case origin, section, candidate, security, replaces, presence, otherFields
  }

  /// Decodes the form of the wire protocol; throws `DecodingError` for anything else.
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

  /// Encodes the form of the wire protocol; throws the encoder's errors.
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
