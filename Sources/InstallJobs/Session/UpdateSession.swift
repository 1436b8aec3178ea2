/// A client's relation to one engine: makes installers, finds jobs (rows A1, A3, A4, A7, B30).
///
/// Texts for people are English, in whatever language client and engine run (row A6). The package tools
/// run in `C.UTF-8` always, so that their output is read the same everywhere.
public struct UpdateSession: Sendable {
  /// The name under which this session's jobs are recorded (row A3), where their options name nobody.
  public let clientName: String
  /// Whether the session may only look (row A4).
  public let isReadOnly: Bool
  /// The HTTP proxy of this session's jobs, as a URL, where their options name none; nil uses the machine's
  /// setting (row A5).
  public var proxy: String?

  let backend: any InstallationBackend

  /// A session over an engine.
  package init(
    backend: any InstallationBackend, clientName: String, isReadOnly: Bool = false
  ) {
    self.backend = backend
    self.clientName = clientName
    self.isReadOnly = isReadOnly
  }

  /// An installer whose default options carry the session's name and proxy.
  ///
  /// - Throws: `notPermitted` in a read-only session (row A4).
  public func makeInstaller() throws(InstallationError) -> UpdateInstaller {
    guard !isReadOnly else {
      throw InstallationError(
        .notPermitted, "a read-only session cannot install or remove anything", class: .fatal,
        hint: "open a session that is not read-only")
    }
    var options = InstallationOptions()
    options.clientName = clientName
    options.proxy = proxy
    return UpdateInstaller(backend: backend, defaultOptions: options)
  }

  /// A way to look at the engine that has nothing to act with (row A41).
  public var observer: InstallationObserver { InstallationObserver(backend: backend) }

  /// The session's jobs and everybody else's: oldest first, without their plans (row B30).
  ///
  /// All that are not over, and the newest thousand of those that are.
  ///
  /// - Parameter states: Only jobs in one of these; nil for every state.
  /// - Returns: The jobs as they stand.
  /// - Throws: `engineUnreachable`.
  public func jobs(in states: Set<JobState>? = nil) async throws(InstallationError)
    -> [JobSnapshot]
  {
    try await backend.jobs(in: states)
  }

  /// The job with this number, whoever began it, followed from here on (row B26).
  ///
  /// Its `updates` are what was asked for, versions only where they were named. Its `userInfo` is nil: that
  /// belongs to the process that began the job (row B1).
  ///
  /// - Throws: `unknownJob`; `timedOut`; `cancelled`; `engineUnreachable`.
  public func job(
    _ id: JobID, onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    let snapshot = try await backend.job(id)
    let updates = try await backend.request(of: id).updates
    let job = InstallationJob(
      snapshot, updates: updates, userInfo: nil, backend: backend, isReadOnly: isReadOnly)
    job.follow(onProgress: onProgress, onCompletion: onCompletion)
    return job
  }

  /// Installed packages for which the index has a newer version (row A7).
  ///
  /// - Parameter name: Only the package of this name; nil for all.
  /// - Returns: What an upgrade of each would bring, in the package system's order.
  /// - Throws: `engineUnreachable`, `badRoot`.
  public func upgradableUpdates(
    named name: String? = nil
  ) async throws(InstallationError) -> [PlannedUpdate] {
    try await backend.upgradableUpdates().filter { name == nil || $0.name == name }
  }

  /// Lets no further job of the queue begin; one that is at work goes on to its end.
  ///
  /// Holds until ``resumeQueue()``, also when the engine ends and another begins.
  ///
  /// - Returns: How the queue stands; paused already, it stays as it was asked for first.
  /// - Throws: `notPermitted`.
  @discardableResult
  public func pauseQueue() async throws(InstallationError) -> QueueStatus {
    try refuseToAct("pause the queue")
    return try await backend.pauseQueue()
  }

  /// Lets jobs of the queue begin again.
  ///
  /// - Throws: `cannotResume` where nobody has paused it; `notPermitted`.
  @discardableResult
  public func resumeQueue() async throws(InstallationError) -> QueueStatus {
    try refuseToAct("let the queue go on")
    return try await backend.resumeQueue()
  }

  /// Asks the foreign process that holds the package lock to end after what it is at.
  ///
  /// Only unattended-upgrades can be asked: it ends after the set of packages that it is at, and its
  /// next run does the rest. No process is ever killed.
  ///
  /// - Returns: Who was asked; when it ends is its own affair.
  /// - Throws: `invalidState` where nobody holds the lock, or the holder knows no such request;
  ///   `notPermitted`.
  @discardableResult
  public func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    try refuseToAct("ask anybody to yield")
    return try await backend.askLockHolderToYield()
  }

  func refuseToAct(_ what: String) throws(InstallationError) {
    guard isReadOnly else { return }
    throw Self.readOnly(what)
  }

  static func readOnly(_ what: String) -> InstallationError {
    InstallationError(
      .notPermitted, "a read-only session cannot \(what)", class: .fatal,
      hint: "open a session that is not read-only")
  }

  /// How the session stands with its engine, as a sequence of its own for each caller.
  ///
  /// The present state comes first, then each change, ending after a final one. An engine in this process is
  /// never lost: the sequence ends after `connected`.
  public func connectionStates() async -> AsyncStream<ConnectionState> {
    await backend.connectionStates()
  }

  /// Ends the session (row R8): callbacks of its jobs are let go of and not called any more, waits for jobs
  /// end with `invalidState`, requests that are under way with `engineUnreachable`, and jobs go on.
  public func close() async { await backend.close() }

  /// Engine, queue, lock and restart state.
  ///
  /// - Throws: `timedOut`; `cancelled`; `engineUnreachable`.
  public func status() async throws(InstallationError) -> EngineStatus {
    try await backend.status()
  }
}
