internal import InstallJobs

/// One abort: when it was asked for, what was answered, and what became of it.
struct AbortTrial: Sendable {
  /// What the job was doing when it was asked for.
  enum Moment: String, Sendable, Hashable, CaseIterable {
    case queue
    case download
    case dpkg

    /// The moment that a state of the job is of; nil once the job is over.
    init?(_ state: JobState) {
      switch state {
      case .queued: self = .queue
      case .downloading: self = .download
      case .waitingForLock, .installing, .waitingForInput, .stopping, .suspended, .finalizing:
        self = .dpkg
      case .completed, .interrupted: return nil
      }
    }
  }

  var answer: AbortDisposition
  /// The job with its plan after its end.
  var job: JobSnapshot
  /// What the package database says after it; before it, nothing of the plan was there.
  var after: InstalledPackages
  /// What `dpkg --audit` said after it.
  var audit: String

  /// What of the answer did not come true; empty where it was kept exactly.
  var broken: [String] {
    guard job.state == .completed else { return ["the job is \(job.state)"] }
    guard let plan = job.plan, !plan.isEmpty else { return ["the job's plan is gone"] }
    var broken: [String] = []
    let done: Int
    switch answer {
    case .accepted(nil, _): done = 0
    case .accepted(let name?, _):
      guard let index = plan.firstIndex(where: { $0.name == name }) else {
        return ["it stops after \(name), which the plan does not have"]
      }
      done = index + 1
    case .refused(let reason) where [.finalStep, .verifying].contains(reason.code):
      done = plan.count
    case .refused(let reason): return ["it was refused: \(reason.message)"]
    case .alreadyCompleted: done = plan.count
    }
    for (index, status) in plan.enumerated() {
      let state = after.states[status.name]
      if index < done {
        guard status.resultCode != .succeeded || !after.has(status.planned) else { continue }
        broken.append(
          "\(status.name) was to be done: \(status.resultCode), \(state ?? "absent")")
      } else if status.resultCode != .notStarted || state != nil {
        broken.append(
          "\(status.name) was not to be begun: \(status.resultCode), \(state ?? "absent")")
      }
    }
    let code: OperationResultCode = done == plan.count ? .succeeded : .aborted
    if job.resultCode != code { broken.append("the result is \(job.resultCode), not \(code)") }
    if case .accepted = answer, job.abort?.disposition.isSameStop(as: answer) != true {
      broken.append("the job does not have the answer that was given")
    }
    return broken
  }
}

extension AbortDisposition {
  /// Whether both name the same stop, whatever they expect of its time.
  fileprivate func isSameStop(as other: AbortDisposition) -> Bool {
    guard case .accepted(let name, _) = self, case .accepted(let otherName, _) = other else {
      return false
    }
    return name == otherName
  }
}
