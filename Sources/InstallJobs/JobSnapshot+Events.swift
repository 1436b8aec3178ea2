extension JobSnapshot {
  /// Brings the snapshot to where it stands after `event`.
  ///
  /// The one rule by which engine, journal and every client keep a job: events of another job, and
  /// an index outside the plan, change nothing. Applying an event twice is the same as once.
  public mutating func apply(_ event: JobEvent) {
    guard event.job == id else { return }
    switch event.payload {
    case .submitted(let snapshot):
      let known = plan
      self = snapshot
      if plan == nil { plan = known }
    case .state(let change):
      // What was going on belonged to the state before.
      if change.state != state { activity = nil }
      state = change.state
      waitingFor = change.waitingFor
      abortPreview = change.abortPreview
      currentUpdateIndex = change.currentUpdateIndex
      currentStepIndex = change.currentStepIndex
      downloadedBytes = max(downloadedBytes, change.downloadedBytes ?? 0)
      if change.state != .queued {
        queuePosition = nil
        if startedAt == nil { startedAt = event.at }
        resultCode = .inProgress
        lastActivityAt = event.at
      }
      if let priority = change.priority { options.priority = priority }
      if change.state != .downloading { bytesPerSecond = nil }
      if !change.state.isWork { etaSeconds = nil }
    case .progress(let tick): apply(tick)
    case .update(let index, let status): set(status, at: index)
    case .abortRequested(let record):
      // Who asked first, and when, stays: a repetition is answered the same and changes nothing.
      if case .accepted = record.disposition, !hasAcceptedAbort { abort = record }
    case .abortWithdrawn: abort = nil
    case .completed(let outcome): apply(outcome, at: event.at)
    case .cleanedUp: isCleanedUp = true
    case .verifiedAfterReboot(let verification): afterReboot = verification
    case .log: lastActivityAt = event.at
    case .engine: break
    }
  }

  private var hasAcceptedAbort: Bool {
    if case .accepted = abort?.disposition { true } else { false }
  }

  private mutating func apply(_ tick: JobProgressTick) {
    percentComplete = max(percentComplete, tick.percentComplete)
    currentUpdateIndex = tick.currentUpdateIndex
    currentStepIndex = tick.currentStepIndex
    downloadedBytes = max(downloadedBytes, tick.downloadedBytes)
    bytesPerSecond = tick.bytesPerSecond
    etaSeconds = tick.etaSeconds
    activity = tick.activity
    lastActivityAt = tick.lastActivityAt ?? lastActivityAt
    isStalled = tick.isStalled
    stall = tick.stall
    abortPreview = tick.abortPreview
    for step in tick.steps {
      if let plan, plan.indices.contains(step.index) {
        self.plan?[step.index].advance(step)
      }
      for index in updates.indices where isUpdate(index, of: step.index) {
        updates[index].advance(step)
      }
    }
  }

  private mutating func apply(_ outcome: JobOutcome, at time: Timestamp) {
    state = outcome.state
    resultCode = outcome.resultCode
    percentComplete = outcome.percentComplete
    error = outcome.error
    rebootRequired = outcome.rebootRequired
    rebootReasons = outcome.rebootReasons
    exitStatus = outcome.exitStatus
    repairs = outcome.repairs
    updates = outcome.updates
    afterReboot = outcome.afterReboot
    interruptedAt = outcome.interruptedAt
    endedAt = time
    waitingFor = nil
    queuePosition = nil
    currentUpdateIndex = nil
    currentStepIndex = nil
    bytesPerSecond = nil
    etaSeconds = nil
    activity = nil
    isStalled = false
    stall = nil
    abortPreview = .alreadyCompleted
  }

  // A peer may tell of more updates than it says steps of.
  private func isUpdate(_ index: Int, of step: Int) -> Bool {
    updateSteps.indices.contains(index) && updateSteps[index] == step
  }

  private mutating func set(_ status: UpdateStatus, at index: Int) {
    if let plan, plan.indices.contains(index) { self.plan?[index] = status }
    for position in updates.indices where isUpdate(position, of: index) {
      updates[position] = status
    }
  }
}

extension UpdateStatus {
  fileprivate mutating func advance(_ step: JobProgressTick.Step) {
    percentComplete = max(percentComplete, step.percentComplete)
    downloadedBytes = max(downloadedBytes, step.downloadedBytes)
  }
}
