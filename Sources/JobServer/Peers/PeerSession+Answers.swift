internal import InstallJobs
internal import JobEngine
internal import JobJournal
internal import JobTransport
internal import JobWire
internal import Logging

// Checks rights, writes audit entries, and replies to each request.
extension PeerSession {
  /// Replies to a request.
  ///
  /// A long read of a view-only user waits for its turn in ``ViewerQueue``.
  func performInTurn(_ request: WireRequest, id: RequestID?, readOnly: Bool) async {
    guard isViewer, request.method.readsMuch else {
      return await perform(request, id: id, readOnly: readOnly)
    }
    await turns.run(of: SeatTable.origin(of: peer.uid, as: seatClass)) {
      await self.perform(request, id: id, readOnly: readOnly)
    }
  }

  /// Carries out a request and replies to it.
  ///
  /// A lookup (given by its number) counts against the limit until its reply is queued, because the
  /// client may send its next lookup then.
  func perform(
    _ request: WireRequest, id: RequestID?, readOnly: Bool, lookup: Int? = nil
  ) async {
    // The connection is closed: a request that only reads needs no answer.
    if isViewer, case .closed = phase {
      outstanding -= 1
      if let lookup { lookups[lookup] = nil }
      return makeRoom()
    }
    let message: [UInt8]?
    do {
      let row = try await authorize(request, readOnly: readOnly)
      if case .subscribe(let parameters) = request {
        try await subscribe(parameters, id: id)
        message = nil
      } else if case .submit(let it) = request {
        let job = try await engine.submit(it.request, by: requester)
        if let row { await engine.setJob(job.id, ofAudit: row) }
        message = try codec.reply(id, job)
      } else {
        message = try await respond(request, id: id, readOnly: readOnly)
      }
    } catch let error as InstallationError {
      if request.method.acts, error.code != .notPermitted {
        _ = try? await record(
          request.method.rawValue, request, error.code.rawValue, isUnprivileged: false)
      }
      message = try? codec.reply(id, WireFault(error))
    } catch {
      // A peer can cause this error without limit, so the notice is rate-limited.
      notices.post(.unwritable, uid: peer.uid)
      logger.debug("an answer cannot be written: \(error)")
      let fault = InstallationError(.internal, "the answer cannot be written", class: .fatal)
      message = try? codec.reply(id, WireFault(fault))
    }
    outstanding -= 1
    if let lookup { lookups[lookup] = nil }
    if let message, id != nil { answer(message) }
    makeRoom()
  }

  /// Checks that the peer has the right to make the request, and writes the audit entry.
  ///
  /// - Returns: The number of the audit entry; nil if the request has none.
  private func authorize(
    _ request: WireRequest, readOnly: Bool
  ) async throws(InstallationError) -> Int64? {
    guard request.method.needsRightToAct else { return nil }
    let rights = await policy.rights(of: peer)
    guard !readOnly, rights == .act else {
      let act = request.method.rawValue
      // The request is refused even if the audit entry cannot be written.
      _ = try? await record(
        act, request, InstallationError.Code.notPermitted.rawValue, isUnprivileged: rights != .act)
      throw notPermitted(
        act + (request.job.map { " job \($0)" } ?? ""), readOnly: readOnly)
    }
    guard request.method.acts else { return nil }
    // An upload has one audit entry, however many pieces it has.
    if case .upload(let piece) = request, piece.offset > 0 { return nil }
    return try await record(
      request.method.rawValue, request, AuditEntry.permitted, isUnprivileged: false)
  }

  func notPermitted(_ act: String, readOnly: Bool = false) -> InstallationError {
    if readOnly {
      return InstallationError(
        .notPermitted, "not permitted to \(act): this connection is read-only", class: .needsHuman,
        hint: "connect without read-only")
    }
    return policy.refusal(to: act, user: requester.user)
  }

  /// Writes an audit entry for an act or for a refused act.
  ///
  /// - Parameters:
  ///   - act: The request's name on the wire.
  ///   - request: The request; nil if the act does not concern jobs.
  ///   - outcome: `permitted`, or the error code of the refusal or failure.
  ///   - isUnprivileged: Whether the peer has no right to act.
  /// - Returns: The number of the audit entry; nil if it was not written, or not yet.
  /// - Throws: `journal`. The act must not be carried out then.
  func record(
    _ act: String, _ request: WireRequest?, _ outcome: String, isUnprivileged: Bool
  ) async throws(InstallationError) -> Int64? {
    logger.info(
      "\(act)",
      metadata: ["job": "\(request?.job?.description ?? "-")", "outcome": "\(outcome)"])
    return try await engine.audit(
      AuditedAct(
        act, on: request?.job, by: requester, pid: peer.pid,
        command: Accounts.command(of: peer.pid), outcome: outcome, subject: request?.auditSubject,
        isUnprivileged: isUnprivileged))
  }

  private func respond(
    _ request: WireRequest, id: RequestID?, readOnly: Bool
  ) async throws -> [UInt8] {
    switch request {
    case .hello: try codec.reply(id, WireFault.notRequest("'hello' was said already"))
    case .plan(let it):
      try codec.reply(id, try await engine.plan(it.request, for: await user(readOnly: readOnly)))
    case .submit, .subscribe, .cancel: try codec.reply(id, EmptyReply())
    case .jobs(let it): try codec.reply(id, try await engine.jobs(in: it.states.map(Set.init)))
    case .job(let it): try codec.reply(id, try await engine.job(it.job))
    case .request(let it): try codec.reply(id, try await storedRequest(it.job))
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
    case .updates:
      try codec.reply(id, try await engine.upgradableUpdates(for: await user(readOnly: readOnly)))
    case .search(let it):
      try codec.reply(id, try await engine.search(it, for: await user(readOnly: readOnly)))
    case .system:
      try codec.reply(id, try await engine.systemInformation(for: await user(readOnly: readOnly)))
    case .log(let it): try codec.reply(id, try await log(it))
    case .events(let it): try codec.reply(id, try await events(it))
    case .status: try codec.reply(id, try await engine.status())
    case .audit(let it): try codec.reply(id, try await audits(it))
    case .doctor:
      try codec.reply(id, try await engine.checkup(for: await user(readOnly: readOnly)))
    case .unsubscribe(let it): try codec.reply(id, try unsubscribe(it))
    }
  }

  private func user(readOnly: Bool) async -> PlanningUser {
    PlanningUser(requester, mayAct: await mayAct(readOnly: readOnly))
  }

  private func mayAct(readOnly: Bool) async -> Bool {
    guard !readOnly else { return false }
    return await policy.rights(of: peer) == .act
  }

  /// The request of a job.
  ///
  /// Proxy passwords are removed for peers that may not act.
  private func storedRequest(_ id: JobID) async throws(InstallationError) -> JobRequest {
    var request = try await engine.request(of: id)
    if await policy.rights(of: peer) != .act { request.options = request.options.withoutSecrets }
    return request
  }

  private func history(_ it: HistoryParameters) async throws(InstallationError) -> [JobSnapshot] {
    let limit = min(it.limit ?? .max, WireProtocol.maximumHistoryPage)
    return try await engine.history(
      it.filter ?? HistoryFilter(), after: it.after, limit: limit)
  }

  private func audits(_ it: AuditParameters) async throws(InstallationError) -> [AuditRecord] {
    let limit = min(it.limit ?? .max, WireProtocol.maximumAuditPage)
    return try await engine.audits(it.filter ?? AuditFilter(), before: it.before, limit: limit)
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
