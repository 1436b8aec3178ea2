extension JobRequest {
  /// The request for what a job's plan had and what is not done of it.
  ///
  /// It asks for the updates that did not succeed, as they were asked for (version, architecture,
  /// archive), in the same order, then for every other package of the plan that was to be unpacked and
  /// was not: apt leaves out what is merely recommended by a package that is installed already. Those
  /// count as installed automatically, as they would have; an upgrade installs them, new or not. A
  /// package that the job left alone as held is asked for again, and left alone again. How the work is done stays as it was; when
  /// it is done does not: token, queue place and times are those of a new submission.
  ///
  /// - Parameter job: The job as it stands, with its plan, submitted with this request.
  /// - Returns: The request for a new job, with the comment `retry of` and the job's number; the
  ///   engine refuses a second one for the same job.
  /// - Throws: `invalidState` for a job that is not over, and when nothing is left to do,
  ///   both naming the job.
  package func retrying(_ job: JobSnapshot) throws(InstallationError) -> JobRequest {
    guard job.state.isFinal else {
      throw InstallationError(
        .invalidState, "cannot retry job \(job.id): it is not over",
        hint: "wait for its end, or abort it")
    }
    let left = job.updates.filter { $0.resultCode != .succeeded }
    let others = unaskedPackages(left: job)
    // A repair of everything finds by itself what is left, also where it had named nothing yet.
    let isWhole = updates.isEmpty && (operation == .repair || job.updates.isEmpty)
    guard isWhole ? job.resultCode != .succeeded : !left.isEmpty || !others.isEmpty else {
      throw InstallationError(
        .invalidState, "cannot retry job \(job.id): everything it was asked for is done",
        class: .fatal, hint: "its results say what became of each package")
    }
    var options = options
    options.comment = "retry of \(job.id)"
    options.retryOf = job.id
    options.token = nil
    options.priority = 0
    options.whenBusy = .queue
    options.after = nil
    options.earliestStart = nil
    options.latestStop = nil
    guard !isWhole else { return JobRequest(operation, [], options: options) }
    let named = left.map(update)
    let automatic = others.map { planned in
      var update = Update(planned.name, architecture: planned.architecture)
      update.isAutomatic = true
      return update
    }
    return JobRequest(operation, named + automatic, options: options)
  }

  /// The packages of a job's plan that nobody named, that were to be unpacked and were not.
  private func unaskedPackages(left job: JobSnapshot) -> [PlannedUpdate] {
    guard operation == .install || operation == .reinstall || operation == .upgrade else {
      return []
    }
    let asked = Set(job.updateSteps.compactMap(\.self))
    return (job.plan ?? []).enumerated().compactMap { step, status in
      let isLeft = status.resultCode != .succeeded && status.planned.action.unpacks
      return isLeft && !asked.contains(step) ? status.planned : nil
    }
  }

  /// How the update of a row was asked for; by its package where everything was meant.
  private func update(_ status: UpdateStatus) -> Update {
    let planned = status.planned
    let named = updates.filter { $0.name == planned.name }
    return named.first { $0.architecture == planned.architecture }
      ?? named.first { $0.architecture == nil } ?? named.first
      ?? Update(planned.name, architecture: planned.architecture)
  }
}
