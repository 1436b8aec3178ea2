// Upgrade, reinstallation, repair and retry. Each operation has a `begin` form and, except retry, a
// form that waits for the result. Their errors are those of an installation.
extension UpdateInstaller {
  /// Starts a job that upgrades installed packages to their newest versions.
  ///
  /// - Parameters:
  ///   - updates: The packages; an empty list means all installed packages, and the job's `updates`
  ///     then name the upgraded packages.
  ///   - options: The job's options, fixed from now on; nil uses the installer's.
  ///   - userInfo: Available to both callbacks through the job, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, already being followed.
  /// - Throws: The reason if the engine refuses the job; nothing is stored or started then.
  public func beginUpgrade(
    of updates: [Update] = [], options: InstallationOptions? = nil,
    userInfo: (any Sendable)? = nil, onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    try await begin(
      JobRequest(.upgrade, updates, options: options ?? defaultOptions), userInfo: userInfo,
      onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Upgrades packages, or all packages if none is named, and returns the verified result.
  ///
  /// Cancellation and errors are the same as for ``install(_:options:)``.
  public func upgrade(
    _ updates: [Update] = [], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginUpgrade(of: updates, options: options)
    }
  }

  /// Starts a job that unpacks and configures installed packages again.
  ///
  /// - Returns: The job, already being followed.
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
  /// Cancellation and errors are the same as for ``install(_:options:)``.
  public func reinstall(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginReinstallation(of: updates, options: options)
    }
  }

  /// Starts a job that repairs the package database.
  ///
  /// The job configures unpacked packages, unpacks packages again whose unpacking was interrupted,
  /// and installs missing ones.
  ///
  /// - Parameters:
  ///   - updates: The packages; an empty list means all broken packages.
  ///   - options: The job's options, fixed from now on; nil uses the installer's.
  ///   - userInfo: Available to both callbacks through the job, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, already being followed.
  /// - Throws: The reason if the engine refuses the job; nothing is stored or started then.
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
  /// Cancellation and errors are the same as for ``install(_:options:)``.
  public func repair(
    _ updates: [Update] = [], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginRepair(of: updates, options: options)
    }
  }

  /// Starts a new job for the part of an ended job that did not succeed.
  ///
  /// The new job requests the updates that did not succeed, with the versions named in the original
  /// request. A job can be retried once; a further retry is a retry of the new job.
  ///
  /// - Throws: `unknownJob`; `invalidState` if the job is not over, was retried already, or left
  ///   nothing to do.
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
