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
  /// Whether an upgrade of everything brings packages only to versions of security updates.
  public var isSecurityOnly = false
  /// Packages that an upgrade of everything leaves as they are: `NAME` or `NAME:ARCH`, where `*`
  /// stands for any text.
  ///
  /// At most 1,000 texts of 300 bytes; each must match an installed package.
  public var excluded: [String] = []
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
  ///   cannot be packages, and for options of an upgrade of everything in another request.
  func validate(for request: JobRequest) throws(InstallationError) {
    if let release, !Update.isRelease(release) {
      throw InstallationError(
        .invalidArgument, "the release is not the name of a suite", class: .fatal,
        hint: "name a suite or codename of a source, for example stable-backports")
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
    guard excluded.count <= 1000, excluded.allSatisfy(Self.isPattern) else {
      throw InstallationError(
        .invalidArgument, "what is to be left out is not the name of a package", class: .fatal,
        hint: "write NAME or NAME:ARCH, with * for any text")
    }
    let isUpgradeOfEverything = request.operation == .upgrade && request.updates.isEmpty
    let options = [
      (isFullUpgrade, "as a full upgrade"), (isSecurityOnly, "by security updates alone"),
      (!excluded.isEmpty, "without certain packages"),
    ]
    for (isSet, words) in options where isSet && !isUpgradeOfEverything {
      throw InstallationError(
        .invalidArgument,
        "cannot \(request.operation.rawValue) \(request.updates.isEmpty ? "" : "named packages ")"
          + words, class: .fatal,
        hint: "leave the option out; it is for an upgrade of everything")
    }
  }

  private static func isPattern(_ text: String) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return text.utf8.count <= 300
      && parts.allSatisfy { Update.isPackageName(Glob.example(String($0))) }
  }
}

extension PlanningOptions: Codable {
  private enum CodingKeys: String, CodingKey {
    case installsRecommended, release, isFullUpgrade, removesUnneeded, allowsRemovals
    case isSecurityOnly, excluded, consentedRemovals, allowsDowngrades
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
    isSecurityOnly = try flag(.isSecurityOnly)
    excluded = try box.decodeIfPresent([String].self, forKey: .excluded) ?? []
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
    try encode(isSecurityOnly, .isSecurityOnly)
    if !excluded.isEmpty { try box.encode(excluded, forKey: .excluded) }
    try encode(removesUnneeded, .removesUnneeded)
    try encode(allowsRemovals, .allowsRemovals)
    if !consentedRemovals.isEmpty { try box.encode(consentedRemovals, forKey: .consentedRemovals) }
    try encode(allowsDowngrades, .allowsDowngrades)
  }
}
