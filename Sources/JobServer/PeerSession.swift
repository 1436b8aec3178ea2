internal import InstallJobs
internal import JobEngine
internal import JobTransport
internal import JobWire
internal import Logging

/// One connection: reads requests, has them answered, sends answers and events in order.
actor PeerSession {
  private enum Phase {
    /// Nothing is allowed before `hello`.
    case waitingForHello
    case open(readOnly: Bool)
    /// What waits is sent, then the connection ends.
    case closing
    case closed
  }

  let engine: any EngineService
  let peer: PeerCredentials
  let requester: Requester
  private let connection: LineConnection
  private let policy: AccessPolicy
  private let limits: ServerLimits
  private let logger: Logger
  private let codec = WireCodec()

  private var phase = Phase.waitingForHello
  private var replies: [[UInt8]] = []
  private var replyBytes = 0
  private var outstanding = 0
  private var malformed = 0
  private var roomWaiter: CheckedContinuation<Void, Never>?
  private var feeds: [SubscriptionFeed] = []
  private var lastFeed = 0
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init(
    _ connection: LineConnection, engine: any EngineService, policy: AccessPolicy,
    limits: ServerLimits, logger: Logger
  ) {
    self.connection = connection
    self.engine = engine
    self.policy = policy
    self.limits = limits
    peer = connection.peer
    requester = Requester(uid: peer.uid, user: Accounts.name(of: peer.uid))
    var logger = logger
    logger[metadataKey: "uid"] = "\(peer.uid)"
    logger[metadataKey: "pid"] = "\(peer.pid)"
    self.logger = logger
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Serves the connection until either side ends it.
  func run() async {
    let limit = limits.helloSeconds
    let patience = Task { [weak self] in
      try await Task.sleep(for: .seconds(limit))
      await self?.giveUpWithoutHello()
    }
    let writer = Task { await self.write() }
    await read()
    patience.cancel()
    if case .closing = phase {} else { close() }
    waker.yield()
    await writer.value
    close()
  }

  /// Ends the connection at once.
  func close() {
    phase = .closed
    connection.close()
    for feed in feeds { feed.pump?.cancel() }
    feeds = []
    waker.finish()
    makeRoom()
  }

  private func giveUpWithoutHello() {
    guard case .waitingForHello = phase else { return }
    logger.debug("no hello in time")
    close()
  }

  // MARK: Reading

  private func read() async {
    await withDiscardingTaskGroup { handlers in
      do {
        for try await line in connection.lines {
          await room()
          let incoming = codec.request(line)
          switch phase {
          case .waitingForHello: await greet(incoming)
          case .open(let readOnly): take(incoming, readOnly: readOnly, in: &handlers)
          case .closing, .closed: break
          }
          if !isOpen { return }
        }
      } catch let error as LineSplitter.LineTooLong {
        logger.notice("a line of more than \(error.limit) bytes ends the connection")
      } catch {
        logger.debug("reading ended: \(error)")
      }
      // Requests that were received are carried out, even when their asker did not wait.
    }
  }

  private var isOpen: Bool {
    if case .open = phase { true } else { false }
  }

  private func take(
    _ incoming: IncomingRequest, readOnly: Bool, in handlers: inout DiscardingTaskGroup
  ) {
    switch incoming.body {
    case .failure(let fault):
      malformed += 1
      if !incoming.isNotification { answer(incoming.id, fault) }
      if malformed > limits.malformedLines {
        logger.notice("too many malformed lines end the connection")
        phase = .closing
      }
    case .success(let request):
      outstanding += 1
      handlers.addTask {
        await self.perform(request, id: incoming.id, readOnly: readOnly)
      }
    }
  }

  private func greet(_ incoming: IncomingRequest) async {
    func refuse(_ fault: WireFault) {
      answer(incoming.id, fault)
      phase = .closing
    }
    guard case .success(.hello(let hello)) = incoming.body else {
      if case .failure(let fault) = incoming.body { return refuse(fault) }
      return refuse(.notRequest("'hello' comes first"))
    }
    guard hello.product == WireProtocol.product, hello.version == WireProtocol.version else {
      return refuse(
        WireFault(
          InstallationError(
            .protocolMismatch,
            "this engine speaks \(WireProtocol.product) protocol \(WireProtocol.version), "
              + "the client speaks another one", class: .fatal,
            hint: "use the same version of fettle and fettled")))
    }
    guard var rights = policy.rights(of: peer) else {
      try? await record("hello", job: nil, InstallationError.Code.notPermitted)
      return refuse(WireFault(notPermitted("look at this engine")))
    }
    if hello.readOnly == true { rights = .look }
    let reply = HelloReply(
      epoch: await engine.epoch, lastSeq: await engine.lastSeq, rights: rights)
    guard let message = try? codec.reply(incoming.id, reply) else { return close() }
    answer(message)
    phase = .open(readOnly: hello.readOnly == true)
  }

  // MARK: Answering

  private func perform(_ request: WireRequest, id: RequestID?, readOnly: Bool) async {
    let message: [UInt8]?
    do {
      try await permit(request, readOnly: readOnly)
      if case .subscribe(let parameters) = request {
        try await subscribe(parameters, id: id)
        message = nil
      } else {
        message = try await respond(request, id: id)
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
    try await record(request.method.rawValue, job: request.job, "permitted")
  }

  private func notPermitted(_ act: String, readOnly: Bool = false) -> InstallationError {
    if readOnly {
      return InstallationError(
        .notPermitted, "not permitted to \(act): this connection is read-only", class: .needsHuman,
        hint: "connect without read-only")
    }
    return InstallationError(
      .notPermitted, "user \(requester.user) is not permitted to \(act)", class: .needsHuman,
      hint: policy.group.map { "ask an administrator for membership of group '\($0)'" })
  }

  private func record(_ act: String, job: JobID?, _ code: InstallationError.Code)
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

  private func respond(_ request: WireRequest, id: RequestID?) async throws -> [UInt8] {
    switch request {
    case .hello: try codec.reply(id, WireFault.notRequest("'hello' was said already"))
    case .plan(let it): try codec.reply(id, try await engine.plan(it.request))
    case .submit(let it): try codec.reply(id, try await engine.submit(it.request, by: requester))
    case .jobs(let it): try codec.reply(id, try await engine.jobs(in: it.states.map(Set.init)))
    case .job(let it): try codec.reply(id, try await engine.job(it.job))
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
    case .upload(let it): try codec.reply(id, UploadReply(update: try await upload(it)))
    case .updates: try codec.reply(id, try await engine.upgradableUpdates())
    case .log(let it): try codec.reply(id, try await log(it))
    case .status: try codec.reply(id, try await engine.status())
    case .subscribe: try codec.reply(id, EmptyReply())
    case .unsubscribe(let it): try codec.reply(id, try unsubscribe(it))
    }
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
    return try await engine.upload(it.bytes.bytes, at: it.offset, of: it.archive)
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

  // MARK: Subscriptions

  private func subscribe(_ parameters: SubscribeParameters, id: RequestID?) async throws {
    guard feeds.count < limits.subscriptions else {
      throw InstallationError(
        .invalidState, "one connection has at most \(limits.subscriptions) subscriptions",
        class: .fatal, hint: "unsubscribe first")
    }
    let (start, events) = try await SubscriptionFeed.open(parameters, of: engine)
    lastFeed += 1
    let number = lastFeed
    var feed = start
    feed.number = number
    feed.pump = Task {
      for await batch in events { self.deliver(batch, to: number) }
    }
    // From here on without a pause: the answer goes out before the first row.
    answer(try codec.reply(id, SubscribeReply(subscription: number, seq: feed.seq)))
    feeds.append(feed)
    waker.yield()
  }

  private func unsubscribe(_ it: UnsubscribeParameters) throws(InstallationError) -> EmptyReply {
    guard let index = feeds.firstIndex(where: { $0.number == it.subscription }) else {
      throw InstallationError(
        .invalidArgument, "there is no subscription \(it.subscription)", class: .fatal)
    }
    feeds.remove(at: index).pump?.cancel()
    return EmptyReply()
  }

  private func deliver(_ batch: [JobEvent], to number: Int) {
    guard let index = feeds.firstIndex(where: { $0.number == number }) else { return }
    for event in batch { feeds[index].backlog.push(event) }
    waker.yield()
  }

  // MARK: Writing

  private func answer(_ id: RequestID?, _ fault: WireFault) {
    guard let message = try? codec.reply(id, fault) else { return }
    answer(message)
  }

  private func answer(_ message: [UInt8]) {
    replies.append(message)
    replyBytes += message.count
    waker.yield()
  }

  private func room() async {
    while outstanding >= limits.outstandingRequests || replyBytes > limits.waitingReplyBytes {
      if case .closed = phase { return }
      await withCheckedContinuation { roomWaiter = $0 }
    }
  }

  private func makeRoom() {
    roomWaiter?.resume()
    roomWaiter = nil
  }

  private func write() async {
    var wake = wakes.makeAsyncIterator()
    while true {
      do {
        let bytes = try await nextBytes()
        if !bytes.isEmpty {
          try await connection.send(bytes)
          makeRoom()
          continue
        }
      } catch {
        logger.debug("writing ended: \(error)")
        break
      }
      if case .closing = phase, outstanding == 0 { break }
      if case .closed = phase { break }
      _ = await wake.next()
    }
    connection.close()
  }

  /// Lines for one call of the kernel: as many as are ready, up to about 64 KiB.
  private func nextBytes() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < 64 << 10 {
      if !replies.isEmpty {
        let message = replies.removeFirst()
        replyBytes -= message.count
        for line in try codec.lines(of: message) { bytes += line }
      } else if let notification = try await nextNotification() {
        for line in try codec.lines(of: try codec.notification(notification)) { bytes += line }
      } else {
        break
      }
    }
    return bytes
  }

  /// The next notification of any subscription, in turn.
  private func nextNotification() async throws -> WireNotification? {
    for _ in feeds.indices {
      guard let first = feeds.first else { return nil }
      feeds.append(feeds.removeFirst())
      let number = first.number
      guard var index = feeds.firstIndex(where: { $0.number == number }) else { continue }
      switch feeds[index].next() {
      case .notification(let notification): return notification
      case .idle: continue
      case .fetch(let seq):
        let events = try await engine.events(after: seq, limit: 256)
        // Others may have come and gone while the journal was read.
        guard let now = feeds.firstIndex(where: { $0.number == number }) else { continue }
        index = now
        guard feeds[index].backlog.fetched(events) else {
          throw InstallationError(
            .journal, "the journal has no event after \(seq)", class: .fatal)
        }
        waker.yield()
        if case .notification(let notification) = feeds[index].next() { return notification }
      }
    }
    return nil
  }
}
