// The operations beside installing and removing, each in a form that begins and one that awaits the
// result. They throw as the forms of installation do.
extension UpdateInstaller {
  /// Begins to bring installed packages to their newest versions.
  ///
  /// - Parameters:
  ///   - updates: Which packages; none means all that are installed. The job's `updates` name what is
  ///     upgraded then.
  ///   - options: Frozen with the job; nil takes the installer's.
  ///   - userInfo: Handed to both callbacks untouched, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, followed from here on.
  /// - Throws: Every reason to refuse; nothing is stored or started then.
  public func beginUpgrade(
    of updates: [Update] = [], options: InstallationOptions? = nil,
    userInfo: (any Sendable)? = nil, onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    try await begin(
      JobRequest(.upgrade, updates, options: options ?? defaultOptions), userInfo: userInfo,
      onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Upgrades packages, all when none is named, and returns the verified result.
  ///
  /// Cancellation and errors are as those of ``install(_:options:)``.
  public func upgrade(
    _ updates: [Update] = [], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginUpgrade(of: updates, options: options)
    }
  }

  /// Begins to unpack and configure installed packages again.
  ///
  /// - Returns: The job, followed from here on.
  public func beginReinstallation(
    of updates: [Update], options: InstallationOptions? = nil, userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    try await begin(
      JobRequest(.reinstall, updates, options: options ?? defaultOptions), userInfo: userInfo,
      onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Reinstalls packages and returns the verified result.
  ///
  /// Cancellation and errors are as those of ``install(_:options:)``.
  public func reinstall(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginReinstallation(of: updates, options: options)
    }
  }

  /// Begins to repair the package database: what is unpacked is configured, what was cut off is unpacked
  /// again, what is missing is installed.
  ///
  /// - Parameters:
  ///   - updates: Only these packages; none means everything that is found broken.
  ///   - options: Frozen with the job; nil takes the installer's.
  ///   - userInfo: Handed to both callbacks untouched, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, followed from here on.
  /// - Throws: Every reason to refuse; nothing is stored or started then.
  public func beginRepair(
    of updates: [Update] = [], options: InstallationOptions? = nil,
    userInfo: (any Sendable)? = nil, onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    try await begin(
      JobRequest(.repair, updates, options: options ?? defaultOptions), userInfo: userInfo,
      onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Repairs the package database and returns the verified result.
  ///
  /// Cancellation and errors are as those of ``install(_:options:)``.
  public func repair(
    _ updates: [Update] = [], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginRepair(of: updates, options: options)
    }
  }

  /// Begins a new job with only what a job that is over did not do.
  ///
  /// What was asked for and did not succeed is asked for again, with the versions that were named then. A
  /// job is retried once; what its retry leaves, a retry of that one does.
  ///
  /// - Throws: `unknownJob`; `invalidState` for a job that is not over, that was retried already, and
  ///   where nothing is left to do.
  public func beginRetry(
    of id: JobID, userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    try await begin(
      try await backend.retryRequest(of: id), userInfo: userInfo, onProgress: onProgress,
      onCompletion: onCompletion)
  }
}
