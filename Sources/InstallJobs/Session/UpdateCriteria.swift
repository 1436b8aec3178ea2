/// The criteria of a search for updates; nil values do not restrict (row S8).
///
/// An update must match all given criteria.
public struct UpdateCriteria: Sendable, Hashable, Codable {
  /// Words that must all occur in the package's name or description, ignoring case; at most ten.
  public var text: String?
  /// Names of packages, at most 1,000, where `*` stands for any text and `?` for one character; an
  /// empty list matches all.
  public var names: [String]
  /// Whether the version is installed.
  public var isInstalled: Bool?
  /// Whether another version is installed, which this one would replace.
  public var isUpgrade: Bool?
  /// Whether the version comes from an archive of security updates.
  public var isSecurity: Bool?
  /// The section of the archive: `net`, `libs`.
  public var section: String?
  /// Whether to return all versions of a package.
  ///
  /// If false, the search returns one version of each package: the candidate, or the installed
  /// version if there is no candidate.
  public var includesAllVersions: Bool
  /// Maximum number of updates, 1...1000.
  public var limit: Int

  /// Creates criteria; the default matches everything.
  public init(
    text: String? = nil, names: [String] = [], isInstalled: Bool? = nil, isUpgrade: Bool? = nil,
    isSecurity: Bool? = nil, section: String? = nil, includesAllVersions: Bool = false,
    limit: Int = 100
  ) {
    self.text = text
    self.names = names
    self.isInstalled = isInstalled
    self.isUpgrade = isUpgrade
    self.isSecurity = isSecurity
    self.section = section
    self.includesAllVersions = includesAllVersions
    self.limit = limit
  }

  /// The words of ``text``.
  package var words: [String] {
    (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether an update matches the criteria other than ``names`` and ``text``.
  package func includes(_ details: UpdateDetails) -> Bool {
    isInstalled ?? details.isInstalled == details.isInstalled
      && isUpgrade ?? details.isUpgrade == details.isUpgrade
      && isSecurity ?? details.isSecurity == details.isSecurity
      && section ?? details.section == details.section
  }

  /// Whether an update's name, title and description contain all words of ``text``.
  package func hasWords(of details: UpdateDetails) -> Bool {
    let said = [details.name, details.title, details.description].joined(separator: "\n")
      .lowercased()
    return words.allSatisfy { said.contains($0.lowercased()) }
  }

  /// Whether a package's name is among ``names`` or matches one of them.
  package func includes(name: String) -> Bool {
    names.isEmpty || names.contains { $0 == name || Glob.isPattern($0) && Glob.matches(name, $0) }
  }

  /// Returns the result of a search from the matching updates.
  ///
  /// - Parameters:
  ///   - found: The matching updates, in the order of the result.
  ///   - isWhole: Whether every package was searched.
  ///   - warnings: Other reasons why the result may be incomplete.
  /// - Returns: The first updates up to the limit, with a warning if updates are missing.
  package func answer(
    _ found: [UpdateDetails], isWhole: Bool = true, warnings: [UpdateWarning] = []
  ) -> UpdateSearchResult {
    var bytes = 0
    let told = found.prefix(limit).prefix { details in
      bytes += details.textBytes
      return bytes <= Self.mostBytes
    }
    var result = UpdateSearchResult(updates: Array(told), warnings: warnings)
    if !isWhole || found.count > told.count {
      let reason =
        isWhole
        ? "more updates match than these \(result.updates.count)"
        : "too many packages to read each: more may match than these \(result.updates.count)"
      result.warnings.append(
        UpdateWarning(.tooManyMatches, reason, context: .incompleteSearch))
    }
    return result
  }

  /// Maximum number of words in ``text``.
  private static let mostWords = 10
  /// Maximum size of a result's texts in bytes; records of packages have no length limit.
  private static let mostBytes = 4 << 20
  /// Maximum number of names, and of updates in a result.
  package static let most = 1000

  /// Validates the criteria, whoever sent them.
  ///
  /// - Throws: `invalidArgument` if a value is out of range; the message names it. `notApplicable`
  ///   for an impossible package name.
  package func validate() throws(InstallationError) {
    func refuse(_ reason: String) -> InstallationError {
      InstallationError(.invalidArgument, "cannot search: \(reason)", class: .fatal)
    }
    guard (1...Self.most).contains(limit) else {
      throw refuse("the limit is \(limit), and must be 1 to \(Self.most)")
    }
    guard words.count <= Self.mostWords, (text ?? "").utf8.count <= 500 else {
      throw refuse("the text has more than \(Self.mostWords) words or 500 bytes")
    }
    // A NUL would end a word early when it is passed to the package tools.
    guard words.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
      throw refuse("the text has control characters")
    }
    guard names.count <= Self.most else { throw refuse("more than \(Self.most) names are given") }
    for name in names {
      // In its place, a pattern's character is any that a name may have.
      try Update(Glob.isPattern(name) ? Glob.example(name) : name).validate()
    }
  }
}

/// The result of a search, with warnings if it may be incomplete.
public struct UpdateSearchResult: Sendable, Hashable, Codable {
  /// The updates found, sorted by name; versions of one package are sorted newest first, by the
  /// package system's rules.
  public var updates: [UpdateDetails]
  /// Reasons why the result may be incomplete, in order (rows V1, V3, V4).
  public var warnings: [UpdateWarning]

  /// Creates a value from its parts.
  public init(updates: [UpdateDetails], warnings: [UpdateWarning] = []) {
    self.updates = updates
    self.warnings = warnings
  }
}
