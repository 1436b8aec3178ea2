import InstallJobs

/// Jobs and events with every field in use, whose JSON other inputs are made from.
enum SampleJobs: Sendable {
  private static let noon = Timestamp(milliseconds: 1_767_268_800_000)
  private static let root = Requester(uid: 0, user: "root")
  private static let error = InstallationError(
    .packageFailed, "cannot configure b", update: "b", detail: "exit status 3", hint: "look")

  /// A plan with a dependency and an update that is there already.
  static let plan: JobPlan = {
    let steps = [
      PlannedUpdate(
        name: "a", architecture: "amd64", action: .install, toVersion: "1:2-3", downloadSize: 4_096,
        installedSize: 9_216, origin: "Debian:bookworm/main"),
      PlannedUpdate(
        name: "b", architecture: "all", action: .upgrade, fromVersion: "1", toVersion: "2",
        requested: true),
    ]
    return JobPlan(
      requests: [
        JobPlan.Request(update: Update("b"), step: 1),
        JobPlan.Request(update: Update("c"), step: nil, note: .alreadyInstalled),
      ], steps: steps,
      archives: [0: PlannedArchive(fileName: "a.deb", size: 4_096, hash: nil, uri: "http://m/a")])
  }()

  /// A job at its beginning, one at work, one that is over.
  static let snapshots: [JobSnapshot] = {
    var options = InstallationOptions()
    options.comment = "nightly"
    options.earliestStart = noon
    options.lockSeconds = 30
    let queued = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, [Update("b"), Update("c")], options: options),
      plan: plan, requestedBy: root, provider: "apt", submittedAt: noon)
    var working = queued
    working.expected = ExpectedWork(downloadSeconds: 2, packageSeconds: 30.5, spreadSeconds: 4)
    working.etaSpreadSeconds = 4
    working.overdue = OverdueStage(.configure, of: "a", usualSeconds: 5, since: noon)
    working.state = .installing
    working.startedAt = noon
    working.percentComplete = 41.5
    working.currentStepIndex = 1
    working.currentUpdateIndex = 0
    working.bytesPerSecond = 2_097_152
    working.etaSeconds = 12.5
    working.waitingFor = WaitReason(.lock, "held", holder: LockHolder(pid: 7, command: "apt"))
    working.abort = AbortRecord(
      requestedAt: noon, requestedBy: root, disposition: .accepted(stopsAfter: "a", etaSeconds: 3))
    var over = working
    over.state = .completed
    over.resultCode = .failed
    over.endedAt = noon.advanced(bySeconds: 60)
    over.error = error
    return [queued, working, over]
  }()

  /// Events of the job, one of each type.
  static let events: [JobEvent] = {
    let jobs = snapshots
    var tick = JobProgressTick(
      percentComplete: 50, currentUpdateIndex: 0, currentStepIndex: 1, downloadedBytes: 4_096,
      bytesPerSecond: 1e6, etaSeconds: 3, activity: "triggers of man-db", lastActivityAt: noon,
      isStalled: false, abortPreview: .accepted(stopsAfter: "b"),
      steps: [JobProgressTick.Step(index: 1, percentComplete: 60, downloadedBytes: 0)])
    tick.overdue = jobs[1].overdue
    let outcome = JobOutcome(
      state: .completed, resultCode: .failed, percentComplete: 80, error: error,
      requiresReboot: true, rebootReasons: ["a"], exitStatus: 100, repairs: [],
      updates: jobs[2].updates)
    let payloads: [JobEvent.Payload] = [
      .submitted(jobs[0].withoutPlan),
      .state(JobStateChange(.installing, abortPreview: .accepted(stopsAfter: nil))),
      .progress(tick), .update(index: 1, status: jobs[1].updates[0]),
      .abortRequested(
        AbortRecord(
          requestedAt: noon, requestedBy: root,
          disposition: .refused(reason: AbortRefusal(.finalStep, "too late")))),
      .abortWithdrawn(by: root), .log(offset: 0, text: "\u{1B}[1mhello\n"), .completed(outcome),
      .cleanedUp(by: root), .engine(EngineNotice(.started, "fettled 1")),
    ]
    return payloads.enumerated().map { index, payload in
      JobEvent(
        seq: index + 1, at: noon.advanced(bySeconds: Double(index)), job: JobID(1),
        payload: payload,
        progressMark: payload.isDurable
          ? JobEvent.ProgressMark(percentComplete: 12.5, logLength: Int64(index)) : nil)
    }
  }()
}
