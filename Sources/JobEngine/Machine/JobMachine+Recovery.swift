import InstallJobs
import PackageProvider

extension JobMachine {
  /// A job as a dead engine left it in the journal.
  ///
  /// A job whose end was being verified counts as at work: its worker's last word is read again.
  ///
  /// - Parameters:
  ///   - snapshot: The job as the journal has it.
  ///   - plan: What it carries out.
  ///   - bootID: The machine's boot id.
  ///   - learned: What its stages cost on this machine.
  ///   - time: When it was found so; nil where that is not to be told.
  init(
    recovering snapshot: JobSnapshot, plan: JobPlan, bootID: String? = nil,
    learned: LearnedCosts = LearnedCosts(), at time: Timestamp? = nil
  ) {
    self.init(
      snapshot, plan: plan, bootID: bootID, state: Self.recoveredState(of: snapshot, plan: plan))
    recoveredAt = time
    // Where the record does not tell, the work may have had it.
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
    // Ticks are not stored: how far the job is follows from how far its packages are.
    if !snapshot.state.isFinal {
      self.snapshot.percentComplete = max(snapshot.percentComplete, model.percent)
    }
    if let reason = snapshot.waitingFor, reason.isHold, let by = reason.by {
      hold = Hold(by: by, since: reason.since ?? snapshot.submittedAt)
    }
  }

  private static func recoveredState(of snapshot: JobSnapshot, plan: JobPlan) -> State {
    var intention = Intention.goOn
    if case .accepted(let name, _) = snapshot.abort?.disposition {
      intention = .abort(after: name.flatMap { name in plan.steps.firstIndex { $0.name == name } })
    }
    if intention == .goOn, snapshot.waitingFor?.kind == .paused {
      intention = .suspend(after: snapshot.currentStepIndex)
    }
    switch snapshot.state {
    case .queued: return snapshot.waitingFor?.isHold ?? false ? .held : .queued
    case .suspended: return .suspended
    case .downloading: return .working(.downloading, intention)
    case .waitingForLock: return .working(.waitingForLock(nil), intention)
    case .installing, .waitingForInput, .stopping, .finalizing:
      if snapshot.options.isDownloadOnly { return .working(.downloading, intention) }
      return .working(.installing, intention)
    case .completed, .interrupted: return .ended
    }
  }

  /// Takes for granted that the work was asked to stop: it has the request, and no engine is there any
  /// more that could say so.
  mutating func assumeAsked(_ stop: StopRecord) {
    unanswered = stop.request
    switch stop.request {
    case .abort:
      // Answered in the same moment.
      (abortAskedAt, abortAnsweredAt) = (stop.at, stop.at)
    case .suspend: holdAskedAt = stop.at
    }
  }

  /// Takes for granted that the work of a queued job was begun: its worker was found, although the engine
  /// that started it died before it could say so.
  mutating func assumeStarting() {
    switch state {
    case .queued, .held:
      hold = nil
      enter(.starting)
    case .starting, .working, .suspended, .verifying, .ended: break
    }
  }

  /// The same, where nothing can be recorded of it, or the job was suspended.
  mutating func assumeStarted() {
    switch state {
    case .queued, .held, .starting:
      hold = nil
      enter(.working(firstStage, .goOn))
    case .suspended:
      hold = nil
      enter(.working(isDownloadOnly ? .downloading : .installing, .goOn))
    case .working, .verifying, .ended: break
    }
  }
}
