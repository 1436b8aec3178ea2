import InstallJobs
import JobClient
import JobServer
import JobWire
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
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
    #expect(page.events.map(\.seq) == [5] && page.next == 6 && page.leftOut == 2)
    await backend.connection.close()
    #expect(await served.value?.contains(#""after":3"#) == true)
  }

  /// An engine by hand that answers each request for events with what `page` makes of its number.
  private func teller(
    _ page: @escaping @Sendable (_ number: Int) -> String
  ) async throws -> (EngineBackend, Task<Int, Never>) {
    let path = try #require(ScratchFolder.current).path("teller.sock")
    let listener = try #require(RawSocket.listen(at: path))
    let served = Task {
      await onOwnThread { () -> Int in
        guard let socket = listener.accept(), socket.line() != nil else { return 0 }
        socket.send(
          #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":"#
            + #"["events"],"epoch":"x","lastSeq":9,"rights":"act"}}"# + "\n")
        var number = 0
        while socket.line() != nil {
          number += 1
          socket.send(#"{"jsonrpc":"2.0","id":\#(number),"result":\#(page(number))}"# + "\n")
        }
        return number
      }
    }
    let connection = try await EngineConnection.connect(to: path, clientName: "test")
    return (EngineBackend(connection), served)
  }

  private static func event(_ seq: Int, _ type: String = "cleanedUp") -> String {
    #"{"seq":\#(seq),"at":"2026-01-01T00:00:00.000Z","job":3,"type":"\#(type)","#
      + #""by":{"uid":0,"user":"root"}}"#
  }

  @Test(arguments: [
    RecordingReader.Bounds(events: 20), RecordingReader.Bounds(events: 1000, bytes: 2_000),
  ])
  func `an engine that never comes to an end is not read for ever, and that is told`(
    _ bounds: RecordingReader.Bounds
  ) async throws {
    let (backend, served) = try await teller { number in
      let events = [Self.event(number * 3), Self.event(number * 3 + 1), Self.event(1, "danced")]
      return #"{"events":[\#(events.joined(separator: ","))],"#
        + #""next":\#(number * 3 + 2),"isWhole":false}"#
    }
    var reader = RecordingReader(
      JobID(3), of: UpdateSession(backend: backend, clientName: "test"), bounds: bounds)
    var events: [JobEvent] = []
    while let page = try await reader.next() { events += page.events }
    #expect(reader.isCut && reader.leftOut > 0 && reader.leftOut <= 7)
    #expect((8...14).contains(events.count), "\(events.count)")
    #expect(
      reader.gapMessages.count == 2 && reader.gapMessages[0].contains("more of job 3 than is read"))
    #expect(reader.gapMessages[1].contains("\(reader.leftOut) events of job 3 could not be read"))
    await backend.connection.close()
    #expect(await served.value <= 7)
  }

  @Test(arguments: [
    #"{"events":[EVENTS],"next":5,"isWhole":false}"#, #"{"events":[],"next":NEXT,"isWhole":false}"#,
  ])
  func `an engine that does not go on is not asked again, and tells nothing twice`(
    _ answer: String
  ) async throws {
    let (backend, served) = try await teller { number in
      answer.replacing("EVENTS", with: "\(Self.event(4)),\(Self.event(5)),\(Self.event(4))")
        .replacing("NEXT", with: "\(number)")
    }
    var reader = RecordingReader(
      JobID(3), of: UpdateSession(backend: backend, clientName: "test"))
    var events: [Int] = []
    while let page = try await reader.next() { events += page.events.map(\.seq) }
    #expect(events == (answer.contains("EVENTS") ? [4, 5] : []))
    #expect(!reader.isCut && reader.gapMessages.isEmpty)
    await backend.connection.close()
    #expect(await served.value <= 2)
  }
}
