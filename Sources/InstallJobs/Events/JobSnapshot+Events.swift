extension JobSnapshot {
  /// Applies an event to the snapshot.
  ///
  /// The engine, the journal and every client use this function, so that all have the same
  /// snapshots. An event of another job, or an index outside the plan, changes nothing. Applying an
  /// event twice has the same effect as applying it once. The current step follows from the phases
  /// of the updates: there is no separate event for it.
  public mutating func apply(_ event: JobEvent) {
    guard event.job == id else { return }
    switch event.payload {
    case .submitted(let snapshot):
      let known = self
      self = snapshot
      keepPlan(of: known)
    case .state(let change):
      let isWorksOwn = change.isSignOfLife(after: state)
      // The activity belonged to the previous state.
      if change.state != state { (activity, overdue) = (nil, nil) }
      // The forecast was made for the previous state of the queue.
      (startsInSeconds, endsInSeconds) = (nil, nil)
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
        if isWorksOwn || lastActivityAt == nil { lastActivityAt = event.at }
      }
      if let priority = change.priority { options.priority = priority }
      if change.state != .downloading { bytesPerSecond = nil }
      if !change.state.isWork { (etaSeconds, etaSpreadSeconds) = (nil, nil) }
    case .progress(let tick): apply(tick)
    case .update(let index, let status):
      set(status, at: index)
      if state.isWork || state == .waitingForLock { lastActivityAt = event.at }
    case .abortRequested(let record):
      // Keep the first request: a repeated request gets the same answer and changes nothing.
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
    etaSpreadSeconds = tick.etaSpreadSeconds
    overdue = tick.overdue
    activity = tick.activity
    lastActivityAt = tick.lastActivityAt ?? lastActivityAt
    isStalled = tick.isStalled
    stall = tick.stall
    abortPreview = tick.abortPreview
    for step in tick.steps {
      // Accessed in place: a local copy of the list would cause a full copy on change.
      if plan?.indices.contains(step.index) ?? false { plan?[step.index].advance(step) }
      for index in updatesServed(by: step.index) { updates[index].advance(step) }
    }
  }

  private mutating func apply(_ outcome: JobOutcome, at time: Timestamp) {
    state = outcome.state
    resultCode = outcome.resultCode
    percentComplete = outcome.percentComplete
    error = outcome.error
    requiresReboot = outcome.requiresReboot
    rebootReasons = outcome.rebootReasons
    exitStatus = outcome.exitStatus
    repairs = outcome.repairs
    // Keep a result for each update, even if a peer sends fewer.
    updates = outcome.updates + updates.dropFirst(outcome.updates.count)
    afterReboot = outcome.afterReboot
    interruptedAt = outcome.interruptedAt
    workEndedAt = outcome.workEndedAt
    counts = outcome.counts
    endedAt = time
    waitingFor = nil
    queuePosition = nil
    currentUpdateIndex = nil
    currentStepIndex = nil
    bytesPerSecond = nil
    (etaSeconds, etaSpreadSeconds, overdue) = (nil, nil, nil)
    (startsInSeconds, endsInSeconds) = (nil, nil)
    activity = nil
    isStalled = false
    stall = nil
    abortPreview = .alreadyCompleted
  }

  private mutating func set(_ status: UpdateStatus, at index: Int) {
    if plan?.indices.contains(index) ?? false { plan?[index] = status }
    for position in updatesServed(by: index) { updates[position] = status }
    guard (0..<planCount).contains(index), status.isWorkedOn else { return }
    // Archive sizes are reported late. No package is being worked on while the job waits for the
    // lock (row C2), and a stop may have been requested during that wait.
    switch state {
    case .waitingForLock, .finalizing: return
    case .stopping where status.phase <= .downloaded: return
    default: break
    }
    currentStepIndex = index
    currentUpdateIndex = updateIndex(workedOnBy: index)
  }

  /// Returns the positions in `updates` that a step serves, in ascending order.
  mutating func updatesServed(by step: Int) -> [Int] {
    // A peer may send more entries in `updateSteps` than updates.
    stepPositions.positions(of: step, in: updateSteps).filter(updates.indices.contains)
  }

  /// Returns the index in `updates` of the update that a step of the plan serves.
  ///
  /// This is the step's own update, else the next update in the order of work, because dependencies
  /// come before the packages that need them (row C1).
  package mutating func updateIndex(workedOnBy step: Int) -> Int? {
    stepPositions.position(servedBy: step, in: updateSteps)
  }
}

extension UpdateStatus {
  /// Whether the archive is being downloaded, or the package unpacked or configured.
  fileprivate var isWorkedOn: Bool {
    error == nil && (phase == .downloading || (phase > .downloaded && phase < .done))
  }

  fileprivate mutating func advance(_ step: JobProgressTick.Step) {
    percentComplete = max(percentComplete, step.percentComplete)
    downloadedBytes = max(downloadedBytes, step.downloadedBytes)
  }
}

extension JobStateChange {
  /// Whether the change comes from the work itself; a request to abort, to pause or to cancel an
  /// abort is no sign of life.
  fileprivate func isSignOfLife(after before: JobState) -> Bool {
    if state == before || state == .stopping { return false }
    return before != .stopping || !(state.isWork || state == .waitingForLock)
  }
}
