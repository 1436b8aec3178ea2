import InstallJobs

/// The packages of a job that fit a window; the package at work stays visible until the user
/// scrolls.
struct StepWindow: Sendable, Hashable {
  /// The packages of the plan; the requested packages if the plan is not loaded.
  let steps: [UpdateStatus]
  /// The index of the package at work.
  let current: Int?
  /// The indices shown.
  let shown: Range<Int>
  /// The largest first index that still fills the window.
  let lastTop: Int
  /// The text of the window's last row in place of a package; nil if all packages are shown.
  let footer: String?

  /// Whether a package is at work.
  ///
  /// The last fetched package is not, until its installation begins.
  func isAtWork(_ index: Int) -> Bool { index == current && steps[index].phase != .downloaded }

  init(_ state: MonitorState, of id: JobID, rows: Int) {
    guard let job = state.shownBook[id]?.job else {
      (steps, current, shown, lastTop, footer) = ([], nil, 0..<0, 0, nil)
      return
    }
    let isNarrowed = state.showsProblemsOnly && state.screen.kind == .job
    let all = job.plan ?? job.updates
    let steps = isNarrowed ? all.filter(\.hasProblem) : all
    let isPartial = job.plan == nil && job.planCount > steps.count
    let current =
      isNarrowed ? nil : job.plan == nil ? job.currentUpdateIndex : job.currentStepIndex
    self.steps = steps
    // An engine may send an index outside the plan.
    let isThere = current.map(steps.indices.contains) ?? false
    self.current = job.state.isFinal || !isThere ? nil : current
    // A window of one or two rows has no row to spare.
    let hasFooter = rows > 2 && (steps.count > rows || isPartial)
    let room = max(0, hasFooter ? rows - 1 : rows)
    lastTop = max(0, steps.count - room)
    let wanted = state.stepTop ?? self.current.map { $0 - room / 3 } ?? 0
    let top = min(max(0, wanted), lastTop)
    shown = top..<min(steps.count, top + room)
    guard hasFooter else {
      footer = nil
      return
    }
    footer =
      isPartial
      ? "the plan of \(job.planCount) packages is on its way"
      : "\(top) above, \(steps.count - shown.upperBound) below"
  }
}

extension UpdateStatus {
  /// Whether the package needs attention.
  fileprivate var hasProblem: Bool {
    error != nil || requiresReboot || resultCode == .failed || resultCode == .succeededWithErrors
      || resultCode == .aborted || note == .notReached
  }
}
