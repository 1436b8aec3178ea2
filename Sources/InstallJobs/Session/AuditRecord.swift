/// The object of an audited action, as far as the request names it.
public struct AuditSubject: Sendable, Hashable, Codable {
  /// A user with a number of refusals.
  public struct UserCount: Sendable, Hashable, Codable {
    /// The user's id.
    public var uid: UInt32
    /// The number of refusals.
    public var count: Int

    /// Creates a value from its parts.
    public init(uid: UInt32, count: Int) {
      self.uid = uid
      self.count = count
    }
  }

  /// Maximum number of packages in a record; ``packageCount`` has the total number.
  public static let mostPackages = 32

  /// The requested operation; nil if the action is no submission.
  public var operation: JobOperation?
  /// True if the job only downloads archives; else nil.
  public var downloadOnly: Bool?
  /// The first packages of the request; untrusted text.
  public var packages: [String]
  /// The number of packages in the request.
  public var packageCount: Int
  /// In a record that summarises refusals: the users with their numbers of refusals, largest first.
  public var users: [UserCount]?

  /// Creates a subject; only the first ``mostPackages`` packages are kept.
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

/// One record of the audit log.
public struct AuditRecord: Sendable, Hashable, Codable {
  /// The record's number, in the order of recording.
  public var number: Int64
  package var at: Timestamp
  /// The user's id, as identified by the kernel.
  public var uid: UInt32
  /// The user's name.
  public var user: String
  /// The id of the requesting process; nil if unknown.
  public var pid: Int32?
  /// The command name of that process; untrusted text.
  public var command: String?
  /// The action: the name of the request in the wire protocol.
  public var act: String
  /// The job that the action concerned or created.
  public var job: JobID?
  /// The requested operation; nil if the action is no submission.
  public var operation: JobOperation?
  /// True if the job only downloads archives; else nil.
  public var downloadOnly: Bool?
  /// The first packages of the request; untrusted text.
  public var packages: [String]?
  /// The number of packages in the request.
  public var packageCount: Int?
  /// `permitted`, the code of a refusal or failure, or a text about summarised refusals.
  public var outcome: String
  /// The number of actions that the record covers.
  public var count: Int
  /// In a record that summarises refusals: the users with their numbers of refusals.
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

/// Selects records of the audit log; nil values do not restrict.
public struct AuditFilter: Sendable, Hashable, Codable {
  /// The name or the number of the user.
  public var user: String?
  /// Actions at this time or later.
  package var since: Timestamp?
  /// Actions on this job.
  public var job: JobID?
  /// The name of the request in the wire protocol.
  public var act: String?
  /// `permitted`, `refused` for all other outcomes, or one code.
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
