extension JobRequest {
  /// The request for what a job was asked to do and did not do.
  ///
  /// It asks for the updates that did not succeed, as they were asked for (version, architecture,
  /// archive), in the same order; dependencies that failed come back by themselves. What an upgrade
  /// of everything left undone is named. How the work is done stays as it was; when it is done does
  /// not: token, queue place and times are those of a new submission.
  ///
  /// - Parameter job: The job as it stands, submitted with this request.
  /// - Returns: The request for a new job, with the comment `retry of` and the job's number; the
  ///   engine refuses a second one for the same job.
  /// - Throws: `invalidState` for a job that is not over, and when nothing is left to do,
  ///   both naming the job.
  package func retrying(_ job: JobSnapshot) throws(InstallationError) -> JobRequest {
    guard job.state.isFinal else {
      throw InstallationError(
        .invalidState, "cannot retry job \(job.id): it is not over",
        hint: "wait for its end with 'fettle watch \(job.id) --until-end', or abort it")
    }
    let left = job.updates.filter { $0.resultCode != .succeeded }
    // A repair of everything finds by itself what is left, also where it had named nothing yet.
    let isWhole = updates.isEmpty && (operation == .repair || job.updates.isEmpty)
    guard isWhole ? job.resultCode != .succeeded : !left.isEmpty else {
      throw InstallationError(
        .invalidState, "cannot retry job \(job.id): everything it was asked for is done",
        class: .fatal, hint: "'fettle show \(job.id)' lists it")
    }
    var options = options
    options.comment = "retry of \(job.id)"
    options.retryOf = job.id
    options.token = nil
    options.priority = 0
    options.whenBusy = .queue
    options.after = nil
    options.notBefore = nil
    options.stopBy = nil
    return JobRequest(operation, isWhole ? [] : left.map(asked), options: options)
  }

  /// How the update of a row was asked for; by its package where everything was meant.
  private func asked(_ status: UpdateStatus) -> Update {
    let planned = status.planned
    let named = updates.filter { $0.name == planned.name }
    return named.first { $0.architecture == planned.architecture }
      ?? named.first { $0.architecture == nil } ?? named.first
      ?? Update(planned.name, architecture: planned.architecture)
  }
}
