import InstallJobs
import PackageProvider

extension JobMachine {
  /// Ends a job that was aborted in the queue before it started (row B15).
  mutating func endUnstarted(at time: Timestamp) -> [Action] {
    endUntouched(code: .aborted, error: nil, at: time)
  }

  /// Ends a job whose start the provider refused; nothing was changed.
  mutating func end(failedToStart error: InstallationError, at time: Timestamp) -> [Action] {
    endUntouched(code: .failed, error: error, at: time)
  }

  private mutating func endUntouched(
    code: OperationResultCode, error: InstallationError?, at time: Timestamp
  ) -> [Action] {
    // Records the bytes that were fetched ahead: no stored event contains them yet, and a clean-up
    // frees them.
    let told = snapshot.downloadedBytes > 0 ? [recordState(at: time)] : []
    let old = snapshot.plan ?? []
    for step in plan.steps.indices where status(of: step)?.resultCode != .succeeded {
      setFinal(step, code: .notStarted, note: .notReached, at: time)
    }
    return told + finish(.completed, code: code, error: error, end: nil, old: old, at: time)
  }

  /// Ends a job by the content of the package database, whatever the tools reported.
  ///
  /// - Parameters:
  ///   - end: How the work ended; nil when the worker vanished.
  ///   - verification: The findings in the package database.
  ///   - before: The restart marker before the work; nil when the engine that read it is gone: then
  ///     only the plan's own packages count as this job's reasons.
  ///   - after: The restart marker now.
  ///   - time: When the findings were read.
  /// - Returns: The actions for the owner, in order.
  mutating func end(
    _ end: WorkEnd?, _ verification: Verification, before: RebootMarker?, after: RebootMarker,
    at time: Timestamp
  ) -> [Action] {
    let old = snapshot.plan ?? []
    // Without the package lock, the job's tools changed nothing, even if other processes did. Work
    // that vanished may have had the lock without a report of it.
    let isOwnWork = hasHadLock || end == nil
    var verification = verification
    if !isOwnWork { (verification.audit, verification.repairs) = ("", []) }
    finishRequestsWithoutStep(
      verification.contradicted, hasRun: isOwnWork || plan.steps.isEmpty)
    let wasAborted = hasAcceptedAbort
    if let error = end?.error, snapshot.error == nil { snapshot.error = error }
    for step in plan.steps.indices {
      let isFound = verification.findings.indices.contains(step)
      finish(
        step, isFound ? verification.findings[step] : .unknown, isOwnWork: isOwnWork, at: time)
    }
    let known = before ?? after.without(plan.steps.map(\.name))
    let reasons = after.packages.filter { !known.packages.contains($0) }
    for step in plan.steps.indices where reasons.contains(plan.steps[step].name) {
      snapshot.plan?[step].requiresReboot = true
    }
    let needsReboot = after.isSet && (!known.isSet || !reasons.isEmpty)
    snapshot.requiresReboot = needsReboot
    snapshot.rebootReasons = reasons

    let codes = requestedCodes
    var code = OperationResultCode.overall(of: codes, wasAborted: wasAborted)
    let failures = (snapshot.plan ?? []).filter { $0.resultCode == .failed }
    // A job that had nothing to do is not affected by what dpkg reports about other packages.
    let isConcerned = !plan.steps.isEmpty || snapshot.operation == .repair
    if code == .succeeded, !failures.isEmpty || (isConcerned && !verification.audit.isEmpty) {
      code = .succeededWithErrors
    }
    // The packages are as planned, but the tools report an error of their own, as of a hook.
    if code == .succeeded, isOwnWork, !plan.steps.isEmpty, end?.error != nil {
      code = .succeededWithErrors
    }
    // The requested packages are as planned, but other steps of the plan, such as recommended
    // packages, were left out.
    let hasLeftOut = (snapshot.plan ?? []).contains { $0.resultCode == .notStarted }
    if hasLeftOut, code == .succeeded || code == .succeededWithErrors {
      code = wasAborted ? .aborted : .succeededWithErrors
    }
    // A repair that was submitted while another job was at work may have a plan without packages.
    let isBlind = snapshot.operation == .repair && plan.steps.isEmpty
    if isBlind, code == .succeeded || code == .succeededWithErrors,
      !verification.audit.isEmpty || end?.exitStatus ?? 0 != 0
    {
      code = wasAborted ? .aborted : .failed
    }
    snapshot.repairs = verification.repairs
    let vanished = end == nil && code != .succeeded
    let error = code == .succeeded ? nil : remarked(explanation(failures, verification, end))
    if code == .succeeded { stopwatch.conclude(at: time) }
    return finish(
      vanished ? .interrupted : .completed, code: code, error: error, end: end, old: old, at: time)
      + learnActions
  }

  /// The durations of the successful packages' stages and of the job's own stages, to be learned.
  var learnActions: [Action] {
    let laps = stopwatch.laps.filter { lap in
      lap.step.map { status(of: $0)?.resultCode == .succeeded } ?? true
    }
    return laps.isEmpty ? [] : [.learn(laps)]
  }

  var requestedCodes: [OperationResultCode] {
    snapshot.updateSteps.enumerated().map { index, step in
      step.flatMap { status(of: $0)?.resultCode } ?? snapshot.updates[index].resultCode
    }
  }

  /// Sets the final result of a step by its finding.
  private mutating func finish(
    _ step: Int, _ finding: Verification.Finding, isOwnWork: Bool, at time: Timestamp
  ) {
    guard let status = status(of: step) else { return }
    // A package that was to be reinstalled looks the same when nothing was done (row A32).
    let isLeftOut = status.planned.action == .reinstall && status.phase <= .downloaded
    if finding.isAsPlanned, !isLeftOut {
      model.enter(.done, step: step)
      let note = isOwnWork ? status.lastingNote : status.planned.action.noteWhereSatisfied
      setFinal(step, code: .succeeded, note: note, at: time)
    } else if let error = status.error {
      setFinal(step, code: .failed, note: nil, error: error, at: time)
    } else if isOwnWork, !finding.isAsPlanned, status.planned.action == .configure,
      status.phase >= .configuring
    {
      // The package database shows the package unchanged, but dpkg has reported that its
      // configuration began.
      let error = InstallationError(
        .packageFailed, "\(status.name) is still \(finding.state): its configuration was cut off",
        update: status.name,
        hint:
          "see 'fettle log \(snapshot.id)'; put right what its script needs and repair it again,"
          + " or 'fettle purge \(status.name)' takes it away")
      setFinal(step, code: .failed, note: nil, error: error, at: time)
    } else if finding.isUntouched || finding.isAsPlanned || !isOwnWork {
      let fetched = status.phase == .downloaded
      setFinal(step, code: .notStarted, note: fetched ? .fetched : .notReached, at: time)
    } else {
      let version = finding.version.map { " \($0)" } ?? ""
      let error = InstallationError(
        .notVerified, "\(status.name) is \(finding.state)\(version) in the package database",
        update: status.name,
        hint: "see 'fettle log \(snapshot.id)'; 'fettle doctor' says what to do")
      setFinal(step, code: .failed, note: nil, error: error, at: time)
    }
  }

  /// Sets the final result of a step.
  ///
  /// A percentage never falls: a step that dpkg reported as installed and that the package database
  /// contradicts fails but keeps its 100 (row C3); the job's own percentage stays below 100.
  mutating func setFinal(
    _ step: Int, code: OperationResultCode, note: UpdateNote?, error: InstallationError? = nil,
    at time: Timestamp
  ) {
    guard var status = status(of: step) else { return }
    status.resultCode = code
    status.note = note
    status.error = error
    if code == .succeeded {
      status.phase = lastPhase
      status.phaseTimes.record(lastPhase, at: time)
      status.percentComplete = 100
    }
    snapshot.plan?[step] = status
  }

  /// When the work ended, if that was before this engine recovered the job; nil also when the clock
  /// was set meanwhile.
  private func lateEnd(_ end: WorkEnd?) -> Timestamp? {
    guard let last = end?.at, let recoveredAt, let start = snapshot.startedAt,
      start <= last, last < recoveredAt
    else { return nil }
    return last
  }

  /// Records the end and the changes since `old`, and removes the job from the queue.
  mutating func finish(
    _ final: JobState, code: OperationResultCode, error: InstallationError?, end: WorkEnd?,
    old: [UpdateStatus], at time: Timestamp
  ) -> [Action] {
    enter(.ended)
    var actions: [Action] = []
    for (step, status) in (snapshot.plan ?? []).enumerated() where status != old[step] {
      actions.append(record(.update(index: step, status: status), at: time))
    }
    let outcome = JobOutcome(
      state: final, resultCode: code,
      percentComplete: code == .succeeded ? 100 : min(99, snapshot.percentComplete),
      error: error, requiresReboot: snapshot.requiresReboot,
      rebootReasons: snapshot.rebootReasons, exitStatus: end?.exitStatus,
      repairs: snapshot.repairs, updates: snapshot.updates,
      afterReboot: snapshot.requiresReboot
        ? bootID.map { RebootVerification(.pending, bootID: $0) } : nil,
      interruptedAt: final == .interrupted ? lastSign ?? snapshot.startedAt : nil,
      workEndedAt: lateEnd(end),
      counts: code == .succeeded || planIsEmpty ? nil : ResultCounts(snapshot.plan ?? []))
    actions.append(record(.completed(outcome), at: time))
    actions.append(.leaveQueue)
    return actions
  }

  private var planIsEmpty: Bool { snapshot.plan?.isEmpty ?? true }

  /// Records the steps that another job or process had satisfied before the work began.
  mutating func noteSatisfied(_ steps: Set<Int>, at time: Timestamp) -> [Action] {
    steps.sorted().compactMap { step in
      guard var status = status(of: step), status.phase <= .downloaded, status.error == nil,
        let note = status.planned.action.noteWhereSatisfied, status.note != note
      else { return nil }
      status.note = note
      return record(.update(index: step, status: status), at: time)
    }
  }

  /// Fails a request that needed no change when it was planned and that the package database now
  /// contradicts.
  private mutating func failContradicted(_ index: Int) {
    let name = snapshot.updates[index].name
    let row = plan.requests.indices.contains(index) ? plan.requests[index] : nil
    let change = row?.change ?? "is not as it was when the job was planned"
    let before = row?.expectedAfter.map { "'fettle show \($0)' says what became of job \($0), " }
    snapshot.updates[index].resultCode = .failed
    snapshot.updates[index].error = InstallationError(
      .planOutOfDate, "\(name) \(change)", class: .transient, update: name,
      hint: (before ?? "")
        + "'fettle retry \(snapshot.id)' plans \(before == nil ? "it" : "this one") anew")
    snapshot.updates[index].note = nil
  }

  /// Sets the results of requests without a step: those with nothing to do (already installed, or
  /// not installed) succeeded (rows D16, D17).
  ///
  /// - Parameters:
  ///   - contradicted: The requests that the package database contradicts.
  ///   - hasRun: Whether the work ran. If not, a contradicted request is not failed: the process
  ///     that the job waited for may still have to install the package.
  mutating func finishRequestsWithoutStep(_ contradicted: Set<Int>, hasRun: Bool) {
    for index in snapshot.updates.indices where snapshot.updateSteps[index] == nil {
      if contradicted.contains(index) {
        guard !hasRun else {
          failContradicted(index)
          continue
        }
        snapshot.updates[index].note = nil
      }
      let note = snapshot.updates[index].note
      let isSatisfied = note == .alreadyInstalled || note == .notInstalled
      if note == .notReached, let reason = reasonToStay(index) {
        snapshot.updates[index].error = reason
      }
      snapshot.updates[index].resultCode = isSatisfied ? .succeeded : .notStarted
      snapshot.updates[index].phase = isSatisfied ? .done : .pending
      snapshot.updates[index].percentComplete = isSatisfied ? 100 : 0
    }
  }
}

extension JobMachine {
  /// Why the plan leaves a requested package as it is; nil when the plan gives no reason.
  fileprivate func reasonToStay(_ index: Int) -> InstallationError? {
    guard plan.requests.indices.contains(index), let reason = plan.requests[index].reason else {
      return nil
    }
    let name = plan.requests[index].update.name
    return InstallationError(
      .unresolvable, "\(name) stays as it is: \(reason)", update: name,
      hint: "'fettle updates' says what keeps a package back")
  }
}

extension UpdateStatus {
  /// The note that a succeeded step keeps.
  fileprivate var lastingNote: UpdateNote? {
    switch note {
    case .alreadyInstalled, .notInstalled, .keptConfiguration: note
    case .notReached, .fetched, .alreadyDownloaded, nil: nil
    }
  }
}

extension PlannedAction {
  /// The note of a step that the machine satisfied without this job's work; nil for actions that
  /// leave no trace in the package database.
  fileprivate var noteWhereSatisfied: UpdateNote? {
    switch self {
    case .install, .upgrade, .downgrade: .alreadyInstalled
    case .remove, .purge: .notInstalled
    case .reinstall, .configure: nil
    }
  }
}

extension RebootMarker {
  /// The marker without the given packages.
  fileprivate func without(_ names: [String]) -> RebootMarker {
    let others = packages.filter { !names.contains($0) }
    return RebootMarker(isSet: isSet, packages: others)
  }
}

extension Verification.Finding {
  /// The placeholder for a missing finding: the step was not verified.
  fileprivate static let unknown = Verification.Finding(
    isAsPlanned: false, isUntouched: false, state: "not verified", version: nil)
}
