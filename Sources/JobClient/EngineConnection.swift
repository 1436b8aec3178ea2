internal import InstallJobs
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

  let connection: LineConnection
  let codec = WireCodec()
  let outbox = Outbox()
  var pending: PendingRequests
  /// The number of the last message to the engine.
  var lastID = 0
  /// The receivers of the subscriptions, by their numbers.
  var feeds: [Int: AsyncStream<EngineEvents.Element>.Continuation] = [:]
  /// The subscriptions that ended because their readers were too slow.
  var laggingFeeds: Set<Int> = []
  /// Ids of subscribe requests whose caller stopped waiting and whose reply has not come.
  var unwantedSubscriptions: Set<Int> = []
  let seats = StreamSeats()
  private var parts: [UInt8] = []
  private(set) var failure: InstallationError?
  nonisolated let time: ElapsedTime
  /// Time of the engine's last line.
  private nonisolated let lastLineTime = Mutex(Duration.zero)
  /// The task that checks pending requests for time-outs; nil if none are pending.
  var timer: Task<Void, Never>?

  /// Whole seconds since the engine's last line.
  package nonisolated var silentSeconds: Int {
    Int((time.now() - lastLineTime.withLock { $0 }).components.seconds)
  }

  /// A connection over which `hello` was exchanged.
  init(
    _ connection: LineConnection, lines: LineConnection.Lines, hello: HelloReply, path: String,
    timeouts: RequestTimeouts, time: ElapsedTime
  ) {
    self.connection = connection
    self.hello = hello
    self.path = path
    self.time = time
    pending = PendingRequests(timeouts, arrivals: connection.limits.arrivals)
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

  /// Why the connection ended.
  var reason: InstallationError { failure ?? unreachableError }

  // MARK: Received lines

  private func receive(_ line: [UInt8]) {
    let now = time.now()
    lastLineTime.withLock { $0 = now }
    pending.noteData(at: now, arrivals: connection.limits.arrivals)
    guard failure == nil else { return }
    guard let incoming = try? codec.incoming(line) else {
      return fail(mismatch("a line of it cannot be read"))
    }
    switch incoming {
    case .notification(.part(let text, let last)):
      parts += text.utf8
      guard parts.count <= WireProtocol.maximumMessage else {
        return fail(mismatch("a message of it is too long"))
      }
      guard last else { return }
      let message = parts
      parts = []
      receive(message)
    case .notification(let notification): receive(notification)
    case .reply(.number(let id)?, let fault): receive(reply: line, to: id, fault)
    case .reply: fail(mismatch("it answers what was not asked"))
    }
  }

  private func receive(reply: [UInt8], to id: Int, _ fault: WireFault?) {
    outbox.markAnswered(to: id)
    guard let wait = pending.remove(id) else { return dropLate(reply, to: id, fault) }
    if let fault {
      wait.continuation.resume(returning: .failure(fault.installationError))
      return
    }
    if let feed = wait.feed { register(feed, from: reply) }
    wait.continuation.resume(returning: .success(reply))
  }

  // MARK: The end

  /// Ends the connection; without an error, because the engine went away.
  func fail(_ error: InstallationError? = nil) {
    guard failure == nil else { return }
    let isLost = error == nil
    let error = error ?? unreachableError
    failure = error
    connection.close()
    for (id, wait) in pending.removeAll() {
      // A request that was sent and not answered may have been carried out.
      let unanswered = UnansweredRequest(wait.type, path: path, isSent: !outbox.remove(id))
      var reason = isLost ? unanswered.error(.lost) : error
      reason.mayHaveBeenDone = unanswered.error(.lost).mayHaveBeenDone
      wait.continuation.resume(returning: .failure(reason))
    }
    outbox.finish()
    timer?.cancel()
    endSubscriptions()
    end.finish()
  }

  private var unreachableError: InstallationError {
    InstallationError(
      .engineUnreachable, "the engine at '\(path)' went away", class: .transient,
      hint: "jobs go on without it; connect again when it is back")
  }
}
