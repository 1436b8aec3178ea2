import Glibc
import InstallJobs
import JobTransport
import JobWire
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Lines over a socket` {
  private func pair() async throws -> (SocketListener, LineConnection, LineConnection) {
    let path = try #require(ScratchFolder.current).path("engine.sock")
    let listener = try await SocketListener.listen(at: path)
    let client = try await LineConnection.connect(to: path)
    return (listener, try await listener.accept(), client)
  }

  @Test func `A40: the peer is who the kernel says`() async throws {
    let (listener, server, client) = try await pair()
    let own = PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid())
    #expect(server.peer == own)
    #expect(client.peer == own)
    listener.close()
  }

  @Test func `nobody at the socket is an engine that cannot be reached`() async throws {
    let path = try #require(ScratchFolder.current).path("engine.sock")
    let error = await #expect(throws: InstallationError.self) {
      try await LineConnection.connect(to: path)
    }
    #expect(error?.code == .engineUnreachable)
    #expect(error?.hint?.contains("fettle engine") == true)
  }

  @Test func `lines arrive whole and in order both ways at the same time`() async throws {
    let (listener, server, client) = try await pair()
    let count = 2000
    let text = String(repeating: "x", count: 300)
    func write(_ connection: LineConnection) async throws {
      for number in 0..<count { try await connection.send(Array("\(number) \(text)\n".utf8)) }
    }
    func read(_ connection: LineConnection) async throws -> Int {
      var next = 0
      for try await line in connection.lines {
        #expect(String(decoding: line, as: UTF8.self) == "\(next) \(text)")
        next += 1
        if next == count { break }
      }
      return next
    }
    async let sent: Void = write(server)
    async let back: Void = write(client)
    async let there = read(client)
    async let here = read(server)
    _ = try await (sent, back)
    #expect(try await there == count)
    #expect(try await here == count)
    listener.close()
  }

  @Test func `what a peer wrote before it went is still read`() async throws {
    let path = try #require(ScratchFolder.current).path("engine.sock")
    let listener = try await SocketListener.listen(at: path)
    do {
      let raw = try #require(RawSocket.connect(to: path))
      raw.send("one\ntwo\nthree")
    }
    let server = try await listener.accept()
    var lines: [String] = []
    for try await line in server.lines { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(lines == ["one", "two"])
    listener.close()
  }

  @Test func `a writer waits for a reader that does not read, and ends when it is closed`()
    async throws
  {
    let (listener, server, client) = try await pair()
    let line = [UInt8](repeating: 0x78, count: 1 << 20)
    let writing = Task {
      var sent = 0
      while true {
        do { try await server.send(line) } catch { return sent }
        sent += 1
      }
    }
    // The kernel's buffers take some of it; reading a little shows that the rest waits.
    var iterator = client.lines.makeAsyncIterator()
    await #expect(throws: LineSplitter.LineTooLong.self) {
      while try await iterator.next() != nil {}
    }
    client.close()
    #expect(await writing.value < 8)
    listener.close()
  }

  @Test func `a closed connection wakes its own reader`() async throws {
    let (listener, server, client) = try await pair()
    let reading = Task {
      var iterator = server.lines.makeAsyncIterator()
      return try await iterator.next()
    }
    server.close()
    #expect(try await reading.value == nil)
    var iterator = client.lines.makeAsyncIterator()
    #expect(try await iterator.next() == nil)
    listener.close()
  }

  @Test func `a cancelled reader and a cancelled accept end`() async throws {
    let (listener, server, client) = try await pair()
    let reading = Task {
      var iterator = server.lines.makeAsyncIterator()
      return try await iterator.next()
    }
    let accepting = Task { try await listener.accept() }
    reading.cancel()
    accepting.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    await #expect(throws: CancellationError.self) { try await accepting.value }
    client.close()
    listener.close()
  }

  @Test func `descriptors are used again without mixing up connections`() async throws {
    let path = try #require(ScratchFolder.current).path("engine.sock")
    let listener = try await SocketListener.listen(at: path)
    for round in 0..<300 {
      let client = try await LineConnection.connect(to: path)
      let server = try await listener.accept()
      let reading = Task {
        var iterator = server.lines.makeAsyncIterator()
        return try await iterator.next()
      }
      // Every other round ends while somebody waits at the descriptor.
      if round.isMultiple(of: 2) {
        try await client.send(Array("\(round)\n".utf8))
        #expect(try await reading.value == Array("\(round)".utf8))
      } else {
        client.close()
        #expect(try await reading.value == nil)
      }
    }
    listener.close()
  }
}
