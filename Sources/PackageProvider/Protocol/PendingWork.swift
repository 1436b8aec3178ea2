package import InstallJobs

/// What jobs will have done to a package root before a new one has its turn: the job at work, then
/// those that go before it in the queue.
///
/// A request is planned against what will be there then, so that it neither takes packages that
/// another job is working on for its own nor misses what another one brings.
package struct PendingWork: Sendable, Hashable {
  /// One package as it will be.
  package struct Change: Sendable, Hashable {
    /// What is done to it, with the versions.
    package var step: PlannedUpdate
    /// The SHA-256 of the archive in the engine's store, where a caller brought it.
    package var localArchive: String?
    /// The job that does it.
    package var job: JobID?

    package init(_ step: PlannedUpdate, localArchive: String? = nil, job: JobID? = nil) {
      self.step = step
      self.localArchive = localArchive
      self.job = job
    }
  }

  /// The changes in the order of work.
  package var changes: [Change] = []

  package init() {}

  /// Adds what a job will do.
  ///
  /// - Parameters:
  ///   - plan: The job's frozen plan.
  ///   - job: The job.
  ///   - last: The index of the last step that is carried out, where the job is to stop after it; nil
  ///     for all.
  package mutating func append(_ plan: JobPlan, of job: JobID? = nil, upTo last: Int? = nil) {
    let archives = Dictionary(
      plan.requests.compactMap { row in
        row.step.flatMap { step in row.update.archive.map { (step, $0.sha256) } }
      }, uniquingKeysWith: { first, _ in first })
    for (index, step) in plan.steps.enumerated() where index <= last ?? .max {
      changes.append(Change(step, localArchive: archives[index], job: job))
    }
  }

  /// The plan of a job, from the one that was made behind this work for its request.
  package func plan(_ plan: JobPlan, for request: JobRequest) -> JobPlan {
    naming(request.options.isDownloadOnly ? plan.onlyDownloads : plan)
  }

  /// A plan that was made behind this work, with the job named that is to bring about that nothing is
  /// to be done for an update.
  package func naming(_ plan: JobPlan) -> JobPlan {
    var plan = plan
    for index in plan.requests.indices where plan.requests[index].step == nil {
      let row = plan.requests[index]
      let last = changes.last { change in
        change.step.name == row.update.name
          && [nil, change.step.architecture].contains(row.update.architecture)
      }
      guard let last else { continue }
      let brings =
        switch (row.note, last.step.action) {
        case (.alreadyInstalled, .install), (.alreadyInstalled, .upgrade),
          (.alreadyInstalled, .downgrade):
          last.step.toVersion == row.foundVersion
        case (.notInstalled, .remove), (.notInstalled, .purge): true
        default: false
        }
      if brings { plan.requests[index].expectedAfter = last.job }
    }
    return plan
  }

  /// Whether nothing is pending.
  package var isEmpty: Bool { changes.isEmpty }
}
