import InstallJobs
import PackageProvider

extension JobMachine {
  /// Creates the machine of a job that an earlier engine left in the journal.
  ///
  /// A job whose end was being verified counts as working: the worker's last report is read again.
  ///
  /// - Parameters:
  ///   - snapshot: The job as stored in the journal.
  ///   - plan: The job's plan.
  ///   - bootID: The machine's boot id.
  ///   - learned: The costs learned on this machine.
  ///   - time: When the job was recovered; nil if that is not to be reported.
  init(
    recovering snapshot: JobSnapshot, plan: JobPlan, bootID: String? = nil,
    learned: LearnedCosts = LearnedCosts(), at time: Timestamp? = nil
  ) {
    self.init(
      snapshot, plan: plan, bootID: bootID, state: Self.recoveredState(of: snapshot, plan: plan))
    recoveredAt = time
    // If the stored state leaves it open, the work is assumed to have had the lock.
    switch snapshot.state {
    case .queued, .downloading, .waitingForLock: hasHadLock = hasBegunPackages
    case .installing, .waitingForInput, .stopping, .suspended, .finalizing, .completed,
      .interrupted:
      hasHadLock = !isDownloadOnly
    }
    wasFinalizing = snapshot.state == .finalizing
    model = ProgressModel(plan, learned: learned, isDownloadOnly: isDownloadOnly)
    stopwatch.catchUp(
      configured: (snapshot.plan ?? []).indices.filter { snapshot.plan?[$0].phase == .triggers })
    for (index, status) in (snapshot.plan ?? []).enumerated() {
      model.downloaded(status.downloadedBytes, step: index)
      model.enter(status.phase, step: index)
      if status.error != nil { model.close(index) }
    }
    // Progress ticks are not stored: the job's progress follows from that of its packages.
    if !snapshot.state.isFinal {
      self.snapshot.percentComplete = max(snapshot.percentComplete, model.percent)
    }
    if let reason = snapshot.waitingFor, reason.isJobPause, let by = reason.by {
      pause = Pause(by: by, since: reason.since ?? snapshot.submittedAt)
    }
  }

  private static func recoveredState(of snapshot: JobSnapshot, plan: JobPlan) -> State {
    var intention = Intention.proceed
    if case .accepted(let name, _) = snapshot.abort?.disposition {
      intention = .abort(after: name.flatMap { name in plan.steps.firstIndex { $0.name == name } })
    }
    if intention == .proceed, snapshot.waitingFor?.kind == .paused {
      intention = .suspend(after: snapshot.currentStepIndex)
    }
    switch snapshot.state {
    case .queued: return snapshot.waitingFor?.isJobPause ?? false ? .paused : .queued
    case .suspended: return .suspended
    case .downloading: return .working(.downloading, intention)
    case .waitingForLock: return .working(.waitingForLock(nil), intention)
    case .installing, .waitingForInput, .stopping, .finalizing:
      if snapshot.options.isDownloadOnly { return .working(.downloading, intention) }
      return .working(.installing, intention)
    case .completed, .interrupted: return .ended
    }
  }

  /// Assumes that the work was asked to stop: the work has the request, and the engine that made it
  /// is gone.
  mutating func assumeAsked(_ stop: StopRecord) {
    unanswered = stop.request
    switch stop.request {
    case .abort:
      // The request and its answer have the same time.
      (abortAskedAt, abortAnsweredAt) = (stop.at, stop.at)
    case .suspend: pauseRequestedAt = stop.at
    }
  }

  /// Assumes that a queued job's work was started: its worker was found, although the engine that
  /// started it died before it recorded the start.
  mutating func assumeStarting() {
    switch state {
    case .queued, .paused:
      pause = nil
      enter(.starting)
    case .starting, .working, .suspended, .verifying, .ended: break
    }
  }

  /// Assumes that the job's work has begun, when its start cannot be recorded or the job was
  /// suspended.
  mutating func assumeStarted() {
    switch state {
    case .queued, .paused, .starting:
      pause = nil
      enter(.working(firstStage, .proceed))
    case .suspended:
      pause = nil
      enter(.working(isDownloadOnly ? .downloading : .installing, .proceed))
    case .working, .verifying, .ended: break
    }
  }
}
