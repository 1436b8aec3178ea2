import InstallJobs

/// The packages of a job that fit a window; the present one stays in sight until one scrolls.
struct StepWindow: Sendable, Hashable {
  /// The packages of the plan, or what was asked for where the plan is not at hand.
  let steps: [UpdateStatus]
  /// The index of the package that is worked on.
  let current: Int?
  /// The indices shown.
  let shown: Range<Int>
  /// The last first index that fills the window.
  let lastTop: Int
  /// What stands in the window's last row instead of a package; nil where all are shown.
  let footer: String?

  /// Whether a package is the one that is worked on: the last one that was fetched is not, until
  /// its work begins.
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
    // A peer may name one that the plan does not have.
    let isThere = current.map(steps.indices.contains) ?? false
    self.current = job.state.isFinal || !isThere ? nil : current
    // One or two rows are too few to give one away.
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
  /// Whether something about it wants to be looked at.
  fileprivate var hasProblem: Bool {
    error != nil || requiresReboot || resultCode == .failed || resultCode == .succeededWithErrors
      || resultCode == .aborted || note == .notReached
  }
}
