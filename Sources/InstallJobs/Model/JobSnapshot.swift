/// The state of a job at one moment; the value never changes by itself (row B11).
///
/// It is encoded as the job of the JSON contract, with the contract's field names and meanings.
public struct JobSnapshot: Sendable, Hashable {
  /// The job's number; 0 for a plan that was never submitted.
  public var id: JobID
  /// The operation on the updates.
  public var operation: JobOperation
  /// The state of the job.
  public var state: JobState
  /// The result code; final only after the end of the job.
  public var resultCode = OperationResultCode.notStarted
  /// The user who submitted the job, as identified by the kernel.
  public var requestedBy: Requester
  /// The options with which the job was submitted (row A42), without the proxy's password.
  public var options: InstallationOptions
  /// The name of the package provider: `apt`, or `simulated` for a scenario.
  ///
  /// It is displayed together with the job.
  public var provider: String
  /// When the job was accepted; if ``id`` is 0 it has no meaning and is null in JSON.
  package var submittedAt: Timestamp
  /// When the work started; nil while the job waits.
  package var startedAt: Timestamp?
  /// When the job was over and verified; nil before.
  package var endedAt: Timestamp?
  /// Share of the whole job that is done, 0...100; never decreases.
  ///
  /// 100 exactly if the job succeeded and was verified (rows C4, C5).
  package var percentComplete = 0.0
  /// The index in `updates` of the update that the current work serves; nil while no package is
  /// worked on (C1, C2).
  public var currentUpdateIndex: Int?
  /// The index in `plan` of the package that is being worked on.
  public var currentStepIndex: Int?
  /// The place among the jobs that could start, from 1.
  ///
  /// Nil for a job that is not queued, is paused, or waits for a time or for another job: see
  /// ``hasPlaceInQueue``.
  public var queuePosition: Int?
  /// Why the job is waiting; nil if it is not waiting.
  public var waitingFor: WaitReason? {
    get { boxedWaitingFor.value }
    set { boxedWaitingFor.value = newValue }
  }
  private var boxedWaitingFor = Boxed<WaitReason>(nil)
  /// The latest request to abort that was not cancelled.
  public var abort: AbortRecord? {
    get { boxedAbort.value }
    set { boxedAbort.value = newValue }
  }
  private var boxedAbort = Boxed<AbortRecord>(nil)
  /// The answer that a request to abort would receive now (row C24).
  public var abortPreview = AbortDisposition.accepted(stopsAfter: nil)
  /// Why the job did not succeed; nil if it succeeded or is not over.
  public var error: InstallationError? {
    get { boxedError.value }
    set { boxedError.value = newValue }
  }
  private var boxedError = Boxed<InstallationError>(nil)
  /// Whether the job asked for a restart of the machine (row D3).
  public var requiresReboot = false
  /// The packages that asked for the restart.
  public var rebootReasons: [String] = []
  /// If the job asked for a restart: the check of its packages after the restart (row D20).
  public var afterReboot: RebootVerification?
  /// For an interrupted job: when the last sign of its work was seen.
  ///
  /// The job ends later than that: when an engine finds it interrupted.
  package var interruptedAt: Timestamp?
  /// For an ended job: when the work ended, if an engine found that later; else nil.
  package var workEndedAt: Timestamp?
  /// Counts of the plan's packages by result.
  ///
  /// Nil while the job is not over, and for a success, since all packages are as planned.
  public var counts: ResultCounts? {
    get { boxedCounts.value }
    set { boxedCounts.value = newValue }
  }
  private var boxedCounts = Boxed<ResultCounts>(nil)
  /// Bytes downloaded so far of all archives.
  public var downloadedBytes: Int64 = 0
  /// Bytes to download in total; 0 if nothing has to be downloaded.
  public var totalDownloadBytes: Int64 = 0
  /// The current download rate in bytes per second; nil if nothing is being downloaded.
  public var bytesPerSecond: Double?
  /// Expected seconds to the end, estimated from the pace so far; nil while it cannot be estimated.
  package var etaSeconds: Double?
  /// Uncertainty of the expected end in either direction, in seconds: twice the standard deviation
  /// of the samples of earlier runs, assuming independent stages.
  ///
  /// It belongs to `etaSeconds`, and for a waiting job to `endsInSeconds`. Nil if a remaining stage
  /// has fewer than three samples.
  package var etaSpreadSeconds: Double? {
    get { boxedSpread.value }
    set { boxedSpread.value = newValue }
  }
  private var boxedSpread = Boxed<Double>(nil)
  /// The expected duration of the whole work, estimated when the job was accepted; nil if a stage
  /// had fewer than three samples.
  public var expected: ExpectedWork? {
    get { boxedExpected.value }
    set { boxedExpected.value = newValue }
  }
  private var boxedExpected = Boxed<ExpectedWork>(nil)
  /// For a waiting job: expected seconds until it starts, from the moment of the answer; nil if
  /// unknown.
  package var startsInSeconds: Double? {
    get { boxedTimes.value?.startsIn }
    set { setTimes(startsIn: newValue, endsIn: endsInSeconds) }
  }
  /// For a waiting job: expected seconds until it is over, counted like ``startsInSeconds``.
  package var endsInSeconds: Double? {
    get { boxedTimes.value?.endsIn }
    set { setTimes(startsIn: startsInSeconds, endsIn: newValue) }
  }
  private var boxedTimes = Boxed<QueueTimes>(nil)
  /// The current stage if it takes much longer than on earlier runs on this machine; else nil.
  public var overdue: OverdueStage? {
    get { boxedOverdue.value }
    set { boxedOverdue.value = newValue }
  }
  private var boxedOverdue = Boxed<OverdueStage>(nil)
  /// Work outside the plan's packages, for display: `triggers of man-db`.
  public var activity: String?
  /// When the last sign of life of the work was seen (row C21).
  package var lastActivityAt: Timestamp?
  /// Whether the last sign of life is older than the engine's threshold (row C21).
  public var isStalled = false
  /// Why there is no sign of life, if known.
  public var stall: StallCause?
  /// The exit status of the package tool, independent of the result (row D2).
  public var exitStatus: Int32?
  /// The actions that repair the packages that the job left incomplete (row D21).
  public var repairs: [RepairAction] = []
  /// Whether the job was cleaned up: its archives and work files are deleted, only its record
  /// remains.
  public var isCleanedUp = false
  /// The requested updates with their status, in the requested order.
  public var updates: [UpdateStatus]
  /// The index in `plan` for each element of `updates`; nil if there is nothing to do.
  public var updateSteps: [Int?] { didSet { stepPositions = StepPositions() } }
  var stepPositions = StepPositions()
  /// Every package that the job touches, in the order of work; nil in a snapshot sent without its
  /// plan.
  public var plan: [UpdateStatus]?
  /// How many packages the plan has.
  public var planCount: Int
  /// Warnings about the plan, in order (row V4); empty in a snapshot sent without its plan.
  public var warnings: [UpdateWarning] {
    get { boxedWarnings.value ?? [] }
    set { boxedWarnings.value = newValue.isEmpty ? nil : newValue }
  }
  private var boxedWarnings = Boxed<[UpdateWarning]>(nil)

  /// Creates the snapshot of a job that was just planned: queued, with no work done.
  package init(
    id: JobID, request: JobRequest, plan: JobPlan, requestedBy: Requester, provider: String,
    submittedAt: Timestamp
  ) {
    self.id = id
    self.operation = request.operation
    self.state = .queued
    self.requestedBy = requestedBy
    // All users who may read receive snapshots and events.
    self.options = request.options.withoutSecrets
    self.provider = provider
    self.submittedAt = submittedAt
    self.totalDownloadBytes = plan.downloadSize
    let steps = plan.steps.map { UpdateStatus($0) }
    self.plan = steps
    self.planCount = steps.count
    boxedWarnings = Boxed(plan.warnings.isEmpty ? nil : plan.warnings)
    self.updateSteps = plan.requests.map(\.step)
    self.updates = plan.requests.map { request in
      if let step = request.step, steps.indices.contains(step) { return steps[step] }
      let version = request.foundVersion ?? request.update.version
      var planned = PlannedUpdate(
        name: request.update.name, architecture: request.update.architecture ?? "",
        action: .install, fromVersion: request.foundVersion, toVersion: version, requested: true)
      planned.keptBack = request.reason
      return UpdateStatus(planned, note: request.note)
    }
  }

  private mutating func setTimes(startsIn: Double?, endsIn: Double?) {
    let isKnown = startsIn != nil || endsIn != nil
    boxedTimes.value = isKnown ? QueueTimes(startsIn: startsIn, endsIn: endsIn) : nil
  }

  /// The snapshot without its plan and warnings, as sent in lists and in events.
  public var withoutPlan: JobSnapshot {
    var copy = self
    copy.plan = nil
    copy.warnings = []
    return copy
  }

  /// Keeps progress and updates of an earlier snapshot where this one is behind it or has fewer
  /// updates (rows C3 to C5).
  mutating func keepProgress(of earlier: JobSnapshot) {
    guard id == earlier.id else { return }
    percentComplete = max(percentComplete, earlier.percentComplete)
    downloadedBytes = max(downloadedBytes, earlier.downloadedBytes)
    // Keep a result for each update, even if a peer sends fewer than before.
    updates += earlier.updates.dropFirst(updates.count)
    guard let before = earlier.plan, let now = plan, before.count == now.count else { return }
    for index in now.indices {
      let (one, other) = (before[index], now[index])
      if one.percentComplete > other.percentComplete {
        plan?[index].percentComplete = one.percentComplete
      }
      if one.downloadedBytes > other.downloadedBytes {
        plan?[index].downloadedBytes = one.downloadedBytes
      }
    }
  }

  /// Keeps plan and warnings of an earlier snapshot if this one has none.
  mutating func keepPlan(of earlier: JobSnapshot) {
    guard plan == nil else { return }
    plan = earlier.plan
    if warnings.isEmpty { warnings = earlier.warnings }
  }
}

extension JobSnapshot: Codable {
  private enum Key: String, CodingKey {
    case id, operation, state, resultCode, requestedBy, clientName, comment, options, provider
    case submittedAt, startedAt, endedAt, percentComplete, currentUpdateIndex, currentStepIndex
    case queuePosition, waitingFor, abort, abortPreview, error, rebootRequired, rebootReasons
    case afterReboot, interruptedAt, workEndedAt, counts
    case downloadedBytes, totalDownloadBytes, bytesPerSecond, etaSeconds, activity
    case etaSpreadSeconds, expected, startsInSeconds, endsInSeconds, overdue
    case lastActivityAt, isStalled, stall
    case exitStatus, repairs, isCleanedUp, updates, updateSteps, plan, planCount, warnings
  }

  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    id = try box.decodeIfPresent(JobID.self, forKey: .id) ?? JobID(0)
    operation = try box.decode(JobOperation.self, forKey: .operation)
    state = try box.decode(JobState.self, forKey: .state)
    resultCode = try box.decode(OperationResultCode.self, forKey: .resultCode)
    requestedBy = try box.decode(Requester.self, forKey: .requestedBy)
    options =
      try box.decodeIfPresent(InstallationOptions.self, forKey: .options) ?? InstallationOptions()
    provider = try box.decodeIfPresent(String.self, forKey: .provider) ?? "apt"
    submittedAt =
      id == JobID(0)
      ? Timestamp(milliseconds: 0) : try box.decode(Timestamp.self, forKey: .submittedAt)
    startedAt = try box.decodeIfPresent(Timestamp.self, forKey: .startedAt)
    endedAt = try box.decodeIfPresent(Timestamp.self, forKey: .endedAt)
    percentComplete = try box.decode(Double.self, forKey: .percentComplete)
    currentUpdateIndex = try box.decodeIfPresent(Int.self, forKey: .currentUpdateIndex)
    currentStepIndex = try box.decodeIfPresent(Int.self, forKey: .currentStepIndex)
    queuePosition = try box.decodeIfPresent(Int.self, forKey: .queuePosition)
    boxedWaitingFor = Boxed(try box.decodeIfPresent(WaitReason.self, forKey: .waitingFor))
    boxedAbort = Boxed(try box.decodeIfPresent(AbortRecord.self, forKey: .abort))
    abortPreview =
      try box.decodeIfPresent(AbortDisposition.self, forKey: .abortPreview) ?? .alreadyCompleted
    boxedError = Boxed(try box.decodeIfPresent(InstallationError.self, forKey: .error))
    requiresReboot = try box.decode(Bool.self, forKey: .rebootRequired)
    rebootReasons = try box.decodeIfPresent([String].self, forKey: .rebootReasons) ?? []
    afterReboot = try box.decodeIfPresent(RebootVerification.self, forKey: .afterReboot)
    interruptedAt = try box.decodeIfPresent(Timestamp.self, forKey: .interruptedAt)
    workEndedAt = try box.decodeIfPresent(Timestamp.self, forKey: .workEndedAt)
    boxedCounts = Boxed(try box.decodeIfPresent(ResultCounts.self, forKey: .counts))
    downloadedBytes = try box.decode(Int64.self, forKey: .downloadedBytes)
    totalDownloadBytes = try box.decode(Int64.self, forKey: .totalDownloadBytes)
    bytesPerSecond = try box.decodeIfPresent(Double.self, forKey: .bytesPerSecond)
    etaSeconds = try box.decodeIfPresent(Double.self, forKey: .etaSeconds)
    activity = try box.decodeIfPresent(String.self, forKey: .activity)
    lastActivityAt = try box.decodeIfPresent(Timestamp.self, forKey: .lastActivityAt)
    isStalled = try box.decodeIfPresent(Bool.self, forKey: .isStalled) ?? false
    stall = try box.decodeIfPresent(StallCause.self, forKey: .stall)
    exitStatus = try box.decodeIfPresent(Int32.self, forKey: .exitStatus)
    repairs = try box.decodeIfPresent([RepairAction].self, forKey: .repairs) ?? []
    isCleanedUp = try box.decodeIfPresent(Bool.self, forKey: .isCleanedUp) ?? false
    updates = try box.decode([UpdateStatus].self, forKey: .updates)
    updateSteps = try box.decodeIfPresent([Int?].self, forKey: .updateSteps) ?? []
    plan = try box.decodeIfPresent([UpdateStatus].self, forKey: .plan)
    planCount = max(0, try box.decodeIfPresent(Int.self, forKey: .planCount) ?? plan?.count ?? 0)
    warnings = try box.decodeIfPresent([UpdateWarning].self, forKey: .warnings) ?? []
    etaSpreadSeconds = try box.decodeIfPresent(Double.self, forKey: .etaSpreadSeconds)
    expected = try box.decodeIfPresent(ExpectedWork.self, forKey: .expected)
    startsInSeconds = try box.decodeIfPresent(Double.self, forKey: .startsInSeconds)
    endsInSeconds = try box.decodeIfPresent(Double.self, forKey: .endsInSeconds)
    // An unknown stage of a newer engine must not make the whole job undecodable.
    overdue = (try? box.decodeIfPresent(OverdueStage.self, forKey: .overdue)) ?? nil
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    if id.rawValue != 0 { try box.encode(id, forKey: .id) }
    try box.encode(operation, forKey: .operation)
    try box.encode(state, forKey: .state)
    try box.encode(resultCode, forKey: .resultCode)
    try box.encode(requestedBy, forKey: .requestedBy)
    try box.encode(options.clientName, forKey: .clientName)
    try box.encode(options.comment, forKey: .comment)
    try box.encode(options, forKey: .options)
    try box.encode(provider, forKey: .provider)
    try box.encode(id == JobID(0) ? nil : submittedAt, forKey: .submittedAt)
    try box.encode(startedAt, forKey: .startedAt)
    try box.encode(endedAt, forKey: .endedAt)
    try box.encode(percentComplete, forKey: .percentComplete)
    try box.encode(currentUpdateIndex, forKey: .currentUpdateIndex)
    try box.encode(currentStepIndex, forKey: .currentStepIndex)
    try box.encode(queuePosition, forKey: .queuePosition)
    try box.encode(waitingFor, forKey: .waitingFor)
    try box.encode(abort, forKey: .abort)
    try box.encode(abortPreview, forKey: .abortPreview)
    try box.encode(error, forKey: .error)
    try box.encode(requiresReboot, forKey: .rebootRequired)
    try box.encode(rebootReasons, forKey: .rebootReasons)
    try box.encodeIfPresent(afterReboot, forKey: .afterReboot)
    try box.encodeIfPresent(interruptedAt, forKey: .interruptedAt)
    try box.encodeIfPresent(workEndedAt, forKey: .workEndedAt)
    try box.encodeIfPresent(counts, forKey: .counts)
    try box.encode(downloadedBytes, forKey: .downloadedBytes)
    try box.encode(totalDownloadBytes, forKey: .totalDownloadBytes)
    try box.encode(bytesPerSecond, forKey: .bytesPerSecond)
    try box.encode(etaSeconds, forKey: .etaSeconds)
    try box.encode(etaSpreadSeconds, forKey: .etaSpreadSeconds)
    try box.encode(expected, forKey: .expected)
    try box.encode(startsInSeconds, forKey: .startsInSeconds)
    try box.encode(endsInSeconds, forKey: .endsInSeconds)
    try box.encode(overdue, forKey: .overdue)
    try box.encode(activity, forKey: .activity)
    try box.encode(lastActivityAt, forKey: .lastActivityAt)
    try box.encode(isStalled, forKey: .isStalled)
    try box.encodeIfPresent(stall, forKey: .stall)
    try box.encode(exitStatus, forKey: .exitStatus)
    try box.encode(repairs, forKey: .repairs)
    try box.encode(isCleanedUp, forKey: .isCleanedUp)
    try box.encode(updates, forKey: .updates)
    try box.encode(updateSteps, forKey: .updateSteps)
    try box.encodeIfPresent(plan, forKey: .plan)
    try box.encode(planCount, forKey: .planCount)
    if !warnings.isEmpty { try box.encode(warnings, forKey: .warnings) }
  }
}
