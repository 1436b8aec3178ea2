import InstallJobs
import PackageProvider

extension JobMachine {
  /// The answer that a request to abort would get now (row C24).
  var abortPreview: AbortDisposition {
    switch state {
    case .queued, .paused, .starting, .suspended: return .accepted(stopsAfter: nil)
    case .verifying:
      // An answer that was given remains valid (B20).
      if case .accepted(let name, _) = snapshot.abort?.disposition {
        return .accepted(stopsAfter: name)
      }
      return .refused(reason: AbortRefusal(.verifying, "the result is being verified"))
    case .ended: return .alreadyCompleted
    case .working(_, .abort(let step)): return accepted(after: step)
    case .working where isAbandoned:
      return .refused(reason: AbortRefusal(.undeliverable, JobSnapshot.lostWorker))
    case .working(.downloading, _), .working(.waitingForLock, _):
      return .accepted(stopsAfter: nil)
    case .working(.installing, _):
      // The work's own preview has precedence: several removals, for example, are one call of dpkg.
      switch stopPreview {
      case .atOnce: return .accepted(stopsAfter: nil)
      case .after(let step): return accepted(after: step)
      case .finalStep(let step): return .refused(reason: finalStep(step))
      case .over:
        return .refused(
          reason: AbortRefusal(.verifying, "the work is done, the result is being verified"))
      case .impossible(let reason):
        return .refused(reason: AbortRefusal(.undeliverable, reason))
      case nil: break
      }
      guard let current = snapshot.currentStepIndex, let statuses = snapshot.plan,
        statuses.indices.contains(current), statuses[current].phase > .downloaded
      else { return .accepted(stopsAfter: nil) }
      let isLast = statuses.indices.allSatisfy { $0 == current || isBegun(statuses[$0]) }
      return isLast
        ? .refused(reason: .finalStep(plan.steps[current].name)) : accepted(after: current)
    }
  }

  /// The refusal when no step can be left out any more.
  ///
  /// A repair may have work without steps.
  ///
  /// The work names the last step in its order. Another step may be running if the last one has
  /// failed, or is still to be configured.
  func finalStep(_ step: Int) -> AbortRefusal {
    let statuses = snapshot.plan ?? []
    let running = snapshot.currentStepIndex.flatMap { index in
      status(of: index).flatMap { !isOver($0) && isBegun($0) ? index : nil }
    }
    guard let running, running != step, let name = name(of: running) else {
      // Until dpkg's latest output is read, another step may be running.
      let isRunning =
        status(of: step).map { isBegun($0) } ?? true
        || statuses.indices.allSatisfy { $0 == step || isOver(statuses[$0]) }
      return isRunning
        ? .finalStep(name(of: step) ?? "what dpkg left")
        : AbortRefusal(.finalStep, "dpkg has all that is left at once, none of it can be left out")
    }
    let isLast = statuses.indices.allSatisfy { $0 == running || isOver(statuses[$0]) }
    return isLast
      ? .finalStep(name)
      : AbortRefusal(.finalStep, "\(name) is running, and what comes after it cannot be left out")
  }

  private func isOver(_ status: UpdateStatus) -> Bool {
    status.phase == .done || status.error != nil
  }

  private func isBegun(_ status: UpdateStatus) -> Bool {
    status.phase > .downloaded || status.error != nil
  }

  /// Records and answers an accepted abort.
  mutating func accept(
    _ disposition: AbortDisposition, by requester: Requester, at time: Timestamp
  ) -> [Action] {
    [recordAbort(disposition, by: requester, at: time), .answer(disposition)]
  }

  /// Records a request to abort that is answered now, with the time of the first request if the
  /// work took time to answer.
  mutating func recordAbort(
    _ disposition: AbortDisposition, by requester: Requester, at time: Timestamp
  ) -> Action {
    let (asked, answered) = (abortAskedAt ?? time, abortAnsweredAt ?? time)
    (abortAskedAt, abortAnsweredAt) = (nil, nil)
    return record(
      .abortRequested(
        AbortRecord(
          requestedAt: min(asked, time), requestedBy: requester, disposition: disposition,
          acknowledgedAt: min(max(asked, answered), time))), at: time)
  }

  /// Aborts a job that has already stopped between two packages.
  mutating func abortSuspended(
    _ disposition: AbortDisposition, by requester: Requester, at time: Timestamp
  ) -> [Action] {
    let end = WorkEnd(exitStatus: snapshot.exitStatus ?? 0, stoppedAtBoundary: true)
    enter(.verifying(end))
    return accept(disposition, by: requester, at: time) + [recordState(at: time), .verify]
  }

  /// The accepted abort that corresponds to the work's answer.
  func accepted(_ answer: StopAnswer) -> AbortDisposition {
    guard case .after(let step) = answer else { return .accepted(stopsAfter: nil) }
    return accepted(after: step)
  }

  /// Forgets a request to stop that the work did not follow.
  mutating func forgetRequest() {
    unanswered = nil
    abortAskedAt = nil
    pauseRequestedAt = nil
  }

  /// Stores the time of an answer that is recorded later.
  mutating func noteAnswer(at time: Timestamp) { abortAnsweredAt = abortAnsweredAt ?? time }

  /// Whether an abort was accepted and not cancelled.
  var hasAcceptedAbort: Bool {
    if case .accepted = snapshot.abort?.disposition { true } else { false }
  }

  /// Repeats the answer to an abort that was accepted before, and records the repeated request
  /// (B20).
  mutating func repeatAbort(by requester: Requester, at time: Timestamp) -> [Action] {
    var disposition = snapshot.abort?.disposition ?? abortPreview
    // The stopping point stays the same; only the remaining time is updated.
    if case .accepted(let name, _) = disposition {
      var left: Double?
      if case .accepted(name, let seconds) = abortPreview { left = seconds }
      disposition = .accepted(stopsAfter: name, etaSeconds: left)
    }
    return [recordAbort(disposition, by: requester, at: time), .answer(disposition)]
  }

  /// Handles the work's answer to a request to abort.
  mutating func handle(
    _ answer: StopAnswer, stage: WorkStage, intention: Intention, by requester: Requester,
    at time: Timestamp
  ) -> [Action] {
    if case .abort = intention { return repeatAbort(by: requester, at: time) }
    switch answer {
    case .atOnce:
      pause = nil
      enter(.working(stage, .abort(after: nil)))
    case .after(let step):
      pause = nil
      enter(.working(stage, .abort(after: step)))
    case .finalStep(let step):
      return refuse(finalStep(step), by: requester, at: time)
    case .over:
      let refusal = AbortRefusal(.verifying, "the work is done, the result is being verified")
      return refuse(refusal, by: requester, at: time)
    case .impossible(let reason):
      return refuse(AbortRefusal(.undeliverable, reason), by: requester, at: time)
    }
    return accept(abortPreview, by: requester, at: time) + [recordState(at: time)]
  }

  private mutating func refuse(
    _ refusal: AbortRefusal, by requester: Requester, at time: Timestamp
  ) -> [Action] {
    let disposition = AbortDisposition.refused(reason: refusal)
    return [recordAbort(disposition, by: requester, at: time), .answer(disposition)]
  }

  private func accepted(after step: Int?) -> AbortDisposition {
    .accepted(
      stopsAfter: step.flatMap { name(of: $0) }, etaSeconds: step.flatMap { secondsUntil($0) })
  }
}
