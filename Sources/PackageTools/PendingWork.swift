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

    package init(_ step: PlannedUpdate, localArchive: String? = nil) {
      self.step = step
      self.localArchive = localArchive
    }
  }

  /// The changes in the order of work.
  package var changes: [Change] = []

  package init() {}

  /// Adds what a job will do.
  ///
  /// - Parameters:
  ///   - plan: The job's frozen plan.
  ///   - last: The index of the last step that is carried out, where the job is to stop after it; nil
  ///     for all.
  package mutating func append(_ plan: JobPlan, upTo last: Int? = nil) {
    let archives = Dictionary(
      plan.requests.compactMap { row in
        row.step.flatMap { step in row.update.archive.map { (step, $0.sha256) } }
      }, uniquingKeysWith: { first, _ in first })
    for (index, step) in plan.steps.enumerated() where index <= last ?? .max {
      changes.append(Change(step, localArchive: archives[index]))
    }
  }

  /// Whether nothing is pending.
  package var isEmpty: Bool { changes.isEmpty }
}
