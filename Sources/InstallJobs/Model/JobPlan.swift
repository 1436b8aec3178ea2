/// What will happen to one package.
public enum PlannedAction: String, Sendable, Hashable, Codable, CaseIterable {
  case install
  case upgrade
  case downgrade
  case reinstall
  case remove
  case purge
  case configure

  /// Whether the package is gone afterwards.
  package var removes: Bool { self == .remove || self == .purge }

  /// Whether an archive is unpacked for it.
  public var unpacks: Bool {
    switch self {
    case .install, .upgrade, .downgrade, .reinstall: true
    case .remove, .purge, .configure: false
    }
  }
}

/// One package that a job will touch, as decided before the work began.
public struct PlannedUpdate: Sendable, Hashable, Codable {
  /// The package's name.
  public var name: String
  /// Its architecture, always stated: `amd64`, `all`.
  public var architecture: String
  /// What will happen to it.
  public var action: PlannedAction
  /// The version in the package database before the job; nil when absent.
  public var fromVersion: String?
  /// The version after the job; nil for a removal.
  public var toVersion: String?
  /// Bytes of the archive; 0 when none is fetched.
  public var downloadSize: Int64
  /// Bytes on disk by the index (multiples of 1024), 0 when unknown.
  public var installedSize: Int64
  /// Where the archive comes from: `Debian:bookworm/main`, or `local file`.
  public var origin: String?
  /// Whether it was asked for by name; false for dependencies.
  public var requested: Bool
  /// Why it stays as it is although it could be upgraded, in one line; nil when it does not, and in
  /// the steps of a plan.
  public var keptBack: String?
  /// Whether an archive of security updates has the version after the job; false
  /// where nothing is unpacked.
  public var isSecurity = false

  /// A value of its parts.
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

  /// Why everything is kept back when an upgrade of everything is refused as a whole.
  package static let unplannable = "an upgrade of everything cannot be planned"
}

extension PlannedUpdate {
  private enum CodingKeys: String, CodingKey {
    case name, architecture, action, fromVersion, toVersion, downloadSize, installedSize, origin
    case requested, keptBack
    case isSecurity = "security"
  }

  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
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
  /// The file's name in the archive folder, as apt writes it (`hello_2.10-3_amd64.deb`).
  public var fileName: String
  /// Bytes.
  public var size: Int64
  /// The index's hash, `SHA256:` followed by hexadecimal digits; nil where the index has none.
  public var hash: String?
  /// Where it is fetched from.
  public var uri: String

  /// A value of its parts.
  public init(fileName: String, size: Int64, hash: String?, uri: String) {
    self.fileName = fileName
    self.size = size
    self.hash = hash
    self.uri = uri
  }

  /// Whether a name or a password stands before the host.
  package var hasCredentials: Bool { credentials != nil }

  /// The same without them: what anybody may see who may look.
  package var withoutCredentials: PlannedArchive {
    guard let credentials else { return self }
    var archive = self
    archive.uri.removeSubrange(credentials)
    return archive
  }

  // What stands between `//` and the host, with its `@`. A colon that no port follows begins a password,
  // and an `@` in the path ends it then: the password holds a slash.
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

/// Everything a job will do, frozen before rights are checked; what runs is this and nothing else.
public struct JobPlan: Sendable, Hashable, Codable {
  /// One row of the answer to the request: which steps of the work serve an update asked for.
  public struct Request: Sendable, Hashable, Codable {
    /// What was asked for.
    public var update: Update
    /// The index of its package in ``JobPlan/steps``, or nil when there is nothing to do.
    public var step: Int?
    /// Why there is nothing to do (rows D16, D17).
    public var note: UpdateNote?
    /// The version found in the package database when there is nothing to do.
    public var foundVersion: String?
    /// Why the package stays as it is although it was asked for, in one line; nil where it does not.
    public var reason: String?

    /// The job ahead that was to bring about that there is nothing to do; nil where it was so when the
    /// plan was made.
    public var expectedAfter: JobID?

    /// A value of its parts.
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

    /// Reads a row; a remark of another version is left out.
    public init(from decoder: any Decoder) throws {
      let box = try decoder.container(keyedBy: CodingKeys.self)
      update = try box.decode(Update.self, forKey: .update)
      step = try box.decodeIfPresent(Int.self, forKey: .step)
      note = try box.decodeIfPresent(String.self, forKey: .note).flatMap(UpdateNote.init)
      foundVersion = try box.decodeIfPresent(String.self, forKey: .foundVersion)
      reason = try box.decodeIfPresent(String.self, forKey: .reason)
      expectedAfter = try box.decodeIfPresent(JobID.self, forKey: .expectedAfter)
    }
  }

  /// A package that an upgrade of everything leaves as it is.
  public struct LeftOut: Sendable, Hashable, Codable {
    /// Why it stays.
    public enum Reason: String, Sendable, Hashable, Codable {
      /// It only counts as installed in this root: its files are the host's.
      case onlyCounted
    }

    /// The package's name.
    public var name: String
    /// Its architecture.
    public var architecture: String
    /// The version that it has and keeps.
    public var version: String
    /// Why it stays.
    public var reason: Reason

    /// A value of its parts.
    public init(name: String, architecture: String, version: String, reason: Reason) {
      self.name = name
      self.architecture = architecture
      self.version = version
      self.reason = reason
    }
  }

  /// What was asked for, in the requester's order.
  public var requests: [Request]
  /// Every package the job touches, dependencies included, in the order of work (row B5).
  public var steps: [PlannedUpdate]
  /// The archives to fetch, each with the index of its step; steps without one are not in here.
  public var archives: [Int: PlannedArchive]
  /// Bytes needed on the root's file system, negative when the job frees space.
  public var installedSizeChange: Int64
  /// Names the index and package database that the plan was made from; a plan is only carried out
  /// while they still are the same.
  public var fingerprint: String
  /// What an upgrade of everything could upgrade and is told to leave as it is; nobody asked for it
  /// by name, so it has no part in the job's result.
  public var leftOut: [LeftOut]
  /// Remarks of the package system, in its order, then of the engine on jobs that are ahead.
  public var warnings: [UpdateWarning]

  /// A value of its parts.
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

  /// The same with what anybody may see of the archives' addresses.
  package var withoutCredentials: JobPlan {
    var plan = self
    plan.archives = archives.mapValues(\.withoutCredentials)
    return plan
  }

  /// Reads a plan; one from before there was a list of what is left out has none.
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

  /// Writes a plan; its warnings also as bare texts, which is all that older versions read.
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

  /// What of the plan is to be fetched or was submitted: the plan of a job that changes no package.
  ///
  /// A request for a package that is merely configured needs nothing then.
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

  /// Bytes to fetch in all; held at the largest figure where a peer states more.
  public var downloadSize: Int64 { archives.values.lazy.map(\.size).total }
}

extension JobPlan.Request {
  /// What has changed since the plan said that nothing is to be done, in the words that follow the
  /// package's name; nil where the plan did not say so.
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

/// A remark on an update that is neither failure nor plain success.
public enum UpdateNote: String, Sendable, Hashable, Codable {
  /// It was there already in the wanted version (row D16).
  case alreadyInstalled
  /// It was absent already (row D17).
  case notInstalled
  /// The work never reached it (row D18).
  case notReached
  /// Fetched, but not unpacked.
  case fetched
  /// Its archive was there before the job, which only fetches (row W13).
  case alreadyDownloaded
  /// The old configuration file was kept, the new one lies beside it (row A33).
  case keptConfiguration
}
