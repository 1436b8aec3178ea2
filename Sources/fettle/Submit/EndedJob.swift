import InstallJobs

extension UpdateSession {
  /// Returns an ended job, for its replay.
  ///
  /// - Throws: `unknownJob`; `invalidState` when the job has not ended.
  func endedJob(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    let job = try await snapshot(of: id)
    guard job.state.isFinal else {
      throw InstallationError(
        .invalidState, "job \(id) is not over: there is nothing to replay yet", class: .transient,
        hint: "'fettle watch \(id)' shows it live")
    }
    return job
  }
}
