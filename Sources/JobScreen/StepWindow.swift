import InstallJobs

/// The packages of a job that fit a window: the present one stays in sight until one scrolls.
struct StepWindow: Sendable, Hashable {
  /// The packages of the plan, or what was asked for where the plan is not at hand.
  let steps: [UpdateStatus]
  let isPlan: Bool
  /// The index of the window's first row.
  let top: Int
  /// The index of the package that is worked on.
  let current: Int?

  init(_ state: MonitorState, of id: JobID, rows: Int) {
    guard let job = state.shownBook[id]?.job else {
      (steps, isPlan, top, current) = ([], false, 0, nil)
      return
    }
    if let plan = job.plan {
      (steps, isPlan) = (plan, true)
      current = job.state.isFinal ? nil : job.currentStepIndex
    } else {
      (steps, isPlan) = (job.updates, false)
      current = job.state.isFinal ? nil : job.currentUpdateIndex
    }
    let last = max(0, steps.count - rows)
    let wanted = state.stepTop ?? current.map { $0 - rows / 3 } ?? 0
    top = min(max(0, wanted), last)
  }
}
