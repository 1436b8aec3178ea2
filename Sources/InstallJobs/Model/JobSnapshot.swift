/// A job as it stands at one moment: a value that never changes by itself (row B11).
///
/// This is also the job of the JSON contract: field names and meanings are the contract's.
public struct JobSnapshot: Sendable, Hashable {
  /// The job's number; 0 for the shape of a plan that was never submitted.
  public var id: JobID
  /// What is done with the updates.
  public var operation: JobOperation
  /// Where the job is in its life.
  public var state: JobState
  /// The result, final only once the job is over.
  public var resultCode = OperationResultCode.notStarted
  /// Who asked, by the kernel's word.
  public var requestedBy: Requester
  /// The options as they were when the job began (row A42), without the proxy's password.
  public var options: InstallationOptions
  /// The provider's name: `apt`, or `simulated` for a scenario.
  ///
  /// Shown wherever the job is shown.
  public var provider: String
  /// When the job was accepted; without meaning, and null in JSON, where the number is 0.
  package var submittedAt: Timestamp
  /// When its work began; nil while it waits.
  package var startedAt: Timestamp?
  /// When it was over and verified; nil before.
  package var endedAt: Timestamp?
  /// Share of the whole job that is done, 0...100, never falling; 100 exactly when the job
  /// succeeded and was verified (rows C4, C5).
  package var percentComplete = 0.0
  /// The index in `updates` that the work is done for; nil while no package is worked on (C1, C2).
  public var currentUpdateIndex: Int?
  /// The index in `plan` of the package that is worked on.
  public var currentStepIndex: Int?
  /// Its place among the jobs that could begin, from 1; nil for one that is not queued, is held, or
  /// waits for a time or a job of its own: see ``hasPlaceInQueue``.
  public var queuePosition: Int?
  /// Why it does not go on at the moment; nil when it does.
  public var waitingFor: WaitReason? {
    get { rareWaitingFor.value }
    set { rareWaitingFor.value = newValue }
  }
  private var rareWaitingFor = Boxed<WaitReason>(nil)
  /// The latest request to abort that has not been withdrawn.
  public var abort: AbortRecord? {
    get { rareAbort.value }
    set { rareAbort.value = newValue }
  }
  private var rareAbort = Boxed<AbortRecord>(nil)
  /// What a request to abort would be answered at this moment (row C24).
  public var abortPreview = AbortDisposition.accepted(stopsAfter: nil)
  /// Why the job did not succeed; nil when it did, or is not over.
  public var error: InstallationError? {
    get { rareError.value }
    set { rareError.value = newValue }
  }
  private var rareError = Boxed<InstallationError>(nil)
  /// Whether the job asked for a restart of the machine (row D3).
  public var requiresReboot = false
  /// The packages that asked for a restart.
  public var rebootReasons: [String] = []
  /// Where the job asked for a restart: the check of its packages after it (row D20).
  public var afterReboot: RebootVerification?
  /// Of an interrupted job: when any sign of its work was seen last.
  ///
  /// It is over only later, when an engine finds it so.
  package var interruptedAt: Timestamp?
  /// Of a job that is over: when its work was, where an engine found that later; nil otherwise.
  package var workEndedAt: Timestamp?
  /// How the packages of the plan ended; nil while the job is not over, and of a success, where all
  /// are as planned.
  public var counts: ResultCounts? {
    get { rareCounts.value }
    set { rareCounts.value = newValue }
  }
  private var rareCounts = Boxed<ResultCounts>(nil)
  /// Bytes that have arrived of all archives.
  public var downloadedBytes: Int64 = 0
  /// Bytes to fetch in all; 0 when everything is there.
  public var totalDownloadBytes: Int64 = 0
  /// The current rate of a download; nil when nothing is fetched.
  public var bytesPerSecond: Double?
  /// Expected seconds to the end, by the pace so far; nil while that would be a guess.
  package var etaSeconds: Double?
  /// How far the end may be off in either direction, in seconds: twice the standard deviation that
  /// the learned samples show, as far as stages do not depend on each other.
  ///
  /// Of `etaSeconds`, and of a job that waits of `endsInSeconds`; nil where fewer than three samples
  /// of any stage that is left are known.
  package var etaSpreadSeconds: Double? {
    get { rareSpread.value }
    set { rareSpread.value = newValue }
  }
  private var rareSpread = Boxed<Double>(nil)
  /// What the whole work was expected to take when the job was accepted; nil where fewer than three
  /// samples of any stage were known.
  public var expected: ExpectedWork? {
    get { rareExpected.value }
    set { rareExpected.value = newValue }
  }
  private var rareExpected = Boxed<ExpectedWork>(nil)
  /// Of a job that waits for its turn: seconds until it has it, counted from the moment of the answer;
  /// nil where that is not known.
  package var startsInSeconds: Double? {
    get { rareTimes.value?.startsIn }
    set { setTimes(startsIn: newValue, endsIn: endsInSeconds) }
  }
  /// Of a job that waits for its turn: seconds until it is over, as ``startsInSeconds``.
  package var endsInSeconds: Double? {
    get { rareTimes.value?.endsIn }
    set { setTimes(startsIn: startsInSeconds, endsIn: newValue) }
  }
  private var rareTimes = Boxed<QueueTimes>(nil)
  /// The stage that goes on for much longer than it did before on this machine; nil mostly.
  public var overdue: OverdueStage? {
    get { rareOverdue.value }
    set { rareOverdue.value = newValue }
  }
  private var rareOverdue = Boxed<OverdueStage>(nil)
  /// What is going on outside the plan's packages, for people: `triggers of man-db`.
  public var activity: String?
  /// When any sign of life of the work was last seen (row C21).
  package var lastActivityAt: Timestamp?
  /// Whether no sign of life came for longer than the engine's threshold (row C21).
  public var isStalled = false
  /// Why none came, where that is known.
  public var stall: StallCause?
  /// The exit status of the package tool, kept apart from the result (row D2).
  public var exitStatus: Int32?
  /// What mends what the job left behind (row D21).
  public var repairs: [RepairAction] = []
  /// Whether the job was cleaned up: archives and work files are gone, it is history.
  public var isCleanedUp = false
  /// What was asked for, in that order.
  public var updates: [UpdateStatus]
  /// The index in `plan` of each element of `updates`; nil where there is nothing to do.
  public var updateSteps: [Int?] { didSet { stepPositions = StepPositions() } }
  var stepPositions = StepPositions()
  /// Every package the job touches, in order of work; nil where the snapshot travels without.
  public var plan: [UpdateStatus]?
  /// How many packages the plan has.
  public var planCount: Int
  /// Remarks on the plan, in their order (row V4); none where the snapshot travels without its plan.
  public var warnings: [UpdateWarning] {
    get { rareWarnings.value ?? [] }
    set { rareWarnings.value = newValue.isEmpty ? nil : newValue }
  }
  private var rareWarnings = Boxed<[UpdateWarning]>(nil)

  /// The snapshot of a job that has just been planned: queued, nothing done.
  package init(
    id: JobID, request: JobRequest, plan: JobPlan, requestedBy: Requester, provider: String,
    submittedAt: Timestamp
  ) {
    self.id = id
    self.operation = request.operation
    self.state = .queued
    self.requestedBy = requestedBy
    // Snapshots and events go to everybody who may look.
    self.options = request.options.withoutSecrets
    self.provider = provider
    self.submittedAt = submittedAt
    self.totalDownloadBytes = plan.downloadSize
    let steps = plan.steps.map { UpdateStatus($0) }
    self.plan = steps
    self.planCount = steps.count
    rareWarnings = Boxed(plan.warnings.isEmpty ? nil : plan.warnings)
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
    rareTimes.value = isKnown ? QueueTimes(startsIn: startsIn, endsIn: endsIn) : nil
  }

  /// The snapshot without its plan: what travels in lists and in events.
  public var withoutPlan: JobSnapshot {
    var copy = self
    copy.plan = nil
    copy.warnings = []
    return copy
  }

  /// Takes progress and updates of an earlier snapshot of the job where this one is behind it or has fewer
  /// (rows C3 to C5).
  mutating func keepProgress(of earlier: JobSnapshot) {
    guard id == earlier.id else { return }
    percentComplete = max(percentComplete, earlier.percentComplete)
    downloadedBytes = max(downloadedBytes, earlier.downloadedBytes)
    // A result for each update, also where a peer sends fewer than before.
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

  /// Takes plan and warnings of an earlier snapshot where this one came without.
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

  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
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
    rareWaitingFor = Boxed(try box.decodeIfPresent(WaitReason.self, forKey: .waitingFor))
    rareAbort = Boxed(try box.decodeIfPresent(AbortRecord.self, forKey: .abort))
    abortPreview =
      try box.decodeIfPresent(AbortDisposition.self, forKey: .abortPreview) ?? .alreadyCompleted
    rareError = Boxed(try box.decodeIfPresent(InstallationError.self, forKey: .error))
    requiresReboot = try box.decode(Bool.self, forKey: .rebootRequired)
    rebootReasons = try box.decodeIfPresent([String].self, forKey: .rebootReasons) ?? []
    afterReboot = try box.decodeIfPresent(RebootVerification.self, forKey: .afterReboot)
    interruptedAt = try box.decodeIfPresent(Timestamp.self, forKey: .interruptedAt)
    workEndedAt = try box.decodeIfPresent(Timestamp.self, forKey: .workEndedAt)
    rareCounts = Boxed(try box.decodeIfPresent(ResultCounts.self, forKey: .counts))
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
    // A stage that a newer engine knows must not cost the whole job.
    overdue = (try? box.decodeIfPresent(OverdueStage.self, forKey: .overdue)) ?? nil
  }

  /// Writes the form of the JSON contract; throws what the encoder throws.
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
