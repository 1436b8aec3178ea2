import Glibc
import InstallJobs
import JobClient
import JobServer
import JobWire
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `The handshake` {
  @Test func `S4: hello names product, protocol, journal and rights`() async throws {
    try await ServedEngine.run { served in
      await served.engine.play(3, of: JobID(1))
      let client = try await served.connect()
      #expect(client.hello.product == "fettle")
      #expect(client.hello.version == 1)
      #expect(client.hello.epoch == "e1")
      #expect(client.hello.lastSeq == 3)
      #expect(client.hello.rights == .act)
      #expect(try await EngineBackend(client).status().engine.version == "1.2.3")
      await client.close()
    }
  }

  @Test(arguments: [
    RawLines.request(1, "jobs"), "garbage", "GET / HTTP/1.1",
    RawLines.request(1, "hello", #"{"product":"other","version":1}"#),
    RawLines.request(1, "hello", #"{"product":"fettle","version":99}"#),
    RawLines.request(1, "hello"),
  ])
  func `whoever does not begin with the right hello gets an error and is gone`(line: String)
    async throws
  {
    try await ServedEngine.run { served in
      let connected = await onOwnThread { RawSocket.connect(to: served.path) }
      let socket = try #require(connected)
      let answer = try #require(await socket.ask(line))
      #expect(answer.contains("\"error\""))
      #expect(await socket.ends())
    }
  }

  @Test func `whoever says nothing is gone after a while`() async throws {
    var limits = ServerLimits.patient
    limits.helloSeconds = 0.05
    try await ServedEngine.run(limits: limits) { served in
      let connected = await onOwnThread { RawSocket.connect(to: served.path) }
      let socket = try #require(connected)
      #expect(await socket.ends())
      try await eventually { served.server.connectionCount == 0 }
    }
  }

  @Test func `a second hello is refused, the connection goes on`() async throws {
    try await ServedEngine.run { served in
      let socket = try await served.raw()
      #expect(await socket.ask(RawLines.hello)?.contains("-32600") == true)
      #expect(await socket.ask(RawLines.request(2, "status"))?.contains("\"result\"") == true)
    }
  }

  @Test func `one user has a bounded number of connections`() async throws {
    var limits = ServerLimits.patient
    limits.connectionsPerUser = 3
    try await ServedEngine.run(limits: limits) { served in
      var open: [EngineConnection] = []
      for _ in 0..<3 { open.append(try await served.connect()) }
      let error = await #expect(throws: InstallationError.self) { try await served.connect() }
      #expect(error?.code == .engineUnreachable)
      #expect(error?.message.contains("has as many connections as it takes") == true)
      await open.removeLast().close()
      try await eventually { served.server.connectionCount == 2 }
      open.append(try await served.connect())
      for client in open { await client.close() }
    }
  }
}

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Finding an engine` {
  private func path() throws -> String {
    try #require(ScratchFolder.current).path("other.sock")
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "{}\n", "[1,2]\n", "\u{0}\u{1}\u{2}\n"])
  func `S4: what answers garbage is not an engine`(garbage: String) async throws {
    let path = try path()
    let listener = try #require(RawSocket.listen(at: path))
    async let answered = onOwnThread {
      let socket = listener.accept()
      let hello = socket?.line()
      socket?.send(garbage)
      return hello
    }
    let error = await #expect(throws: InstallationError.self) {
      try await EngineConnection.connect(to: path, clientName: "test")
    }
    #expect(error?.code == .protocolMismatch)
    #expect(error?.message.contains(path) == true)
    #expect(await answered?.contains("hello") == true)
  }

  @Test func `S4: what stays silent may be an engine that is stopped, said after a bounded time`()
    async throws
  {
    let path = try path()
    let listener = try #require(RawSocket.listen(at: path))
    let error = await #expect(throws: InstallationError.self) {
      try await EngineConnection.connect(to: path, clientName: "test", helloTimeout: 0.05)
    }
    #expect(error?.code == .engineUnreachable)
    #expect(
      error?.message
        == "the engine at '\(path)' did not answer within 1 s: it may be stopped or overloaded")
    #expect(listener.accept() != nil)
  }

  @Test func `S4: what closes without an answer may be an engine that ends, not another program`()
    async throws
  {
    let path = try path()
    let listener = try #require(RawSocket.listen(at: path))
    async let closed = onOwnThread { listener.accept()?.line() != nil }
    let error = await #expect(throws: InstallationError.self) {
      try await EngineConnection.connect(to: path, clientName: "test")
    }
    #expect(await closed)
    #expect(error?.code == .engineUnreachable)
    #expect(error?.message.contains("closed the connection without an answer") == true)
    #expect(error?.cause == .silentEngine)
  }

  @Test func `of what was asked when the engine went away it is not said that it was not done`()
    async throws
  {
    let path = try path()
    let listener = try #require(RawSocket.listen(at: path))
    async let asked = onOwnThread {
      let socket = listener.accept()
      _ = socket?.line()
      socket?.send(
        #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":[],"#
          + #""epoch":"x","lastSeq":0,"rights":"act"}}"# + "\n")
      return socket?.line()?.contains("abort") == true
    }
    let connection = try await EngineConnection.connect(to: path, clientName: "test")
    let backend = EngineBackend(connection)
    let unheard = await #expect(throws: InstallationError.self) {
      _ = try await backend.requestAbort(of: JobID(1))
    }
    #expect(await asked)
    #expect(unheard?.message == "the engine at '\(path)' went away before it answered")
    #expect(unheard?.hint?.contains("see whether that was done") == true)
    // What is asked of one that is gone was never sent.
    let later = await #expect(throws: InstallationError.self) {
      _ = try await backend.requestAbort(of: JobID(1))
    }
    #expect(later?.message == "the engine at '\(path)' went away")
  }

  @Test func `S4: an older engine is not asked to pause its queue`() async throws {
    let path = try path()
    let listener = try #require(RawSocket.listen(at: path))
    async let lines = onOwnThread {
      let socket = listener.accept()
      let hello = socket?.line()
      socket?.send(
        #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":"#
          + #"["parts","subscriptions"],"epoch":"x","lastSeq":0,"rights":"act"}}"# + "\n")
      return [hello, socket?.line()]
    }
    let connection = try await EngineConnection.connect(to: path, clientName: "test")
    let backend = EngineBackend(connection)
    var errors: [InstallationError?] = []
    errors.append(
      await #expect(throws: InstallationError.self) { _ = try await backend.pauseQueue() })
    errors.append(
      await #expect(throws: InstallationError.self) { _ = try await backend.resumeQueue() })
    errors.append(
      await #expect(throws: InstallationError.self) {
        _ = try await backend.move(JobID(1), to: .first)
      })
    for error in errors {
      #expect(error?.code == .protocolMismatch)
      #expect(error?.message.contains("is of an older version and cannot") == true)
      #expect(error?.hint?.contains("restart the engine") == true)
    }
    #expect(errors[1]?.message.hasSuffix("cannot resume its queue") == true)
    await connection.close()
    // Nothing was written after the hello.
    #expect(await lines.last == .some(nil))
  }

  @Test func `S4: an engine of another version is told from one of ours`() async throws {
    let path = try path()
    let listener = try #require(RawSocket.listen(at: path))
    async let answered = onOwnThread {
      let socket = listener.accept()
      _ = socket?.line()
      socket?.send(
        #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":2,"capabilities":[],"#
          + #""epoch":"x","lastSeq":0,"rights":"act"}}"# + "\n")
      return socket != nil
    }
    let error = await #expect(throws: InstallationError.self) {
      try await EngineConnection.connect(to: path, clientName: "test")
    }
    #expect(error?.code == .protocolMismatch)
    #expect(error?.message.contains("protocol 2") == true)
    #expect(await answered)
  }

  @Test func `a stale socket is an engine that cannot be reached`() async throws {
    let path = try path()
    do { _ = try #require(RawSocket.listen(at: path)) }
    let error = await #expect(throws: InstallationError.self) {
      try await UpdateSession.connect(to: path, clientName: "test")
    }
    #expect(error?.code == .engineUnreachable)
  }

  @Test(
    arguments: [
      (["FETTLE_SOCKET": "/x", "XDG_RUNTIME_DIR": "/run/user/7"], 7, ["/x"]),
      (
        ["FETTLE_SOCKET": "", "XDG_RUNTIME_DIR": "/r"], 7,
        ["/r/fettle/engine.sock", "/run/fettle/engine.sock"]
      ),
      (["XDG_RUNTIME_DIR": "relative"], 0, ["/run/fettle/engine.sock"]),
      ([:], 7, ["/run/user/7/fettle/engine.sock", "/run/fettle/engine.sock"]),
      ([:], 0, ["/run/fettle/engine.sock"]),
    ] as [([String: String], UInt32, [String])])
  func `the user's engine comes before the system's, a named one stands alone`(
    environment: [String: String], uid: UInt32, paths: [String]
  ) {
    #expect(SocketPath.candidates(environment: environment, uid: uid) == paths)
  }
}
