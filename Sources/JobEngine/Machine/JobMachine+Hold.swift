import InstallJobs
import PackageProvider

// Pausing and resuming. One request pauses a job in any state: a working job stops between two
// packages, a waiting job keeps its place and other jobs pass it. In the protocol, only a job that
// has begun becomes `suspended`; a waiting job stays `queued`, and its wait reason says that it is
// paused.
extension JobMachine {
  /// Handles a request to pause the job.
  mutating func suspend(by requester: Requester, at time: Timestamp) -> [Action] {
    switch state {
    case .queued:
      hold = Hold(by: requester, since: time)
      enter(.held)
      return [recordState(at: time)]
    case .working(_, .proceed):
      if case .abort = unanswered {} else { unanswered = .suspend(by: requester) }
      holdAskedAt = holdAskedAt ?? time
      return [.askStop(.suspend(by: requester))]
    case .suspended, .working(_, .suspend):
      // A job paused only by a shutdown would resume by itself: a user's pause replaces that pause.
      guard let hold, hold.by.isShutdown, !requester.isShutdown else { return [] }
      self.hold = Hold(by: requester, since: time)
      return [recordState(at: time)]
    case .held: return []
    case .starting, .working(_, .abort), .verifying, .ended: return [.refuse(cannotHold)]
    }
  }

  /// Handles the work's answer to a request to pause.
  mutating func handle(
    _ answer: StopAnswer, toSuspendBy requester: Requester, at time: Timestamp
  ) -> [Action] {
    let asked = noteHoldRequest(at: time)
    switch state {
    case .working(let stage, .proceed):
      if case .suspend = unanswered { unanswered = nil }
      switch answer {
      case .atOnce: enter(.working(stage, .suspend(after: nil)))
      case .after(let step): enter(.working(stage, .suspend(after: step)))
      case .finalStep(let step):
        return [.refuse(cannotHold(finalStep(step)))]
      case .over:
        let refusal = AbortRefusal(.verifying, "the work is done, the result is being verified")
        return [.refuse(cannotHold(refusal))]
      case .impossible(let reason):
        return [
          .refuse(
            InstallationError(
              .busy, "cannot pause job \(snapshot.id): \(reason)", class: .transient,
              hint: "try again when the disk of the engine's state takes writes"))
        ]
      }
      hold = Hold(by: requester, since: asked)
      return [recordState(at: time)]
    case .working(_, .suspend): return []
    case .suspended:
      // The work stopped for the request before its answer arrived, so the request is no longer
      // pending.
      unanswered = nil
      return []
    case .queued, .held, .starting, .working(_, .abort), .verifying, .ended:
      return [.refuse(cannotHold)]
    }
  }

  /// Handles a request to resume the job.
  mutating func resume(at time: Timestamp) -> [Action] {
    switch state {
    case .starting where snapshot.state == .suspended: return []
    case .held:
      hold = nil
      enter(.queued)
      return [recordState(at: time)]
    case .suspended:
      hold = nil
      stopPreview = nil
      enter(.starting)
      guard snapshot.waitingFor != nil else { return [.startWork(finishedSteps: finishedSteps)] }
      // Stored, so that a later engine does not treat the job as paused if this engine ends before
      // the work has begun.
      var change = stateChange
      change.state = .suspended
      return [record(.state(change), at: time), .startWork(finishedSteps: finishedSteps)]
    case .working(_, .suspend):
      // The request itself records the user who resumes the job.
      return [.takeStopBack(by: hold?.by ?? snapshot.requestedBy)]
    case .queued, .starting, .working, .verifying, .ended:
      return [
        .refuse(
          InstallationError(
            .cannotResume, "job \(snapshot.id) \(snapshot.state.words), it is not held",
            class: .fatal))
      ]
    }
  }

  /// Sets the job's priority, which counts only while the job waits.
  mutating func prioritize(
    _ priority: Int, by requester: Requester, at time: Timestamp
  ) -> [Action] {
    switch state {
    case .queued, .held:
      guard priority != snapshot.options.priority else { return [] }
      var change = stateChange
      change.priority = priority
      change.movedBy = requester
      return [record(.state(change), at: time)]
    case .starting, .working, .suspended, .verifying, .ended:
      return [
        .refuse(
          InstallationError(
            .invalidState,
            "job \(snapshot.id) has begun: it has no place in the queue that could be changed",
            class: .fatal))
      ]
    }
  }

  /// Records the pause of work that stopped before its answer to the pending request arrived.
  mutating func recordPause(at time: Timestamp) {
    guard hold == nil, case .suspend(let requester)? = unanswered else { return }
    hold = Hold(by: requester, since: noteHoldRequest(at: time))
  }

  /// The time of the first request for the pause that begins now; clears the stored time.
  private mutating func noteHoldRequest(at time: Timestamp) -> Timestamp {
    let asked = holdAskedAt ?? time
    holdAskedAt = nil
    return min(asked, time)
  }

  /// The wait reason of a paused job: `held by ops between two packages`.
  var heldReason: WaitReason {
    if hold?.by.isShutdown ?? false {
      return reason("held while the machine shuts down, goes on by itself after the next start")
    }
    let words = "held" + (hold.map { " by \($0.by.user)" } ?? "")
    guard state == .suspended else { return reason(words) }
    let hasBegun = snapshot.plan?.contains { $0.phase > .downloaded } ?? true
    return reason(words + (hasBegun ? " between two packages" : ", no package was begun"))
  }

  /// The wait reason of a job that will be paused after a step, or at once for nil.
  func holdingReason(after step: Int?) -> WaitReason {
    let place = step.flatMap { name(of: $0) }.map { "after \($0)" } ?? "at once"
    if hold?.by.isShutdown ?? false {
      return reason(
        "the machine is shutting down: stops \(place), goes on by itself after the next start")
    }
    return reason("will be held \(place)" + (hold.map { ", asked for by \($0.by.user)" } ?? ""))
  }

  private func reason(_ words: String) -> WaitReason {
    var reason = WaitReason(.paused, words)
    reason.by = hold?.by
    reason.since = hold?.since
    return reason
  }

  /// The error when a pause can no longer be cancelled.
  var tooLateToResume: InstallationError {
    InstallationError(
      .cannotResume, "job \(snapshot.id) works on to where it will be held", class: .transient,
      hint: "let it go on when it is held")
  }

  private func cannotHold(_ reason: AbortRefusal) -> InstallationError {
    InstallationError(
      .invalidState, "job \(snapshot.id) cannot be held: \(reason.message)", class: .fatal)
  }

  private var cannotHold: InstallationError {
    InstallationError(
      .invalidState, "job \(snapshot.id) cannot be held: it \(snapshot.state.words)", class: .fatal)
  }
}

extension JobState {
  /// The state as a predicate after the job's name: `waits in the queue`.
  fileprivate var words: String {
    switch self {
    case .queued: "waits in the queue"
    case .waitingForLock: "waits for the package lock"
    case .suspended: "is held"
    case .stopping: "is stopping"
    case .finalizing: "is being verified"
    case .completed, .interrupted: "is over"
    case .downloading, .installing, .waitingForInput: "is at work"
    }
  }
}
