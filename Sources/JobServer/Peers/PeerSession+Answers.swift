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
  func performInTurn(_ request: any WireRequest, id: RequestID?, readOnly: Bool) async {
    guard isViewer, request.kind == .longView else {
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
    _ request: any WireRequest, id: RequestID?, readOnly: Bool, lookup: Int? = nil
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
      if let request = request as? SubscribeRequest {
        try await subscribe(request, id: id)
        message = nil
      } else if let handle = RequestHandlers.all[request.method] {
        let call = PeerCall(session: self, isReadOnly: readOnly, auditEntry: row)
        message = try codec.reply(id, try await handle(request, call))
      } else {
        throw WireFault.unknownMethod(request.method)
      }
    } catch let fault as WireFault {
      message = try? codec.reply(id, fault)
    } catch let error as InstallationError {
      if request.kind == .act, error.code != .notPermitted {
        _ = try? await record(request.method, request, error.code.rawValue, isUnprivileged: false)
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
    _ request: any WireRequest, readOnly: Bool
  ) async throws(InstallationError) -> Int64? {
    guard request.kind.needsRightToAct else { return nil }
    let rights = await policy.rights(of: peer)
    guard !readOnly, rights == .act else {
      let act = request.method
      // The request is refused even if the audit entry cannot be written.
      _ = try? await record(
        act, request, InstallationError.Code.notPermitted.rawValue, isUnprivileged: rights != .act)
      throw notPermitted(
        act + (request.auditJob.map { " job \($0)" } ?? ""), readOnly: readOnly)
    }
    guard request.kind == .act else { return nil }
    // An upload has one audit entry, however many pieces it has.
    if let piece = request as? UploadRequest, piece.offset > 0 { return nil }
    return try await record(request.method, request, AuditEntry.permitted, isUnprivileged: false)
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
    _ act: String, _ request: (any WireRequest)?, _ outcome: String, isUnprivileged: Bool
  ) async throws(InstallationError) -> Int64? {
    logger.info(
      "\(act)",
      metadata: ["job": "\(request?.auditJob?.description ?? "-")", "outcome": "\(outcome)"])
    return try await engine.audit(
      AuditedAct(
        act, on: request?.auditJob, by: requester, pid: peer.pid,
        command: Accounts.command(of: peer.pid), outcome: outcome, subject: request?.auditSubject,
        isUnprivileged: isUnprivileged))
  }
}
