internal import FoundationEssentials
internal import InstallJobs

// A job as an array: `[id, operation, state, uid, user, …]`. Fields that few jobs of a long list
// set come last, and the rarest are in one object (`RowExtras`). The order of the elements is the
// capability `rows`; later versions only append.

extension TupleWriter {
  /// Writes a job with all fields of its object form.
  mutating func row(_ job: JobSnapshot) throws {
    let rest = RowExtras(job)
    let restBytes = rest.isEmpty ? nil : try WireCodec.encode(rest)
    try tuple { row in
      row.number(job.id.rawValue)
      row.text(job.operation.rawValue)
      row.text(job.state.rawValue)
      row.number(Int64(job.requestedBy.uid))
      row.text(job.requestedBy.user)
      row.text(job.options.clientName)
      row.text(job.provider)
      row.number(job.submittedAt.milliseconds)
      try row.list(job.updates) { try $0.update($1) }
      row.list(job.updateSteps) { $0.number($1) }
      row.number(job.planCount)
      row.number(job.totalDownloadBytes)
      row.disposition(job.abortPreview)
      row.waiting(job.waitingFor)
      row.number(job.queuePosition)
      row.number(job.resultCode == .notStarted ? nil : job.resultCode.rawValue)
      row.number(job.percentComplete == 0 ? nil : job.percentComplete)
      row.number(job.startedAt?.milliseconds)
      row.number(job.downloadedBytes == 0 ? nil : job.downloadedBytes)
      row.number(job.lastActivityAt?.milliseconds)
      row.number(job.endedAt?.milliseconds)
      row.number(job.exitStatus.map(Int64.init))
      row.text(job.options.comment)
      row.number(job.currentUpdateIndex)
      row.number(job.currentStepIndex)
      row.number(job.bytesPerSecond)
      row.number(job.etaSeconds)
      row.json(restBytes)
      if let plan = job.plan { try row.list(plan) { try $0.update($1) } } else { row.absent() }
      row.expected(job.expected)
      row.number(job.startsInSeconds)
      row.number(job.endsInSeconds)
      row.number(job.etaSpreadSeconds)
      row.overdue(job.overdue)
    }
  }

  /// Writes the status of one package.
  mutating func update(_ status: UpdateStatus) throws {
    let planned = status.planned
    let error = try status.error.map { try WireCodec.encode($0) }
    let conffiles = status.conffiles.isEmpty ? nil : try WireCodec.encode(status.conffiles)
    tuple { row in
      row.text(planned.name)
      row.text(planned.architecture)
      row.text(planned.action.rawValue)
      row.text(planned.fromVersion)
      row.text(planned.toVersion)
      row.number(planned.downloadSize == 0 ? nil : planned.downloadSize)
      row.number(planned.installedSize == 0 ? nil : planned.installedSize)
      row.text(planned.origin)
      row.flag(planned.requested)
      row.text(status.phase == .pending ? nil : status.phase.rawValue)
      row.number(status.percentComplete == 0 ? nil : status.percentComplete)
      row.number(status.resultCode == .notStarted ? nil : status.resultCode.rawValue)
      row.number(status.downloadedBytes == 0 ? nil : status.downloadedBytes)
      if status.phaseTimes.entries.isEmpty {
        row.absent()
      } else {
        row.list(status.phaseTimes.entries) { times, entry in
          times.tuple {
            $0.text(entry.phase.rawValue)
            $0.number(entry.at.milliseconds)
          }
        }
      }
      row.text(status.note?.rawValue)
      row.flag(status.requiresReboot)
      row.json(error)
      row.flag(planned.isSecurity)
      row.json(conffiles)
    }
  }

  /// Writes an abort disposition.
  ///
  /// The default is the disposition of a waiting job.
  mutating func disposition(_ disposition: AbortDisposition) {
    guard disposition != .accepted(stopsAfter: nil) else { return absent() }
    tuple { row in
      row.text(disposition.word)
      switch disposition {
      case .accepted(let stopsAfter, let seconds):
        row.text(stopsAfter)
        row.number(seconds)
      case .refused(let reason):
        row.text(reason.code.rawValue)
        row.text(reason.message)
      case .alreadyCompleted: break
      }
    }
  }

  private mutating func waiting(_ reason: WaitReason?) {
    guard let reason else { return absent() }
    tuple { row in
      row.text(reason.kind.rawValue)
      row.text(reason.message)
      row.number(reason.job?.rawValue)
      row.number(reason.holder.map { Int64($0.pid) })
      row.text(reason.holder?.command)
      let canYield = reason.holder?.canYield ?? false
      guard reason.cause != nil || reason.by != nil || reason.since != nil || canYield else {
        return
      }
      row.text(reason.cause?.rawValue)
      row.number(reason.by.map { Int64($0.uid) })
      row.text(reason.by?.user)
      row.number(reason.since?.milliseconds)
      if canYield { row.flag(true) }
    }
  }
}

extension TupleReader {
  /// Reads a job.
  ///
  /// `previous` is the job before it in the list; equal strings are shared with it.
  ///
  /// - Throws: An error if the element is not a job.
  mutating func row(after previous: JobSnapshot?) throws -> JobSnapshot {
    var read: JobSnapshot?
    try tuple { read = try $0.job(after: previous) }
    return try known(read)
  }

  private mutating func job(after previous: JobSnapshot?) throws -> JobSnapshot {
    // A plan that was not submitted has the number 0 and is not a row.
    guard let id = try integer(), id > 0 else { throw malformed }
    let operation: JobOperation = try word()
    let state: JobState = try word()
    let uid = try exactly(UInt32.self)
    let user = try known(try text(known: previous?.requestedBy.user))
    var job = JobSnapshot(
      id: JobID(id), request: JobRequest(operation, []), plan: JobPlan(requests: [], steps: []),
      requestedBy: Requester(uid: try known(uid), user: user), provider: "",
      submittedAt: Timestamp(milliseconds: 0))
    job.state = state
    job.options.clientName = try known(try text(known: previous?.options.clientName))
    job.provider = try known(try text(known: previous?.provider))
    job.submittedAt = try known(try time())
    let update = previous?.updates.first
    job.updates = try list { try $0.update(after: update) } ?? []
    job.updateSteps = try list { try $0.integer() } ?? []
    job.planCount = max(0, try integer() ?? 0)
    job.totalDownloadBytes = try number() ?? 0
    job.abortPreview = try disposition()
    job.waitingFor = try waiting()
    job.queuePosition = try integer()
    job.resultCode = try code()
    job.percentComplete = try real() ?? 0
    job.startedAt = try time()
    job.downloadedBytes = try number() ?? 0
    job.lastActivityAt = try time()
    job.endedAt = try time()
    job.exitStatus = try exactly(Int32.self)
    let comment = try text(known: previous?.options.comment)
    job.currentUpdateIndex = try integer()
    job.currentStepIndex = try integer()
    job.bytesPerSecond = try real()
    job.etaSeconds = try real()
    if let rest = try json() {
      try WireCodec.decoder.decode(RowExtras.self, from: Data(rest)).fill(&job)
    }
    job.options.comment = comment
    job.plan = try list { try $0.update(after: update) }
    job.expected = try expected()
    job.startsInSeconds = try real()
    job.endsInSeconds = try real()
    job.etaSpreadSeconds = try real()
    job.overdue = try overdue()
    return job
  }

  /// Reads the status of a package.
  ///
  /// Equal strings are shared with `previous`.
  mutating func update(after previous: UpdateStatus?) throws -> UpdateStatus {
    var read: UpdateStatus?
    try tuple { row in
      let name = try row.known(try row.text())
      let architecture = try row.known(try row.text())
      let action: PlannedAction = try row.word()
      let planned = PlannedUpdate(
        name: name, architecture: architecture, action: action, fromVersion: try row.text(),
        toVersion: try row.text(known: previous?.planned.toVersion),
        downloadSize: try row.number() ?? 0, installedSize: try row.number() ?? 0,
        origin: try row.text(known: previous?.planned.origin), requested: try row.flag())
      var status = UpdateStatus(planned)
      status.phase = try row.wordIfPresent() ?? .pending
      status.percentComplete = try row.real() ?? 0
      status.resultCode = try row.code()
      status.downloadedBytes = try row.number() ?? 0
      try row.tuple { times in
        while try times.phaseTime(&status.phaseTimes) {}
      }
      // An unknown note of another version is ignored, so that the job stays readable.
      status.note = try row.text().flatMap(UpdateNote.init)
      status.requiresReboot = try row.flag()
      if let error = try row.json() {
        status.error = try WireCodec.decoder.decode(InstallationError.self, from: Data(error))
      }
      status.planned.isSecurity = try row.flag()
      if let conffiles = try row.json() {
        status.conffiles = try WireCodec.decoder.decode(
          [ConffileChange].self, from: Data(conffiles))
      }
      read = status
    }
    return try known(read)
  }

  /// Reads the time of one phase; ignores a phase that only a newer engine knows.
  private mutating func phaseTime(_ times: inout PhaseTimes) throws -> Bool {
    try tuple { row in
      let name = try row.known(try row.text())
      let time = try row.known(try row.time())
      if let phase = UpdatePhase(rawValue: name) { times.record(phase, at: time) }
    }
  }

  mutating func disposition() throws -> AbortDisposition {
    var read = AbortDisposition.accepted(stopsAfter: nil)
    try tuple { row in
      switch try row.text() {
      case "accepted": read = .accepted(stopsAfter: try row.text(), etaSeconds: try row.real())
      case "refused":
        read = .refused(reason: AbortRefusal(try row.word(), try row.known(try row.text())))
      case "alreadyCompleted": read = .alreadyCompleted
      default: throw row.malformed
      }
    }
    return read
  }

  private mutating func waiting() throws -> WaitReason? {
    var read: WaitReason?
    try tuple { row in
      var reason = WaitReason(try row.word(), try row.known(try row.text()))
      reason.job = try row.integer().map { JobID($0) }
      let pid = try row.exactly(Int32.self)
      let command = try row.text()
      reason.holder = pid.map { LockHolder(pid: $0, command: command) }
      reason.cause = try row.wordIfPresent()
      let uid = try row.exactly(UInt32.self)
      let user = try row.text()
      reason.by = uid.flatMap { uid in user.map { Requester(uid: uid, user: $0) } }
      reason.since = try row.time()
      reason.holder?.canYield = try row.flag()
      read = reason
    }
    return read
  }

  // MARK: Elements

  func known<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw malformed }
    return value
  }

  private mutating func wordIfPresent<Word: RawRepresentable<String>>() throws -> Word? {
    try text().map { text in try known(Word(rawValue: text)) }
  }

  private mutating func word<Word: RawRepresentable<String>>() throws -> Word {
    try known(try wordIfPresent())
  }

  private mutating func exactly<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value? {
    try number().map { try known(Value(exactly: $0)) }
  }

  /// A time between the years 0 and 9999, the range of the whole protocol.
  mutating func time() throws -> Timestamp? {
    try number().map { milliseconds in
      guard Timestamp.writable.contains(milliseconds) else { throw malformed }
      return Timestamp(milliseconds: milliseconds)
    }
  }

  private mutating func code() throws -> OperationResultCode {
    try integer().map { try known(OperationResultCode(rawValue: $0)) } ?? .notStarted
  }
}
