package import InstallJobs

/// Jobs that repaired or retried earlier jobs.
struct RepairsAndRetries: Sendable {
  // End of the last job after which no package was half-configured or half-installed.
  private var wholeAt: Timestamp?
  // Ends of jobs that left packages half done and are not repaired by a later job.
  private var broken: [JobID: Timestamp] = [:]
  private var retries: [JobID: JobID] = [:]

  /// Applies the current state of a job.
  ///
  /// - Returns: The jobs whose retry or repair state may have changed, possibly including `job`.
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

  /// The job that retries the given one; nil if none is known.
  func retry(of id: JobID) -> JobID? { retries[id] }

  /// Whether a later job left no package half done.
  func isMended(_ job: JobSnapshot) -> Bool {
    guard let wholeAt, let end = job.endedAt else { return false }
    return end < wholeAt
  }
}

extension JobSnapshot {
  /// The job with the repairs and the hint that are still needed after later jobs.
  ///
  /// - Parameter jobs: All known jobs.
  /// - Returns: The job without repairs that are done and without a hint that was followed.
  package func settled(by jobs: [JobSnapshot]) -> JobSnapshot {
    var aftermath = RepairsAndRetries()
    for job in jobs { _ = aftermath.apply(job) }
    var entry = JobStore.Entry(job: self)
    entry.apply(aftermath)
    var job = entry.job
    guard let hint = error?.hint, entry.isHintFollowed(hint) else { return job }
    job.error?.hint =
      entry.retry.map { "retried as job \($0)" } ?? "'fettle retry \(id)' submits the rest"
    return job
  }

  /// Whether dpkg's whole package database was sound when the job ended.
  ///
  /// A half-done package, of any job, turns success into success with errors for a job that had
  /// work to do.
  fileprivate var leftAllWhole: Bool {
    state == .completed && resultCode == .succeeded && repairs.isEmpty
      && !options.isDownloadOnly && (operation == .repair || planCount > 0)
  }
}
