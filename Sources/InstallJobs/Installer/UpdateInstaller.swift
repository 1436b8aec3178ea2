/// Begins jobs on one package root, or carries them out and waits (rows A1, A2, A8 to A25).
///
/// Every operation has a form that begins and returns, and one that awaits the result. What an
/// installer is told at the beginning of a job is frozen with the job; changing its default options
/// later changes no job (row A42).
public actor UpdateInstaller {
  /// The options that a call without options uses.
  public var defaultOptions: InstallationOptions

  let backend: any InstallationBackend

  /// An installer over an engine.
  ///
  /// - Parameters:
  ///   - backend: The engine.
  ///   - defaultOptions: The options of calls that give none.
  package init(
    backend: any InstallationBackend, defaultOptions: InstallationOptions = InstallationOptions()
  ) {
    self.backend = backend
    self.defaultOptions = defaultOptions
  }

  /// Replaces the options that a call without options uses.
  public func setDefaultOptions(_ options: InstallationOptions) { defaultOptions = options }

  // MARK: Installation

  /// Begins to install `updates` and returns at once, with the job in the engine's journal (A9).
  ///
  /// The completion callback may run before this returns; it is handed the job itself (row C13).
  ///
  /// - Parameters:
  ///   - updates: What to install, in the order in which `job.updates` will name it.
  ///   - options: Frozen with the job; nil takes the installer's.
  ///   - userInfo: Handed to both callbacks untouched, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, followed from here on.
  /// - Throws: Every reason to refuse; nothing is stored or started then.
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
  /// Packages that fail do not throw: the result says so. Cancelling the task asks for an abort; the partial
  /// result is returned all the same (row A21). Cancelled before the engine has accepted the job, it throws
  /// `cancelled`, and a job that is accepted after that is aborted.
  ///
  /// - Throws: Every reason to refuse; nothing is stored or started then. `cancelled`; `engineUnreachable`
  ///   when the engine went away for good before the job was over.
  public func install(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginInstallation(of: updates, options: options)
    }
  }

  // MARK: Removal

  /// Begins to remove `updates`; with `options.purgesConfiguration` also their configuration (A22).
  ///
  /// - Throws: As ``beginInstallation(of:options:userInfo:onProgress:onCompletion:)``, and
  ///   `notUninstallable` (row A25).
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

  /// Removes `updates` and returns the verified result (row A24); cancellation and errors as
  /// ``install(_:options:)``.
  public func uninstall(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginUninstallation(of: updates, options: options)
    }
  }

  // MARK: Around the jobs

  /// What a job would do, without doing it.
  public func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await backend.plan(request)
  }

  /// Finishes what is staged: pending configuration and triggers (row A27).
  ///
  /// - Throws: `nothingToCommit` when nothing is staged, as at a second call before anything new is staged:
  ///   nothing is done then (row A28). Why the work failed; `cancelled` when it was aborted, by the
  ///   cancellation of the task or by somebody.
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

  /// Whether a job runs or somebody else holds the package lock (row A29): a hint, no reservation.
  public var isBusy: Bool {
    get async throws(InstallationError) { try await activity != nil }
  }

  /// A way to look at the engine that has nothing to act with (row A41).
  public nonisolated var observer: InstallationObserver { InstallationObserver(backend: backend) }

  /// Who keeps the machine busy at this moment; nil when nobody does (row A29).
  public var activity: Activity? {
    get async throws(InstallationError) {
      let status = try await backend.status()
      if let job = status.runningJob { return .job(job) }
      return status.lock.map(Activity.foreign)
    }
  }

  /// Who keeps a machine busy.
  public enum Activity: Sendable, Hashable {
    /// A job of this engine.
    case job(JobID)
    /// Somebody else's package tool.
    case foreign(LockHolder)
  }

  /// Whether a restart of the machine is pending that jobs have to wait for (rows A16, A38).
  public var requiresRebootBeforeInstallation: Bool {
    get async throws(InstallationError) {
      guard !defaultOptions.ignoresPendingReboot else { return false }
      return try await backend.status().requiresRebootFirst
    }
  }

  /// Begins any request: what the named forms stand on.
  ///
  /// Options that name no client or proxy get those of ``defaultOptions``.
  ///
  /// - Returns: The job, followed from here on.
  /// - Throws: Every reason to refuse; nothing is stored or started then.
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
