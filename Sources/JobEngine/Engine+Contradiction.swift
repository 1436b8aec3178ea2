import InstallJobs

/// Jobs that are not over and undo what a new plan takes for granted.
///
/// A plan is frozen as the machine is now (row A43). What needs nothing now has no step, so that a
/// job ahead in the queue which takes it away makes the new one fail at its turn.
extension Engine {
  /// The plan, with a warning for each row that needs nothing only until an open job has worked.
  func warningOfOpenJobs(_ plan: JobPlan) -> JobPlan {
    var rows: [String: UpdateNote] = [:]
    for row in plan.requests where row.step == nil { rows[row.update.name] = row.note }
    guard !rows.isEmpty else { return plan }
    var plan = plan
    for (id, job) in live.sorted(by: { $0.key < $1.key }) {
      for step in job.machine.plan.steps {
        guard let note = rows[step.name], let undoing = step.action.undoing(note) else { continue }
        rows[step.name] = nil
        plan.warnings.append(
          "\(step.name) \(undoing.now), but job \(id) \(undoing.work) it: ask again when that is"
            + " over, or this one fails at its turn")
      }
    }
    return plan
  }
}

extension PlannedAction {
  /// How what a row found is undone by this action, in words; nil where it is not.
  fileprivate func undoing(_ note: UpdateNote) -> (now: String, work: String)? {
    switch (self, note) {
    case (.remove, .alreadyInstalled): ("is installed", "removes")
    case (.purge, .alreadyInstalled): ("is installed", "purges")
    case (.install, .notInstalled): ("is not installed", "installs")
    default: nil
    }
  }
}
