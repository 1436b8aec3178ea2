import InstallJobs
import PackageProvider

// Changes by time alone: a stage whose duration was learned advances without reports, almost to its
// end. A stage that takes much longer than learned becomes overdue.
extension JobMachine {
  /// The present stage, if its duration was learned.
  private struct PresentStage {
    var stage: CostStage
    /// The plan's step; nil for a stage of the job as a whole.
    var step: Int?
    /// The learned median duration, in seconds.
    var usual: Double
    /// The median at this job's pace, in seconds.
    var expected: Double
    /// Seconds since the stage began.
    var elapsed: Double

    /// Seconds after which the stage is overdue: three times the expected duration, which a busy
    /// machine does not explain, and at least 10 s more than expected, because shorter delays go
    /// unnoticed.
    var overdueAfterSeconds: Double { max(3 * expected, expected + 10) }
  }

  /// Applies the elapsed time.
  mutating func applyLapse(isClockSound: Bool, at time: Timestamp) -> [Action] {
    guard isClockSound else {
      // The duration of the present stage is unknown from now on.
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

  /// Advances a job of an earlier engine to the progress that its present stage should have by now.
  mutating func catchUp(to time: Timestamp) {
    guard case .working = state else { return }
    _ = tick(at: time)
  }

  /// Advances the percentages to the progress that the present stage should have by now.
  mutating func lapse(to time: Timestamp) {
    guard let present = presentStage(at: time), present.expected > 0, !isGauged(present),
      model.lapse(present.elapsed / present.expected, of: present.stage, step: present.step),
      let step = present.step
    else { return }
    moved.insert(step)
  }

  /// The present stage if it is overdue; else nil.
  func overdue(at time: Timestamp) -> OverdueStage? {
    guard let present = presentStage(at: time), present.elapsed > present.overdueAfterSeconds,
      let stage = OverdueStage.Stage(rawValue: present.stage.rawValue)
    else { return nil }
    return OverdueStage(
      stage, of: present.step.flatMap { name(of: $0) }, usualSeconds: present.usual,
      since: time.advanced(bySeconds: -present.elapsed))
  }

  /// Seconds until time alone changes the displayed values; nil when it no longer does.
  ///
  /// A hundredth of the stage's expected duration, clamped to 1...10 s. For a stage that time does
  /// not advance, the seconds until it is overdue, at least 1.
  func nextLapse(at time: Timestamp) -> Double? {
    guard let present = presentStage(at: time) else { return nil }
    let end = present.expected * ProgressModel.limit
    if present.expected >= Self.shortest, present.elapsed < end, !isGauged(present) {
      return min(10, max(1, present.expected / 100))
    }
    guard snapshot.overdue == nil else { return nil }
    return max(1, present.overdueAfterSeconds - present.elapsed + 0.1)
  }

  /// Minimum expected duration, in seconds, of a stage that is advanced by time: shorter stages end
  /// before their progress is visible.
  private static let shortest = 2.0

  private func isGauged(_ present: PresentStage) -> Bool {
    present.step != nil && present.step == measuredStep
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
      // After a wait for the lock, the preparation may be over already.
      return model.openingLeft > 0 ? whole(.prepare, model.prepare, elapsed) : nil
    case .verifying: break
    case .queued, .paused, .starting, .working, .suspended, .ended: return nil
    }
    return whole(.conclude, model.concluding?.seconds ?? 0, stopwatch.concluding(at: time))
  }

  private func presentStep(at time: Timestamp) -> PresentStage? {
    guard let step = snapshot.currentStepIndex, let status = status(of: step),
      status.error == nil, !isAgeUnknown,
      // An earlier engine measured the stage and recorded when the phase began.
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
