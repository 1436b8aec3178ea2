// Data about a job that is requested from the engine on each access.
extension InstallationJob {
  /// The current snapshot of the job with its plan.
  ///
  /// Each access sends a request to the engine; ``progress`` returns the last known state without
  /// one.
  ///
  /// - Throws: `engineUnreachable`; `timedOut`; `cancelled` if the calling task is cancelled.
  public var snapshot: JobSnapshot {
    get async throws(InstallationError) { try await backend.job(id) }
  }

  /// Returns the lines of the job's log from the beginning.
  ///
  /// - Parameters:
  ///   - package: Only return the lines about this package; nil returns all lines.
  ///   - isFollowing: Whether to wait for new lines until the job is over; else the sequence ends
  ///     at the current end of the log.
  /// - Returns: The lines, read from the engine as the sequence is iterated.
  public nonisolated func logLines(
    about package: String? = nil, following isFollowing: Bool = false
  ) -> JobLog {
    JobLog(of: id, about: package, following: isFollowing, from: backend)
  }
}
