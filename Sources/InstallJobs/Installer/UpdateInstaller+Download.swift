// Jobs that fetch archives and change no package (rows W1 to W18): the same job type, the same contract.
extension UpdateInstaller {
  /// Begins to fetch and check the archives of `updates` and of what they need, and returns at once.
  ///
  /// The plan is the one of an installation, without what fetches nothing. No package is changed, and the
  /// package lock is neither waited for nor held. Each update ends with the phase `downloaded` once its
  /// archive has the size and hash of the index; an abort keeps what has come, also of an archive that has
  /// not come whole. Later jobs take the archives from there until this job is cleaned up.
  ///
  /// For upgrades and reinstallations pass a request with `options.isDownloadOnly` to
  /// ``begin(_:userInfo:onProgress:onCompletion:)``.
  ///
  /// - Parameters:
  ///   - updates: What to fetch, in the order in which `job.updates` will name it.
  ///   - options: Frozen with the job, with `isDownloadOnly` set; nil takes the installer's.
  ///   - userInfo: Handed to both callbacks untouched, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, followed from here on; its result never asks for a restart.
  /// - Throws: As ``beginInstallation(of:options:userInfo:onProgress:onCompletion:)``: `noUpdates` for an
  ///   empty list (row W5). A pending restart of the machine is no reason to refuse.
  public func beginDownload(
    of updates: [Update], options: InstallationOptions? = nil, userInfo: (any Sendable)? = nil,
    onProgress: InstallationJob.ProgressHandler? = nil,
    onCompletion: InstallationJob.CompletionHandler? = nil
  ) async throws(InstallationError) -> InstallationJob {
    var chosen = options ?? defaultOptions
    chosen.isDownloadOnly = true
    return try await begin(
      JobRequest(.install, updates, options: chosen), userInfo: userInfo,
      onProgress: onProgress, onCompletion: onCompletion)
  }

  /// Fetches and checks the archives of `updates` and returns the result (row W2).
  ///
  /// Cancellation and errors are as those of ``install(_:options:)``.
  public func download(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginDownload(of: updates, options: options)
    }
  }
}
