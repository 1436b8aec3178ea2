import InstallJobs
import PackageTools

// How long things take, by what they cost on this machine before and by the job's own pace.
extension JobMachine {
  /// Remaining seconds of the whole job; nil in the first 3 s, below 2 %, and where it is a guess.
  ///
  /// Transfers are foreseen by the present rate. Packages are foreseen where the costs of all were
  /// learned, or by this job's own pace once three stages of its packages are over.
  func etaSeconds(at time: Timestamp) -> Double? {
    guard case .working(let stage, _) = state, !snapshot.isStalled,
      let start = snapshot.startedAt, time.seconds(since: start) >= 3, model.percent >= 2,
      let install = seconds(for: plan.steps.indices, at: time)
    else { return nil }
    var left = install + model.closing
    if stage == .downloading, model.remainingBytes > 0 {
      guard let rate = rate.bytesPerSecond, rate > 0 else { return nil }
      left += Double(model.remainingBytes) / rate
    }
    // Everything took its time, and something goes on: how long, nobody knows.
    return left > 0 ? left : nil
  }

  /// Seconds until the work has done a step and all before it, which is where it was asked to stop:
  /// whole ones, at least 1.
  ///
  /// Nil where the job's own estimate would be a guess, and while it gives no sign of life.
  func secondsUntil(_ step: Int) -> Double? {
    guard case .working = state, !snapshot.isStalled, let now, let start = snapshot.startedAt,
      now.seconds(since: start) >= 3
    else { return nil }
    let left = seconds(for: plan.steps.indices.prefix(step + 1), at: now)
    return left.flatMap { $0 > 0 ? max(1, $0.rounded()) : nil }
  }

  /// Takes what the machine has learned for the measure of a job that has not begun.
  mutating func weigh(by learned: LearnedCosts) {
    guard state == .queued else { return }
    model = ProgressModel(plan, learned: learned)
  }

  /// Seconds that packages still take; nil while that would be a guess.
  private func seconds(for steps: Range<Int>, at time: Timestamp) -> Double? {
    let open = steps.filter { index in
      guard let status = status(of: index) else { return false }
      return status.phase != .done && status.error == nil
    }
    guard let pace = pace(for: open) else { return nil }
    return open.reduce(0) { $0 + seconds(for: $1, pace: pace, at: time) }
  }

  /// Seconds that a package still takes: by the share of its present stage that is measured, or by
  /// the time for which that stage has lasted, whichever leaves less.
  private func seconds(for step: Int, pace: Double, at time: Timestamp) -> Double {
    let left = model.remainingInstall(of: step) * pace
    guard step == snapshot.currentStepIndex, let since = stopwatch.since, since <= time,
      let phase = status(of: step)?.phase
    else { return left }
    let cost = model.cost(of: step)
    let (stage, later) = phase == .unpacking ? (cost.unpack, cost.work) : (cost.work, 0)
    return min(left, max(0, stage * pace - time.seconds(since: since)) + later * pace)
  }

  /// Seconds that a second of the model takes; nil while that would be a guess.
  private func pace(for steps: [Int]) -> Double? {
    let laps = stopwatch.lapsOfSteps
    let actual = laps.reduce(0) { $0 + $1.seconds }
    let expected = laps.reduce(0) { sum, lap in
      guard let step = lap.step else { return sum }
      let cost = model.cost(of: step)
      return sum + (lap.stage == .unpack ? cost.unpack : cost.work)
    }
    if steps.allSatisfy({ model.cost(of: $0).isLearned }) {
      // What was learned counts for as much as some seconds of this job.
      return (actual + Self.trust) / (expected + Self.trust)
    }
    guard laps.count >= LearnedCosts.fewestSamples, expected > 0 else { return nil }
    return actual / expected
  }

  private static let trust = 5.0
}
