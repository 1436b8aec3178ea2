/// Starts jobs on one package root, or performs them and waits for the result (rows A1, A2, A8 to
/// A25).
///
/// Every operation has a form that starts a job and returns, and a form that waits for the result.
/// A job keeps the options that it was started with: changing the installer's default options later
/// does not affect it (row A42).
public actor UpdateInstaller {
  /// The options of calls that pass none.
  public var defaultOptions: InstallationOptions

  let backend: any InstallationBackend

  /// Creates an installer for an engine.
  ///
  /// - Parameters:
  ///   - backend: The engine.
  ///   - defaultOptions: The options of calls that pass none.
  package init(
    backend: any InstallationBackend, defaultOptions: InstallationOptions = InstallationOptions()
  ) {
    self.backend = backend
    self.defaultOptions = defaultOptions
  }

  /// Replaces the options of calls that pass none.
  public func setDefaultOptions(_ options: InstallationOptions) { defaultOptions = options }

  // MARK: Installation

  /// Starts a job that installs `updates`, and returns as soon as the job is in the engine's
  /// journal (A9).
  ///
  /// The completion callback may run before this function returns; its argument is the job (row
  /// C13).
  ///
  /// - Parameters:
  ///   - updates: The updates to install, in the order of `job.updates`.
  ///   - options: The job's options, fixed from now on; nil uses the installer's.
  ///   - userInfo: Available to both callbacks through the job, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, already being followed.
  /// - Throws: The reason if the engine refuses the job; nothing is stored or started then.
  public func beginInstallation(
    of updates: [Update], options: InstallationOptions? = nil, userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    try await begin(
      JobRequest(.install, updates, options: options ?? defaultOptions), userInfo: userInfo,
      onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Installs `updates` and returns the verified result (row A20).
  ///
  /// Failed packages are part of the result and throw no error. Cancelling the task requests an
  /// abort; the function still returns the partial result (row A21). If the task is cancelled
  /// before the engine has accepted the job, the function throws `cancelled`, and the job is
  /// aborted if the engine accepts it later.
  ///
  /// - Throws: The reason if the engine refuses the job; nothing is stored or started then.
  ///   `cancelled`; `engineUnreachable` if the connection to the engine is lost for good before the
  ///   job is over.
  public func install(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginInstallation(of: updates, options: options)
    }
  }

  // MARK: Removal

  /// Starts a job that removes `updates`; with `options.purgesConfiguration` also their
  /// configuration (A22).
  ///
  /// - Throws: The errors of ``beginInstallation(of:options:userInfo:onProgress:onCompletion:)``,
  ///   and `notUninstallable` (row A25).
  public func beginUninstallation(
    of updates: [Update], options: InstallationOptions? = nil, userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    let chosen = options ?? defaultOptions
    return try await begin(
      JobRequest(chosen.purgesConfiguration ? .purge : .remove, updates, options: chosen),
      userInfo: userInfo, onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Removes `updates` and returns the verified result (row A24).
  ///
  /// Cancellation and errors are the same as for ``install(_:options:)``.
  public func uninstall(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginUninstallation(of: updates, options: options)
    }
  }

  // MARK: Plan, commit and status

  /// Returns the plan of a job without submitting it.
  public func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await backend.plan(request)
  }

  /// Completes pending configurations and triggers of the package database (row A27).
  ///
  /// - Throws: `nothingToCommit` if nothing is pending, also on a second call before new work is
  ///   pending; nothing is done then (row A28). The job's error if the work failed. `cancelled` if
  ///   the job was aborted by a cancellation of the task or by a user.
  public func commit() async throws(InstallationError) {
    let request = JobRequest(.repair, [], options: defaultOptions)
    guard try await backend.plan(request).steps.isEmpty == false else {
      throw InstallationError(
        .nothingToCommit, "nothing is staged in the package database", class: .fatal)
    }
    let result = try await result { installer async throws(InstallationError) in
      try await installer.begin(request)
    }
    guard result.code != .succeeded else { return }
    throw result.error
      ?? InstallationError(
        .cancelled, "the commit was aborted before all of it was done", class: .transient,
        hint: "call commit() again for the rest")
  }

  /// Whether a job runs or a foreign process holds the package lock (row A29).
  ///
  /// This is a hint and reserves nothing.
  public var isBusy: Bool {
    get async throws(InstallationError) { try await activity != nil }
  }

  /// A read-only view of the engine (row A41).
  public nonisolated var observer: InstallationObserver { InstallationObserver(backend: backend) }

  /// The job or process that keeps the machine busy; nil if there is none (row A29).
  public var activity: Activity? {
    get async throws(InstallationError) {
      let status = try await backend.status()
      if let job = status.runningJob { return .job(job) }
      return status.lock.map(Activity.foreign)
    }
  }

  /// The work that keeps a machine busy.
  public enum Activity: Sendable, Hashable {
    /// A job of this engine.
    case job(JobID)
    /// A foreign process that holds the package lock.
    case foreign(LockHolder)
  }

  /// Whether jobs are refused until a pending restart of the machine has happened (rows A16, A38).
  public var requiresRebootBeforeInstallation: Bool {
    get async throws(InstallationError) {
      guard !defaultOptions.ignoresPendingReboot else { return false }
      return try await backend.status().requiresRebootFirst
    }
  }

  /// Starts a job for any request; the other `begin` functions call this one.
  ///
  /// Options without a client name or proxy get those of ``defaultOptions``.
  ///
  /// - Returns: The job, already being followed.
  /// - Throws: The reason if the engine refuses the job; nothing is stored or started then.
  public func begin(
    _ request: JobRequest, userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    var request = request
    request.options.fill(clientName: defaultOptions.clientName, proxy: defaultOptions.proxy)
    let valid = try request.validated()
    let snapshot = try await backend.submit(valid)
    let job = InstallationJob(
      snapshot, updates: request.updates, userInfo: userInfo, backend: backend)
    job.follow(onProgress: onProgress, onCompletion: onCompletion)
    return job
  }
}
