import InstallJobs
import JobJournal
import PackageProvider

/// What is checked before a request becomes a job.
extension Engine {
  /// The job that a request's token made; nil for a new token, or none.
  ///
  /// A token stands for one request: a caller that did not hear the answer may ask again, a caller
  /// that asks for something else must not be told that it was done.
  ///
  /// - Throws: `invalidArgument` when that job was made by another request; `journal`.
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

  /// Refuses a job that would have to stop before it could begin.
  func refuseIfTooLate(_ request: JobRequest) throws(InstallationError) {
    guard let stopBy = request.options.latestStop, stopBy <= settings.now() else { return }
    throw InstallationError(
      .invalidArgument, "the time to stop by, \(stopBy), has passed", class: .fatal,
      hint: "choose a time that is still to come")
  }

  /// The foreign process that holds the package lock, where a request would have to wait for it and must
  /// not.
  func lockHolder(against request: JobRequest) async -> LockHolder? {
    request.options.whenBusy == .fail && !request.options.isDownloadOnly ? await lockHolder() : nil
  }

  /// Looks, without suspending, whether a request may become a job now.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - holder: Who held the package lock a moment ago; asked for first, because that suspends.
  /// - Returns: The job that the request has made before; nil when it may make one.
  /// - Throws: As ``existing(for:)``; `busy` for a request that must not wait; `invalidState` for the
  ///   second retry of a job.
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
        hint: "let the queue go on, or let the job wait in it")
    }
    // Jobs that wait for their time or for another job leave the engine free.
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
  /// The names of the parts in which two requests differ, as they stand in JSON.
  ///
  /// The client's name is none of them: who speaks is not what is asked for.
  fileprivate func differences(from other: JobRequest) -> [String] {
    // Compared as a whole: a part that has no name below must not pass for the same.
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
      ("proxy", mine.withoutSecrets.proxy == old.withoutSecrets.proxy),
    ]
    let names = parts.filter { !$0.isSame }.map(\.name)
    return names.isEmpty ? ["options"] : names
  }
}
