/// Which updates a search is for; what is nil does not restrict (row S8).
///
/// Everything that is given must hold at once.
public struct UpdateCriteria: Sendable, Hashable, Codable {
  /// Words that all stand in the package's name or description, in whatever case; at most ten.
  public var text: String?
  /// Packages by name, at most 1,000; empty for any.
  public var names: [String]
  /// Whether the version is installed.
  public var isInstalled: Bool?
  /// Whether another version is installed, and this one would take its place.
  public var isUpgrade: Bool?
  /// Whether an archive of security updates has the version.
  public var isSecurity: Bool?
  /// The part of the archive that the package belongs to: `net`, `libs`.
  public var section: String?
  /// Whether every version is answered, also those that the package system would not install; else of each
  /// package the one that it would, or the one that is installed where there is no other.
  public var includesAllVersions: Bool
  /// At most so many updates, 1...1000.
  public var limit: Int

  /// Criteria of their parts.
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

  /// The words of the text.
  package var words: [String] {
    (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether an update is one of those that are searched for, names and text aside.
  package func includes(_ details: UpdateDetails) -> Bool {
    isInstalled ?? details.isInstalled == details.isInstalled
      && isUpgrade ?? details.isUpgrade == details.isUpgrade
      && isSecurity ?? details.isSecurity == details.isSecurity
      && section ?? details.section == details.section
  }

  /// Whether the words of the text all stand in what an update says of itself.
  package func hasWords(of details: UpdateDetails) -> Bool {
    let said = [details.name, details.title, details.description].joined(separator: "\n")
      .lowercased()
    return words.allSatisfy { said.contains($0.lowercased()) }
  }

  /// The answer to a search, of updates that match it.
  ///
  /// - Parameters:
  ///   - found: The updates, in the order of the answer.
  ///   - isWhole: Whether every package was looked at.
  ///   - warnings: What else keeps the answer from being all there is.
  /// - Returns: The first of them, as many as the limit allows, with a warning where some are not among them.
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

  /// The most words of a text.
  private static let mostWords = 10
  /// The most text of an answer: records of packages may be as long as their makers like.
  private static let mostBytes = 4 << 20
  /// The most names, and the most updates of an answer.
  package static let most = 1000

  /// Refuses what no search can be made from, whoever sends it.
  ///
  /// - Throws: `invalidArgument`, saying what is out of range; `notApplicable` for a name that no package
  ///   can have.
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
    // A NUL would end a word early on its way to the package tools.
    guard words.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
      throw refuse("the text has control characters")
    }
    guard names.count <= Self.most else { throw refuse("more than \(Self.most) names are given") }
    for name in names { try Update(name).validate() }
  }
}

/// What a search has found, and what it could not look at.
public struct UpdateSearchResult: Sendable, Hashable, Codable {
  /// What was found, sorted by name; versions of one package newest first, as the package system has them.
  public var updates: [UpdateDetails]
  /// What keeps the answer from being all there is, in order (rows V1, V3, V4).
  public var warnings: [UpdateWarning]

  /// A value of its parts.
  public init(updates: [UpdateDetails], warnings: [UpdateWarning] = []) {
    self.updates = updates
    self.warnings = warnings
  }
}
