internal import InstallJobs
internal import JobEngine
internal import JobJournal
internal import JobTransport
internal import JobWire
internal import Logging

// Rights, the record of acts, and what each request is answered with.
extension PeerSession {
  func perform(_ request: WireRequest, id: RequestID?, readOnly: Bool) async {
    let message: [UInt8]?
    do {
      try await permit(request, readOnly: readOnly)
      if case .subscribe(let parameters) = request {
        try await subscribe(parameters, id: id)
        message = nil
      } else {
        message = try await respond(request, id: id, readOnly: readOnly)
      }
    } catch let error as InstallationError {
      if request.method.acts, error.code != .notPermitted {
        try? await record(request.method.rawValue, job: request.job, error.code)
      }
      message = try? codec.reply(id, WireFault(error))
    } catch {
      logger.error("an answer cannot be written: \(error)")
      let fault = InstallationError(.internal, "the answer cannot be written", class: .fatal)
      message = try? codec.reply(id, WireFault(fault))
    }
    outstanding -= 1
    if let message, id != nil { answer(message) }
    makeRoom()
  }

  private func permit(_ request: WireRequest, readOnly: Bool) async throws(InstallationError) {
    guard request.method.acts else { return }
    guard !readOnly, policy.rights(of: peer) == .act else {
      let act = request.method.rawValue
      try await record(act, job: request.job, InstallationError.Code.notPermitted)
      throw notPermitted(
        act + (request.job.map { " job \($0)" } ?? ""), readOnly: readOnly)
    }
    // An archive is one act, however many pieces it comes in.
    if case .upload(let piece) = request, piece.offset > 0 { return }
    try await record(request.method.rawValue, job: request.job, AuditEntry.permitted)
  }

  func notPermitted(_ act: String, readOnly: Bool = false) -> InstallationError {
    if readOnly {
      return InstallationError(
        .notPermitted, "not permitted to \(act): this connection is read-only", class: .needsHuman,
        hint: "connect without read-only")
    }
    return InstallationError(
      .notPermitted, "user \(requester.user) is not permitted to \(act)", class: .needsHuman,
      hint: policy.group.map {
        "ask an administrator for membership of group '\($0)', or use an engine of your own: "
          + "'fettle try'"
      } ?? "use an engine of your own: see it with 'fettle try', or make a root with 'fettle root"
        + " create DIR' and start 'fettle engine --root DIR'")
  }

  func record(_ act: String, job: JobID?, _ code: InstallationError.Code)
    async throws(InstallationError)
  {
    try await record(act, job: job, code.rawValue)
  }

  private func record(_ act: String, job: JobID?, _ outcome: String)
    async throws(InstallationError)
  {
    logger.info(
      "\(act)", metadata: ["job": "\(job?.description ?? "-")", "outcome": "\(outcome)"])
    try await engine.audit(
      act, on: job, by: requester, pid: peer.pid, command: Accounts.command(of: peer.pid),
      outcome: outcome)
  }

  private func respond(
    _ request: WireRequest, id: RequestID?, readOnly: Bool
  ) async throws -> [UInt8] {
    switch request {
    case .hello: try codec.reply(id, WireFault.notRequest("'hello' was said already"))
    case .plan(let it): try codec.reply(id, try await engine.plan(it.request))
    case .submit(let it): try codec.reply(id, try await engine.submit(it.request, by: requester))
    case .jobs(let it): try codec.reply(id, try await engine.jobs(in: it.states.map(Set.init)))
    case .job(let it): try codec.reply(id, try await engine.job(it.job))
    case .request(let it): try codec.reply(id, try await asked(it.job))
    case .history(let it): try codec.reply(id, try await history(it))
    case .abort(let it):
      try codec.reply(id, try await engine.requestAbort(of: it.job, by: requester))
    case .withdraw(let it):
      try await empty(id) { try await engine.withdrawAbort(of: it.job, by: requester) }
    case .cleanUp(let it):
      try await empty(id) { try await engine.cleanUp(it.job, by: requester) }
    case .suspend(let it):
      try await empty(id) { try await engine.suspend(it.job, by: requester) }
    case .resume(let it):
      try await empty(id) { try await engine.resume(it.job, by: requester) }
    case .pauseQueue: try codec.reply(id, try await engine.pauseQueue(by: requester))
    case .resumeQueue: try codec.reply(id, try await engine.resumeQueue(by: requester))
    case .yield: try codec.reply(id, try await engine.askLockHolderToYield())
    case .move(let it):
      try codec.reply(id, try await engine.move(it.job, to: it.place, by: requester))
    case .upload(let it): try codec.reply(id, UploadReply(update: try await upload(it)))
    case .refresh: try await empty(id) { try await engine.refresh(by: requester) }
    case .updates: try codec.reply(id, try await engine.upgradableUpdates())
    case .log(let it): try codec.reply(id, try await log(it))
    case .events(let it): try codec.reply(id, try await events(it))
    case .status: try codec.reply(id, try await engine.status())
    case .doctor:
      try codec.reply(
        id, await engine.checkup(mayAct: !readOnly && policy.rights(of: peer) == .act))
    case .subscribe: try codec.reply(id, EmptyReply())
    case .unsubscribe(let it): try codec.reply(id, try unsubscribe(it))
    }
  }

  /// What was asked for with a job; who may only look has no use for a proxy's password.
  private func asked(_ id: JobID) async throws(InstallationError) -> JobRequest {
    var request = try await engine.request(of: id)
    if policy.rights(of: peer) != .act { request.options = request.options.withoutSecrets }
    return request
  }

  private func history(_ it: HistoryParameters) async throws(InstallationError) -> [JobSnapshot] {
    let limit = min(it.limit ?? .max, WireProtocol.maximumHistoryPage)
    return try await engine.history(
      it.filter ?? HistoryFilter(), after: it.after, limit: limit)
  }

  private func events(_ it: EventsParameters) async throws(InstallationError) -> EventsReply {
    let limit = min(it.limit ?? .max, WireProtocol.maximumEventsPage)
    let after = it.after ?? 0
    let events = try await engine.events(of: it.job, after: after, limit: limit)
    return EventsReply(
      events: events, next: events.last?.seq ?? after, isWhole: events.count < limit)
  }

  private func empty(_ id: RequestID?, _ act: () async throws -> Void) async throws -> [UInt8] {
    try await act()
    return try codec.reply(id, EmptyReply())
  }

  private func upload(_ it: UploadParameters) async throws(InstallationError) -> Update? {
    guard it.bytes.bytes.count <= WireProtocol.maximumPiece, it.offset >= 0 else {
      throw InstallationError(
        .invalidArgument, "a piece of an archive has at most \(WireProtocol.maximumPiece) bytes",
        class: .fatal)
    }
    return try await engine.upload(it.bytes.bytes, at: it.offset, of: it.archive, from: uploader)
  }

  private func log(_ it: LogParameters) async throws(InstallationError) -> LogReply {
    let limit = min(max(it.limit ?? 64 << 10, 1), WireProtocol.maximumLogChunk)
    guard (it.offset ?? 0) >= 0 else {
      throw InstallationError(.invalidArgument, "an offset is never negative", class: .fatal)
    }
    let chunk = try await engine.log(of: it.job, from: it.offset ?? 0, limit: Int64(limit))
    return LogReply(
      offset: chunk.offset, text: chunk.text, next: chunk.nextOffset, length: chunk.length)
  }
}
