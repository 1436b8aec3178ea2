internal import InstallJobs
internal import JobEngine
internal import JobTransport
internal import JobWire
internal import Logging

/// One connection: reads requests, carries them out, and sends replies and events in order.
actor PeerSession {
  enum Phase {
    /// No request except `hello` is accepted.
    case waitingForHello
    case open(readOnly: Bool)
    /// Pending replies are sent, then the connection is closed.
    case closing
    case closed
  }

  let engine: any EngineService
  let peer: PeerCredentials
  let requester: Requester
  let connection: LineConnection
  let policy: AccessPolicy
  let limits: ServerLimits
  let logger: Logger
  let notices: PeerNotices
  /// The memory budget for unread replies, shared by all connections of the user.
  let budget: ByteBudget
  /// Schedules the requests of view-only users.
  let turns: ViewerQueue
  /// Whether the session has buffered more than ``largeBufferBytes`` bytes, so that its memory is returned to
  /// the system at the end.
  var hasUsedLargeBuffers = false
  /// Threshold of ``hasUsedLargeBuffers``, in bytes.
  static let largeBufferBytes = 64 << 10
  let seatClass: SeatClass
  private let greeted: @Sendable () -> Void
  /// Owner of the archives that are uploaded over this connection.
  let uploader = Uploader()
  private(set) var codec = WireCodec()

  var phase = Phase.waitingForHello
  var replies: [[UInt8]] = []
  var replyBytes = 0
  var outstanding = 0
  /// The outstanding requests that wait for a plan and change nothing.
  ///
  /// They are cancelled when the peer no longer waits for the reply.
  var lookups: [Int: Lookup] = [:]
  var lastLookup = 0
  private var malformed = 0
  var lookupTimer: Task<Void, any Error>?
  var roomWaiter: CheckedContinuation<Void, Never>?
  var feeds: [SubscriptionFeed] = []
  var lastFeed = 0
  let wakes: AsyncStream<Void>
  let waker: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - connection: The connection to the peer.
  ///   - user: The peer's name.
  ///   - seatClass: The class of seats that the connection counts in.
  ///   - engine: The engine that carries out the requests.
  ///   - policy: The rights of each user.
  ///   - limits: The limits of the connection.
  ///   - budget: The memory budget of all connections of the user.
  ///   - turns: Schedules the requests of view-only users.
  ///   - notices: Rate-limited log of events that the peer causes.
  ///   - logger: The log for everything else.
  ///   - greeted: Called after the reply to `hello`.
  init(
    _ connection: LineConnection, user: String, seatClass: SeatClass, engine: any EngineService,
    policy: AccessPolicy, limits: ServerLimits, budget: ByteBudget, turns: ViewerQueue,
    notices: PeerNotices, logger: Logger, greeted: @escaping @Sendable () -> Void
  ) {
    self.connection = connection
    self.engine = engine
    self.policy = policy
    self.limits = limits
    self.budget = budget
    self.turns = turns
    self.notices = notices
    self.seatClass = seatClass
    self.greeted = greeted
    peer = connection.peer
    requester = Requester(uid: peer.uid, user: user)
    var logger = logger
    logger[metadataKey: "uid"] = "\(peer.uid)"
    logger[metadataKey: "pid"] = "\(peer.pid)"
    self.logger = logger
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Serves the connection until either side ends it.
  func run() async {
    let limit = limits.helloSeconds
    let helloTimer = Task { [weak self] in
      try await Task.sleep(for: .seconds(limit))
      await self?.giveUpWithoutHello()
    }
    let writer = Task { await self.write() }
    await read()
    // Every piece that was received has been written by now.
    await engine.dropUploads(uploader)
    helloTimer.cancel()
    if case .closed = phase {} else { phase = .closing }
    waker.yield()
    // A peer that only stopped sending still gets its replies if it reads them in time.
    let flushing = limits.flushSeconds
    let flushTimer = Task { [weak self] in
      try await Task.sleep(for: .seconds(flushing))
      await self?.close()
    }
    await writer.value
    flushTimer.cancel()
    close()
  }

  /// Ends the connection at once.
  func close() {
    phase = .closed
    connection.close()
    cancelLookups()
    for feed in feeds { feed.pump?.cancel() }
    feeds = []
    waker.finish()
    replies = []
    budget.release(replyBytes)
    replyBytes = 0
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
          await waitForRoom()
          let incoming = codec.request(line)
          switch phase {
          case .waitingForHello: await greet(incoming)
          case .open(let readOnly): handle(incoming, readOnly: readOnly, in: &handlers)
          case .closing, .closed: break
          }
          if !isOpen { break }
        }
      } catch is LineSplitter.LineTooLong {
        notices.post(.lineTooLong, uid: peer.uid)
      } catch is ReceiveLimits.BudgetExceeded {
        notices.post(.bufferFull, uid: peer.uid)
      } catch {
        logger.debug("reading ended: \(error)")
      }
      endLookups()
      // Acting requests that were received are carried out, even if the peer did not wait.
    }
    lookupTimer?.cancel()
  }

  /// Whether the user of the connection is view-only.
  var isViewer: Bool { seatClass == .viewer }

  var isOpen: Bool {
    if case .open = phase { true } else { false }
  }

  private func handle(
    _ incoming: IncomingRequest, readOnly: Bool, in handlers: inout DiscardingTaskGroup
  ) {
    switch incoming.body {
    case .failure(let fault):
      malformed += 1
      if !incoming.isNotification { answer(incoming.id, fault) }
      if malformed > limits.malformedLines {
        notices.post(.malformedLines, uid: peer.uid)
        phase = .closing
      }
    case .success(let request as CancelRequest): cancelLookup(request, id: incoming.id)
    case .success(let request) where request.kind == .lookup:
      startLookup(request, id: incoming.id, readOnly: readOnly, in: &handlers)
    case .success(let request):
      outstanding += 1
      handlers.addTask {
        await self.performInTurn(request, id: incoming.id, readOnly: readOnly)
      }
    }
  }

  private func greet(_ incoming: IncomingRequest) async {
    func refuse(_ fault: WireFault) {
      answer(incoming.id, fault)
      phase = .closing
    }
    guard case .success(let hello as HelloRequest) = incoming.body else {
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
    guard var rights = await policy.rights(of: peer) else {
      _ = try? await record(
        "hello", nil, InstallationError.Code.notPermitted.rawValue, isUnprivileged: true)
      return refuse(WireFault(policy.refusal(user: requester.user)))
    }
    if hello.readOnly == true { rights = .look }
    let reply = HelloReply(
      epoch: await engine.epoch, lastSeq: await engine.lastSeq, rights: rights)
    guard let message = try? codec.reply(incoming.id, reply) else { return close() }
    codec.writesRows = hello.capabilities?.contains(WireProtocol.rows) == true
    codec.writesTicks = hello.capabilities?.contains(WireProtocol.ticks) == true
    codec.writesUpdates = hello.capabilities?.contains(WireProtocol.updates) == true
    answer(message)
    connection.limits.line = isViewer ? limits.viewerLine : WireProtocol.maximumLine
    greeted()
    phase = .open(readOnly: hello.readOnly == true)
  }
}
