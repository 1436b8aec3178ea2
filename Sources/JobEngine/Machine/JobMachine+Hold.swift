import InstallJobs
import PackageProvider

// A job is held by the same request wherever it is: one that works stops between two packages, one
// that waits stays in its place and is passed. Its state on the wire is `suspended` only where it has
// begun; one that waits stays `queued`, and what it waits for says that it is held.
extension JobMachine {
  /// Takes a request to hold the job.
  mutating func suspend(by requester: Requester, at time: Timestamp) -> [Action] {
    switch state {
    case .queued:
      hold = Hold(by: requester, since: time)
      enter(.held)
      return [recordState(at: time)]
    case .working(_, .goOn):
      if case .abort = unanswered {} else { unanswered = .suspend(by: requester) }
      holdAskedAt = holdAskedAt ?? time
      return [.askStop(.suspend(by: requester))]
    case .suspended, .working(_, .suspend):
      // What only a shutdown of the machine holds would go on by itself: a user's hold wins.
      guard let hold, hold.by.isShutdown, !requester.isShutdown else { return [] }
      self.hold = Hold(by: requester, since: time)
      return [recordState(at: time)]
    case .held: return []
    case .starting, .working(_, .abort), .verifying, .ended: return [.refuse(cannotHold)]
    }
  }

  /// Takes the work's answer to a request to stop and be resumed.
  mutating func handle(
    _ answer: StopAnswer, toSuspendBy requester: Requester, at time: Timestamp
  ) -> [Action] {
    let asked = noteHoldRequest(at: time)
    switch state {
    case .working(let stage, .goOn):
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
      // The work stopped for it before its answer was heard: nobody waits to be named any more.
      unanswered = nil
      return []
    case .queued, .held, .starting, .working(_, .abort), .verifying, .ended:
      return [.refuse(cannotHold)]
    }
  }

  /// Takes a request to let the job go on.
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
      // An engine that ends before the work has begun must not have it held again.
      var change = stateChange
      change.state = .suspended
      return [record(.state(change), at: time), .startWork(finishedSteps: finishedSteps)]
    case .working(_, .suspend):
      // Who takes a hold back is on record by the request itself.
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

  /// Takes another priority, which counts only while the job waits.
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

  /// Notes that the work stopped to be resumed, where that was seen before its answer was heard.
  mutating func noteHold(at time: Timestamp) {
    guard hold == nil, case .suspend(let requester)? = unanswered else { return }
    hold = Hold(by: requester, since: noteHoldRequest(at: time))
  }

  /// When the hold was asked for that begins now.
  private mutating func noteHoldRequest(at time: Timestamp) -> Timestamp {
    let asked = holdAskedAt ?? time
    holdAskedAt = nil
    return min(asked, time)
  }

  /// What a job waits for that is held: `held by ops between two packages`.
  var heldReason: WaitReason {
    if hold?.by.isShutdown ?? false {
      return reason("held while the machine shuts down, goes on by itself after the next start")
    }
    let words = "held" + (hold.map { " by \($0.by.user)" } ?? "")
    guard state == .suspended else { return reason(words) }
    let hasBegun = snapshot.plan?.contains { $0.phase > .downloaded } ?? true
    return reason(words + (hasBegun ? " between two packages" : ", no package was begun"))
  }

  /// What a job waits for that will be held after a step, or at once.
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

  /// Why a hold cannot be taken back any more.
  var willBeHeld: InstallationError {
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
  /// Where a job is, behind its name: `waits in the queue`.
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
