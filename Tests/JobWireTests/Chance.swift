import InstallJobs

/// Jobs with anything in any field; the same seed gives the same jobs.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  // SplitMix64, by Steele, Lea and Flood.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private mutating func coin() -> Bool { Bool.random(using: &self) }

  private mutating func maybe<Value>(_ value: (inout Chance) -> Value) -> Value? {
    coin() ? value(&self) : nil
  }

  private mutating func one<Values: Collection>(of values: Values) -> Values.Element {
    let offset = Int.random(in: 0..<values.count, using: &self)
    return values[values.index(values.startIndex, offsetBy: offset)]
  }

  private mutating func list<Value>(_ value: (inout Chance) -> Value) -> [Value] {
    (0..<Int.random(in: 0...3, using: &self)).map { _ in value(&self) }
  }

  private mutating func text() -> String {
    one(of: [
      "", "hello", "Debian:bookworm/main", "null", "[1,2]", "\"\\/", "\n\r\t\u{0}\u{1F}\u{7F}",
      "\u{E9}\u{1F40D}\u{2028}", "1:2.36.1-8+deb12u2~bpo", "\u{1B}[31mhostile",
    ])
  }

  private mutating func count() -> Int { one(of: [0, 1, 7, 64_000, .max, .min, -1]) }
  private mutating func bytes() -> Int64 { Int64(count()) }

  private mutating func real() -> Double {
    one(of: [
      0, 100, 0.1, 33.333333333333336, 1e-300, 1e300, -2.5, .infinity, 9_007_199_254_740_992,
      Double(Int64.max), 123_456_789_012_345,
    ])
  }

  // The object form writes the year in four digits.
  private mutating func time() -> Timestamp {
    Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &self))
  }

  private mutating func requester() -> Requester {
    Requester(uid: one(of: [0, 1000, .max]), user: text())
  }

  private mutating func error() -> InstallationError {
    InstallationError(
      .packageFailed, text(), class: one(of: [.transient, .fatal]), update: maybe { $0.text() },
      detail: maybe { $0.text() }, hint: maybe { $0.text() })
  }

  private mutating func disposition() -> AbortDisposition {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: .accepted(stopsAfter: nil)
    case 1: .accepted(stopsAfter: maybe { $0.text() }, etaSeconds: maybe { $0.real() })
    case 2: .refused(reason: AbortRefusal(one(of: [.finalStep, .verifying]), text()))
    default: .alreadyCompleted
    }
  }

  private mutating func update() -> UpdateStatus {
    var status = UpdateStatus(
      PlannedUpdate(
        name: text(), architecture: text(), action: one(of: PlannedAction.allCases),
        fromVersion: maybe { $0.text() }, toVersion: maybe { $0.text() }, downloadSize: bytes(),
        installedSize: bytes(), origin: maybe { $0.text() }, requested: coin()),
      phase: one(of: UpdatePhase.allCases), percentComplete: real(),
      resultCode: one(of: OperationResultCode.allCases), error: maybe { $0.error() },
      note: maybe { $0.one(of: [.alreadyInstalled, .keptConfiguration]) },
      downloadedBytes: bytes(), requiresReboot: coin())
    status.planned.isSecurity = coin()
    status.planned.keptBack = maybe { $0.text() }
    if coin() { status.conffiles = [ConffileChange(path: "/etc/\(text())", outcome: .kept)] }
    // The object form orders phases by their times.
    var at = time()
    for phase in UpdatePhase.allCases where coin() {
      status.phaseTimes.record(phase, at: at)
      at = at.advanced(bySeconds: 0.5)
    }
    return status
  }

  private mutating func options() -> InstallationOptions {
    var options = InstallationOptions()
    options.clientName = text()
    options.comment = maybe { $0.text() }
    guard coin() else { return options }
    options.priority = one(of: [-100, 0, 5])
    options.whenBusy = one(of: [.queue, .fail])
    options.lockSeconds = maybe { $0.real() }
    options.stopSeconds = maybe { $0.real() }
    options.isForced = coin()
    options.purgesConfiguration = coin()
    options.ignoresPendingReboot = coin()
    options.token = maybe { $0.text() }
    options.after = maybe { JobID($0.count()) }
    options.retryOf = maybe { JobID($0.count()) }
    options.earliestStart = maybe { $0.time() }
    options.latestStop = maybe { $0.time() }
    options.conffiles = one(of: [.keep, .new, .ask])
    options.proxy = maybe { $0.text() }
    return options
  }

  mutating func stall() -> StallCause? {
    maybe { chance in
      StallCause(
        chance.one(of: StallCause.Kind.allCases), chance.text(),
        pid: chance.maybe { $0.one(of: [1, -1, .max]) }, command: chance.maybe { $0.text() })
    }
  }

  private mutating func overdue() -> OverdueStage {
    OverdueStage(
      one(of: OverdueStage.Stage.allCases), of: maybe { $0.text() }, usualSeconds: real(),
      since: time())
  }

  /// Progress of some job.
  mutating func tick() -> JobEvent {
    var tick = JobProgressTick(
      percentComplete: real(), currentUpdateIndex: maybe { $0.count() },
      currentStepIndex: maybe { $0.count() }, downloadedBytes: Int64(count()),
      bytesPerSecond: maybe { $0.real() }, etaSeconds: maybe { $0.real() },
      activity: maybe { $0.text() }, lastActivityAt: maybe { $0.time() }, isStalled: coin(),
      stall: stall(), abortPreview: disposition(), steps: [])
    tick.steps = (0..<one(of: [0, 1, 3])).map { _ in
      .init(index: count(), percentComplete: real(), downloadedBytes: Int64(count()))
    }
    tick.etaSpreadSeconds = maybe { $0.real() }
    tick.overdue = maybe { $0.overdue() }
    return JobEvent(seq: count(), at: time(), job: JobID(count()), payload: .progress(tick))
  }

  /// What happened to a package of some job.
  mutating func updateEvent() -> JobEvent {
    JobEvent(
      seq: count(), at: time(), job: JobID(count()),
      payload: .update(index: count(), status: update()),
      progressMark: maybe { chance in
        JobEvent.ProgressMark(
          percentComplete: chance.real(), logLength: chance.maybe { $0.bytes() },
          abortPreview: chance.maybe { $0.disposition() })
      })
  }

  mutating func job() -> JobSnapshot {
    var job = JobSnapshot(
      id: JobID(one(of: [1, 12, 100_000])),
      request: JobRequest(one(of: [.install, .remove, .repair]), [], options: options()),
      plan: JobPlan(requests: [], steps: []), requestedBy: requester(), provider: text(),
      submittedAt: time())
    job.state = one(of: JobState.allCases)
    job.resultCode = one(of: OperationResultCode.allCases)
    job.startedAt = maybe { $0.time() }
    job.endedAt = maybe { $0.time() }
    job.percentComplete = real()
    job.currentUpdateIndex = maybe { $0.count() }
    job.currentStepIndex = maybe { $0.count() }
    job.queuePosition = maybe { $0.count() }
    job.waitingFor = maybe { chance in
      var reason = WaitReason(
        chance.one(of: [.job, .lock, .paused]), chance.text(),
        job: chance.maybe { JobID($0.count()) },
        holder: chance.maybe { chance in
          LockHolder(pid: chance.one(of: [1, -1, .max]), command: chance.maybe { $0.text() })
        })
      reason.cause = chance.maybe { $0.one(of: QueuePause.Cause.allCases) }
      reason.by = chance.maybe { $0.requester() }
      reason.since = chance.maybe { $0.time() }
      return reason
    }
    job.abort = maybe { chance in
      AbortRecord(
        requestedAt: chance.time(), requestedBy: chance.requester(),
        disposition: chance.disposition(), acknowledgedAt: chance.maybe { $0.time() })
    }
    job.abortPreview = disposition()
    job.error = maybe { $0.error() }
    job.requiresReboot = coin()
    job.rebootReasons = list { $0.text() }
    job.afterReboot = maybe { chance in
      RebootVerification(
        .contradicted, bootID: chance.text(), checkedAt: chance.maybe { $0.time() },
        message: chance.maybe { $0.text() })
    }
    job.interruptedAt = maybe { $0.time() }
    job.workEndedAt = maybe { $0.time() }
    job.counts = maybe { ResultCounts(succeeded: $0.count(), failed: 1) }
    job.downloadedBytes = bytes()
    job.totalDownloadBytes = bytes()
    job.bytesPerSecond = maybe { $0.real() }
    job.etaSeconds = maybe { $0.real() }
    job.activity = maybe { $0.text() }
    job.lastActivityAt = maybe { $0.time() }
    job.isStalled = coin()
    job.stall = stall()
    job.exitStatus = maybe { $0.one(of: [0, 100, -1, .min]) }
    job.repairs = list { $0.coin() ? .finishConfiguration : .reinstall($0.text()) }
    job.isCleanedUp = coin()
    job.updates = list { $0.update() }
    job.updateSteps = list { chance in chance.maybe { $0.count() } }
    job.plan = maybe { chance in chance.list { $0.update() } }
    job.planCount = one(of: [0, 1, 7, 64_000, .max])
    job.etaSpreadSeconds = maybe { $0.real() }
    job.startsInSeconds = maybe { $0.real() }
    job.endsInSeconds = maybe { $0.real() }
    job.overdue = maybe { $0.overdue() }
    job.expected = maybe { chance in
      ExpectedWork(
        downloadSeconds: chance.real(), packageSeconds: chance.real(), spreadSeconds: chance.real())
    }
    return job
  }
}
