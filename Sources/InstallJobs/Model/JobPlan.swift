/// The planned change of one package.
public enum PlannedAction: String, Sendable, Hashable, Codable, CaseIterable {
  case install
  case upgrade
  case downgrade
  case reinstall
  case remove
  case purge
  case configure

  /// Whether the action removes the package.
  package var removes: Bool { self == .remove || self == .purge }

  /// Whether the action unpacks an archive.
  public var unpacks: Bool {
    switch self {
    case .install, .upgrade, .downgrade, .reinstall: true
    case .remove, .purge, .configure: false
    }
  }
}

/// One package that a job will change, as planned before the work starts.
public struct PlannedUpdate: Sendable, Hashable, Codable {
  /// The package's name.
  public var name: String
  /// The package's architecture, never empty: `amd64`, `all`.
  public var architecture: String
  /// The planned change.
  public var action: PlannedAction
  /// The version in the package database before the job; nil if not installed.
  public var fromVersion: String?
  /// The version after the job; nil for a removal.
  public var toVersion: String?
  /// Size of the archive in bytes; 0 if none is downloaded.
  public var downloadSize: Int64
  /// Size on disk in bytes according to the index (multiples of 1024); 0 if unknown.
  public var installedSize: Int64
  /// The source of the archive: `Debian:bookworm/main`, or `local file`.
  public var origin: String?
  /// Whether the package was requested by name; false for dependencies.
  public var requested: Bool
  /// Why the package stays at its version although a newer one exists, in one line.
  ///
  /// Nil if the package does not stay, and in the steps of a plan.
  public var keptBack: String?
  /// Whether the new version comes from an archive of security updates; false if nothing is
  /// unpacked.
  public var isSecurity = false

  /// Creates a value from its parts.
  public init(
    name: String, architecture: String, action: PlannedAction, fromVersion: String? = nil,
    toVersion: String? = nil, downloadSize: Int64 = 0, installedSize: Int64 = 0,
    origin: String? = nil, requested: Bool = false
  ) {
    self.name = name
    self.architecture = architecture
    self.action = action
    self.fromVersion = fromVersion
    self.toVersion = toVersion
    self.downloadSize = downloadSize
    self.installedSize = installedSize
    self.origin = origin
    self.requested = requested
  }

  /// The reason for all packages if an upgrade of everything cannot be planned.
  package static let unplannable = "an upgrade of everything cannot be planned"
}

extension PlannedUpdate {
  private enum CodingKeys: String, CodingKey {
    case name, architecture, action, fromVersion, toVersion, downloadSize, installedSize, origin
    case requested, keptBack
    case isSecurity = "security"
  }

  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try box.decode(String.self, forKey: .name),
      architecture: try box.decode(String.self, forKey: .architecture),
      action: try box.decode(PlannedAction.self, forKey: .action),
      fromVersion: try box.decodeIfPresent(String.self, forKey: .fromVersion),
      toVersion: try box.decodeIfPresent(String.self, forKey: .toVersion),
      downloadSize: try box.decode(Int64.self, forKey: .downloadSize),
      installedSize: try box.decode(Int64.self, forKey: .installedSize),
      origin: try box.decodeIfPresent(String.self, forKey: .origin),
      requested: try box.decode(Bool.self, forKey: .requested))
    keptBack = try box.decodeIfPresent(String.self, forKey: .keptBack)
    isSecurity = try box.decodeIfPresent(Bool.self, forKey: .isSecurity) ?? false
  }
}

/// The archive of a planned update.
public struct PlannedArchive: Sendable, Hashable, Codable {
  /// The file's name in the archive folder, in apt's form (`hello_2.10-3_amd64.deb`).
  public var fileName: String
  /// Size in bytes.
  public var size: Int64
  /// The hash in the index, `SHA256:` followed by hexadecimal digits; nil if the index has none.
  public var hash: String?
  /// The URI to download from.
  public var uri: String

  /// Creates a value from its parts.
  public init(fileName: String, size: Int64, hash: String?, uri: String) {
    self.fileName = fileName
    self.size = size
    self.hash = hash
    self.uri = uri
  }

  /// Whether the URI contains a user name or password.
  package var hasCredentials: Bool { credentials != nil }

  /// The archive without user name and password in its URI, for all users who may read the plan.
  package var withoutCredentials: PlannedArchive {
    guard let credentials else { return self }
    var archive = self
    archive.uri.removeSubrange(credentials)
    return archive
  }

  // The part between `//` and the host, including its `@`. A colon without a port after it starts a
  // password; then an `@` in the path ends it, because the password contains a slash.
  private var credentials: ClosedRange<String.Index>? {
    guard let start = uri.firstRange(of: "://")?.upperBound else { return nil }
    let authority = uri[start...].prefix { !"/?#".contains($0) }
    if let at = authority.lastIndex(of: "@") { return start...at }
    guard let colon = authority.lastIndex(of: ":"), let at = uri[start...].lastIndex(of: "@"),
      !authority[colon...].dropFirst().allSatisfy({ ("0"..."9").contains($0) })
    else { return nil }
    return start...at
  }
}

/// Everything that a job will do; fixed before the user's rights are checked, and carried out
/// exactly.
public struct JobPlan: Sendable, Hashable, Codable {
  /// The answer to one requested update: the step that serves it, or why there is none.
  public struct Request: Sendable, Hashable, Codable {
    /// The requested update.
    public var update: Update
    /// The index in ``JobPlan/steps`` of the update's package; nil if there is nothing to do.
    public var step: Int?
    /// Why there is nothing to do (rows D16, D17).
    public var note: UpdateNote?
    /// The version in the package database if there is nothing to do.
    public var foundVersion: String?
    /// Why the package stays at its version although it was requested, in one line; nil if it does
    /// not stay.
    public var reason: String?

    /// Whether the job marks the package, which is installed already, as wanted for itself instead
    /// of as a dependency; nil means no.
    public var marksManual: Bool?

    /// The earlier job after which nothing will be left to do; nil if nothing was left to do when
    /// the plan was made.
    public var expectedAfter: JobID?

    /// Creates a value from its parts.
    public init(
      update: Update, step: Int?, note: UpdateNote? = nil, foundVersion: String? = nil,
      reason: String? = nil
    ) {
      self.reason = reason
      self.update = update
      self.step = step
      self.note = note
      self.foundVersion = foundVersion
    }

    /// Decodes a request; an unknown note of another version becomes nil.
    public init(from decoder: any Decoder) throws {
      let box = try decoder.container(keyedBy: CodingKeys.self)
      update = try box.decode(Update.self, forKey: .update)
      step = try box.decodeIfPresent(Int.self, forKey: .step)
      note = try box.decodeIfPresent(String.self, forKey: .note).flatMap(UpdateNote.init)
      foundVersion = try box.decodeIfPresent(String.self, forKey: .foundVersion)
      reason = try box.decodeIfPresent(String.self, forKey: .reason)
      marksManual = try box.decodeIfPresent(Bool.self, forKey: .marksManual)
      expectedAfter = try box.decodeIfPresent(JobID.self, forKey: .expectedAfter)
    }
  }

  /// A package that an upgrade of everything does not bring to the newest version.
  public struct LeftOut: Sendable, Hashable, Codable {
    /// The reasons for leaving a package.
    public enum Reason: String, Sendable, Hashable, Codable {
      /// The package is only marked as installed in this root: its files belong to the host.
      case onlyCounted
      /// The request excludes the package.
      case excluded
      /// No source of security updates has a newer version, and the request is for those alone.
      case notSecurity
    }

    /// The package's name.
    public var name: String
    /// The package's architecture.
    public var architecture: String
    /// The version that the package has afterwards: the installed one, or that of the security
    /// update.
    public var version: String
    /// Why the package stays.
    public var reason: Reason

    /// Creates a value from its parts.
    public init(name: String, architecture: String, version: String, reason: Reason) {
      self.name = name
      self.architecture = architecture
      self.version = version
      self.reason = reason
    }
  }

  /// The requested updates with their steps, in the requester's order.
  public var requests: [Request]
  /// Every package the job touches, dependencies included, in the order of work (row B5).
  public var steps: [PlannedUpdate]
  /// The archives to download, by the index of their step; steps without an archive have no entry.
  public var archives: [Int: PlannedArchive]
  /// Bytes needed on the root's file system; negative if the job frees space.
  public var installedSizeChange: Int64
  /// Identifies the index and the package database from which the plan was made.
  ///
  /// The plan is carried out only if both are still the same.
  public var fingerprint: String
  /// Packages that an upgrade of everything could upgrade but must leave at their versions.
  ///
  /// They were not requested by name, so they are not part of the job's result.
  public var leftOut: [LeftOut]
  /// Warnings of the package system, in its order, then warnings of the engine about earlier jobs.
  public var warnings: [UpdateWarning]

  /// Creates a value from its parts.
  public init(
    requests: [Request], steps: [PlannedUpdate], archives: [Int: PlannedArchive] = [:],
    installedSizeChange: Int64 = 0, fingerprint: String = "", leftOut: [LeftOut] = [],
    warnings: [UpdateWarning] = []
  ) {
    self.requests = requests
    self.steps = steps
    self.archives = archives
    self.installedSizeChange = installedSizeChange
    self.fingerprint = fingerprint
    self.leftOut = leftOut
    self.warnings = warnings
  }

  /// The plan without user names and passwords in the archives' URIs.
  package var withoutCredentials: JobPlan {
    var plan = self
    plan.archives = archives.mapValues(\.withoutCredentials)
    return plan
  }

  /// Decodes a plan; a plan of an older version has no list of left packages.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    requests = try box.decode([Request].self, forKey: .requests)
    steps = try box.decode([PlannedUpdate].self, forKey: .steps)
    archives = try box.decode([Int: PlannedArchive].self, forKey: .archives)
    installedSizeChange = try box.decode(Int64.self, forKey: .installedSizeChange)
    fingerprint = try box.decode(String.self, forKey: .fingerprint)
    leftOut = try box.decodeIfPresent([LeftOut].self, forKey: .leftOut) ?? []
    let texts = try box.decode([String].self, forKey: .warnings)
    let whole = try box.decodeIfPresent([UpdateWarning].self, forKey: .warningDetails) ?? []
    warnings =
      whole.map(\.message) == texts ? whole : texts.map { UpdateWarning(.unspecified, $0) }
  }

  /// Encodes a plan; its warnings also as plain texts, because older versions decode only those.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    try box.encode(requests, forKey: .requests)
    try box.encode(steps, forKey: .steps)
    try box.encode(archives, forKey: .archives)
    try box.encode(installedSizeChange, forKey: .installedSizeChange)
    try box.encode(fingerprint, forKey: .fingerprint)
    try box.encode(leftOut, forKey: .leftOut)
    try box.encode(warnings.map(\.message), forKey: .warnings)
    if !warnings.isEmpty { try box.encode(warnings, forKey: .warningDetails) }
  }

  private enum CodingKeys: String, CodingKey {
    case requests, steps, archives, installedSizeChange, fingerprint, leftOut, warnings
    case warningDetails
  }

  /// The plan reduced to the steps that unpack an archive, for a job that changes no package.
  ///
  /// A request for a package that would only be configured has nothing to do then.
  package var onlyDownloads: JobPlan {
    var plan = self
    plan.installedSizeChange = 0
    let kept = steps.indices.filter { steps[$0].action.unpacks }
    guard kept.count < steps.count else { return plan }
    let positions = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    plan.steps = kept.map { steps[$0] }
    plan.archives = [:]
    for (step, archive) in archives {
      if let position = positions[step] { plan.archives[position] = archive }
    }
    for index in requests.indices {
      guard let step = requests[index].step else { continue }
      plan.requests[index].step = positions[step]
      guard positions[step] == nil else { continue }
      plan.requests[index].note = .alreadyInstalled
      plan.requests[index].foundVersion = steps[step].toVersion ?? steps[step].fromVersion
    }
    return plan
  }

  /// Bytes to download in total; `Int64.max` if a peer's sizes overflow.
  public var downloadSize: Int64 { archives.values.lazy.map(\.size).total }
}

extension JobPlan.Request {
  /// What changed since the plan said that there is nothing to do, as text to follow the package's
  /// name.
  ///
  /// Nil if the plan did not say so.
  package var change: String? {
    switch (note, expectedAfter) {
    case (.alreadyInstalled, let job?): "was expected to be there after job \(job), and is not"
    case (.notInstalled, let job?): "was expected to be gone after job \(job), and is there"
    case (.alreadyInstalled, nil): "was there already when the job was planned, and is not now"
    case (.notInstalled, nil): "was not there when the job was planned, and is there now"
    default: nil
    }
  }
}

/// A remark on an update that is neither a failure nor a plain success.
public enum UpdateNote: String, Sendable, Hashable, Codable {
  /// The requested version was already installed (row D16).
  case alreadyInstalled
  /// The package was already absent (row D17).
  case notInstalled
  /// The job ended before it worked on the package (row D18).
  case notReached
  /// The archive was downloaded, but not unpacked.
  case fetched
  /// The job only downloads, and the archive was already there (row W13).
  case alreadyDownloaded
  /// The old configuration file was kept; the new one is beside it (row A33).
  case keptConfiguration
}
