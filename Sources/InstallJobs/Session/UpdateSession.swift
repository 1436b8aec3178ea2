/// A client's session with one engine: creates installers and finds jobs (rows A1, A3, A4, A7,
/// B30).
///
/// All texts for display are English, independent of the languages of client and engine (row A6).
/// The package tools always run in `C.UTF-8`, so that their output has the same form everywhere.
public struct UpdateSession: Sendable {
  /// The client name of the session's jobs (row A3), if their options set none.
  public let clientName: String
  /// Whether the session is read-only (row A4).
  public let isReadOnly: Bool
  /// The URL of the HTTP proxy for the session's jobs, if their options set none (row A5).
  ///
  /// Nil uses the machine's setting.
  public var proxy: String?

  let backend: any InstallationBackend

  /// Creates a session with an engine.
  package init(
    backend: any InstallationBackend, clientName: String, isReadOnly: Bool = false
  ) {
    self.backend = backend
    self.clientName = clientName
    self.isReadOnly = isReadOnly
  }

  /// Creates an installer whose default options have the session's client name and proxy.
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

  /// A read-only view of the engine (row A41).
  public var observer: InstallationObserver { InstallationObserver(backend: backend) }

  /// Returns the jobs of all users, oldest first, without their plans (row B30).
  ///
  /// Contains all jobs that are not over, and the newest thousand of the ended jobs.
  ///
  /// - Parameter states: Only jobs in one of these states; nil for every state.
  /// - Returns: The current snapshots of the jobs.
  /// - Throws: `engineUnreachable`.
  public func jobs(in states: Set<JobState>? = nil) async throws(InstallationError)
    -> [JobSnapshot]
  {
    try await backend.jobs(in: states)
  }

  /// Returns the job with this number, of any user, and starts following it (row B26).
  ///
  /// Its `updates` are the requested ones, with versions only if the request named them. Its
  /// `userInfo` is nil, because it belongs to the process that started the job (row B1).
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

  /// Returns installed packages for which the index has a newer version (row A7).
  ///
  /// - Parameter name: Only the package with this name; nil for all.
  /// - Returns: The planned upgrade of each package, in the package system's order.
  /// - Throws: `engineUnreachable`, `badRoot`.
  public func upgradableUpdates(
    named name: String? = nil
  ) async throws(InstallationError) -> [PlannedUpdate] {
    try await backend.upgradableUpdates().filter { name == nil || $0.name == name }
  }

  /// Pauses the queue: no further job starts; the running job continues to its end.
  ///
  /// The pause lasts until ``resumeQueue()``, also when the engine ends and another one starts.
  ///
  /// - Returns: The state of the queue; a queue that is already paused keeps its first pause.
  /// - Throws: `notPermitted`.
  @discardableResult
  public func pauseQueue() async throws(InstallationError) -> QueueStatus {
    try refuseToAct("pause the queue")
    return try await backend.pauseQueue()
  }

  /// Resumes the queue, so that jobs start again.
  ///
  /// - Throws: `cannotResume` if no user has paused the queue; `notPermitted`.
  @discardableResult
  public func resumeQueue() async throws(InstallationError) -> QueueStatus {
    try refuseToAct("resume the queue")
    return try await backend.resumeQueue()
  }

  /// Asks the foreign process that holds the package lock to end after its current work.
  ///
  /// Only unattended-upgrades supports this: it ends after the current set of packages, and its
  /// next run does the rest. Fettle kills no process.
  ///
  /// - Returns: The process that was asked; it decides itself when it ends.
  /// - Throws: `invalidState` if no process holds the lock, or if the lock holder does not support
  ///   this request; `notPermitted`.
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

  /// Returns the state of the session's connection as a sequence, separate for each caller.
  ///
  /// The current state comes first, then each change; the sequence ends after a final state. The
  /// connection to an engine in this process is never lost: the sequence ends after `connected`.
  public func connectionStates() async -> AsyncStream<ConnectionState> {
    await backend.connectionStates()
  }

  /// Closes the session (row R8).
  ///
  /// The session releases the callbacks of its jobs and calls them no more. Waits for jobs end with
  /// `invalidState`, pending requests with `engineUnreachable`. The jobs continue.
  public func close() async { await backend.close() }

  /// Returns the status of engine, queue, lock and pending restart.
  ///
  /// - Throws: `timedOut`; `cancelled`; `engineUnreachable`.
  public func status() async throws(InstallationError) -> EngineStatus {
    try await backend.status()
  }
}
