/// What a job is asked to do with its updates.
public enum JobOperation: String, Sendable, Hashable, Codable, CaseIterable {
  /// Install, or bring to the wanted or newest version.
  case install
  /// Unpack and configure again what is installed.
  case reinstall
  /// Bring installed packages to the newest version; all of them when none is named.
  case upgrade
  /// Remove, keeping configuration files.
  case remove
  /// Remove together with configuration files.
  case purge
  /// Finish or mend what an interrupted run left behind.
  case repair

  /// The Windows Update Agent's kind of the operation (row A23).
  public enum Kind: String, Sendable, Hashable, Codable {
    case installation
    case uninstallation
  }

  /// Whether the operation brings packages or takes them away.
  public var kind: Kind {
    switch self {
    case .install, .reinstall, .upgrade, .repair: .installation
    case .remove, .purge: .uninstallation
    }
  }

  /// Whether a job may fetch the archives of the operation and do no more.
  var isDownloadable: Bool {
    switch self {
    case .install, .reinstall, .upgrade: true
    case .remove, .purge, .repair: false
    }
  }
}

/// What happens to a request while another job runs or waits (row A14).
public enum WhenBusy: String, Sendable, Hashable, Codable {
  /// Wait in the queue.
  case queue
  /// Fail with `busy`, naming the holder.
  case fail
}

/// What happens to a configuration file that was changed on both sides.
public enum ConffilePolicy: String, Sendable, Hashable, Codable {
  /// Keep the file that is there; the package's one is put beside it.
  case keep
  /// Take the package's file.
  case new
  /// Ask an operator; refused when the job begins, because the engine cannot.
  case ask
}

/// The options of one job: a value, frozen when the job begins (row A42).
public struct InstallationOptions: Sendable, Hashable, Codable {
  /// The program that asks, for journal and history (row A36), in at most 200 bytes without control
  /// characters; left as it is, the session's name is taken.
  public var clientName = InstallationOptions.unnamedClient
  /// Why the job is done, in the requester's words: at most 4,000 bytes, without control characters but
  /// line feeds and tabs.
  public var comment: String?
  /// Higher goes first in the queue, -100...100; equal priorities go in order of submission.
  public var priority = 0
  /// What to do while the machine is busy with another job.
  public var whenBusy = WhenBusy.queue
  /// ``lockTimeout`` in seconds.
  package var lockSeconds: Double?
  /// Reinstall what is installed, remove what is absent, allow a downgrade (rows A30, A31).
  public var isForced = false
  /// Whether a removal takes configuration files too (row A22).
  public var purgesConfiguration = false
  /// Whether to start although a restart of the machine is pending (row A16).
  public var ignoresPendingReboot = false
  /// A text of the caller's choice, of at most 1,000 bytes without control characters; a second submission
  /// with the same text returns the first's job.
  ///
  /// It is shared by all users, and holds as long as the job is in the journal. A second submission that asks
  /// for something else is refused with `invalidArgument`.
  public var token: String?
  /// The job that must have ended before this one starts.
  public var after: JobID?
  /// The job whose rest this one does; a job is retried once, its retry may be retried in turn.
  public var retryOf: JobID?
  /// ``notBefore`` as it travels.
  package var earliestStart: Timestamp?
  /// ``stopBy`` as it travels.
  package var latestStop: Timestamp?
  /// ``stopWithin`` in seconds.
  package var stopSeconds: Double?
  /// What happens to changed configuration files.
  public var conffiles = ConffilePolicy.keep
  /// Whether the job fetches and checks archives and changes no package (row W1).
  ///
  /// For installations, reinstallations and upgrades. Later jobs take the archives from there until the
  /// job is cleaned up. In JSON `downloadOnly`, left out where it is false.
  public var isDownloadOnly: Bool {
    get { downloadOnly ?? false }
    set { downloadOnly = newValue ? true : nil }
  }
  private var downloadOnly: Bool?
  /// The HTTP proxy for this job's downloads, as a URL; nil takes the session's, else the machine's setting
  /// (row A5).
  public var proxy: String?

  /// The options of a job that asks for nothing special.
  public init() {}

  /// The name of a client that gives none.
  package static let unnamedClient = "unknown"

  /// Sets what is not set.
  mutating func fill(clientName: String, proxy: String?) {
    if self.clientName == Self.unnamedClient { self.clientName = clientName }
    if self.proxy == nil { self.proxy = proxy }
  }

  /// Checks what a client may have made up.
  ///
  /// - Throws: `invalidArgument` for a priority outside -100...100, a wait for the lock that is not
  ///   0...1e9 seconds, one for a stop that is not 0...600, a start that is not before the time to
  ///   stop by, a text that is too long or has control characters, a proxy that is no plain `http` or
  ///   `https` URL: it ends in a setting of apt; `needsInput` for questions that nobody can be asked.
  func validate() throws(InstallationError) {
    guard (-100...100).contains(priority) else {
      throw InstallationError(
        .invalidArgument, "priority \(priority) is outside -100...100", class: .fatal,
        hint: "use a priority from -100 to 100")
    }
    // Not a number is in no range.
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

  /// The most bytes of the client's name, the comment and the token.
  private static let (longestName, longestComment, longestToken) = (200, 4000, 1000)

  /// Checks the texts that are shown to others, and kept with the job.
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

  /// The options as they may be shown: the proxy's user, password and query are three asterisks each.
  ///
  /// User and password end at the last `@` of the address. A password may hold what ends the host's part
  /// of a URL (`/`, `?`, `#`), and nothing of use to a proxy stands behind its host.
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
    // Space, both quotes, backslash, and what ends or comments out a line of apt's settings.
    let refused = Set(" \"'\\`;{}<>".utf8)
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    guard let first = rest.first, first != UInt8(ascii: "/") else { return false }
    return rest.allSatisfy { (0x21...0x7e).contains($0) && !refused.contains($0) }
  }
}

/// Who asked: the identity behind the connection, never what the client says of itself.
public struct Requester: Sendable, Hashable, Codable {
  /// The effective user id.
  public var uid: UInt32
  /// The user's name, or the number where it has none.
  public var user: String

  /// A value of its parts.
  public init(uid: UInt32, user: String) {
    self.uid = uid
    self.user = user
  }
}

/// What a client submits: operation, updates in order of wish, options.
public struct JobRequest: Sendable, Hashable, Codable {
  /// What to do with the updates.
  public var operation: JobOperation
  /// What is asked for, in the requester's order; empty only for an upgrade or repair of everything.
  public var updates: [Update]
  /// How to do it; frozen with the job.
  public var options: InstallationOptions

  /// A value of its parts.
  public init(
    _ operation: JobOperation, _ updates: [Update],
    options: InstallationOptions = InstallationOptions()
  ) {
    self.operation = operation
    self.updates = updates
    self.options = options
  }

  /// The request with doubled updates removed, first one wins (row L5).
  ///
  /// - Throws: `noUpdates` for an empty list where one is needed (row A13), `notApplicable` for a
  ///   malformed name, `contradiction` for two versions of one package (row L6),
  ///   `invalidArgument` for an option outside its range.
  package func validated() throws(InstallationError) -> JobRequest {
    if updates.isEmpty, operation != .upgrade, operation != .repair {
      throw InstallationError(
        .noUpdates, "cannot \(operation.rawValue): no package is named", class: .fatal,
        hint: "name at least one package")
    }
    try options.validate()
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
  /// What two updates must not both name, in whatever versions.
  fileprivate struct Package: Hashable {
    var name: String
    var architecture: String?
  }

  fileprivate var package: Package { Package(name: name, architecture: architecture) }
}
