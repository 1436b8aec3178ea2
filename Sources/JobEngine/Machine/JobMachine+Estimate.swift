import InstallJobs
import PackageProvider

// Estimates of durations, from the costs learned on this machine and from the job's own pace.
extension JobMachine {
  /// Remaining seconds of the whole job; nil in the first 3 s, below 2 %, and when unknown.
  ///
  /// Transfers are estimated from the present rate. Packages are estimated from learned costs if
  /// those of all remaining packages are known, else from this job's own pace after three stages of
  /// its packages.
  func etaSeconds(at time: Timestamp) -> Double? {
    if case .verifying = state, stopwatch.since != nil { return concludingLeft(at: time) }
    guard let stage = foreseeableStage(at: time), model.percent >= 2,
      let pace = pace(isLearned: model.unlearnedLeft == 0)
    else { return nil }
    if model.isConcluding, stage == .installing { return concludingLeft(at: time) }
    var left = max(0, model.installLeft * pace - elapsedCost(pace: pace, at: time))
    if stage == .downloading, model.remainingBytes > 0 {
      guard let rate = rate.bytesPerSecond, rate > 0 else { return nil }
      left += Double(model.remainingBytes) / rate
    }
    left += model.openingLeft + (model.concluding?.seconds ?? 0)
    return left > 0 ? left : nil
  }

  /// Seconds until the end of the verification, for a job that has nothing else left; nil when the
  /// stage has lasted longer than its learned time.
  private func concludingLeft(at time: Timestamp) -> Double? {
    let left = (model.concluding?.seconds ?? 0) - stopwatch.concluding(at: time)
    return left > 0 ? left : nil
  }

  /// The possible error of ``etaSeconds(at:)`` in either direction, in seconds; nil when any
  /// remaining cost was not learned.
  var etaSpreadSeconds: Double? {
    guard model.unlearnedLeft == 0, let concluding = model.concluding,
      let pace = pace(isLearned: true)
    else { return nil }
    var squares = model.squaresLeft * pace * pace + concluding.square
    if case .working(.downloading, _) = state, model.remainingBytes > 0 {
      guard let deviation = model.transferDeviation, snapshot.totalDownloadBytes > 0 else {
        return nil
      }
      let left =
        deviation * Double(model.remainingBytes) / Double(snapshot.totalDownloadBytes)
      squares += left * left
    }
    return (LearnedCost.spread * squares.squareRoot()).inTenths
  }

  /// Seconds until the work has finished a step and all steps before it, at which it was asked to
  /// stop; a whole number, at least 1.
  ///
  /// Nil when unknown, and while the job shows no sign of life.
  func secondsUntil(_ step: Int) -> Double? {
    guard let now, foreseeableStage(at: now) != nil, plan.steps.indices.contains(step) else {
      return nil
    }
    let open = model.open(upTo: step)
    guard let pace = pace(isLearned: open.allSatisfy { model.cost(of: $0).isLearned }) else {
      return nil
    }
    var left = open.reduce(0) { $0 + model.installLeft(of: $1) } * pace
    if snapshot.currentStepIndex ?? .max <= step { left -= elapsedCost(pace: pace, at: now) }
    return left > 0 ? max(1, left.rounded()) : nil
  }

  /// Bases the estimates of a job that has not started on the given learned costs.
  mutating func setLearnedCosts(by learned: LearnedCosts) {
    guard state == .queued else { return }
    model = ProgressModel(plan, learned: learned, isDownloadOnly: isDownloadOnly)
  }

  /// The present stage if it can be estimated: nil in the first 3 s, while another process holds
  /// the lock, and while the job shows no sign of life.
  private func foreseeableStage(at time: Timestamp) -> WorkStage? {
    guard case .working(let stage, _) = state, !snapshot.isStalled,
      let start = snapshot.startedAt, time.seconds(since: start) >= 3
    else { return nil }
    if case .waitingForLock = stage { return nil }
    return stage
  }

  /// Seconds by which the elapsed time of the present stage reduces the remaining cost of the
  /// present package; 0 when the measured progress is ahead of the elapsed time.
  private func elapsedCost(pace: Double, at time: Timestamp) -> Double {
    guard let step = snapshot.currentStepIndex, let plan = snapshot.plan,
      plan.indices.contains(step), let since = stopwatch.since, since <= time
    else { return 0 }
    let cost = model.cost(of: step)
    let (stage, later): (Double, Double)
    switch plan[step].phase {
    case .unpacking: (stage, later) = (cost.unpack, cost.work)
    case .unpacked, .configuring, .removing, .triggers: (stage, later) = (cost.work, 0)
    case .pending, .downloading, .downloaded, .done: return 0
    }
    let byTime = max(0, stage * pace - time.seconds(since: since)) + later * pace
    return max(0, model.installLeft(of: step) * pace - byTime)
  }

  /// Actual seconds per estimated second, for learned or assumed costs; nil while there are too few
  /// samples.
  func pace(isLearned: Bool) -> Double? {
    let (actual, expected) = (stopwatch.secondsOfSteps, expectedSeconds)
    // With learned costs, a pace of 1 counts like `learnedWeightSeconds` seconds of this job's work,
    // so that the first seconds change the estimate little.
    if isLearned {
      return (actual + Self.learnedWeightSeconds) / (expected + Self.learnedWeightSeconds)
    }
    guard stopwatch.lapsOfSteps >= LearnedCosts.fewestSamples, expected > 0 else { return nil }
    return actual / expected
  }

  private static let learnedWeightSeconds = 5.0

  /// Records the time at which a step enters a phase.
  mutating func recordPhaseTime(_ phase: UpdatePhase, step: Int, at time: Timestamp) {
    let known = stopwatch.laps.count
    stopwatch.enter(phase, step: step, removes: plan.steps[step].action.removes, at: time)
    for lap in stopwatch.laps[known...] {
      guard let step = lap.step else { continue }
      let cost = model.cost(of: step)
      expectedSeconds += lap.stage == .unpack ? cost.unpack : cost.work
    }
  }
}
