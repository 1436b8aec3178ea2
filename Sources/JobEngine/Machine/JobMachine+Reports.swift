import InstallJobs
import PackageProvider

extension JobMachine {
  /// Applies the work's reports.
  mutating func apply(_ reports: [WorkReport], at time: Timestamp) -> [Action] {
    var actions: [Action] = []
    var ticks = false
    // The report that the worker is gone is no sign of life.
    if case .lost? = reports.last { lastSign = snapshot.lastActivityAt }
    snapshot.lastActivityAt = time
    stopwatch.noteBatch(at: time)
    if snapshot.isStalled {
      snapshot.isStalled = false
      snapshot.stall = nil
      ticks = true
    }
    for report in reports {
      guard case .working(let stage, let intention) = state else { break }
      switch report {
      case .stage(let new):
        if new == .installing { hasHadLock = true }
        // A resumed job checks its archives again without fetching any.
        guard new != stage, new != .downloading || !hasBegunPackages,
          new == .downloading || !isDownloadOnly
        else { continue }
        enter(.working(new, intention))
        stopwatch.enter(new, at: time)
        if new == .installing { model.noteConnected() }
        snapshot.activity = nil
        rate.reset()
        actions.append(recordState(at: time))
      case .downloaded(let step, let bytes):
        ticks = applyDownload(bytes, step: step, at: time, into: &actions) || ticks
      case .phase(let step, let phase):
        let made = applyPhase(phase, step: step, at: time)
        actions += made
        ticks = ticks || !made.isEmpty
      case .fraction(let step, let fraction):
        guard let phase = phase(of: step) else { continue }
        model.measured(fraction, phase: phase, step: step)
        measuredStep = step
        moved.insert(step)
        ticks = true
      case .failed(let step, let error):
        actions += applyFailure(error, step: step, at: time)
      case .conffile(let step, let path):
        actions += noteConffile(path, step: step, at: time)
      case .trigger(let name):
        snapshot.activity = name.map { "triggers of \($0)" }
        if name == nil { stopwatch.noteTrigger(at: time) }
        ticks = true
      case .holderProgress(let words):
        guard case .waitingForLock = stage else { continue }
        snapshot.activity = words
        ticks = true
      case .abandoned:
        isAbandoned = true
        ticks = true
      case .remark(let words):
        if !remarks.contains(words), remarks.count < 8 { remarks.append(words) }
      case .log, .alive:
        ticks = true
      case .ended(let end):
        actions += applyEnd(end, at: time)
      case .lost:
        // The time of the end is unknown.
        stopwatch.stop()
        isAbandoned = false
        snapshot.activity = nil
        enter(.verifying(nil))
        actions += [recordState(at: time), .verify]
      }
    }
    if ticks { actions.append(.publish(.progress(tick(at: time)))) }
    return actions
  }

  private mutating func applyDownload(
    _ bytes: Int64, step: Int, at time: Timestamp, into actions: inout [Action]
  ) -> Bool {
    guard let status = status(of: step), status.phase <= .downloading else { return false }
    model.downloaded(bytes, step: step)
    model.noteConnected()
    stopwatch.noteTransfer(at: time)
    rate.note(model.downloadedTotal, at: time)
    if status.phase == .pending { actions += applyPhase(.downloading, step: step, at: time) }
    moved.insert(step)
    return true
  }

  private mutating func applyPhase(_ phase: UpdatePhase, step: Int, at time: Timestamp) -> [Action]
  {
    guard var status = status(of: step), phase > status.phase, phase <= lastPhase,
      status.error == nil
    else { return [] }
    if phase > .downloaded { hasHadLock = true }
    model.enter(phase, step: step)
    if measuredStep == step { measuredStep = nil }
    isAgeUnknown = false
    recordPhaseTime(phase, step: step, at: time)
    status.phase = phase
    status.phaseTimes.record(phase, at: time)
    status.percentComplete = max(status.percentComplete, model.percent(of: step))
    status.downloadedBytes = model.downloaded[step]
    status.resultCode = phase == lastPhase ? .succeeded : .inProgress
    snapshot.percentComplete = max(snapshot.percentComplete, model.percent)
    snapshot.downloadedBytes = fetchedBytes
    moved.remove(step)
    let action = record(.update(index: step, status: status), at: time)
    // The abort preview changes with the present step; the next tick publishes it.
    snapshot.abortPreview = abortPreview
    return [action]
  }

  private mutating func applyFailure(
    _ error: InstallationError, step: Int?, at time: Timestamp
  ) -> [Action] {
    if snapshot.error == nil { snapshot.error = error }
    stopwatch.stop()
    guard let step, var status = status(of: step), status.error == nil else { return [] }
    model.close(step)
    status.error = error
    status.resultCode = .failed
    return [record(.update(index: step, status: status), at: time)]
  }

  /// Records a configuration file that both the user and the package changed, with dpkg's decision
  /// by the job's policy.
  private mutating func noteConffile(_ path: String, step: Int, at time: Timestamp) -> [Action] {
    guard var status = status(of: step) else { return [] }
    let outcome: ConffileChange.Outcome = snapshot.options.conffiles == .new ? .replaced : .kept
    let change = ConffileChange(path: path, outcome: outcome)
    guard !status.conffiles.contains(change) else { return [] }
    status.conffiles.append(change)
    if outcome == .kept { status.note = .keptConfiguration }
    return [record(.update(index: step, status: status), at: time)]
  }

  private mutating func applyEnd(_ end: WorkEnd, at time: Timestamp) -> [Action] {
    guard case .working(_, let intention) = state else { return [] }
    guard end.stoppedAtBoundary, end.error == nil else {
      enter(.verifying(end))
      return [recordState(at: time), .verify]
    }
    switch (intention, unanswered) {
    case (.abort, _):
      enter(.verifying(end))
      return [recordState(at: time), .verify]
    case (.suspend, .suspend?), (.suspend, nil), (.proceed, .suspend?):
      remarks = []
      recordPause(at: time)
      stopwatch.stop()
      enter(.suspended)
      snapshot.exitStatus = end.exitStatus
      return [recordState(at: time)]
    case (.suspend, .abort(let requester)?), (.proceed, .abort(let requester)?):
      return applyUnexplainedStop(end, by: requester, at: time)
    case (.proceed, nil) where wasFinalizing:
      // The job had stopped, was resumed and could not continue; the reason was not recorded.
      enter(
        .verifying(WorkEnd(exitStatus: end.exitStatus, stoppedAtBoundary: true, error: notGoneOn)))
      return [recordState(at: time), .verify]
    case (.proceed, nil):
      return applyUnexplainedStop(end, by: snapshot.requestedBy, at: time)
    }
  }

  private var notGoneOn: InstallationError {
    InstallationError(
      .interrupted,
      "job \(snapshot.id) was resumed, its work did not begin again, and the engine ended before it"
        + " was recorded why", class: .transient,
      hint: "submit what is left of it once more")
  }

  /// Applies a stop without a recorded request as an abort.
  ///
  /// Either the engine died before it recorded the request, or the work stopped before its answer
  /// arrived. A pause that no user knows of would block the queue for ever.
  private mutating func applyUnexplainedStop(
    _ end: WorkEnd, by requester: Requester, at time: Timestamp
  ) -> [Action] {
    var last: String?
    if case .working(.installing, _) = state, let step = snapshot.currentStepIndex,
      let status = status(of: step), status.phase > .downloaded
    {
      last = name(of: step)
    }
    let actions = [recordAbort(.accepted(stopsAfter: last), by: requester, at: time)]
    enter(.verifying(end))
    return actions + [recordState(at: time), .verify]
  }

  // MARK: Published values

  /// Bytes of archives that are there.
  ///
  /// Archives fetched ahead count before the work has found them.
  private var fetchedBytes: Int64 { max(snapshot.downloadedBytes, model.downloadedTotal) }

  /// Returns the progress tick with everything that changed since the last tick.
  mutating func tick(at time: Timestamp?) -> JobProgressTick {
    if let time { lapse(to: time) }
    let eta = time.flatMap { etaSeconds(at: $0) }
    let steps = moved.sorted().map { step in
      JobProgressTick.Step(
        index: step, percentComplete: model.percent(of: step),
        downloadedBytes: model.downloaded[step])
    }
    moved = []
    var tick = JobProgressTick(
      percentComplete: max(snapshot.percentComplete, model.percent),
      currentUpdateIndex: snapshot.currentUpdateIndex,
      currentStepIndex: snapshot.currentStepIndex,
      downloadedBytes: fetchedBytes,
      bytesPerSecond: isDownloading ? rate.bytesPerSecond : nil,
      etaSeconds: eta,
      activity: isAbandoned ? JobSnapshot.lostWorker : snapshot.activity,
      lastActivityAt: snapshot.lastActivityAt, isStalled: snapshot.isStalled, stall: snapshot.stall,
      abortPreview: abortPreview, steps: steps)
    tick.overdue = time.flatMap { overdue(at: $0) }
    // An overdue stage is outside the range that the spread describes.
    tick.etaSpreadSeconds = eta == nil || tick.overdue != nil ? nil : etaSpreadSeconds
    let event = JobEvent(
      seq: 0, at: time ?? snapshot.submittedAt, job: snapshot.id, payload: .progress(tick))
    snapshot.apply(event)
    return tick
  }

  /// Whether the current step has come further than its archive.
  private var isUnpackingOrConfiguring: Bool {
    guard let step = snapshot.currentStepIndex, let status = status(of: step) else { return false }
    return status.phase > .downloaded
  }

  /// The job's state as published.
  var stateChange: JobStateChange {
    var change = JobStateChange(.queued, abortPreview: abortPreview)
    // Ticks are not stored: without this, an ended job would show no fetched bytes.
    change.downloadedBytes = fetchedBytes
    switch state {
    case .queued, .starting: break
    case .paused: change.waitingFor = pausedReason
    case .working(let stage, let intention):
      change.currentStepIndex = snapshot.currentStepIndex
      change.currentUpdateIndex = snapshot.currentUpdateIndex
      switch stage {
      case .downloading: change.state = .downloading
      case .waitingForLock(let holder):
        change.state = .waitingForLock
        change.waitingFor = Self.lockWait(holder)
        change.currentStepIndex = nil
        change.currentUpdateIndex = nil
      case .installing:
        change.state = .installing
        // The step that was fetched last is not the one being installed.
        if !isUnpackingOrConfiguring {
          change.currentStepIndex = nil
          change.currentUpdateIndex = nil
        }
      }
      switch intention {
      case .proceed: break
      case .abort: change.state = .stopping
      case .suspend(let step):
        change.waitingFor = pausingReason(after: step)
      }
    case .suspended:
      change.state = .suspended
      change.waitingFor = pausedReason
    case .verifying: change.state = .finalizing
    case .ended: change.state = snapshot.state
    }
    return change
  }

  private static func lockWait(_ holder: LockHolder?) -> WaitReason {
    let name = holder.map { "\($0.command ?? "a process") (pid \($0.pid))" } ?? "another process"
    return WaitReason(.lock, "the package lock is held by \(name)", holder: holder)
  }

  // MARK: Looking up

  func status(of step: Int) -> UpdateStatus? {
    snapshot.plan.flatMap { $0.indices.contains(step) ? $0[step] : nil }
  }

  func name(of step: Int) -> String? {
    plan.steps.indices.contains(step) ? plan.steps[step].name : nil
  }

  private func phase(of step: Int) -> UpdatePhase? { status(of: step)?.phase }

  private var isDownloading: Bool {
    if case .working(.downloading, _) = state { true } else { false }
  }
}
