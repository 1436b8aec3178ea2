import InstallJobs
import JobWire
import Testing

/// A field that is added to a type and forgotten in its list of fields turns these red: first
/// because the sample does not set it, then because it is lost on the wire.
@Suite struct `The fields of the arrays on the wire` {
  private let codec: WireCodec = {
    var codec = WireCodec()
    codec.writesRows = true
    codec.writesUpdates = true
    return codec
  }()

  @Test func `every field of a job is written and read`() throws {
    let job = Self.job
    #expect(unset(in: job, unlike: Self.plainJob) == [])
    let line = try codec.notification(.snapshot(subscription: 3, jobs: [job]))
    guard case .notification(.snapshot(3, let jobs)) = try codec.incoming(line) else {
      Issue.record("not the jobs of a snapshot")
      return
    }
    #expect(jobs == [job])
  }

  @Test func `every field of a package and of the mark beside it is written and read`() throws {
    let mark = JobEvent.ProgressMark(
      percentComplete: 3, logLength: 4, abortPreview: .accepted(stopsAfter: "a", etaSeconds: 5))
    #expect(unset(in: mark, unlike: JobEvent.ProgressMark(percentComplete: 0)) == [])
    let plain = UpdateStatus(PlannedUpdate(name: "", architecture: "", action: .install))
    #expect(unset(in: Self.update, unlike: plain) == [])
    #expect(unset(in: Self.update.planned, unlike: plain.planned) == [])
    let event = JobEvent(
      seq: 1, at: Self.time(2), job: JobID(3), payload: .update(index: 4, status: Self.update),
      progressMark: mark)
    let line = try codec.notification(.event(subscription: 3, event))
    #expect(line.starts(with: #"{"jsonrpc":"2.0","method":"update""#.utf8))
    guard case .notification(.event(3, event)) = try codec.incoming(line) else {
      Issue.record("the event is another one: \(String(decoding: line, as: UTF8.self))")
      return
    }
  }

  @Test func `every field of progress is written and read`() throws {
    #expect(unset(in: Self.tick, unlike: Self.plainTick) == [])
    let event = JobEvent(
      seq: 1, at: Self.time(2), job: JobID(3), payload: .progress(Self.tick))
    let line = try codec.notification(.ticks(subscription: 3, [event]))
    guard case .notification(.ticks(3, [event])) = try codec.incoming(line) else {
      Issue.record("the progress is another one: \(String(decoding: line, as: UTF8.self))")
      return
    }
  }

  // MARK: Samples with a value in every field

  private static func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds)
  }

  private static let overdue = OverdueStage(
    .unpack, of: "a", usualSeconds: 6, since: time(7))

  private static let update: UpdateStatus = {
    var planned = PlannedUpdate(
      name: "a", architecture: "amd64", action: .upgrade, fromVersion: "1", toVersion: "2",
      downloadSize: 3, installedSize: 4, origin: "o", requested: true)
    planned.keptBack = "held"
    planned.isSecurity = true
    var times = PhaseTimes()
    times.record(.unpacking, at: time(5))
    var status = UpdateStatus(
      planned, phase: .unpacking, percentComplete: 6, resultCode: .failed,
      error: InstallationError(.packageFailed, "m", class: .fatal), note: .keptConfiguration,
      downloadedBytes: 7, requiresReboot: true, phaseTimes: times)
    status.conffiles = [ConffileChange(path: "/etc/a", outcome: .kept)]
    return status
  }()

  private static let plainTick = JobProgressTick(
    percentComplete: 0, currentUpdateIndex: nil, currentStepIndex: nil, downloadedBytes: 0,
    bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
    abortPreview: .accepted(stopsAfter: nil), steps: [])

  private static let tick: JobProgressTick = {
    var tick = JobProgressTick(
      percentComplete: 1, currentUpdateIndex: 2, currentStepIndex: 3, downloadedBytes: 4,
      bytesPerSecond: 5, etaSeconds: 6, activity: "a", lastActivityAt: time(7), isStalled: true,
      stall: StallCause(.script, "m", pid: 8, command: "c"),
      abortPreview: .accepted(stopsAfter: "b", etaSeconds: 9),
      steps: [.init(index: 10, percentComplete: 11, downloadedBytes: 12)])
    tick.etaSpreadSeconds = 13
    tick.overdue = overdue
    return tick
  }()

  private static let plainJob = JobSnapshot(
    id: JobID(0), request: JobRequest(.install, []), plan: JobPlan(requests: [], steps: []),
    requestedBy: Requester(uid: 0, user: ""), provider: "", submittedAt: time(0)
  ).withoutPlan

  private static let job: JobSnapshot = {
    var options = InstallationOptions()
    options.clientName = "c"
    options.comment = "why"
    options.priority = 5
    var job = JobSnapshot(
      id: JobID(1), request: JobRequest(.remove, [], options: options),
      plan: JobPlan(requests: [], steps: []), requestedBy: Requester(uid: 2, user: "u"),
      provider: "p", submittedAt: time(3))
    job.state = .installing
    job.resultCode = .inProgress
    job.startedAt = time(4)
    job.endedAt = time(5)
    job.percentComplete = 6
    job.currentUpdateIndex = 7
    job.currentStepIndex = 8
    job.queuePosition = 9
    var reason = WaitReason(
      .lock, "m", job: JobID(10), holder: LockHolder(pid: 11, command: "apt"))
    reason.holder?.canYield = true
    reason.cause = .request
    reason.by = Requester(uid: 12, user: "v")
    reason.since = time(13)
    job.waitingFor = reason
    job.abort = AbortRecord(
      requestedAt: time(14), requestedBy: Requester(uid: 15, user: "w"),
      disposition: .refused(reason: AbortRefusal(.verifying, "n")))
    job.abortPreview = .refused(reason: AbortRefusal(.finalStep, "l"))
    job.error = InstallationError(.packageFailed, "e", class: .fatal)
    job.requiresReboot = true
    job.rebootReasons = ["linux"]
    job.afterReboot = RebootVerification(
      .contradicted, bootID: "b", checkedAt: time(16), message: "m")
    job.interruptedAt = time(17)
    job.workEndedAt = time(18)
    job.counts = ResultCounts(succeeded: 19, failed: 1)
    job.downloadedBytes = 20
    job.totalDownloadBytes = 21
    job.bytesPerSecond = 22
    job.etaSeconds = 23
    job.etaSpreadSeconds = 24
    job.expected = ExpectedWork(downloadSeconds: 25, packageSeconds: 26, spreadSeconds: 27)
    job.startsInSeconds = 28
    job.endsInSeconds = 29
    job.overdue = overdue
    job.activity = "triggers of a"
    job.lastActivityAt = time(30)
    job.isStalled = true
    job.stall = StallCause(.disk, "d", pid: 31, command: "dpkg")
    job.exitStatus = 32
    job.repairs = [.reinstall("a")]
    job.isCleanedUp = true
    job.updates = [update]
    job.updateSteps = [33]
    job.plan = [update]
    job.planCount = 34
    job.warnings = [UpdateWarning(.keptBack, "k")]
    return job
  }()
}

/// The stored properties of `value` that it shares with `plain`, and those within them that are
/// empty.
private func unset<Value>(in value: Value, unlike plain: Value) -> [String] {
  let plainFields = Mirror(reflecting: plain).children.map(\.value)
  return zip(Mirror(reflecting: value).children, plainFields).flatMap { field, plainValue in
    // Derived from another field, and equal to itself in all values.
    guard let name = field.label, name != "stepPositions" else { return [String]() }
    guard field.value as? AnyHashable != plainValue as? AnyHashable else { return [name] }
    return empty(in: field.value, name)
  }
}

/// The parts of a field that are nil, zero, false or without content, as far as they are elements
/// of an array on the wire.
private func empty(in value: Any, _ path: String) -> [String] {
  let mirror = Mirror(reflecting: value)
  let name = String(describing: type(of: value))
  switch mirror.displayStyle {
  case .optional, .collection:
    if mirror.children.isEmpty { return [path] }
  case .enum: break
  case .struct where arrays.contains(name) || name.hasPrefix("Boxed<"): break
  default:
    let isEmpty =
      value as? Int64 == 0 || value as? Int == 0 || value as? Double == 0 || value as? Int32 == 0
      || value as? UInt32 == 0 || value as? Bool == false || value as? String == ""
    return isEmpty ? [path] : []
  }
  return mirror.children.flatMap { empty(in: $0.value, path + "." + ($0.label ?? "")) }
}

/// The types whose fields are elements of an array on the wire.
private let arrays: Set<String> = [
  "Entry", "ExpectedWork", "JobID", "LockHolder", "OverdueStage", "PhaseTimes", "PlannedUpdate",
  "QueueTimes", "Requester", "StallCause", "Step", "Timestamp", "UpdateStatus", "WaitReason",
]
