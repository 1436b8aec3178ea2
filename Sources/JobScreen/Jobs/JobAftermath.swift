package import InstallJobs

/// What became of jobs that left something undone: a later job mended or retried it.
struct JobAftermath: Sendable {
  // When the last job ended after which nothing was half done.
  private var wholeAt: Timestamp?
  // When those ended that left something half done which no job has mended.
  private var broken: [JobID: Timestamp] = [:]
  private var retries: [JobID: JobID] = [:]

  /// Takes a job as it stands.
  ///
  /// - Returns: The jobs of which something else is true from now on, it itself among them.
  mutating func apply(_ job: JobSnapshot) -> [JobID] {
    var touched: [JobID] = retries[job.id] == nil ? [] : [job.id]
    if let id = job.options.retryOf, retries[id].map({ $0 < job.id }) ?? true {
      retries[id] = job.id
      touched.append(id)
    }
    guard job.state.isFinal, let end = job.endedAt else { return touched }
    if job.leftAllWhole, wholeAt.map({ $0 < end }) ?? true {
      wholeAt = end
      let mended = broken.filter { $0.value < end }.keys
      for id in mended { broken[id] = nil }
      touched += mended
    } else if !job.repairs.isEmpty {
      if isMended(job) { touched.append(job.id) } else { broken[job.id] = end }
    }
    return touched
  }

  /// The job that does the rest of another one; nil where none is known.
  func retry(of id: JobID) -> JobID? { retries[id] }

  /// Whether a later job left nothing half done.
  func isMended(_ job: JobSnapshot) -> Bool {
    guard let wholeAt, let end = job.endedAt else { return false }
    return end < wholeAt
  }
}

extension JobSnapshot {
  /// The job with what is left to do for it now, where later jobs have mended or retried it.
  ///
  /// - Parameter jobs: All jobs that are known.
  /// - Returns: The job without repairs that are done and without advice that was followed.
  package func settled(by jobs: [JobSnapshot]) -> JobSnapshot {
    var aftermath = JobAftermath()
    for job in jobs { _ = aftermath.apply(job) }
    var entry = JobStore.Entry(job: self)
    entry.apply(aftermath)
    var job = entry.job
    guard let hint = error?.hint, entry.isSettled(hint) else { return job }
    job.error?.hint =
      entry.retry.map { "retried as job \($0)" } ?? "'fettle retry \(id)' submits the rest"
    return job
  }

  /// Whether the whole package database was found sound when it ended: what is half done, of whatever
  /// package, makes a success with errors of one that had work to do.
  fileprivate var leftAllWhole: Bool {
    state == .completed && resultCode == .succeeded && repairs.isEmpty
      && !options.isDownloadOnly && (operation == .repair || planCount > 0)
  }
}
