package import InstallJobs
internal import JobTransport
package import JobWire
internal import Synchronization

/// A connection to an engine: requests matched with their replies, subscriptions with their events.
///
/// Replies come in the order in which the engine is done. When the engine goes away, everything
/// that waits ends with `engineUnreachable`. A cancelled task still waits for its reply.
package actor EngineConnection {
  /// What the engine said of itself.
  package nonisolated let hello: HelloReply
  /// The socket it listens at.
  package nonisolated let path: String

  /// Ends when the connection does; nothing comes before.
  nonisolated let ended: AsyncStream<Never>
  private let end: AsyncStream<Never>.Continuation

  private enum Pending {
    case reply(CheckedContinuation<Result<[UInt8], InstallationError>, Never>)
    case subscription(
      AsyncStream<EngineEvents.Element>.Continuation,
      CheckedContinuation<Result<[UInt8], InstallationError>, Never>)

    var continuation: CheckedContinuation<Result<[UInt8], InstallationError>, Never> {
      switch self {
      case .reply(let continuation), .subscription(_, let continuation): continuation
      }
    }
  }

  private let connection: LineConnection
  private let codec = WireCodec()
  private let outgoing: AsyncStream<[UInt8]>.Continuation
  private var pending: [Int: Pending] = [:]
  private var lastID = 0
  private var feeds: [Int: AsyncStream<EngineEvents.Element>.Continuation] = [:]
  private var lagging: Set<Int> = []
  private var parts: [UInt8] = []
  private var failure: InstallationError?
  // When the last byte of the engine came.
  private nonisolated let heard = Mutex(ContinuousClock.now)

  /// Whole seconds since the engine was heard.
  package nonisolated var silentSeconds: Int {
    Int((ContinuousClock.now - heard.withLock { $0 }).components.seconds)
  }

  /// Connects and says hello.
  ///
  /// - Parameters:
  ///   - path: The engine's socket.
  ///   - clientName: The program's name, for the engine's log.
  ///   - isReadOnly: Gives up the right to act, for good (row A4).
  ///   - patience: How long to wait for the engine's hello, in seconds.
  /// - Returns: A connection whose engine was found to be one of ours.
  /// - Throws: `engineUnreachable` when nobody listens, nobody answers in time, or the connection is
  ///   closed without an answer; `protocolMismatch` when what answers is not an engine or another
  ///   version (row S4); `notPermitted` when the engine does not let us look.
  package static func connect(
    to path: String, clientName: String, isReadOnly: Bool = false, patience: Double = 10
  ) async throws(InstallationError) -> EngineConnection {
    let connection = try await LineConnection.connect(to: path)
    let codec = WireCodec()
    let alarm = Task {
      try await Task.sleep(for: .seconds(patience))
      connection.close()
    }
    defer { alarm.cancel() }
    let begin = ContinuousClock.now
    // A stopped engine says nothing, one that ends or has no room closes; only what answers wrongly
    // is another program.
    var noAnswer: InstallationError {
      guard ContinuousClock.now - begin >= .seconds(patience) else {
        return InstallationError(
          .engineUnreachable,
          "what listens at '\(path)' closed the connection without an answer: an engine that ends,"
            + " or has as many connections as it takes, does so",
          class: .transient, hint: closingHint)
      }
      return InstallationError(
        .engineUnreachable,
        "the engine at '\(path)' did not answer within \(Int(patience.rounded(.up))) s:"
          + " it may be stopped or overloaded",
        class: .transient, hint: silenceHint)
    }
    var lines = connection.lines.makeAsyncIterator()
    let answer: [UInt8]?
    do {
      let hello = HelloParameters(
        client: clientName, readOnly: isReadOnly ? true : nil,
        capabilities: [WireProtocol.rows, WireProtocol.ticks, WireProtocol.updates])
      let message = try codec.request(OutgoingRequest(id: .number(0), .hello(hello)))
      // Who is refused is told so at once, and the connection closed before the hello comes.
      try? await connection.send(message + [0x0A])
      answer = try await lines.next()
    } catch {
      throw noAnswer
    }
    guard let answer else { throw noAnswer }
    guard case .reply(_, let fault)? = try? codec.incoming(answer) else {
      throw mismatch(path, "its answer to a hello is something else")
    }
    if let fault {
      guard let error = fault.data else { throw mismatch(path, "it refuses a hello") }
      throw error
    }
    guard let hello = try? codec.result(HelloReply.self, of: answer),
      hello.product == WireProtocol.product
    else { throw mismatch(path, "its answer to a hello is something else") }
    guard hello.version == WireProtocol.version else {
      throw mismatch(
        path, "it speaks protocol \(hello.version), this program \(WireProtocol.version)")
    }
    return EngineConnection(connection, lines: lines, hello: hello, path: path)
  }

  private static let silenceHint = "look at its process, and try again"
  private static let closingHint = "try again in a moment; if it stays so, check the socket"

  /// Whether an error says that something is there and does not answer: then no other is meant.
  package static func isSilence(_ error: InstallationError) -> Bool {
    error.code == .engineUnreachable && [silenceHint, closingHint].contains(error.hint)
  }

  private static func mismatch(_ path: String, _ reason: String) -> InstallationError {
    InstallationError(
      .protocolMismatch, "what listens at '\(path)' is not an engine of this version: \(reason)",
      class: .fatal, hint: "check the socket, and use the same version of fettle and fettled")
  }

  private init(
    _ connection: LineConnection, lines: LineConnection.Lines, hello: HelloReply, path: String
  ) {
    self.connection = connection
    self.hello = hello
    self.path = path
    (ended, end) = AsyncStream.makeStream(of: Never.self)
    let (messages, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
    self.outgoing = outgoing
    Task {
      for await message in messages {
        guard (try? await connection.send(message)) != nil else { return connection.close() }
      }
    }
    Task { [weak self] in
      var lines = lines
      while let line = try? await lines.next() {
        guard let self else { break }
        await self.receive(line)
      }
      connection.close()
      await self?.fail()
    }
  }

  deinit {
    end.finish()
    outgoing.finish()
    connection.close()
  }

  /// Ends the connection; everything that waits ends with `engineUnreachable`.
  package func close() {
    connection.close()
    fail()
  }

  /// Whether the engine can still be reached.
  package var isAlive: Bool { failure == nil }

  // MARK: Asking

  /// Asks and waits for the answer.
  ///
  /// - Throws: What the engine refuses with; `engineUnreachable` when it goes away meanwhile.
  package func ask<R: Decodable & Sendable>(
    _ request: WireRequest, for type: R.Type = R.self
  ) async throws(InstallationError) -> R {
    try await askMeasured(request, for: type).answer
  }

  /// Asks and tells beside the answer how many bytes it came in.
  func askMeasured<R: Decodable & Sendable>(
    _ request: WireRequest, for type: R.Type = R.self
  ) async throws(InstallationError) -> (answer: R, bytes: Int) {
    let reply = try await exchange(request) { .reply($0) }
    return (try decode(type, reply), reply.count)
  }

  /// Subscribes; rows and events come from the sequence.
  ///
  /// - Throws: `invalidArgument` for a number beyond the end or a foreign epoch, `unknownJob`.
  package func subscribe(_ parameters: SubscribeParameters = SubscribeParameters())
    async throws(InstallationError) -> EngineEvents
  {
    let (number, stream) = try await open(parameters)
    return EngineEvents {
      SubscriptionReader(self, parameters, number: number, stream: stream)
    }
  }

  func open(_ parameters: SubscribeParameters)
    async throws(InstallationError) -> (Int, AsyncStream<EngineEvents.Element>)
  {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EngineEvents.Element.self, bufferingPolicy: .bufferingOldest(SubscriptionReader.bound))
    let reply = try await exchange(.subscribe(parameters)) { .subscription(continuation, $0) }
    let number = try decode(SubscribeReply.self, reply).subscription
    continuation.onTermination = { [weak self] reason in
      guard case .cancelled = reason else { return }
      Task { await self?.unsubscribe(number) }
    }
    return (number, stream)
  }

  /// Whether the subscription ended because its reader was too slow.
  func wasLagging(_ number: Int) -> Bool { lagging.remove(number) != nil }

  /// Why the connection ended.
  var reason: InstallationError { failure ?? goneAway }

  private func unsubscribe(_ number: Int) async {
    feeds[number] = nil
    guard failure == nil else { return }
    _ = try? await ask(.unsubscribe(UnsubscribeParameters(number)), for: EmptyReply.self)
  }

  private func decode<R: Decodable>(_ type: R.Type, _ reply: [UInt8])
    throws(InstallationError) -> R
  {
    do {
      return try codec.result(type, of: reply)
    } catch {
      throw Self.mismatch(path, "an answer cannot be read")
    }
  }

  private func exchange(
    _ request: WireRequest,
    _ entry: (CheckedContinuation<Result<[UInt8], InstallationError>, Never>) -> Pending
  ) async throws(InstallationError) -> [UInt8] {
    if let failure { throw failure }
    lastID += 1
    let id = lastID
    let message: [UInt8]
    do {
      message = try codec.request(OutgoingRequest(id: .number(id), request))
    } catch {
      throw InstallationError(.internal, "a request cannot be written: \(error)", class: .fatal)
    }
    guard message.count <= WireProtocol.maximumLine else {
      throw InstallationError(
        .invalidArgument,
        "a request has at most \(WireProtocol.maximumLine) bytes, this one has \(message.count)",
        class: .fatal,
        hint: request.updateCount > 1
          ? "name fewer of the \(request.updateCount) packages in one job, and the rest in others"
          : "ask for less at a time")
    }
    let result = await withCheckedContinuation { continuation in
      pending[id] = entry(continuation)
      outgoing.yield(message + [0x0A])
    }
    return try result.get()
  }

  // MARK: Listening

  private func receive(_ line: [UInt8]) {
    heard.withLock { $0 = .now }
    guard failure == nil else { return }
    guard let incoming = try? codec.incoming(line) else {
      return fail(Self.mismatch(path, "a line of it cannot be read"))
    }
    switch incoming {
    case .notification(.part(let text, let last)):
      parts += text.utf8
      guard parts.count <= WireProtocol.maximumMessage else {
        return fail(Self.mismatch(path, "a message of it is too long"))
      }
      guard last else { return }
      let message = parts
      parts = []
      receive(message)
    case .notification(let notification): receive(notification)
    case .reply(.number(let id)?, let fault): receive(reply: line, to: id, fault)
    case .reply: fail(Self.mismatch(path, "it answers what was not asked"))
    }
  }

  private func receive(reply: [UInt8], to id: Int, _ fault: WireFault?) {
    guard let entry = pending.removeValue(forKey: id) else { return }
    if let fault {
      entry.continuation.resume(returning: .failure(fault.installationError))
      return
    }
    // Registered at once: its first row may be the next line.
    if case .subscription(let feed, _) = entry,
      let number = try? codec.result(SubscribeReply.self, of: reply).subscription
    {
      feeds[number] = feed
    }
    entry.continuation.resume(returning: .success(reply))
  }

  private func receive(_ notification: WireNotification) {
    switch notification {
    case .event(let number, let event): hand(.event(event), to: number)
    case .ticks(let number, let events): hand(.progress(events), to: number)
    case .snapshot(let number, let jobs): hand(.jobs(jobs), to: number)
    case .snapshotEnd(let number, let seq): hand(.jobsEnd(seq: seq), to: number)
    case .part, .unknown: break
    }
  }

  private func hand(_ element: EngineEvents.Element, to number: Int) {
    guard let feed = feeds[number] else { return }
    guard case .dropped = feed.yield(element) else { return }
    // Its reader is far behind: it gets what it has, then asks again from where it is.
    lagging.insert(number)
    feeds[number] = nil
    feed.finish()
    Task { await unsubscribe(number) }
  }

  private func fail(_ error: InstallationError? = nil) {
    guard failure == nil else { return }
    // Of what was asked and not answered it is not known whether it was done.
    let unheard = error == nil ? unanswered : nil
    let error = error ?? goneAway
    failure = error
    connection.close()
    outgoing.finish()
    for entry in pending.values { entry.continuation.resume(returning: .failure(unheard ?? error)) }
    pending = [:]
    for feed in feeds.values { feed.finish() }
    feeds = [:]
    end.finish()
  }

  private var unanswered: InstallationError {
    InstallationError(
      .engineUnreachable, "the engine at '\(path)' went away before it answered", class: .transient,
      hint: "jobs go on without it; when it is back, see whether that was done")
  }

  private var goneAway: InstallationError {
    InstallationError(
      .engineUnreachable, "the engine at '\(path)' went away", class: .transient,
      hint: "jobs go on without it; connect again when it is back")
  }
}

extension WireRequest {
  /// How many updates it names.
  fileprivate var updateCount: Int {
    switch self {
    case .plan(let it), .submit(let it): it.request.updates.count
    default: 0
    }
  }
}
