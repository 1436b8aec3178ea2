internal import InstallJobs
internal import JobEngine
internal import JobWire

/// The connection and the user of a request that is carried out.
struct PeerCall: Sendable {
  let session: PeerSession
  /// Whether the connection gave up the right to act.
  let isReadOnly: Bool
  /// The number of the audit entry; nil if the request has none.
  let auditEntry: Int64?

  var engine: any EngineService { session.engine }
  var requester: Requester { session.requester }

  /// The user of a lookup.
  var user: PlanningUser {
    get async {
      let mayAct = isReadOnly ? false : await hasRightToAct
      return PlanningUser(requester, mayAct: mayAct)
    }
  }

  /// Whether the peer has the right to act, on any connection.
  var hasRightToAct: Bool { get async { await session.policy.rights(of: session.peer) == .act } }
}

/// How each request of a peer that has the right to it is carried out.
///
/// Missing are only `subscribe`, which sends its reply itself, and `cancel`, which is handled when it
/// is read.
struct RequestHandlers: Sendable {
  typealias Handler =
    @Sendable (any WireRequest, PeerCall) async throws -> any Encodable & Sendable

  private var handlers: [String: Handler] = [:]

  /// The handler of requests with this method; nil if there is none.
  subscript(method: String) -> Handler? { handlers[method] }

  private mutating func add<Request: WireRequest>(
    _ handle: @escaping @Sendable (Request, PeerCall) async throws -> Request.Reply
  ) {
    handlers[Request.method] = { request, call in
      guard let request = request as? Request else {
        throw WireFault.unknownMethod(request.method)
      }
      return try await handle(request, call)
    }
  }

  /// Adds the handler of a request without a result.
  private mutating func add<Request: WireRequest>(
    _ perform: @escaping @Sendable (Request, PeerCall) async throws -> Void
  ) where Request.Reply == EmptyReply {
    add { (request: Request, call) in
      try await perform(request, call)
      return EmptyReply()
    }
  }

  static let all: RequestHandlers = {
    var all = RequestHandlers()
    all.addLookups()
    all.addViews()
    all.addActs()
    return all
  }()

  private mutating func addLookups() {
    add { (request: PlanRequest, call) in
      try await call.engine.plan(request.parameters.request, for: call.user)
    }
    add { (_: UpdatesRequest, call) in try await call.engine.upgradableUpdates(for: call.user) }
    add { (request: SearchRequest, call) in
      try await call.engine.search(request.parameters, for: call.user)
    }
    add { (_: SystemRequest, call) in try await call.engine.systemInformation(for: call.user) }
    add { (_: DoctorRequest, call) in try await call.engine.checkup(for: call.user) }
  }

  private mutating func addViews() {
    add { (_: HelloRequest, _) -> HelloReply in
      throw WireFault.notRequest("'hello' was said already")
    }
    add { (_: StatusRequest, call) in try await call.engine.status() }
    add { (request: JobsRequest, call) in
      try await call.engine.jobs(in: request.states.map(Set.init))
    }
    add { (request: SingleSnapshotRequest, call) in try await call.engine.job(request.job) }
    // Proxy passwords are removed for peers that may not act.
    add { (request: SubmittedRequest, call) in
      var submitted = try await call.engine.request(of: request.job)
      if await !call.hasRightToAct { submitted.options = submitted.options.withoutSecrets }
      return submitted
    }
    add { (request: HistoryRequest, call) in
      try await call.engine.history(
        request.filter ?? HistoryFilter(), after: request.after,
        limit: min(request.limit ?? .max, WireProtocol.maximumHistoryPage))
    }
    add { (request: LogRequest, call) in
      let limit = min(max(request.limit ?? 64 << 10, 1), WireProtocol.maximumLogChunk)
      guard (request.offset ?? 0) >= 0 else {
        throw InstallationError(.invalidArgument, "an offset is never negative", class: .fatal)
      }
      let chunk = try await call.engine.log(
        of: request.job, from: request.offset ?? 0, limit: Int64(limit))
      return LogRequest.Reply(
        offset: chunk.offset, text: chunk.text, next: chunk.nextOffset, length: chunk.length)
    }
    add { (request: EventsRequest, call) in
      let limit = min(request.limit ?? .max, WireProtocol.maximumEventsPage)
      let after = request.after ?? 0
      let events = try await call.engine.events(of: request.job, after: after, limit: limit)
      return EventsReply(
        events: events, next: events.last?.seq ?? after, isWhole: events.count < limit)
    }
    add { (request: AuditRequest, call) in
      try await call.engine.audits(
        request.filter ?? AuditFilter(), before: request.before,
        limit: min(request.limit ?? .max, WireProtocol.maximumAuditPage))
    }
    add { (request: UnsubscribeRequest, call) in
      try await call.session.unsubscribe(request.subscription)
    }
  }

  private mutating func addActs() {
    add { (request: SubmitRequest, call) in
      let job = try await call.engine.submit(request.parameters.request, by: call.requester)
      if let entry = call.auditEntry { await call.engine.setJob(job.id, ofAudit: entry) }
      return job
    }
    add { (request: UploadRequest, call) in
      guard request.bytes.bytes.count <= WireProtocol.maximumPiece, request.offset >= 0 else {
        throw InstallationError(
          .invalidArgument,
          "a piece of an archive has at most \(WireProtocol.maximumPiece) bytes", class: .fatal)
      }
      return UploadRequest.Reply(
        update: try await call.engine.upload(
          request.bytes.bytes, at: request.offset, of: request.archive,
          from: call.session.uploader))
    }
    add { (request: AbortRequest, call) in
      try await call.engine.requestAbort(of: request.job, by: call.requester)
    }
    add { (request: WithdrawRequest, call) in
      try await call.engine.withdrawAbort(of: request.job, by: call.requester)
    }
    add { (request: CleanUpRequest, call) in
      try await call.engine.cleanUp(request.job, by: call.requester)
    }
    add { (request: SuspendRequest, call) in
      try await call.engine.suspend(request.job, by: call.requester)
    }
    add { (request: ResumeRequest, call) in
      try await call.engine.resume(request.job, by: call.requester)
    }
    add { (request: MoveRequest, call) in
      try await call.engine.move(request.job, to: request.place, by: call.requester)
    }
    add { (_: PauseQueueRequest, call) in try await call.engine.pauseQueue(by: call.requester) }
    add { (_: ResumeQueueRequest, call) in try await call.engine.resumeQueue(by: call.requester) }
    add { (_: YieldRequest, call) in try await call.engine.askLockHolderToYield() }
    add { (it: MarkRequest, call) in
      try await call.engine.mark(it.mark, it.updates, by: call.requester)
    }
    add { (_: RefreshRequest, call) in try await call.engine.refresh(by: call.requester) }
  }
}
