import Synchronization

extension InstallationJob {
  /// Waits until the job is over and its completion callback has returned, then frees the job's
  /// archives and work files in the engine and releases both callbacks (rows B6, B7).
  ///
  /// A repeated call returns at once (row B9). The wait for a waiting or paused job has no
  /// time-out; ``cleanUp(within:clock:)`` has one.
  ///
  /// - Throws: Without waiting: `cleanUpCalledFromCallback` from a callback of this job (row B8),
  ///   and `notPermitted`. Later: `cancelled` if the waiting task is cancelled;
  ///   `engineUnreachable`; `invalidState` if the session is closed; `timedOut` if the engine does
  ///   not answer.
  public func cleanUp() async throws(InstallationError) {
    try await refuseCleanUp()
    try await wait { job in job.isReadyForCleanUp }
    guard isCompleted else { throw missingResultError }
    guard !tracker.isCleanedUp else { return }
    try await backend.cleanUp(id)
    tracker.isCleanedUp = true
  }

  /// Cleans up like ``cleanUp()``, with a time-out for the end of the job and its callbacks (row
  /// B10).
  ///
  /// The time-out does not cover the engine's answer. A job that is over and has no running
  /// callback is cleaned up for any value of `limit`.
  ///
  /// - Throws: `timedOut` if the job and its callbacks did not end in time; they continue.
  public func cleanUp(
    within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(InstallationError) {
    try await refuseCleanUp()
    try await wait(within: limit, clock) { job in job.isReadyForCleanUp }
    try await cleanUp()
  }

  /// Whether no wait is left before the clean up.
  ///
  /// After the end of the job only a callback is waited for, not the engine's end of the sequence.
  private var isReadyForCleanUp: Bool {
    isEnded || (isCompleted && !hasCallbacks.load(ordering: .acquiring))
  }

  /// Throws the errors of a clean up that are known before any wait.
  private func refuseCleanUp() async throws(InstallationError) {
    try refuseToAct("clean up job \(id)")
    guard await !isInCallback else {
      throw InstallationError(
        .cleanUpCalledFromCallback, "clean up of job \(id) was called from its own callback",
        class: .fatal, hint: "call cleanUp() after the callback has returned")
    }
    guard !backend.mayAct, !isCompleted else { return }
    do throws(InstallationError) {
      // The engine decides and words the refusal; the user may have got the right in the meantime.
      try await backend.cleanUp(id)
    } catch {
      guard error.code == .invalidState else { throw error }
    }
  }
}
