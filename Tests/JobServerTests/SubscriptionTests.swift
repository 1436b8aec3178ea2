import Glibc
import InstallJobs
import JobClient
import JobServer
import JobWire
import Logging
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Following an engine` {
  private let request = JobRequest(.install, [Update("a"), Update("b")])
  private let requester = Requester(uid: 0, user: "root")

  private func outcome(_ snapshot: JobSnapshot) -> JobEvent.Payload {
    .completed(
      JobOutcome(
        state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
        requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [],
        updates: snapshot.updates))
  }

  /// The durable numbers that a subscription brings up to `last`.
  private func numbers(_ events: EngineEvents, upTo last: Int) async throws -> [Int] {
    var found: [Int] = []
    for try await element in events {
      guard case .event(let event) = element, event.payload.isDurable else { continue }
      found.append(event.seq)
      if event.seq >= last { break }
    }
    return found
  }

  @Test func `rows that nobody reads count as memory of their user, and are given back`()
    async throws
  {
    var limits = ServerLimits.patient
    limits.bufferedBytes = MemoryLayout<JobSnapshot>.stride * 3000
    try await ServedEngine.run(limits: limits) { served in
      for _ in 0..<2000 { _ = try await served.engine.submit(request, by: requester) }
      let silent = try await served.raw()
      await onOwnThread { _ = silent.send(RawLines.request(1, "subscribe") + "\n") }
      let rowBytes = MemoryLayout<JobSnapshot>.stride * 2000
      try await eventually { served.server.bufferedBytes >= rowBytes }
      let socket = try await served.raw()
      let refusal = await socket.ask(RawLines.request(2, "subscribe"))
      #expect(refusal?.contains(#""code":"busy""#) == true)
      #expect(await socket.ask(RawLines.request(3, "status"))?.contains("result") == true)
      served.stop()
      try await eventually { served.server.connectionCount == 0 }
      try await eventually { served.server.bufferedBytes == 0 }
    }
  }

  @Test func `a subscription whose connection has ended meanwhile is no error`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let log = LogQueue(descriptor: ends[1])
    let logger = Logger(label: "fettled") { QueuedLogHandler(label: $0, queue: log) }
    try await ServedEngine.run(logger: logger) { served in
      await served.engine.holdSubscriptions()
      let socket = try await served.raw()
      await onOwnThread { _ = socket.send(RawLines.request(1, "subscribe") + "\n") }
      try await eventually { await served.engine.heldCount == 1 }
      served.stop()
      #expect(await socket.ends())
      await served.engine.release()
      try await eventually { served.server.connectionCount == 0 }
    }
    #expect(log.flush(milliseconds: 60_000))
    close(ends[1])
    var byte: UInt8 = 0
    #expect(unsafe read(ends[0], &byte, 1) == 0, "something was logged")
    close(ends[0])
  }

  @Test func `a subscription begins with rows without plans, then come events in order`()
    async throws
  {
    try await ServedEngine.run { served in
      for _ in 0..<150 { _ = try await served.engine.submit(request, by: requester) }
      let client = try await served.connect()
      let events = try await client.subscribe()
      var iterator = events.makeAsyncIterator()
      var rows: [JobSnapshot] = []
      var end: Int?
      while end == nil, let element = try await iterator.next() {
        switch element {
        case .jobs(let some): rows += some
        case .jobsEnd(let seq): end = seq
        case .event, .progress: Issue.record("an event before the snapshot's end")
        }
      }
      #expect(end == 150)
      #expect(rows == (await served.engine.jobs(in: nil)))
      #expect(rows.allSatisfy { $0.plan == nil && $0.planCount == 2 })
      await served.engine.play(2, of: JobID(1))
      for seq in 151...152 {
        guard case .event(let event) = try await iterator.next() else {
          Issue.record("no event")
          return
        }
        #expect(event.seq == seq)
      }
      await client.close()
    }
  }

  @Test(arguments: [
    (nil, "snapshot"), (#"["else"]"#, "snapshot"), (#"["else","rows"]"#, "rows"),
  ])
  func `jobs come as arrays to who announced to read them, as objects to everybody else`(
    capabilities: String?, method: String
  ) async throws {
    try await ServedEngine.run { served in
      _ = try await served.engine.submit(request, by: requester)
      let announced = capabilities.map { #","capabilities":\#($0)"# } ?? ""
      let hello = #"{"product":"fettle","version":1\#(announced)}"#
      let socket = try await served.raw(RawLines.request(0, "hello", hello))
      _ = await socket.ask(RawLines.request(1, "subscribe"))
      let line = try #require(await socket.nextLine())
      #expect(line.contains("\"method\":\"\(method)\""))
      #expect(await socket.nextLine()?.contains("snapshotEnd") == true)
    }
  }

  @Test(arguments: [
    (nil, "event"), (#"["rows"]"#, "event"), (#"["rows","ticks"]"#, "ticks"),
  ])
  func `progress comes as arrays to who announced to read them, as objects to everybody else`(
    capabilities: String?, method: String
  ) async throws {
    try await ServedEngine.run { served in
      _ = try await served.engine.submit(request, by: requester)
      let announced = capabilities.map { #","capabilities":\#($0)"# } ?? ""
      let hello = #"{"product":"fettle","version":1\#(announced)}"#
      let socket = try await served.raw(RawLines.request(0, "hello", hello))
      _ = await socket.ask(RawLines.request(1, "subscribe"))
      while await socket.nextLine()?.contains("snapshotEnd") == false {}
      let tick = JobProgressTick(
        percentComplete: 7, currentUpdateIndex: nil, currentStepIndex: nil, downloadedBytes: 0,
        bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
        abortPreview: .alreadyCompleted, steps: [])
      await served.engine.tell(JobID(1), .progress(tick))
      let line = try #require(await socket.nextLine())
      #expect(line.contains("\"method\":\"\(method)\""))
    }
  }

  @Test(arguments: [
    (nil, "event"), (#"["rows","ticks"]"#, "event"), (#"["updates"]"#, "update"),
  ])
  func `what happened to a package comes as an array to who announced to read it`(
    capabilities: String?, method: String
  ) async throws {
    try await ServedEngine.run { served in
      _ = try await served.engine.submit(request, by: requester)
      let announced = capabilities.map { #","capabilities":\#($0)"# } ?? ""
      let hello = #"{"product":"fettle","version":1\#(announced)}"#
      let socket = try await served.raw(RawLines.request(0, "hello", hello))
      _ = await socket.ask(RawLines.request(1, "subscribe"))
      while await socket.nextLine()?.contains("snapshotEnd") == false {}
      let status = UpdateStatus(
        PlannedUpdate(name: "hello", architecture: "amd64", action: .install), phase: .unpacking)
      await served.engine.play(JobID(1), .update(index: 0, status: status))
      let line = try #require(await socket.nextLine())
      #expect(line.contains("\"method\":\"\(method)\""))
      #expect(line.contains("unpacking"))
    }
  }

  @Test(arguments: [0, 3, 1000, 1999, 2000])
  func `from a number on come all durable events after it, then live ones`(from: Int)
    async throws
  {
    try await ServedEngine.run { served in
      await served.engine.play(2000, of: JobID(1))
      let client = try await served.connect()
      let events = try await client.subscribe(SubscribeRequest(from: from, epoch: "e1"))
      await served.engine.play(100, of: JobID(1))
      #expect(try await numbers(events, upTo: 2100) == Array((from + 1)...2100))
      await client.close()
    }
  }

  @Test(arguments: [
    SubscribeRequest(from: 11), SubscribeRequest(from: -1),
    SubscribeRequest(from: 5, epoch: "another"), SubscribeRequest(plans: true),
  ])
  func `a future number, a foreign journal, and plans of everything are refused`(
    parameters: SubscribeRequest
  ) async throws {
    try await ServedEngine.run { served in
      await served.engine.play(10, of: JobID(1))
      let client = try await served.connect()
      let error = await #expect(throws: InstallationError.self) {
        try await client.subscribe(parameters)
      }
      #expect(error?.code == .invalidArgument)
      try await eventually { await served.engine.subscriberCount == 0 }
      await client.close()
    }
  }

  @Test func `two clients see the same events in the same order`() async throws {
    try await ServedEngine.run { served in
      let (one, two) = (try await served.connect(), try await served.connect())
      let (first, second) = (try await one.subscribe(), try await two.subscribe())
      async let seenByOne = numbers(first, upTo: 500)
      async let seenByTwo = numbers(second, upTo: 500)
      for job in 1...500 { await served.engine.play(1, of: JobID(job % 7)) }
      #expect(try await seenByOne == Array(1...500))
      #expect(try await seenByTwo == Array(1...500))
      await one.close()
      await two.close()
    }
  }

  @Test func `a client that does not read costs bounded memory, slows nobody and loses nothing`()
    async throws
  {
    try await ServedEngine.run { served in
      let lazy = try await served.raw()
      #expect(
        await lazy.ask(RawLines.request(1, "subscribe"))?.contains("\"subscription\":1") == true)
      #expect(await lazy.nextLine()?.contains("snapshotEnd") == true)
      let busy = try await served.connect()
      let events = try await busy.subscribe()
      let count = 9_000
      async let seen = numbers(events, upTo: count)
      await served.engine.play(count, of: JobID(1))
      // The other one has everything while the lazy one has read nothing at all.
      #expect(try await seen == Array(1...count))

      let numbers = await onOwnThread {
        var numbers: [Int] = []
        while numbers.last != count, let line = lazy.line() {
          guard let start = line.firstRange(of: "\"seq\":") else { continue }
          numbers.append(Int(line[start.upperBound...].prefix { $0.isNumber }) ?? -1)
        }
        return numbers
      }
      #expect(numbers == Array(1...count))
      #expect(await served.engine.journalReads > 0, "it was never behind")
      await busy.close()
    }
  }

  @Test func `a slow reader inside the client's own process is served again from the journal`()
    async throws
  {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let events = try await client.subscribe()
      let count = 10_000
      await served.engine.play(count, of: JobID(1))
      // The connection itself is not held up by a reader that has not begun.
      _ = try await EngineBackend(client).status()
      #expect(try await numbers(events, upTo: count) == Array(1...count))
      await client.close()
    }
  }

  @Test func `a type of event that nobody knows yet harms nobody`() async throws {
    let path = try #require(ScratchFolder.current).path("other.sock")
    let listener = try #require(RawSocket.listen(at: path))
    async let served = onOwnThread {
      guard let socket = listener.accept(), socket.line() != nil else { return false }
      socket.send(
        #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":[],"#
          + #""epoch":"x","lastSeq":0,"rights":"act","later":{}}}"# + "\n")
      guard socket.line() != nil else { return false }
      let at = #""at":"2026-01-01T00:00:00.000Z""#
      for line in [
        #"{"jsonrpc":"2.0","id":1,"result":{"subscription":1,"seq":0}}"#,
        #"{"jsonrpc":"2.0","method":"weather","params":{"rain":true}}"#,
        #"{"jsonrpc":"2.0","method":"snapshotEnd","params":{"subscription":1,"seq":0}}"#,
        #"{"jsonrpc":"2.0","method":"event","params":{"subscription":1,"event":{"seq":1,\#(at),"#
          + #""job":1,"type":"levitated","height":3}}}"#,
        #"{"jsonrpc":"2.0","method":"event","params":{"subscription":1,"event":{"seq":2,\#(at),"#
          + #""job":1,"type":"cleanedUp","by":{"uid":0,"user":"root"}}}}"#,
      ] { socket.send(line + "\n") }
      return socket.isEnded()
    }
    let client = try await EngineConnection.connect(to: path, clientName: "test")
    let events = try await client.subscribe()
    #expect(try await numbers(events, upTo: 2) == [2])
    await client.close()
    #expect(await served)
  }

  @Test func `an ended subscription leaves nothing at the engine`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      do {
        let events = try await client.subscribe()
        let reading = Task {
          for try await _ in events {}
        }
        try await eventually { await served.engine.subscriberCount == 1 }
        reading.cancel()
        try await reading.value
      }
      try await eventually { await served.engine.subscriberCount == 0 }
      _ = try await EngineBackend(client).status()
      await client.close()
    }
  }

  @Test func `a job is followed with its plan from now to its end, and no further`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let job = try await backend.submit(request)
      let other = try await backend.submit(request)
      var iterator = await backend.snapshots(of: job.id).makeAsyncIterator()
      let first = try #require(try await iterator.next())
      #expect(first.state == .queued)
      #expect(first.plan?.count == 2)

      await served.engine.play(3, of: other.id)
      await served.engine.play(
        job.id, .state(JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "a"))))
      let second = try #require(try await iterator.next())
      #expect(second.state == .installing)
      #expect(second.id == job.id)

      await served.engine.play(job.id, outcome(job))
      await served.engine.play(job.id, .cleanedUp(by: requester))
      var last = second
      while let snapshot = try await iterator.next() { last = snapshot }
      #expect(last.state == .completed)
      #expect(last.resultCode == .succeeded)
      #expect(last.plan?.count == 2)
      await client.close()
    }
  }

  @Test func `following an unknown job, or one of an engine that goes, ends`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      var unknown = await backend.snapshots(of: JobID(9)).makeAsyncIterator()
      await #expect(throws: InstallationError.self) { try await unknown.next() }
      let job = try await backend.submit(request)
      var iterator = await backend.snapshots(of: job.id).makeAsyncIterator()
      #expect(try await iterator.next()?.id == job.id)
      served.stop()
      let error = await #expect(throws: InstallationError.self) { try await iterator.next() }
      #expect(error?.code == .engineUnreachable)
    }
  }

  @Test func `B26: a job outlives the client that began it and is found again by its number`()
    async throws
  {
    try await ServedEngine.run { served in
      let id: JobID
      do {
        let client = try await served.connect()
        let first = UpdateSession(backend: EngineBackend(client), clientName: "first")
        id = try await first.makeInstaller().beginInstallation(of: [Update("a")]).id
        await client.close()
      }
      try await eventually { served.server.connectionCount == 0 }
      await served.engine.play(
        id, .state(JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "a"))))

      let session = try await UpdateSession.connect(to: served.path, clientName: "second")
      #expect(try await session.jobs(in: [.installing]).map(\.id) == [id])
      await served.engine.play(id, outcome(try await served.engine.job(id)))
      #expect(try await session.jobs().first?.state == .completed)
    }
  }

  @Test func `B1: a job attached from another connection has no user info`() async throws {
    try await ServedEngine.run { served in
      let first = try await UpdateSession.connect(to: served.path, clientName: "first")
      let begun = try await first.makeInstaller().beginInstallation(
        of: [Update("a")], userInfo: "mine")
      #expect((begun.userInfo as? String) == "mine")
      let second = try await UpdateSession.connect(to: served.path, clientName: "second")
      let attached = try await second.job(begun.id)
      #expect(attached.userInfo == nil)
      #expect(attached.id == begun.id)
    }
  }
}
