/// What an act that is on record was about, as far as the request says.
public struct AuditSubject: Sendable, Hashable, Codable {
  /// A user and how many refusals were counted.
  public struct UserCount: Sendable, Hashable, Codable {
    /// The user's number.
    public var uid: UInt32
    /// How many refusals.
    public var count: Int

    /// A value of its parts.
    public init(uid: UInt32, count: Int) {
      self.uid = uid
      self.count = count
    }
  }

  /// Packages that are named at most; ``packageCount`` says how many there are.
  public static let mostPackages = 32

  /// What was to be done with the packages; nil for what is no submission.
  public var operation: JobOperation?
  /// True where the operation's archives are fetched and no more; nil otherwise.
  public var downloadOnly: Bool?
  /// The first packages of the request; hostile text.
  public var packages: [String]
  /// How many packages the request names.
  public var packageCount: Int
  /// Whose refusals a row stands for that counts several, most first.
  public var users: [UserCount]?

  /// A value of its parts; of the packages the first ``mostPackages`` are kept.
  public init(
    operation: JobOperation? = nil, packages: [String] = [], packageCount: Int? = nil,
    users: [UserCount]? = nil, isDownloadOnly: Bool = false
  ) {
    self.operation = operation
    downloadOnly = isDownloadOnly ? true : nil
    self.packages = packages.prefix(Self.mostPackages).map { String($0.prefix(120)) }
    self.packageCount = packageCount ?? packages.count
    self.users = users
  }
}

/// One row of the record of acts, as it is shown.
public struct AuditRecord: Sendable, Hashable, Codable {
  /// The row's number, in order of recording.
  public var number: Int64
  package var at: Timestamp
  /// Who, by the kernel.
  public var uid: UInt32
  /// The user's name.
  public var user: String
  /// The process that asked; nil where that is not known.
  public var pid: Int32?
  /// Its command name; hostile text.
  public var command: String?
  /// What was asked for: the request's name on the wire.
  public var act: String
  /// The job that the act is about, or that it has made.
  public var job: JobID?
  /// What was to be done with the packages; nil for what is no submission.
  public var operation: JobOperation?
  /// True where the operation's archives are fetched and no more; nil otherwise.
  public var downloadOnly: Bool?
  /// The first packages of the request; hostile text.
  public var packages: [String]?
  /// How many packages the request names.
  public var packageCount: Int?
  /// `permitted`, the code of a refusal or failure, or words about refusals that are counted.
  public var outcome: String
  /// How many acts the row stands for.
  public var count: Int
  /// Whose refusals a row stands for that counts several.
  public var users: [AuditSubject.UserCount]?

  package init(
    number: Int64, at: Timestamp, uid: UInt32, user: String, pid: Int32?, command: String?,
    act: String, job: JobID?, subject: AuditSubject?, outcome: String, count: Int
  ) {
    self.number = number
    self.at = at
    self.uid = uid
    self.user = user
    self.pid = pid
    self.command = command
    self.act = act
    self.job = job
    operation = subject?.operation
    downloadOnly = subject?.downloadOnly
    packages = subject.flatMap { $0.packageCount > 0 ? $0.packages : nil }
    packageCount = subject.flatMap { $0.packageCount > 0 ? $0.packageCount : nil }
    self.outcome = outcome
    self.count = count
    users = subject?.users
  }
}

/// Which rows of the record of acts to list; what is nil does not restrict.
public struct AuditFilter: Sendable, Hashable, Codable {
  /// The name or the number of the user.
  public var user: String?
  /// Acts at this time or later.
  package var since: Timestamp?
  /// Acts on this job.
  public var job: JobID?
  /// The request's name on the wire.
  public var act: String?
  /// `permitted`, `refused` for everything else, or one code.
  public var outcome: String?

  package init(
    user: String? = nil, since: Timestamp?, job: JobID? = nil, act: String? = nil,
    outcome: String? = nil
  ) {
    self.user = user
    self.since = since
    self.job = job
    self.act = act
    self.outcome = outcome
  }
}
