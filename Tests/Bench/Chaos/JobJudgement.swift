internal import InstallJobs

/// A job that is over, beside what the package database says before and after it.
struct JobJudgement: Sendable {
  /// The job with its plan.
  var job: JobSnapshot
  var before: InstalledPackages
  var after: InstalledPackages
  /// What `dpkg --audit` said after it.
  var audit: String
  /// How often each package was configured meanwhile.
  var configurations: [String: Int]
  /// Who was killed meanwhile.
  var hit: Set<Victim>

  /// Whether its work lost somebody who does it.
  private var hasLostWork: Bool { hit.contains(.worker) || hit.contains(.session) }

  /// What is wrong with the result: nothing, where it equals the package database and the plan.
  var wrong: [String] {
    guard job.state.isFinal else { return ["it is \(job.state.rawValue), not over"] }
    guard let plan = job.plan, !plan.isEmpty else { return ["its plan is gone"] }
    var wrong = plan.compactMap { fault(of: $0) }
    var code = OperationResultCode.overall(of: job.updates.map(\.resultCode), wasAborted: false)
    let isUndone = plan.contains { $0.resultCode != .succeeded }
    if code == .succeeded, isUndone || !audit.isEmpty { code = .succeededWithErrors }
    if job.resultCode != code {
      wrong.append("the result is \(job.resultCode), its updates make \(code)")
    }
    if (job.percentComplete == 100) != (job.resultCode == .succeeded) {
      wrong.append("\(job.percentComplete) % with the result \(job.resultCode)")
    }
    if !hasLostWork, job.resultCode != .succeeded || job.state != .completed {
      wrong.append("nobody disturbed the work, and it is \(job.state) with \(job.resultCode)")
    }
    return wrong
  }

  /// What is wrong with one step.
  private func fault(of status: UpdateStatus) -> String? {
    let step = status.planned
    let isReached = after.has(step)
    let isUntouched = after.states[step.name] == before.states[step.name]
    let isTrue =
      switch status.resultCode {
      case .succeeded: isReached
      case .notStarted: isUntouched && !isReached
      case .failed: !isReached
      default: false
      }
    guard !isTrue else { return nil }
    return "\(step.action) of \(step.name) is \(status.resultCode), "
      + "the package database has \(after.states[step.name] ?? "nothing")"
  }

  /// The packages that were configured more than once for one installation.
  ///
  /// Not asked for where dpkg was killed: its repair configures again what was cut off.
  var installedTwice: [String] {
    guard !hit.contains(.session) else { return [] }
    return configurations.filter { $0.value > 1 }.keys.sorted()
  }
}
