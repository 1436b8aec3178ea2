/// The operation that a job performs on its updates.
public enum JobOperation: String, Sendable, Hashable, Codable, CaseIterable {
  /// Install, or change to the requested version or the candidate.
  case install
  /// Unpack and configure installed packages again.
  case reinstall
  /// Upgrade installed packages to the newest version; all packages if none is named.
  case upgrade
  /// Remove, keeping configuration files.
  case remove
  /// Remove together with configuration files.
  case purge
  /// Repair packages that an interrupted run left incomplete.
  case repair

  /// The operation's kind in the Windows Update Agent (row A23).
  public enum Kind: String, Sendable, Hashable, Codable {
    case installation
    case uninstallation
  }

  /// Whether the operation installs or uninstalls packages.
  public var kind: Kind {
    switch self {
    case .install, .reinstall, .upgrade, .repair: .installation
    case .remove, .purge: .uninstallation
    }
  }

  /// Whether a job with this operation can be restricted to downloading archives.
  var isDownloadable: Bool {
    switch self {
    case .install, .reinstall, .upgrade: true
    case .remove, .purge, .repair: false
    }
  }
}

/// The handling of a request while another job runs or waits (row A14).
public enum WhenBusy: String, Sendable, Hashable, Codable {
  /// Wait in the queue.
  case queue
  /// Fail with `busy`; the message names the job in the way.
  case fail
}

/// The handling of a configuration file that changed on the machine and in the package.
public enum ConffilePolicy: String, Sendable, Hashable, Codable {
  /// Keep the machine's file; the package's version is placed beside it.
  case keep
  /// Install the package's file.
  case new
  /// Ask an operator; the job is refused, because the engine cannot ask.
  case ask
}

/// The options of one job, which cannot change after the job was submitted (row A42).
public struct InstallationOptions: Sendable, Hashable, Codable {
  /// The name of the client program, for the journal and the history (row A36).
  ///
  /// At most 200 bytes without control characters. The default is replaced by the session's name.
  public var clientName = InstallationOptions.unnamedClient
  /// The requester's reason for the job: at most 4,000 bytes; the only control characters allowed
  /// are line feeds and tabs.
  public var comment: String?
  /// Priority in the queue, -100...100.
  ///
  /// Jobs with a higher priority start first; jobs with equal priority start in order of
  /// submission.
  public var priority = 0
  /// The handling of the request while the machine is busy with another job.
  public var whenBusy = WhenBusy.queue
  /// ``lockTimeout`` in seconds.
  package var lockSeconds: Double?
  /// Whether to reinstall installed packages, purge the configuration files of removed ones, and
  /// allow a downgrade (rows A30, A31).
  public var isForced = false
  /// Whether a removal also removes configuration files (row A22).
  public var purgesConfiguration = false
  /// Whether to start even if a restart of the machine is pending (row A16).
  public var ignoresPendingReboot = false
  /// A key chosen by the caller against double submission: at most 1,000 bytes without control
  /// characters.
  ///
  /// A second submission with the same token returns the first job. If it requests something else,
  /// it is refused with `invalidArgument`. Tokens are shared by all users and stay valid as long as
  /// the job is in the journal.
  public var token: String?
  /// The job that must have ended before this job starts.
  public var after: JobID?
  /// The job of which this job is the retry.
  ///
  /// A job can be retried once; the retry can be retried in turn.
  public var retryOf: JobID?
  /// ``notBefore`` in its encoded form.
  package var earliestStart: Timestamp?
  /// ``stopBy`` in its encoded form.
  package var latestStop: Timestamp?
  /// ``stopWithin`` in seconds.
  package var stopSeconds: Double?
  /// The handling of configuration files that changed on both sides.
  public var conffiles = ConffilePolicy.keep
  /// Whether the job only downloads and checks archives and changes no package (row W1).
  ///
  /// For installations, reinstallations and upgrades. Later jobs use the archives until this job is
  /// cleaned up. The JSON key is `downloadOnly`, omitted when false.
  public var isDownloadOnly: Bool {
    get { downloadOnly ?? false }
    set { downloadOnly = newValue ? true : nil }
  }
  private var downloadOnly: Bool?
  /// What the plan may do beyond the requested updates.
  ///
  /// The JSON key is `planning`, omitted for the defaults.
  public var planning: PlanningOptions {
    get { chosenPlanning ?? PlanningOptions() }
    set { chosenPlanning = newValue.isDefault ? nil : newValue }
  }
  private var chosenPlanning: PlanningOptions?
  /// The URL of the HTTP proxy for this job's downloads (row A5).
  ///
  /// Nil uses the session's proxy, else the machine's setting.
  public var proxy: String?

  /// Creates options with their default values.
  public init() {}

  /// The client name in options that do not set one.
  package static let unnamedClient = "unknown"

  /// Sets the client name and the proxy if they are not set.
  mutating func fill(clientName: String, proxy: String?) {
    if self.clientName == Self.unnamedClient { self.clientName = clientName }
    if self.proxy == nil { self.proxy = proxy }
  }

  /// Validates the options, which a client may have set to any value.
  ///
  /// - Throws: `invalidArgument` for a priority outside -100...100; a lock time-out outside 0...1e9
  ///   seconds; a ``stopWithin`` outside 0...600 seconds; a start that is not before ``stopBy``; a
  ///   text that is too long or has control characters; a proxy that is not a plain `http` or
  ///   `https` URL, because it is written into apt's configuration. `needsInput` for
  ///   ``ConffilePolicy/ask``.
  func validate() throws(InstallationError) {
    guard (-100...100).contains(priority) else {
      throw InstallationError(
        .invalidArgument, "priority \(priority) is outside -100...100", class: .fatal,
        hint: "use a priority from -100 to 100")
    }
    // NaN is in no range.
    guard (0...1e9).contains(lockSeconds ?? 0) else {
      throw InstallationError(
        .invalidArgument, "the wait for the lock is not between 0 and 1e9 seconds", class: .fatal,
        hint: "leave it out to wait for ever")
    }
    guard (0...600).contains(stopSeconds ?? 0) else {
      throw InstallationError(
        .invalidArgument, "the wait for a stop is not between 0 and 600 seconds", class: .fatal,
        hint: "leave it out for 2 seconds")
    }
    if let earliestStart, let latestStop, earliestStart >= latestStop {
      throw InstallationError(
        .invalidArgument,
        "the job may not start before \(earliestStart) and is to stop by \(latestStop): it could never run",
        class: .fatal, hint: "choose a time to stop by that is after the start")
    }
    guard conffiles != .ask else {
      throw InstallationError(
        .needsInput, "the engine cannot ask about changed configuration files", class: .fatal,
        hint: "choose the file that is there or the package's one: keep or new")
    }
    try validateTexts()
    guard proxy.map(Self.isPlainURL) ?? true else {
      throw InstallationError(
        .invalidArgument, "the proxy is not a plain http or https URL", class: .fatal,
        hint: "use a form like http://proxy.example:3128")
    }
  }

  /// Maximum lengths in bytes of the client's name, the comment and the token.
  private static let (longestName, longestComment, longestToken) = (200, 4000, 1000)

  /// Validates the texts that are stored with the job and shown to other users.
  private func validateTexts() throws(InstallationError) {
    func check(
      _ text: String?, _ name: String, limit: Int, allowing allowed: String = ""
    ) throws(InstallationError) {
      guard let text else { return }
      guard text.utf8.count <= limit else {
        throw InstallationError(
          .invalidArgument,
          "the \(name) has \(text.utf8.count) bytes, and may have \(limit)", class: .fatal)
      }
      let isPlain = text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.generalCategory != .control || allowed.unicodeScalars.contains(scalar)
      }
      guard isPlain else {
        throw InstallationError(
          .invalidArgument, "the \(name) has control characters", class: .fatal)
      }
    }
    try check(clientName, "client's name", limit: Self.longestName)
    try check(comment, "comment", limit: Self.longestComment, allowing: "\n\t")
    try check(token, "token", limit: Self.longestToken)
  }

  /// The options for display: the proxy's user, password and query are each replaced by three
  /// asterisks.
  ///
  /// User and password end at the last `@` of the URL, because a password may contain the
  /// characters that end a URL's host part (`/`, `?`, `#`). A proxy uses no part of the URL after
  /// the host.
  package var withoutSecrets: InstallationOptions {
    guard let proxy else { return self }
    let start = proxy.firstRange(of: "://")?.upperBound ?? proxy.startIndex
    let at = proxy.lastIndex(of: "@").flatMap { $0 >= start ? $0 : nil }
    let place = proxy[(at ?? start)...]
    let query = place.firstIndex { $0 == "?" || $0 == "#" }
    guard at != nil || query != nil else { return self }
    var copy = self
    copy.proxy = proxy[..<start] + (at == nil ? "" : "***")
    copy.proxy?.append(contentsOf: query.map { place[...$0] + "***" } ?? place)
    return copy
  }

  private static func isPlainURL(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }),
      text.utf8.count <= 2048
    else { return false }
    // Refused: space, both quotes, backslash, and the characters that end or comment out a line of
    // apt's configuration.
    let refused = Set(" \"'\\`;{}<>".utf8)
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    guard let first = rest.first, first != UInt8(ascii: "/") else { return false }
    return rest.allSatisfy { (0x21...0x7e).contains($0) && !refused.contains($0) }
  }
}

/// The user who made a request, as the kernel identifies the connection's peer; never taken from
/// the client.
public struct Requester: Sendable, Hashable, Codable {
  /// The effective user id.
  public var uid: UInt32
  /// The user's name, or the number as text if the user has no name.
  public var user: String

  /// Creates a value from its parts.
  public init(uid: UInt32, user: String) {
    self.uid = uid
    self.user = user
  }
}

/// The request of a client: operation, updates and options.
public struct JobRequest: Sendable, Hashable, Codable {
  /// What to do with the updates.
  public var operation: JobOperation
  /// The requested updates, in the requester's order; empty only for an upgrade or repair of
  /// everything, and for a removal of what nothing needs.
  public var updates: [Update]
  /// The options; they cannot change after submission.
  public var options: InstallationOptions

  /// Creates a value from its parts.
  public init(
    _ operation: JobOperation, _ updates: [Update],
    options: InstallationOptions = InstallationOptions()
  ) {
    self.operation = operation
    self.updates = updates
    self.options = options
  }

  /// Returns the request without duplicate updates; the first of equal updates stays (row L5).
  ///
  /// - Throws: `noUpdates` for an empty list if the operation needs a package (row A13),
  ///   `notApplicable` for a malformed name, `contradiction` for two versions of one package (row
  ///   L6), `invalidArgument` for an option outside its range.
  package func validated() throws(InstallationError) -> JobRequest {
    let needsNoName =
      operation == .upgrade || operation == .repair
      || operation.kind == .uninstallation && options.planning.removesUnneeded
    if updates.isEmpty, !needsNoName {
      throw InstallationError(
        .noUpdates, "cannot \(operation.rawValue): no package is named", class: .fatal,
        hint: "name at least one package")
    }
    try options.validate()
    try options.planning.validate(for: self)
    guard !options.isDownloadOnly || operation.isDownloadable else {
      throw InstallationError(
        .invalidArgument, "cannot \(operation.rawValue) by fetching archives only", class: .fatal,
        hint: "leave the option out; it is for install, reinstall and upgrade")
    }
    var kept: [Update] = []
    var seen: [Update.Package: Update] = [:]
    for update in updates {
      try update.validate()
      if let other = seen.updateValue(update, forKey: update.package) {
        if other == update { continue }
        throw InstallationError(
          .contradiction, "cannot \(operation.rawValue) '\(other)' and '\(update)' together",
          class: .fatal, update: update.name, hint: "name \(update.name) once")
      }
      kept.append(update)
    }
    var request = self
    request.updates = kept
    return request
  }
}

extension Update {
  /// The key by which two updates contradict each other if their versions differ.
  fileprivate struct Package: Hashable {
    var name: String
    var architecture: String?
  }

  fileprivate var package: Package { Package(name: name, architecture: architecture) }
}
