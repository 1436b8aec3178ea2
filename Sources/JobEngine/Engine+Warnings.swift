import InstallJobs

/// What a plan is warned of because of jobs that are not over.
///
/// A plan is frozen as the machine is now (row A43). What needs nothing now has no step, so that a
/// job ahead of it which undoes that may make the new one fail at its turn.
extension Engine {
  /// The plan, with a warning for each row that needs nothing only until a job ahead has worked.
  func warning(_ plan: JobPlan, of request: JobRequest) -> JobPlan {
    let rows = plan.requests.filter { $0.step == nil && $0.note != nil }
    guard !rows.isEmpty else { return plan }
    var plan = plan
    // Of several steps on one package the last one decides how it is at the new job's turn.
    var last: [String: [String: (job: JobID, step: PlannedUpdate)]] = [:]
    for id in jobsAhead(of: request) {
      guard let job = live[id]?.machine, !job.hasAcceptedAbort, !job.isDownloadOnly else {
        continue
      }
      for step in job.plan.steps { last[step.name, default: [:]][step.architecture] = (id, step) }
    }
    for row in rows {
      let steps = (last[row.update.name] ?? [:]).values.sorted { $0.job < $1.job }
      guard let (id, step) = steps.first(where: { $0.step.undoing(row) != nil }),
        let undoing = step.undoing(row)
      else { continue }
      plan.warnings.append(
        UpdateWarning(
          .undoneByEarlierJob,
          "\(row.update.name) \(undoing.now), but job \(id) ahead \(undoing.work)"
            + " \(step.name) (\(step.architecture)): ask again when that is over, or this job may"
            + " fail at its turn", update: row.update.name))
    }
    return plan
  }
}

extension PlannedUpdate {
  /// How this step undoes what a row found, in words; nil where it does not.
  fileprivate func undoing(_ row: JobPlan.Request) -> (now: String, work: String)? {
    guard row.update.name == name,
      row.update.architecture == nil || row.update.architecture == architecture
    else { return nil }
    return switch (action, row.note) {
    case (.remove, .alreadyInstalled): ("is installed", "removes")
    case (.purge, .alreadyInstalled): ("is installed", "purges")
    case (.upgrade, .alreadyInstalled) where row.update.version != nil:
      ("is there as asked for", "upgrades")
    case (.downgrade, .alreadyInstalled): ("is installed", "downgrades")
    case (.install, .notInstalled): ("is not installed", "installs")
    default: nil
    }
  }
}
