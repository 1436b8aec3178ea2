internal import InstallJobs

/// One job of a mock engine with its progress.
struct MockJob {
  /// The time of all events.
  static let time = Timestamp(milliseconds: 0)

  var snapshot: JobSnapshot
  let request: JobRequest
  /// The step that is worked on or comes next.
  private var step = 0
  private var isUnpacked = false

  init(_ snapshot: JobSnapshot, _ request: JobRequest) {
    self.snapshot = snapshot
    self.request = request
  }

  private var plan: [UpdateStatus] { snapshot.plan ?? [] }

  /// Whether the job has started and is not over.
  var isAtWork: Bool { snapshot.state != .queued && !snapshot.state.isFinal }

  /// Whether the job waits only for its turn.
  var canBegin: Bool { snapshot.state == .queued && !snapshot.isPaused }

  /// Whether the job is paused between two packages.
  var isSuspended: Bool { snapshot.state == .suspended }

  /// Whether an accepted abort stops the job before its next package.
  private var isAborted: Bool {
    if case .accepted = snapshot.abort?.disposition { true } else { false }
  }

  /// The answer that a request to abort would receive now.
  var abortAnswer: AbortDisposition {
    if let abort = snapshot.abort, !snapshot.state.isFinal { return abort.disposition }
    switch snapshot.state {
    case .completed, .interrupted: return .alreadyCompleted
    case .queued: return .accepted(stopsAfter: nil)
    case .finalizing:
      return .refused(reason: AbortRefusal(.verifying, "the result is being verified"))
    default: break
    }
    guard step + 1 < plan.count else {
      return isUnpacked || plan.isEmpty
        ? .refused(reason: .finalStep(plan.last?.name ?? "")) : .accepted(stopsAfter: nil)
    }
    return .accepted(stopsAfter: isUnpacked ? plan[step].name : nil)
  }

  /// Returns the payload of the next event, without advancing the job.
  func nextPayload(_ packages: [String: MockEngine.Package]) -> JobEvent.Payload {
    if snapshot.state == .queued, isAborted { return .completed(outcome) }
    if snapshot.state == .queued {
      return .state(JobStateChange(.installing, abortPreview: abortAnswer))
    }
    guard step < plan.count else { return .completed(outcome) }
    guard isUnpacked else {
      if isAborted { return .completed(outcome) }
      if snapshot.isPaused {
        var change = JobStateChange(.suspended, abortPreview: abortAnswer)
        change.waitingFor = snapshot.waitingFor
        return .state(change)
      }
      var status = plan[step]
      status.phase = status.planned.action.unpacks ? .unpacking : .removing
      status.percentComplete = 50
      status.resultCode = .inProgress
      return .update(index: step, status: status)
    }
    return .update(index: step, status: endedStatus(plan[step], packages[plan[step].name]))
  }

  /// Returns the payload of the next event and advances the job by one step.
  mutating func nextEvent(in packages: [String: MockEngine.Package]) -> JobEvent.Payload {
    let payload = nextPayload(packages)
    if case .update = payload {
      if isUnpacked { step += 1 }
      isUnpacked.toggle()
    }
    return payload
  }

  /// Updates the progress of the whole job from its steps; at most 99 % until the job has its
  /// result.
  mutating func updateProgress() {
    guard isAtWork, !plan.isEmpty else { return }
    let steps = plan.map { $0.error == nil ? $0.percentComplete : 100 }
    let percent = min(99, steps.reduce(0, +) / Double(steps.count))
    snapshot.percentComplete = max(snapshot.percentComplete, percent)
  }

  private func endedStatus(_ before: UpdateStatus, _ package: MockEngine.Package?) -> UpdateStatus {
    var status = before
    status.phase = request.options.isDownloadOnly ? .downloaded : .done
    switch package?.outcome ?? .succeeds {
    case .succeeds: (status.resultCode, status.percentComplete) = (.succeeded, 100)
    case .requiresReboot:
      (status.resultCode, status.percentComplete) = (.succeeded, 100)
      status.requiresReboot = true
    case .fails(let detail):
      status.resultCode = .failed
      status.error = InstallationError(
        .packageFailed, "\(status.name) failed", update: status.name, detail: detail)
    }
    return status
  }

  private var outcome: JobOutcome {
    var updates = snapshot.updates
    for index in updates.indices where updates[index].resultCode == .notStarted {
      updates[index].note = updates[index].note ?? .notReached
    }
    let steps = plan
    let codes = updates.map(\.resultCode)
    let failure = steps.compactMap(\.error).first
    let code: OperationResultCode =
      isAborted && codes.contains(.notStarted)
      ? .aborted
      : codes.allSatisfy { $0 == .succeeded }
        ? .succeeded : codes.contains(.succeeded) ? .succeededWithErrors : .failed
    let reasons = steps.filter(\.requiresReboot).map(\.name)
    return JobOutcome(
      state: .completed, resultCode: code,
      percentComplete: code == .succeeded ? 100 : snapshot.percentComplete,
      error: code == .succeeded || code == .aborted ? nil : failure,
      requiresReboot: !reasons.isEmpty, rebootReasons: reasons,
      exitStatus: failure == nil ? 0 : 100, repairs: [], updates: updates)
  }
}
