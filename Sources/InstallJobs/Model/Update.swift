/// A requested update: a package with an optional version, architecture or archive file.
///
/// Updates are equal if they request the same. Sizes, origin, and old and new version are in the
/// plan, because only the plan is fixed at the time of the work.
public struct Update: Sendable, Hashable {
  /// The package's name: lower case letters, digits, `+`, `-`, `.` (Debian policy 5.6.1), and `_`,
  /// which dpkg and apt take as well.
  public var name: String
  /// The requested version, or a version with `*` for the newest one that matches (`5:20.10*`); nil
  /// for the candidate of the package system.
  public var version: String?
  /// The requested architecture; nil for the native one (or `all`).
  public var architecture: String?
  /// The release from which the version is taken (`bookworm-backports`); nil for the candidate.
  ///
  /// It is named by suite, codename or version, and excludes ``version``.
  public var release: String?
  /// The local `.deb` to install from instead of the index.
  public var archive: LocalArchive?
  /// Whether the package is marked as automatically installed, like a dependency.
  ///
  /// A later autoremove removes such a package when no other package needs it.
  public var isAutomatic = false

  /// Creates an update without checking its parts.
  public init(
    _ name: String, version: String? = nil, architecture: String? = nil,
    archive: LocalArchive? = nil
  ) {
    self.name = name
    self.version = version
    self.architecture = architecture
    self.archive = archive
  }
}

extension Update: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, version, architecture, release, archive
    case isAutomatic = "automatic"
  }

  /// Decodes the form of the wire protocol; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try box.decode(String.self, forKey: .name),
      version: try box.decodeIfPresent(String.self, forKey: .version),
      architecture: try box.decodeIfPresent(String.self, forKey: .architecture),
      archive: try box.decodeIfPresent(LocalArchive.self, forKey: .archive))
    release = try box.decodeIfPresent(String.self, forKey: .release)
    isAutomatic = try box.decodeIfPresent(Bool.self, forKey: .isAutomatic) ?? false
  }

  /// Encodes the form of the wire protocol; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    try box.encode(name, forKey: .name)
    try box.encodeIfPresent(version, forKey: .version)
    try box.encodeIfPresent(architecture, forKey: .architecture)
    try box.encodeIfPresent(release, forKey: .release)
    try box.encodeIfPresent(archive, forKey: .archive)
    if isAutomatic { try box.encode(true, forKey: .isAutomatic) }
  }
}

/// A package archive that the caller sends: the engine gets its content, never its path.
public struct LocalArchive: Sendable, Hashable, Codable {
  /// The file's name, for display only; never opened.
  public var fileName: String
  /// SHA-256 of the content in lower-case hexadecimal; the key of the copy that the engine stores.
  public var sha256: String
  /// The content's length in bytes.
  public var size: Int64

  /// Creates a value from its parts.
  public init(fileName: String, sha256: String, size: Int64) {
    self.fileName = fileName
    self.sha256 = sha256
    self.size = size
  }
}

extension Update: CustomStringConvertible {
  /// The text form that ``init(parsing:)`` parses.
  public var description: String {
    name + (version.map { "=" + $0 } ?? "") + (architecture.map { ":" + $0 } ?? "")
      + (release.map { "/" + $0 } ?? "")
  }

  /// Parses `NAME[=VERSION][:ARCH]`, apt's order `NAME[:ARCH][=VERSION]`, and
  /// `NAME[:ARCH]/RELEASE`.
  ///
  /// - Parameter text: The text that a person typed. A colon in a version starts an architecture if
  ///   a letter follows it, else it ends the epoch. Capitals of the name become lower case, as in
  ///   the databases of apt and dpkg.
  /// - Throws: `notApplicable` if the text cannot name a package: wrong characters, a leading `-`,
  ///   more than 256 bytes. The message contains the text, shortened and with control characters
  ///   escaped.
  public init(parsing text: String) throws(InstallationError) {
    func refuse(_ reason: String) -> InstallationError {
      InstallationError(
        .notApplicable, "cannot use '\(Self.printable(text))': \(reason)", class: .fatal,
        hint: "write NAME, NAME=VERSION, NAME/RELEASE or NAME:ARCH, for example hello=2.10-3")
    }
    guard text.utf8.count <= 256 else { throw refuse("a package name has at most 256 characters") }
    var rest = Substring(text)
    var version: Substring?
    var architecture: Substring?
    var release: Substring?
    if let slash = rest.firstIndex(of: "/") {
      release = rest[rest.index(after: slash)...]
      rest = rest[..<slash]
    }
    if let equals = rest.firstIndex(of: "=") {
      version = rest[rest.index(after: equals)...]
      rest = rest[..<equals]
    }
    if let colon = rest.lastIndex(of: ":") {
      architecture = rest[rest.index(after: colon)...]
      rest = rest[..<colon]
    } else if let value = version, let colon = value.lastIndex(of: ":"),
      let first = value[value.index(after: colon)...].first, first.isLetter
    {
      architecture = value[value.index(after: colon)...]
      version = value[..<colon]
    }
    let name = Self.packageName(rest)
    guard Self.isPackageName(name) else {
      throw refuse("not a package name (letters, digits, + - . _ only)")
    }
    if let version, !Self.isVersion(version.replacing("*", with: "")) {
      throw refuse("not a version number")
    }
    if let architecture, !Self.isArchitecture(architecture) {
      throw refuse("not the name of an architecture")
    }
    if let release {
      guard version == nil else { throw refuse("a version and a release exclude each other") }
      guard Self.isRelease(release) else { throw refuse("not the name of a release") }
    }
    self.init(
      name, version: version.map(String.init), architecture: architecture.map(String.init))
    self.release = release.map(String.init)
  }

  /// Validates the update; it must be a possible result of ``init(parsing:)``.
  ///
  /// The engine validates received requests with this function, whatever the client checked.
  ///
  /// - Throws: `notApplicable`, like ``init(parsing:)``.
  package func validate() throws(InstallationError) {
    let read = try Update(parsing: description)
    // Parts can join to the text of another update, as with the name `a:i386` or the version
    // `1:amd64`.
    guard read.name == name, read.version == version, read.architecture == architecture,
      read.release == release
    else {
      throw InstallationError(
        .notApplicable, "cannot use '\(Self.printable(name))': its parts read as '\(read)'",
        class: .fatal, hint: "give name, version and architecture each in its place")
    }
  }

  // Debian policy 5.6.1, except that one character is enough, because the index decides which
  // packages exist, and that `_` is permitted, as by dpkg.
  package static func isPackageName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, isLowerAlphanumeric(first) else { return false }
    return text.utf8.allSatisfy { isLowerAlphanumeric($0) || "+-._".utf8.contains($0) }
  }

  /// Returns a name as the databases of apt and dpkg store it: with ASCII capitals in lower case.
  package static func packageName(_ text: some StringProtocol) -> String {
    String(
      decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  // Debian policy 5.6.12.
  package static func isVersion(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, (0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      isLowerAlphanumeric($0) || (0x41...0x5A).contains($0) || ".+-:~".utf8.contains($0)
    }
  }

  /// Whether a text can be the suite, codename or version of a release; it is written into apt's
  /// arguments.
  package static func isRelease(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, (1...100).contains(text.utf8.count),
      isLowerAlphanumeric(first | 0x20)
    else { return false }
    return text.utf8.allSatisfy {
      isLowerAlphanumeric($0) || (0x41...0x5A).contains($0) || "._+~/-".utf8.contains($0)
    }
  }

  package static func isArchitecture(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first) else { return false }
    return text.utf8.allSatisfy { isLowerAlphanumeric($0) || $0 == 0x2D }
  }

  private static func isLowerAlphanumeric(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }

  private static func printable(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(40).map { scalar in
      (0x20...0x7E).contains(scalar.value) ? String(scalar) : "\\u{" + hex(scalar.value) + "}"
    }
    return shown.joined() + (text.unicodeScalars.count > 40 ? "..." : "")
  }

  private static func hex(_ value: UInt32) -> String { String(value, radix: 16) }
}
