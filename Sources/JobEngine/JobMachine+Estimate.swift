import InstallJobs

// How long things take, by what they cost in the model and by the job's own pace so far.
extension JobMachine {
  /// Remaining seconds of the whole job; nil in the first 3 s and below 2 %, where it is a guess.
  func etaSeconds(at time: Timestamp) -> Double? {
    pace(at: time).map { model.remainingCost * $0 }
  }

  /// Seconds until the work has done a step and all before it, which is where it was asked to stop:
  /// whole ones, at least 1.
  ///
  /// Nil where the job's own estimate would be a guess, and while it gives no sign of life.
  func secondsUntil(_ step: Int) -> Double? {
    guard case .working = state, !snapshot.isStalled, let now, let pace = pace(at: now) else {
      return nil
    }
    let open = plan.steps.indices.prefix(step + 1).filter { index in
      guard let status = status(of: index) else { return false }
      return status.phase != .done && status.error == nil
    }
    let cost = open.reduce(0) { $0 + model.remainingCost(of: $1) }
    return cost > 0 ? max(1, (cost * pace).rounded()) : nil
  }

  /// Seconds that a second of the model has taken so far; nil while that would be a guess.
  private func pace(at time: Timestamp) -> Double? {
    guard let start = snapshot.startedAt else { return nil }
    let elapsed = time.seconds(since: start) - heldSeconds
    guard elapsed >= 3, model.percent >= 2, model.doneCost > 0 else { return nil }
    return elapsed / model.doneCost
  }

  /// Leaves the times for which the job was held under earlier engines out of its pace.
  ///
  /// One that is held still is counted when it goes on.
  ///
  /// - Parameter events: All durable events of the job, in order; nil where they cannot be read, and
  ///   then there is no pace.
  mutating func noteStandstills(in events: [JobEvent]?) {
    guard let events else {
      heldSeconds = .infinity
      return
    }
    var since: Timestamp?
    for event in events {
      guard case .state(let change) = event.payload else { continue }
      if change.state == .suspended {
        since = since ?? event.at
      } else if let begin = since {
        heldSeconds += max(0, event.at.seconds(since: begin))
        since = nil
      }
    }
  }

  /// Leaves the time for which the job was held out of its pace.
  mutating func noteStandstill(until time: Timestamp) {
    guard snapshot.state == .suspended, let last = snapshot.lastActivityAt else { return }
    heldSeconds += max(0, time.seconds(since: last))
  }
}
