import InstallJobs
import PackageProvider

// What moves by time alone: a stage that was learned goes on although nothing is reported of it, up
// to nearly its end; one that takes much longer than before says so.
extension JobMachine {
  /// A stage that is under way and whose length was learned.
  private struct PresentStage {
    var stage: CostStage
    /// The plan's step; nil for a stage of the job as a whole.
    var step: Int?
    /// Its learned median, in seconds.
    var usual: Double
    /// The same at this job's pace.
    var expected: Double
    /// Seconds for which it has lasted.
    var elapsed: Double

    /// Seconds after which it is overdue: three times its length, which no busy machine explains, and
    /// ten seconds longer than expected, below which nobody wonders.
    var patience: Double { max(3 * expected, expected + 10) }
  }

  /// Takes the time that has gone by.
  mutating func applyLapse(isClockSound: Bool, at time: Timestamp) -> [Action] {
    guard isClockSound else {
      // How long the stage has lasted cannot be told any more.
      stopwatch.stop()
      isAgeUnknown = true
      return []
    }
    let before = (snapshot.percentComplete, snapshot.overdue)
    let tick = tick(at: time)
    guard before != (snapshot.percentComplete, snapshot.overdue) || !tick.steps.isEmpty else {
      return []
    }
    return [.publish(.progress(tick))]
  }

  /// Brings a job that an earlier engine left to where its present stage should be by now.
  mutating func catchUp(to time: Timestamp) {
    guard case .working = state else { return }
    _ = tick(at: time)
  }

  /// Brings the percentages to where the present stage should be by now.
  mutating func lapse(to time: Timestamp) {
    guard let present = presentStage(at: time), present.expected > 0, !isGauged(present),
      model.lapse(present.elapsed / present.expected, of: present.stage, step: present.step),
      let step = present.step
    else { return }
    moved.insert(step)
  }

  /// The present stage, if it takes much longer than it should.
  func overdue(at time: Timestamp) -> OverdueStage? {
    guard let present = presentStage(at: time), present.elapsed > present.patience,
      let stage = OverdueStage.Stage(rawValue: present.stage.rawValue)
    else { return nil }
    return OverdueStage(
      stage, of: present.step.flatMap { name(of: $0) }, usualSeconds: present.usual,
      since: time.advanced(bySeconds: -present.elapsed))
  }

  /// Seconds until time alone changes what is shown; nil where it does not any more.
  ///
  /// A hundredth of the stage, but no less than a second, and no more than ten.
  func nextLapse(at time: Timestamp) -> Double? {
    guard let present = presentStage(at: time) else { return nil }
    let end = present.expected * ProgressModel.limit
    if present.expected >= Self.shortest, present.elapsed < end, !isGauged(present) {
      return min(10, max(1, present.expected / 100))
    }
    guard snapshot.overdue == nil else { return nil }
    return max(1, present.patience - present.elapsed + 0.1)
  }

  /// Stages that take less time are over before anybody sees them move.
  private static let shortest = 2.0

  private func isGauged(_ present: PresentStage) -> Bool {
    present.step != nil && present.step == gaugedStep
  }

  private func presentStage(at time: Timestamp) -> PresentStage? {
    guard !snapshot.isStalled else { return nil }
    if case .working(.installing, _) = state, stopwatch.opening == nil, !model.isConcluding {
      return presentStep(at: time)
    }
    guard let since = stopwatch.since, since <= time else { return nil }
    let elapsed = time.seconds(since: since)
    func whole(_ stage: CostStage, _ seconds: Double, _ elapsed: Double) -> PresentStage? {
      guard seconds > 0 else { return nil }
      return PresentStage(
        stage: stage, step: nil, usual: seconds, expected: seconds, elapsed: elapsed)
    }
    switch state {
    case .working(.downloading, _):
      return stopwatch.opening == .connect ? whole(.connect, model.connect, elapsed) : nil
    case .working(.installing, _):
      guard stopwatch.opening == .prepare else { break }
      // A wait for the lock in between leaves no more to prepare for.
      return model.openingLeft > 0 ? whole(.prepare, model.prepare, elapsed) : nil
    case .verifying: break
    case .queued, .held, .starting, .working, .suspended, .ended: return nil
    }
    return whole(.conclude, model.concluding?.seconds ?? 0, stopwatch.concluding(at: time))
  }

  private func presentStep(at time: Timestamp) -> PresentStage? {
    guard let step = snapshot.currentStepIndex, let status = status(of: step),
      status.error == nil, !isAgeUnknown,
      // An earlier engine took the time, and noted when the phase began.
      let since = stopwatch.since ?? status.phaseTimes[status.phase], since <= time
    else { return nil }
    let stage: CostStage
    switch status.phase {
    case .unpacking: stage = .unpack
    case .configuring: stage = .configure
    case .removing: stage = .remove
    case .pending, .downloading, .downloaded, .unpacked, .triggers, .done: return nil
    }
    guard let usual = model.cost(of: step).learnedSeconds(of: stage) else { return nil }
    return PresentStage(
      stage: stage, step: step, usual: usual,
      expected: usual * (pace(isLearned: true) ?? 1), elapsed: time.seconds(since: since))
  }
}
