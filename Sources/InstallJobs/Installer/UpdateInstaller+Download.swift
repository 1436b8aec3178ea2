// Jobs that download archives and change no package (rows W1 to W18). They use the same job type.
extension UpdateInstaller {
  /// Starts a job that downloads and checks the archives of `updates` and of their dependencies,
  /// and returns at once.
  ///
  /// The plan is that of an installation, without steps that download nothing. The job changes no
  /// package, and neither waits for the package lock nor takes it. Each update ends in the phase
  /// `downloaded` after its archive was checked against the size and hash in the index. An abort
  /// keeps all downloaded data, including partial archives. Later jobs use the archives until this
  /// job is cleaned up.
  ///
  /// For upgrades and reinstallations, pass a request with `options.isDownloadOnly` to
  /// ``begin(_:userInfo:onProgress:onCompletion:)``.
  ///
  /// - Parameters:
  ///   - updates: The updates to download, in the order of `job.updates`.
  ///   - options: The job's options, with `isDownloadOnly` set; nil uses the installer's.
  ///   - userInfo: Available to both callbacks through the job, never stored.
  ///   - onProgress: See ``InstallationJob/ProgressHandler``.
  ///   - onCompletion: See ``InstallationJob/CompletionHandler``.
  /// - Returns: The job, already being followed; its result never asks for a restart.
  /// - Throws: The errors of ``beginInstallation(of:options:userInfo:onProgress:onCompletion:)``:
  ///   `noUpdates` for an empty list (row W5). A pending restart of the machine is no error.
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

  /// Downloads and checks the archives of `updates` and returns the result (row W2).
  ///
  /// Cancellation and errors are the same as for ``install(_:options:)``.
  public func download(
    _ updates: [Update], options: InstallationOptions? = nil
  ) async throws(InstallationError) -> InstallationResult {
    try await result { installer async throws(InstallationError) in
      try await installer.beginDownload(of: updates, options: options)
    }
  }
}
