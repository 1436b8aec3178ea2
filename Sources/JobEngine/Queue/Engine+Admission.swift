import InstallJobs
import JobJournal
import PackageProvider

/// Checks before a request becomes a job.
extension Engine {
  /// Returns the job that was created with the request's token; nil for a new token or no token.
  ///
  /// A token belongs to one request: a client that lost the reply may send the request again, and a
  /// different request with the same token is an error.
  ///
  /// - Throws: `invalidArgument` when the job was created by a different request; `journal`.
  func existing(for request: JobRequest) throws(InstallationError) -> JobSnapshot? {
    guard let token = request.options.token, let known = try journal.job(token: token) else {
      return nil
    }
    let differences = request.differences(from: try journal.request(of: known.id))
    guard differences.isEmpty else {
      throw InstallationError(
        .invalidArgument,
        "the token of this request made job \(known.id), which was asked for something else: "
          + "\(differences.joined(separator: ", ")) differ",
        class: .fatal, hint: "use a token of its own for each request; see job \(known.id)")
    }
    return snapshot(of: known.id) ?? known
  }

  /// Refuses a job whose latest stop time has passed.
  func refuseIfTooLate(_ request: JobRequest) throws(InstallationError) {
    guard let stopBy = request.options.latestStop, stopBy <= settings.now() else { return }
    throw InstallationError(
      .invalidArgument, "the time to stop by, \(stopBy), has passed", class: .fatal,
      hint: "choose a time that is still to come")
  }

  /// Finds the foreign process that holds the package lock, for a request that must not wait for
  /// it; nil for any other request.
  func lockHolder(against request: JobRequest) async -> LockHolder? {
    request.options.whenBusy == .fail && !request.options.isDownloadOnly ? await lockHolder() : nil
  }

  /// Checks, without suspending, whether a request may become a job now.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - holder: The lock holder, read by the caller beforehand because the reading suspends.
  /// - Returns: The job that the request created before; nil when the request may create a job.
  /// - Throws: As ``existing(for:)``; `busy` for a request that must not wait; `invalidState` for
  ///   the second retry of a job.
  func admit(
    _ request: JobRequest, _ holder: LockHolder?
  ) throws(InstallationError) -> JobSnapshot? {
    if let known = try existing(for: request) { return known }
    try refuseIfBusy(request, holder)
    try refuseIfRetried(request)
    return nil
  }

  private func refuseIfBusy(
    _ request: JobRequest, _ holder: LockHolder?
  ) throws(InstallationError) {
    guard request.options.whenBusy == .fail else { return }
    if let pause = queue.requestedPause {
      throw InstallationError(
        .busy, pause.message, class: .transient,
        hint: "resume the queue, or let the job wait in it")
    }
    // Jobs that wait for their start time or for another job do not keep the engine busy.
    if let job = queue.first(at: settings.now(), isOver: isOver) {
      throw InstallationError(
        .busy, "job \(job) " + (job == queue.running ? "is at work" : "starts next"),
        class: .transient,
        hint: "wait for job \(job), or let the new one queue")
    }
    if let holder {
      let name = holder.command ?? "a process"
      throw InstallationError(
        .busy, "\(name) (pid \(holder.pid)) holds the package lock", class: .transient,
        hint: "wait for it, or let the job queue")
    }
  }

  func refuseBeforeReboot(_ request: JobRequest) async throws(InstallationError) {
    guard settings.requiresRebootFirst, !request.options.ignoresPendingReboot,
      !request.options.isDownloadOnly
    else { return }
    let marker = await rebootMarker()
    guard marker.isSet else { return }
    let names = marker.packages.isEmpty ? "" : " (\(marker.packages.joined(separator: ", ")))"
    throw InstallationError(
      .rebootRequiredFirst, "a restart of the machine is pending\(names)",
      detail: marker.packages.joined(separator: " "), hint: "restart the machine first")
  }
}

extension JobRequest {
  /// The JSON names of the fields in which two requests differ.
  ///
  /// The client's name and the token are not compared: they do not change what the job does.
  fileprivate func differences(from other: JobRequest) -> [String] {
    // The requests are compared as a whole first, so that a difference in a field without a name
    // below is found too.
    var (wanted, made) = (self, other)
    (wanted.options.clientName, made.options.clientName) = ("", "")
    (wanted.options.token, made.options.token) = (nil, nil)
    guard wanted != made else { return [] }
    let (mine, old) = (options, other.options)
    let parts: [(name: String, isSame: Bool)] = [
      ("operation", operation == other.operation), ("updates", updates == other.updates),
      ("comment", mine.comment == old.comment), ("priority", mine.priority == old.priority),
      ("whenBusy", mine.whenBusy == old.whenBusy),
      ("lockTimeout", mine.lockSeconds == old.lockSeconds),
      ("isForced", mine.isForced == old.isForced),
      ("purgesConfiguration", mine.purgesConfiguration == old.purgesConfiguration),
      ("ignoresPendingReboot", mine.ignoresPendingReboot == old.ignoresPendingReboot),
      ("after", mine.after == old.after), ("retryOf", mine.retryOf == old.retryOf),
      ("notBefore", mine.earliestStart == old.earliestStart),
      ("stopBy", mine.latestStop == old.latestStop),
      ("stopWithin", mine.stopSeconds == old.stopSeconds),
      ("conffiles", mine.conffiles == old.conffiles),
      ("downloadOnly", mine.isDownloadOnly == old.isDownloadOnly),
      ("planning", mine.planning == old.planning),
      ("proxy", mine.withoutSecrets.proxy == old.withoutSecrets.proxy),
    ]
    let names = parts.filter { !$0.isSame }.map(\.name)
    return names.isEmpty ? ["options"] : names
  }
}
