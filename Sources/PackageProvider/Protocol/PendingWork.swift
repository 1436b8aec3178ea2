package import InstallJobs

/// The changes that the running job and the jobs ahead in the queue will make to a package root.
///
/// A request is planned against the package database as it will be after these changes. So it does
/// not plan packages that another job installs, and it can use packages that another job brings.
package struct PendingWork: Sendable, Hashable {
  /// One package's change.
  package struct Change: Sendable, Hashable {
    /// The planned change, with versions.
    package var step: PlannedUpdate
    /// The SHA-256 of the archive in the engine's store, for a local archive.
    package var localArchive: String?
    /// The job that makes the change.
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

  /// Appends the changes of a job.
  ///
  /// - Parameters:
  ///   - plan: The job's frozen plan.
  ///   - job: The job.
  ///   - last: The index of the last step that is carried out, for a job with a pending stop; nil
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

  /// Completes the plan that was made behind this work for a job's request.
  package func plan(_ plan: JobPlan, for request: JobRequest) -> JobPlan {
    naming(request.options.isDownloadOnly ? plan.onlyDownloads : plan)
  }

  /// Returns a plan with the job named, in `expectedAfter`, whose changes make a request need no
  /// work.
  ///
  /// The plan must have been made behind this work.
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
