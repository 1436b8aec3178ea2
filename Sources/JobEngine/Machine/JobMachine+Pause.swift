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
      pause = Pause(by: requester, since: time)
      enter(.paused)
      return [recordState(at: time)]
    case .working(_, .proceed):
      if case .abort = unanswered {} else { unanswered = .suspend(by: requester) }
      pauseRequestedAt = pauseRequestedAt ?? time
      return [.askStop(.suspend(by: requester))]
    case .suspended, .working(_, .suspend):
      // A job paused only by a shutdown would resume by itself: a user's pause replaces that pause.
      guard let pause, pause.by.isShutdown, !requester.isShutdown else { return [] }
      self.pause = Pause(by: requester, since: time)
      return [recordState(at: time)]
    case .paused: return []
    case .starting, .working(_, .abort), .verifying, .ended: return [.refuse(cannotPause)]
    }
  }

  /// Handles the work's answer to a request to pause.
  mutating func handle(
    _ answer: StopAnswer, toSuspendBy requester: Requester, at time: Timestamp
  ) -> [Action] {
    let asked = notePauseRequest(at: time)
    switch state {
    case .working(let stage, .proceed):
      if case .suspend = unanswered { unanswered = nil }
      switch answer {
      case .atOnce: enter(.working(stage, .suspend(after: nil)))
      case .after(let step): enter(.working(stage, .suspend(after: step)))
      case .finalStep(let step):
        return [.refuse(cannotPause(finalStep(step)))]
      case .over:
        let refusal = AbortRefusal(.verifying, "the work is done, the result is being verified")
        return [.refuse(cannotPause(refusal))]
      case .impossible(let reason):
        return [
          .refuse(
            InstallationError(
              .busy, "cannot pause job \(snapshot.id): \(reason)", class: .transient,
              hint: "try again when the disk of the engine's state takes writes"))
        ]
      }
      pause = Pause(by: requester, since: asked)
      return [recordState(at: time)]
    case .working(_, .suspend): return []
    case .suspended:
      // The work stopped for the request before its answer arrived, so the request is no longer
      // pending.
      unanswered = nil
      return []
    case .queued, .paused, .starting, .working(_, .abort), .verifying, .ended:
      return [.refuse(cannotPause)]
    }
  }

  /// Handles a request to resume the job.
  mutating func resume(at time: Timestamp) -> [Action] {
    switch state {
    case .starting where snapshot.state == .suspended: return []
    case .paused:
      pause = nil
      enter(.queued)
      return [recordState(at: time)]
    case .suspended:
      pause = nil
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
      return [.cancelStop(by: pause?.by ?? snapshot.requestedBy)]
    case .queued, .starting, .working, .verifying, .ended:
      return [
        .refuse(
          InstallationError(
            .cannotResume, "job \(snapshot.id) \(snapshot.state.words), it is not paused",
            class: .fatal))
      ]
    }
  }

  /// Sets the job's priority, which counts only while the job waits.
  mutating func prioritize(
    _ priority: Int, by requester: Requester, at time: Timestamp
  ) -> [Action] {
    switch state {
    case .queued, .paused:
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
    guard pause == nil, case .suspend(let requester)? = unanswered else { return }
    pause = Pause(by: requester, since: notePauseRequest(at: time))
  }

  /// The time of the first request for the pause that begins now; clears the stored time.
  private mutating func notePauseRequest(at time: Timestamp) -> Timestamp {
    let asked = pauseRequestedAt ?? time
    pauseRequestedAt = nil
    return min(asked, time)
  }

  /// The wait reason of a paused job: `paused by ops between two packages`.
  var pausedReason: WaitReason {
    if pause?.by.isShutdown ?? false {
      return reason("paused while the machine shuts down, resumes by itself after the next start")
    }
    let words = "paused" + (pause.map { " by \($0.by.user)" } ?? "")
    guard state == .suspended else { return reason(words) }
    let hasBegun = snapshot.plan?.contains { $0.phase > .downloaded } ?? true
    return reason(words + (hasBegun ? " between two packages" : ", no package was begun"))
  }

  /// The wait reason of a job that will be paused after a step, or at once for nil.
  func pausingReason(after step: Int?) -> WaitReason {
    let place = step.flatMap { name(of: $0) }.map { "after \($0)" } ?? "at once"
    if pause?.by.isShutdown ?? false {
      return reason(
        "the machine is shutting down: stops \(place), resumes by itself after the next start")
    }
    return reason("will pause \(place)" + (pause.map { ", requested by \($0.by.user)" } ?? ""))
  }

  private func reason(_ words: String) -> WaitReason {
    var reason = WaitReason(.paused, words)
    reason.by = pause?.by
    reason.since = pause?.since
    return reason
  }

  /// The error when a pause can no longer be cancelled.
  var tooLateToResume: InstallationError {
    InstallationError(
      .cannotResume,
      "job \(snapshot.id) has not paused yet, and its pause cannot be cancelled any more",
      class: .transient,
      hint: "resume it when it is paused")
  }

  private func cannotPause(_ reason: AbortRefusal) -> InstallationError {
    InstallationError(
      .invalidState, "job \(snapshot.id) cannot be paused: \(reason.message)", class: .fatal)
  }

  private var cannotPause: InstallationError {
    InstallationError(
      .invalidState, "job \(snapshot.id) cannot be paused: it \(snapshot.state.words)",
      class: .fatal)
  }
}

extension JobState {
  /// The state as a predicate after the job's name: `waits in the queue`.
  fileprivate var words: String {
    switch self {
    case .queued: "waits in the queue"
    case .waitingForLock: "waits for the package lock"
    case .suspended: "is paused"
    case .stopping: "is stopping"
    case .finalizing: "is being verified"
    case .completed, .interrupted: "is over"
    case .downloading, .installing, .waitingForInput: "is at work"
    }
  }
}
