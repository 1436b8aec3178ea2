import InstallJobs
import JobClient
import JobServer
import JobWire
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)))
struct `The events of a job over the socket` {
  @Test func `N17: come page by page, each once and in order, whatever else happened`()
    async throws
  {
    try await ServedEngine.run { served in
      for name in ["a", "b"] {
        _ = try await served.engine.submit(
          JobRequest(.install, [Update(name)]), by: Requester(uid: 1, user: "ada"))
      }
      for _ in 0..<300 {
        await served.engine.play(2, of: JobID(1))
        await served.engine.play(1, of: JobID(2))
      }
      let backend = EngineBackend(try await served.connect())
      var events: [JobEvent] = []
      var after: Int? = 0
      while let seq = after {
        let page = try await backend.events(of: JobID(1), after: seq)
        #expect(page.events.count <= 256)
        events += page.events
        after = page.next
      }
      #expect(events.count == 601 && events.allSatisfy { $0.job == JobID(1) })
      #expect(zip(events, events.dropFirst()).allSatisfy { $0.seq < $1.seq })
      #expect(await served.engine.eventLimits == [256, 256, 256])
      let error = await #expect(throws: InstallationError.self) {
        try await backend.events(of: JobID(7))
      }
      #expect(error?.code == .unknownJob)
    }
  }

  @Test func `a page is bounded, and who may only look may read it`() async throws {
    try await ServedEngine.run { served in
      _ = try await served.engine.submit(
        JobRequest(.install, [Update("a")]), by: Requester(uid: 1, user: "ada"))
      await served.engine.play(4, of: JobID(1))
      let socket = try await served.raw(RawLines.readOnlyHello)
      for (number, parameters) in [
        #"{"job":1}"#, #"{"job":1,"limit":1000000}"#, #"{"job":1,"after":1,"limit":3}"#,
      ].enumerated() {
        let answer = await socket.ask(RawLines.request(number, "events", parameters))
        #expect(answer?.contains(#""type":"state""#) == true)
        #expect(answer?.contains(number == 2 ? #""next":4"# : #""next":5"#) == true)
        #expect(answer?.contains(number == 2 ? #""isWhole":false"# : #""isWhole":true"#) == true)
      }
      #expect(await served.engine.eventLimits == [256, 256, 3])
    }
  }

  /// An engine by hand that answers the hello and what comes next with these lines.
  private func client(
    capabilities: String, answer: String?
  ) async throws -> (EngineBackend, Task<String?, Never>) {
    let path = try #require(ScratchFolder.current).path("other.sock")
    let listener = try #require(RawSocket.listen(at: path))
    let served = Task {
      await onOwnThread { () -> String? in
        guard let socket = listener.accept(), socket.line() != nil else { return nil }
        socket.send(
          #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":"#
            + capabilities + #","epoch":"x","lastSeq":9,"rights":"act"}}"# + "\n")
        let line = socket.line()
        if let answer { socket.send(answer + "\n") }
        _ = socket.isEnded()
        return line
      }
    }
    let connection = try await EngineConnection.connect(to: path, clientName: "test")
    return (EngineBackend(connection), served)
  }

  @Test func `an engine that cannot tell them is not asked, and that is said`() async throws {
    let (backend, served) = try await client(capabilities: #"["history"]"#, answer: nil)
    let error = await #expect(throws: InstallationError.self) {
      try await backend.events(of: JobID(3))
    }
    #expect(error?.code == .protocolMismatch)
    #expect(error?.message.contains("job 3") == true && error?.hint != nil)
    await backend.connection.close()
    #expect(await served.value == nil)
  }

  @Test func `an event of a type without a name here is left out, and the page goes on behind it`()
    async throws
  {
    let at = #""at":"2026-01-01T00:00:00.000Z","job":3"#
    let (backend, served) = try await client(
      capabilities: #"["events"]"#,
      answer: #"{"jsonrpc":"2.0","id":1,"result":{"events":[{"seq":4,\#(at),"type":"levitated"},"#
        + #"{"seq":5,\#(at),"type":"cleanedUp","by":{"uid":0,"user":"root"}},"#
        + #"{"seq":6,\#(at),"type":"danced"}],"next":6,"isWhole":false}}"#)
    let page = try await backend.events(of: JobID(3), after: 3)
    #expect(page.events.map(\.seq) == [5] && page.next == 6)
    await backend.connection.close()
    #expect(await served.value?.contains(#""after":3"#) == true)
  }
}
