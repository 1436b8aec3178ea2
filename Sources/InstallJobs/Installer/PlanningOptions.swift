/// What a plan may do beyond the requested updates: the options of apt-get of the same meaning.
///
/// In JSON, a key is omitted where it has its default.
public struct PlanningOptions: Sendable, Hashable {
  /// Whether recommended packages are installed too; nil for the machine's setting.
  public var installsRecommended: Bool?
  /// The release whose versions are preferred, by suite or codename; nil for the machine's
  /// preferences.
  ///
  /// At most 100 letters, digits and `.`, `_`, `+`, `~`, `/`, `-`.
  public var release: String?
  /// Whether an upgrade of everything may install and remove packages (apt's `full-upgrade`).
  public var isFullUpgrade = false
  /// Whether packages that were installed automatically and that no other package needs are removed
  /// too (apt's `autoremove`); a removal may then name no package.
  public var removesUnneeded = false
  /// Consent to the removal of any packages that the request does not name.
  public var allowsRemovals = false
  /// Consent to the removal of these packages alone, `NAME:ARCH`, as a plan showed them; see
  /// ``JobPlan/removalsThatNeedConsent``.
  ///
  /// At most 10,000 texts of 300 bytes.
  public var consentedRemovals: [String] = []
  /// Consent to older versions of installed packages.
  public var allowsDowngrades = false

  /// Creates options with their default values.
  public init() {}

  /// Whether all options have their default values.
  var isDefault: Bool { self == PlanningOptions() }

  /// Validates the options, which a client may have set to any value.
  ///
  /// - Throws: `invalidArgument` for a release that cannot be a release's name, for names that
  ///   cannot be packages, and for a full upgrade that is none of everything.
  func validate(for operation: JobOperation) throws(InstallationError) {
    if let release {
      // The name is written into apt's arguments.
      let isName =
        release.utf8.first.map { (0x30...0x39).contains($0) || ($0 | 0x20) >= 0x61 } ?? false
        && (1...100).contains(release.utf8.count)
        && release.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            || "._+~/-".utf8.contains($0)
        }
      guard isName else {
        throw InstallationError(
          .invalidArgument, "the release is not the name of a suite", class: .fatal,
          hint: "name a suite or codename of a source, for example stable-backports")
      }
    }
    guard consentedRemovals.count <= 10_000,
      consentedRemovals.allSatisfy({
        $0.utf8.count <= 300 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      })
    else {
      throw InstallationError(
        .invalidArgument, "the consent to removals does not name packages", class: .fatal,
        hint: "name each as NAME:ARCH")
    }
    guard !isFullUpgrade || operation == .upgrade else {
      throw InstallationError(
        .invalidArgument, "cannot \(operation.rawValue) as a full upgrade", class: .fatal,
        hint: "leave the option out; it is for an upgrade of everything")
    }
  }
}

extension PlanningOptions: Codable {
  private enum CodingKeys: String, CodingKey {
    case installsRecommended, release, isFullUpgrade, removesUnneeded, allowsRemovals
    case consentedRemovals, allowsDowngrades
  }

  /// Decodes options; a missing key gets its default.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    func flag(_ key: CodingKeys) throws -> Bool {
      try box.decodeIfPresent(Bool.self, forKey: key) ?? false
    }
    installsRecommended = try box.decodeIfPresent(Bool.self, forKey: .installsRecommended)
    release = try box.decodeIfPresent(String.self, forKey: .release)
    isFullUpgrade = try flag(.isFullUpgrade)
    removesUnneeded = try flag(.removesUnneeded)
    allowsRemovals = try flag(.allowsRemovals)
    consentedRemovals = try box.decodeIfPresent([String].self, forKey: .consentedRemovals) ?? []
    allowsDowngrades = try flag(.allowsDowngrades)
  }

  /// Encodes the options that do not have their defaults.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    func encode(_ flag: Bool, _ key: CodingKeys) throws {
      if flag { try box.encode(true, forKey: key) }
    }
    try box.encodeIfPresent(installsRecommended, forKey: .installsRecommended)
    try box.encodeIfPresent(release, forKey: .release)
    try encode(isFullUpgrade, .isFullUpgrade)
    try encode(removesUnneeded, .removesUnneeded)
    try encode(allowsRemovals, .allowsRemovals)
    if !consentedRemovals.isEmpty { try box.encode(consentedRemovals, forKey: .consentedRemovals) }
    try encode(allowsDowngrades, .allowsDowngrades)
  }
}
