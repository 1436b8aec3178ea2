import InstallJobs
import PackageProvider

// How long things take, by what they cost on this machine before and by the job's own pace.
extension JobMachine {
  /// Remaining seconds of the whole job; nil in the first 3 s, below 2 %, and where it is a guess.
  ///
  /// Transfers are foreseen by the present rate. Packages are foreseen where the costs of all were
  /// learned, or by this job's own pace once three stages of its packages are over.
  func etaSeconds(at time: Timestamp) -> Double? {
    if case .verifying = state, stopwatch.since != nil { return concludingLeft(at: time) }
    guard let stage = foreseeableStage(at: time), model.percent >= 2,
      let pace = pace(isLearned: model.unlearnedLeft == 0)
    else { return nil }
    if model.isConcluding, stage == .installing { return concludingLeft(at: time) }
    var left = max(0, model.installLeft * pace - gone(pace: pace, at: time))
    if stage == .downloading, model.remainingBytes > 0 {
      guard let rate = rate.bytesPerSecond, rate > 0 else { return nil }
      left += Double(model.remainingBytes) / rate
    }
    left += model.openingLeft + (model.concluding?.seconds ?? 0)
    return left > 0 ? left : nil
  }

  /// Seconds until the result is verified, of a job that has nothing else left.
  ///
  /// Nil where everything took its time, and something goes on: how long, nobody knows.
  private func concludingLeft(at time: Timestamp) -> Double? {
    let left = (model.concluding?.seconds ?? 0) - stopwatch.concluding(at: time)
    return left > 0 ? left : nil
  }

  /// How far ``etaSeconds(at:)`` may be off in either direction; nil where anything that is left was
  /// not learned.
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

  /// Seconds until the work has done a step and all before it, which is where it was asked to stop:
  /// whole ones, at least 1.
  ///
  /// Nil where the job's own estimate would be a guess, and while it gives no sign of life.
  func secondsUntil(_ step: Int) -> Double? {
    guard let now, foreseeableStage(at: now) != nil, plan.steps.indices.contains(step) else {
      return nil
    }
    let open = model.open(upTo: step)
    guard let pace = pace(isLearned: open.allSatisfy { model.cost(of: $0).isLearned }) else {
      return nil
    }
    var left = open.reduce(0) { $0 + model.installLeft(of: $1) } * pace
    if snapshot.currentStepIndex ?? .max <= step { left -= gone(pace: pace, at: now) }
    return left > 0 ? max(1, left.rounded()) : nil
  }

  /// Takes what the machine has learned for the measure of a job that has not begun.
  mutating func weigh(by learned: LearnedCosts) {
    guard state == .queued else { return }
    model = ProgressModel(plan, learned: learned, isDownloadOnly: isDownloadOnly)
  }

  /// What the work is at where it can be foreseen: not in the first 3 s, nor while somebody else
  /// holds the lock or no sign of life comes.
  private func foreseeableStage(at time: Timestamp) -> WorkStage? {
    guard case .working(let stage, _) = state, !snapshot.isStalled,
      let start = snapshot.startedAt, time.seconds(since: start) >= 3
    else { return nil }
    if case .waitingForLock = stage { return nil }
    return stage
  }

  /// What of the seconds that the present package still costs has gone by: where the time for which
  /// its present stage has lasted leaves less than the share of it that is measured.
  private func gone(pace: Double, at time: Timestamp) -> Double {
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

  /// Seconds that a second of the model takes, for costs that were learned or were not; nil while
  /// that would be a guess.
  func pace(isLearned: Bool) -> Double? {
    let (actual, expected) = (stopwatch.secondsOfSteps, expectedSeconds)
    // What was learned counts for as much as some seconds of this job.
    if isLearned { return (actual + Self.trust) / (expected + Self.trust) }
    guard stopwatch.lapsOfSteps >= LearnedCosts.fewestSamples, expected > 0 else { return nil }
    return actual / expected
  }

  private static let trust = 5.0

  /// Takes the time of a phase that a step enters.
  mutating func clock(_ phase: UpdatePhase, step: Int, at time: Timestamp) {
    let known = stopwatch.laps.count
    stopwatch.enter(phase, step: step, removes: plan.steps[step].action.removes, at: time)
    for lap in stopwatch.laps[known...] {
      guard let step = lap.step else { continue }
      let cost = model.cost(of: step)
      expectedSeconds += lap.stage == .unpack ? cost.unpack : cost.work
    }
  }
}
