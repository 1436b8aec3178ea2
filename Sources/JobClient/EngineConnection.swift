package import InstallJobs
internal import JobTransport
package import JobWire
internal import Synchronization

/// A connection to an engine. It matches replies to requests, and events to subscriptions.
///
/// Replies arrive in the order in which the engine completes the requests. When the engine goes
/// away, all pending requests and subscriptions end with `engineUnreachable`. The wait of a
/// cancelled task ends at once; the wait for an engine that does not answer ends by
/// ``RequestTimeouts``. A later reply is dropped.
package actor EngineConnection {
  /// The engine's reply to `hello`.
  package nonisolated let hello: HelloReply
  /// The path of the engine's socket.
  package nonisolated let path: String

  /// A stream without elements that finishes when the connection ends.
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

  /// A pending request.
  private struct Wait {
    let entry: Pending
    let method: WireRequest.Method
    let bounds: RequestTimeouts.Bounds
    /// Time of the request, in ``countedTime``.
    let since: Duration
  }

  private let connection: LineConnection
  private let codec = WireCodec()
  private let outbox = Outbox()
  private var pending: [Int: Wait] = [:]
  private var lastID = 0
  private var feeds: [Int: AsyncStream<EngineEvents.Element>.Continuation] = [:]
  private var lagging: Set<Int> = []
  private var parts: [UInt8] = []
  private var failure: InstallationError?
  private nonisolated let time: ElapsedTime
  /// Time of the engine's last line.
  private nonisolated let lastLineTime = Mutex(Duration.zero)
  private let timeouts: RequestTimeouts
  /// The task that checks pending requests for time-outs; nil if none are pending.
  private var timer: Task<Void, Never>?
  /// Time during which this process did not run, for example while stopped by a signal.
  ///
  /// It does not count towards time-outs.
  private var uncounted = Duration.zero
  private var hasSkippedCheck = false
  /// Time of the last data from the engine, in ``countedTime``.
  private var lastDataTime = Duration.zero
  private var lastArrivals: Int
  private let seats = StreamSeats()
  /// Ids of subscribe requests whose caller stopped waiting and whose reply has not come.
  private var unwantedSubscriptions: Set<Int> = []

  /// Whole seconds since the engine's last line.
  package nonisolated var silentSeconds: Int {
    Int((time.now() - lastLineTime.withLock { $0 }).components.seconds)
  }

  /// Connects and exchanges `hello`.
  ///
  /// - Parameters:
  ///   - path: The engine's socket.
  ///   - clientName: The program's name, for the engine's log.
  ///   - isReadOnly: Whether to give up the right to act for this connection (row A4).
  ///   - helloTimeout: Time-out of the engine's hello, in seconds.
  ///   - timeouts: Time-outs of later replies.
  ///   - clock: The clock of the later time-outs.
  /// - Returns: A connection to an engine of a matching version.
  /// - Throws: `engineUnreachable` if no process listens, no answer comes in time, or the
  ///   connection is closed without an answer; `protocolMismatch` if the process at the socket is
  ///   not an engine or has another version (row S4); `notPermitted` if the user has no right to
  ///   view; `cancelled` at once if the task is cancelled.
  package static func connect(
    to path: String, clientName: String, isReadOnly: Bool = false, helloTimeout: Double = 10,
    timeouts: RequestTimeouts = RequestTimeouts(), clock: any Clock<Duration> = ContinuousClock()
  ) async throws(InstallationError) -> EngineConnection {
    let connection = try await LineConnection.connect(to: path)
    let codec = WireCodec()
    let alarm = Task {
      try await SleepQueue.shared.sleep(for: .seconds(helloTimeout), by: ContinuousClock())
      connection.close()
    }
    defer { alarm.cancel() }
    let begin = ContinuousClock.now
    // A stopped engine does not answer. An engine that ends or has no free seat closes the
    // connection. Only a wrong answer means that another program listens.
    var noAnswer: InstallationError {
      guard !Task.isCancelled else {
        return InstallationError(
          .cancelled, "the attempt to connect to the engine at '\(path)' was cancelled",
          class: .transient)
      }
      let isClosed = ContinuousClock.now - begin < .seconds(helloTimeout)
      var error = InstallationError(
        .engineUnreachable,
        isClosed
          ? "what listens at '\(path)' closed the connection without an answer: an engine that ends,"
            + " or has as many connections as it takes, does so"
          : "the engine at '\(path)' did not answer within \(Int(helloTimeout.rounded(.up))) s:"
            + " it may be stopped or overloaded",
        class: .transient,
        hint: isClosed
          ? "try again in a moment; if it stays so, check the socket"
          : "look at its process, and try again")
      error.cause = .silentEngine
      return error
    }
    var lines = connection.lines.makeAsyncIterator()
    let answer: [UInt8]?
    do {
      let hello = HelloParameters(
        client: clientName, readOnly: isReadOnly ? true : nil,
        capabilities: [WireProtocol.rows, WireProtocol.ticks, WireProtocol.updates])
      let message = try codec.request(OutgoingRequest(id: .number(0), .hello(hello)))
      // A refused client gets the error at once, and the connection may be closed before `hello` is
      // sent. So a failure to send is ignored, and the error is read.
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
    return EngineConnection(
      connection, lines: lines, hello: hello, path: path, timeouts: timeouts,
      time: ElapsedTime(clock))
  }

  private static func mismatch(_ path: String, _ reason: String) -> InstallationError {
    InstallationError(
      .protocolMismatch, "what listens at '\(path)' is not an engine of this version: \(reason)",
      class: .fatal, hint: "check the socket, and use the same version on both sides")
  }

  private init(
    _ connection: LineConnection, lines: LineConnection.Lines, hello: HelloReply, path: String,
    timeouts: RequestTimeouts, time: ElapsedTime
  ) {
    self.connection = connection
    self.hello = hello
    self.path = path
    self.timeouts = timeouts
    self.time = time
    lastArrivals = connection.limits.arrivals
    (ended, end) = AsyncStream.makeStream(of: Never.self)
    Task { [outbox] in
      for await _ in outbox.wakeUps {
        while let message = outbox.next() {
          guard (try? await connection.send(message)) != nil else { return connection.close() }
        }
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
    timer?.cancel()
    outbox.finish()
    connection.close()
  }

  /// Closes the connection; all pending requests end with `engineUnreachable`.
  package func close() {
    connection.close()
    fail()
  }

  /// Whether the connection is open.
  package var isAlive: Bool { failure == nil }

  // MARK: Requests

  /// Sends a request and waits for the reply.
  ///
  /// - Throws: The engine's error; `engineUnreachable` if the engine goes away first; `timedOut` if
  ///   it does not answer; `cancelled` at once if the task is cancelled. After these three the
  ///   request may have been carried out, unless `mayHaveBeenDone` of the error is false.
  package func ask<R: Decodable & Sendable>(
    _ request: WireRequest, for type: R.Type = R.self
  ) async throws(InstallationError) -> R {
    try await askMeasured(request, for: type).answer
  }

  /// Sends a request and returns the reply together with its size in bytes.
  func askMeasured<R: Decodable & Sendable>(
    _ request: WireRequest, for type: R.Type = R.self
  ) async throws(InstallationError) -> (answer: R, bytes: Int) {
    let reply = try await exchange(request) { .reply($0) }
    return (try decode(type, reply), reply.count)
  }

  /// Subscribes to jobs and events.
  ///
  /// - Parameters:
  ///   - parameters: The jobs and events to follow.
  ///   - isReserved: Whether this is a subscription that all followed jobs share. All other
  ///     subscriptions count towards ``StreamSeats/limit`` as long as their readers exist.
  /// - Returns: A sequence of the jobs' snapshots, followed by events.
  /// - Throws: `busy` at the limit; `invalidArgument` for an event number beyond the end or the
  ///   epoch of another journal; `unknownJob`; the errors of ``ask(_:for:)``.
  package func subscribe(
    _ parameters: SubscribeParameters = SubscribeParameters(), isReserved: Bool = false
  ) async throws(InstallationError) -> EngineEvents {
    let seat = isReserved ? nil : seats.seat()
    guard isReserved || seat != nil else {
      throw InstallationError(
        .busy,
        "one session reads at most \(StreamSeats.limit) streams of events and logs at the same time",
        class: .transient, hint: "end one of them, or open another session for more")
    }
    let (number, stream) = try await open(parameters)
    return EngineEvents {
      SubscriptionReader(self, parameters, number: number, stream: stream, seat: seat)
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
  func removeLagging(_ number: Int) -> Bool { lagging.remove(number) != nil }

  /// The error for an engine that violates the protocol.
  nonisolated func mismatch(_ reason: String) -> InstallationError {
    Self.mismatch(path, reason)
  }

  /// Why the connection ended.
  var reason: InstallationError { failure ?? unreachableError }

  private func unsubscribe(_ number: Int) {
    feeds[number] = nil
    sendUnsubscribe(number)
  }

  /// Ends a subscription at the engine.
  ///
  /// The reply is ignored.
  private func sendUnsubscribe(_ number: Int) {
    guard failure == nil else { return }
    lastID += 1
    let request = OutgoingRequest(
      id: .number(lastID), .unsubscribe(UnsubscribeParameters(number)))
    do {
      outbox.append(try codec.request(request) + [0x0A], as: lastID)
    } catch {
      // Otherwise the engine would keep sending events without a reader.
      fail(InstallationError(.internal, "a request cannot be written: \(error)", class: .fatal))
    }
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
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<[UInt8], InstallationError>, Never>) in
        // The cancellation handler of a task that is cancelled already has run before this point.
        guard !Task.isCancelled else {
          let unanswered = UnansweredRequest(method: request.method, path: path, isSent: false)
          return continuation.resume(returning: .failure(unanswered.error(.cancelled)))
        }
        pending[id] = Wait(
          entry: entry(continuation), method: request.method,
          bounds: timeouts.bounds(of: request), since: countedTime)
        outbox.append(message + [0x0A], as: id, in: Outbox.Lane(request.method))
        startTimer()
      }
    } onCancel: {
      Task { await self.endWait(for: id, .cancelled) }
    }
    return try result.get()
  }

  // MARK: Waits that end without an answer

  /// Ends the wait for a reply; does nothing if the reply has come.
  private func endWait(for id: Int, _ reason: UnansweredRequest.Reason) {
    guard let wait = pending.removeValue(forKey: id) else { return }
    let isSent = !outbox.remove(id)
    if isSent {
      if case .subscription = wait.entry { unwantedSubscriptions.insert(id) }
      if wait.method.isLookup { cancelAtEngine(id) }
    }
    let unanswered = UnansweredRequest(method: wait.method, path: path, isSent: isSent)
    wait.entry.continuation.resume(returning: .failure(unanswered.error(reason)))
  }

  /// Asks the engine to cancel a lookup whose caller no longer waits.
  private func cancelAtEngine(_ id: Int) {
    guard hello.capabilities.contains(WireProtocol.cancel),
      let message = try? codec.request(
        OutgoingRequest(notifying: .cancel(CancelParameters(.number(id)))))
    else { return }
    lastID += 1
    outbox.append(message + [0x0A], as: lastID)
  }

  /// Number of pending requests.
  var waitCount: Int { pending.count }

  /// Time since the connection was opened, without the time in which this process did not run.
  private var countedTime: Duration { time.now() - uncounted }

  /// Starts the timer if it is not running.
  ///
  /// A new request does not reset the timer: with thousands of requests a second that would cost
  /// more than the requests.
  private func startTimer() {
    guard timer == nil else { return }
    timer = Task.detached { [weak self, time] in
      while let moment = await self?.nextTimeoutCheck() {
        guard (try? await time.sleep(moment)) != nil else { return }
        await self?.endOverdueWaits(at: moment)
      }
    }
  }

  /// The time of the next check for overdue requests; nil if none are pending, which ends the
  /// timer.
  private func nextTimeoutCheck() -> Duration? {
    guard !pending.isEmpty else {
      timer = nil
      return nil
    }
    let now = countedTime
    let first = pending.values.reduce(now + timeouts.shortest) { min($0, deadline(of: $1)) }
    return max(first, now + timeouts.interval) + uncounted
  }

  private func deadline(of wait: Wait) -> Duration {
    let end = wait.since + wait.bounds.total
    return wait.bounds.silence.map { min(end, max(wait.since, lastDataTime) + $0) } ?? end
  }

  private func endOverdueWaits(at moment: Duration) {
    let late = time.now() - moment
    if late > .seconds(1), !hasSkippedCheck {
      // Data that arrived while this process did not run is not read yet.
      hasSkippedCheck = true
      uncounted += late + timeouts.interval
      return
    }
    hasSkippedCheck = false
    let now = countedTime
    // A long line arrives in many pieces; each counts as a sign of life.
    let arrivals = connection.limits.arrivals
    if arrivals != lastArrivals { lastDataTime = now }
    lastArrivals = arrivals
    for (id, wait) in pending where deadline(of: wait) <= now {
      endWait(for: id, .timedOut(now - wait.since))
    }
  }

  // MARK: Received lines

  private func receive(_ line: [UInt8]) {
    let now = time.now()
    lastLineTime.withLock { $0 = now }
    lastDataTime = now - uncounted
    lastArrivals = connection.limits.arrivals
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
    outbox.markAnswered(to: id)
    guard let entry = pending.removeValue(forKey: id)?.entry else {
      return dropLate(reply, to: id, fault)
    }
    if let fault {
      entry.continuation.resume(returning: .failure(fault.installationError))
      return
    }
    // Registered at once, because the first row may be the next line.
    if case .subscription(let feed, _) = entry,
      let number = try? codec.result(SubscribeReply.self, of: reply).subscription
    {
      feeds[number] = feed
    }
    entry.continuation.resume(returning: .success(reply))
  }

  /// Drops a late reply.
  ///
  /// If it opens a subscription, ends that subscription.
  private func dropLate(_ reply: [UInt8], to id: Int, _ fault: WireFault?) {
    guard unwantedSubscriptions.remove(id) != nil, fault == nil,
      let number = try? codec.result(SubscribeReply.self, of: reply).subscription
    else { return }
    unsubscribe(number)
  }

  private func receive(_ notification: WireNotification) {
    switch notification {
    case .event(let number, let event): deliver(.event(event), to: number)
    case .ticks(let number, let events): deliver(.progress(events), to: number)
    case .snapshot(let number, let jobs): deliver(.jobs(jobs), to: number)
    case .snapshotEnd(let number, let seq): deliver(.jobsEnd(seq: seq), to: number)
    case .part, .unknown: break
    }
  }

  private func deliver(_ element: EngineEvents.Element, to number: Int) {
    guard let feed = feeds[number] else { return }
    guard case .dropped = feed.yield(element) else { return }
    // The reader is too slow: it reads the buffered elements, then subscribes again from its last
    // event.
    lagging.insert(number)
    feeds[number] = nil
    // Sent before the reader subscribes again, because the engine counts both subscriptions.
    sendUnsubscribe(number)
    feed.finish()
  }

  private func fail(_ error: InstallationError? = nil) {
    guard failure == nil else { return }
    let isLost = error == nil
    let error = error ?? unreachableError
    failure = error
    connection.close()
    for (id, wait) in pending {
      // A request that was sent and not answered may have been carried out.
      let unanswered = UnansweredRequest(
        method: wait.method, path: path, isSent: !outbox.remove(id))
      var reason = isLost ? unanswered.error(.lost) : error
      reason.mayHaveBeenDone = unanswered.error(.lost).mayHaveBeenDone
      wait.entry.continuation.resume(returning: .failure(reason))
    }
    outbox.finish()
    timer?.cancel()
    pending = [:]
    unwantedSubscriptions = []
    for feed in feeds.values { feed.finish() }
    feeds = [:]
    end.finish()
  }

  private var unreachableError: InstallationError {
    InstallationError(
      .engineUnreachable, "the engine at '\(path)' went away", class: .transient,
      hint: "jobs go on without it; connect again when it is back")
  }
}

extension WireRequest {
  /// Number of updates in the request.
  fileprivate var updateCount: Int {
    switch self {
    case .plan(let it), .submit(let it): it.request.updates.count
    default: 0
    }
  }
}
