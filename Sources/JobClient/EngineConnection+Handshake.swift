package import InstallJobs
internal import JobTransport
internal import JobWire

extension EngineConnection {
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
      let hello = HelloRequest(
        client: clientName, readOnly: isReadOnly ? true : nil,
        capabilities: [WireProtocol.rows, WireProtocol.ticks, WireProtocol.updates])
      let message = try codec.request(OutgoingRequest(id: .number(0), hello))
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

  /// The error for a process at the socket that violates the protocol.
  static func mismatch(_ path: String, _ reason: String) -> InstallationError {
    InstallationError(
      .protocolMismatch, "what listens at '\(path)' is not an engine of this version: \(reason)",
      class: .fatal, hint: "check the socket, and use the same version on both sides")
  }

  /// The error for an engine that violates the protocol.
  nonisolated func mismatch(_ reason: String) -> InstallationError {
    Self.mismatch(path, reason)
  }
}
