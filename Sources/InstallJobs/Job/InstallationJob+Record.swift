// What the engine has on record of a job in hand.
extension InstallationJob {
  /// How the engine has the job at this moment, with its plan.
  ///
  /// Asks the engine each time; ``progress`` is what was last heard.
  ///
  /// - Throws: `engineUnreachable`; `timedOut`; `cancelled` where the task that asks is.
  public var snapshot: JobSnapshot {
    get async throws(InstallationError) { try await backend.job(id) }
  }

  /// The lines of the job's log from its beginning.
  ///
  /// - Parameters:
  ///   - package: Only the lines about this package; nil for all.
  ///   - isFollowing: Whether the sequence goes on with what comes until the job is over; else it ends
  ///     with what is there.
  /// - Returns: The lines, read as they are asked for.
  public nonisolated func logLines(
    about package: String? = nil, following isFollowing: Bool = false
  ) -> JobLog {
    JobLog(of: id, about: package, following: isFollowing, from: backend)
  }
}
