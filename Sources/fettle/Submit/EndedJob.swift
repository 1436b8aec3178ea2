import InstallJobs

extension UpdateSession {
  /// A job that is over, for its replay.
  ///
  /// - Throws: `unknownJob`; `invalidState` while the job is not over.
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
