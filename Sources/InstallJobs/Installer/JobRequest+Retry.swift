extension JobRequest {
  /// Returns a request for the part of a job that did not succeed.
  ///
  /// The request names the updates that did not succeed, with the version, architecture and archive
  /// of the original request and in the same order. Then it names every other package of the plan
  /// that was to be unpacked but was not: apt would otherwise leave out packages that are only
  /// recommended by a package that is already installed. These packages are marked as automatically
  /// installed, as the first job would have marked them; an upgrade also installs new ones. A
  /// package that the job left at its version because it was held is requested again and left
  /// again.
  ///
  /// Options for the way of working stay as they were, but a consent to any removal is not taken
  /// over. The token, the place in the queue and the
  /// times are those of a new submission.
  ///
  /// - Parameter job: The current snapshot, with its plan, of the job submitted with this request.
  /// - Returns: The request for a new job, with the comment `retry of` and the job's number; the
  ///   engine refuses a second retry of the same job.
  /// - Throws: `invalidState` if the job is not over, or if nothing is left to do; the message
  ///   names the job.
  package func retrying(_ job: JobSnapshot) throws(InstallationError) -> JobRequest {
    guard job.state.isFinal else {
      throw InstallationError(
        .invalidState, "cannot retry job \(job.id): it is not over",
        hint: "wait for its end, or abort it")
    }
    let left = job.updates.filter { $0.resultCode != .succeeded }
    let others = remainingDependencies(left: job)
    // A repair of everything finds the remaining packages itself, even if its plan was empty.
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
    // Whoever consented to any removal saw another plan; named packages stay consented to.
    options.planning.allowsRemovals = false
    guard !isWhole else { return JobRequest(operation, [], options: options) }
    // These are for an upgrade of everything; by name, the versions of the plan say the same.
    let isSecurityOnly = options.planning.isSecurityOnly
    options.planning.isFullUpgrade = false
    options.planning.isSecurityOnly = false
    options.planning.excluded = []
    let named = left.map { status in
      var update = update(status)
      if isSecurityOnly { update.version = status.planned.toVersion }
      return update
    }
    let automatic = others.map { planned in
      var update = Update(planned.name, architecture: planned.architecture)
      update.isAutomatic = true
      return update
    }
    return JobRequest(operation, named + automatic, options: options)
  }

  /// Returns the packages of a job's plan that were not requested by name and were to be unpacked,
  /// but were not.
  private func remainingDependencies(left job: JobSnapshot) -> [PlannedUpdate] {
    guard operation == .install || operation == .reinstall || operation == .upgrade else {
      return []
    }
    let asked = Set(job.updateSteps.compactMap(\.self))
    return (job.plan ?? []).enumerated().compactMap { step, status in
      let isLeft = status.resultCode != .succeeded && status.planned.action.unpacks
      return isLeft && !asked.contains(step) ? status.planned : nil
    }
  }

  /// Returns the original update for a row of the result; an update by package name if the request
  /// named none.
  private func update(_ status: UpdateStatus) -> Update {
    let planned = status.planned
    let named = updates.filter { $0.name == planned.name }
    return named.first { $0.architecture == planned.architecture }
      ?? named.first { $0.architecture == nil } ?? named.first
      ?? Update(planned.name, architecture: planned.architecture)
  }
}
