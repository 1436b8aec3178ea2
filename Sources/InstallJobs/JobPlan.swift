/// What will happen to one package.
public enum PlannedAction: String, Sendable, Hashable, Codable, CaseIterable {
  case install
  case upgrade
  case downgrade
  case reinstall
  case remove
  case purge
  case configure

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
  /// Why an upgrade of everything would leave it as it is, in one line; nil when it would not, and
  /// in plans.
  public var keptBack: String?

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

    /// A value of its parts.
    public init(
      update: Update, step: Int?, note: UpdateNote? = nil, foundVersion: String? = nil
    ) {
      self.update = update
      self.step = step
      self.note = note
      self.foundVersion = foundVersion
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
  /// Remarks of the package system, in its order.
  public var warnings: [String]

  /// A value of its parts.
  public init(
    requests: [Request], steps: [PlannedUpdate], archives: [Int: PlannedArchive] = [:],
    installedSizeChange: Int64 = 0, fingerprint: String = "", warnings: [String] = []
  ) {
    self.requests = requests
    self.steps = steps
    self.archives = archives
    self.installedSizeChange = installedSizeChange
    self.fingerprint = fingerprint
    self.warnings = warnings
  }

  /// Bytes to fetch in all; held at the largest figure where a peer states more.
  public var downloadSize: Int64 { archives.values.lazy.map(\.size).total }
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
  /// It stays as it is because it only counts as installed in this root: its files are the host's.
  case onlyCounted
  /// The old configuration file was kept, the new one lies beside it (row A33).
  case keptConfiguration
}
