extension JobSnapshot {
  /// Brings the snapshot to where it stands after `event`.
  ///
  /// The one rule by which engine, journal and every client keep a job: events of another job, and
  /// an index outside the plan, change nothing. Applying an event twice is the same as once. The step
  /// that is worked on goes with the phases of the updates: no event of its own tells it.
  public mutating func apply(_ event: JobEvent) {
    guard event.job == id else { return }
    switch event.payload {
    case .submitted(let snapshot):
      let known = self
      self = snapshot
      keepPlan(of: known)
    case .state(let change):
      let isWorksOwn = change.isSignOfLife(after: state)
      // What was going on belonged to the state before.
      if change.state != state { (activity, overdue) = (nil, nil) }
      // Told of the queue as it was.
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
    etaSpreadSeconds = tick.etaSpreadSeconds
    overdue = tick.overdue
    activity = tick.activity
    lastActivityAt = tick.lastActivityAt ?? lastActivityAt
    isStalled = tick.isStalled
    stall = tick.stall
    abortPreview = tick.abortPreview
    for step in tick.steps {
      // Asked of the list in its place: one that is at hand twice is copied when it is changed.
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
    // A result for each update, also where a peer sends fewer.
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
    // Sizes of archives are reported late: at the lock no package is worked on (row C2), and it may be
    // there that a job is told to stop.
    switch state {
    case .waitingForLock, .finalizing: return
    case .stopping where status.phase <= .downloaded: return
    default: break
    }
    currentStepIndex = index
    currentUpdateIndex = updateIndex(workedOnBy: index)
  }

  /// The positions in `updates` of what a step serves, in their order.
  mutating func updatesServed(by step: Int) -> [Int] {
    // A peer may name the steps of more updates than it tells of.
    stepPositions.positions(of: step, in: updateSteps).filter(updates.indices.contains)
  }

  /// The index in `updates` of what the work on a step of the plan is done for: itself, else the next
  /// one in the order of work, because dependencies come before what needs them (row C1).
  package mutating func updateIndex(workedOnBy step: Int) -> Int? {
    stepPositions.position(servedBy: step, in: updateSteps)
  }
}

extension UpdateStatus {
  /// Whether its archive is being fetched, or its package unpacked or configured.
  fileprivate var isWorkedOn: Bool {
    error == nil && (phase == .downloading || (phase > .downloaded && phase < .done))
  }

  fileprivate mutating func advance(_ step: JobProgressTick.Step) {
    percentComplete = max(percentComplete, step.percentComplete)
    downloadedBytes = max(downloadedBytes, step.downloadedBytes)
  }
}

extension JobStateChange {
  /// Whether the work itself tells it; what people ask for, and take back, is no sign that it lives.
  fileprivate func isSignOfLife(after before: JobState) -> Bool {
    if state == before || state == .stopping { return false }
    return before != .stopping || !(state.isWork || state == .waitingForLock)
  }
}
