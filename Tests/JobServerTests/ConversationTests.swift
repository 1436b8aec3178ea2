import Glibc
import InstallJobs
import JobClient
import JobEngine
import JobServer
import JobWire
import Logging
import ServiceLifecycle
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Requests over the socket` {
  @Test func `a client written from the documentation alone submits, asks and aborts`()
    async throws
  {
    try await ServedEngine.run { served in
      let socket = try await served.raw()
      let submitted = try #require(
        await socket.ask(
          RawLines.request(
            1, "submit", #"{"operation":"install","updates":[{"name":"hello"}]}"#)))
      #expect(submitted.contains(#""state":"queued""#))
      #expect(submitted.contains(#""id":1"#))
      let job = try #require(await socket.ask(RawLines.request(2, "job", #"{"job":1}"#)))
      #expect(job.contains(#""plan":["#))
      let jobs = try #require(await socket.ask(RawLines.request(3, "jobs")))
      #expect(jobs.contains(#""operation":"install""#))
      #expect(!jobs.contains(#""plan":["#))
      let abort = try #require(await socket.ask(RawLines.request(4, "abort", #"{"job":1}"#)))
      #expect(abort.contains(#""disposition":"accepted""#))
      #expect(abort.contains(#""stopsAfter":"a""#))
      let unknown = try #require(await socket.ask(RawLines.request(5, "job", #"{"job":99}"#)))
      #expect(unknown.contains(#""code":"unknownJob""#))
      let log = try #require(
        await socket.ask(RawLines.request(6, "log", #"{"job":1,"offset":2,"limit":3}"#)))
      #expect(log.contains(#""text":"234""#))
      #expect(log.contains(#""next":5"#))
    }
  }

  @Test func `a page of the history is bounded, whatever is asked for`() async throws {
    try await ServedEngine.run { served in
      let socket = try await served.raw()
      for (number, parameters) in ["", #"{"limit":1000000}"#, #"{"limit":3}"#].enumerated() {
        let line =
          parameters.isEmpty
          ? RawLines.request(number, "history") : RawLines.request(number, "history", parameters)
        #expect(await socket.ask(line)?.contains(#""result":[]"#) == true)
      }
      #expect(await served.engine.historyLimits == [200, 200, 3])
    }
  }

  @Test func `Y2: a long history comes page by page, each job once`() async throws {
    try await ServedEngine.run { served in
      for number in 1...450 {
        let job = try await served.engine.submit(
          JobRequest(.install, [Update("p\(number)")]), by: Requester(uid: 1, user: "ada"))
        let outcome = JobOutcome(
          state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
          requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [],
          updates: job.updates)
        await served.engine.play(job.id, .completed(outcome))
      }
      let backend = EngineBackend(try await served.connect())
      #expect(try await backend.history(limit: 1000).map(\.id.rawValue) == (1...450).reversed())
      #expect(try await backend.history(limit: 201).map(\.id.rawValue) == (250...450).reversed())
      #expect(await served.engine.historyLimits == [200, 200, 200, 200, 200, 1])
      #expect(try await backend.request(of: JobID(7)).updates == [Update("p7")])
    }
  }

  @Test(arguments: [
    ("garbage", "-32700"), ("[1]", "-32600"), (#"{"jsonrpc":"2.0","id":9}"#, "-32600"),
    (RawLines.request(9, "nosuch"), "-32601"), (RawLines.request(9, "job"), "-32602"),
  ])
  func `a malformed line is answered and the connection goes on`(line: String, code: String)
    async throws
  {
    try await ServedEngine.run { served in
      let socket = try await served.raw()
      #expect(await socket.ask(line)?.contains(code) == true)
      #expect(await socket.ask(RawLines.request(1, "status"))?.contains("\"result\"") == true)
    }
  }

  @Test func `a line too long ends that connection and no other`() async throws {
    try await ServedEngine.run { served in
      let (bad, good) = (try await served.raw(), try await served.raw())
      _ = await onOwnThread { bad.send(String(repeating: "x", count: 2 << 20)) }
      #expect(await bad.ends())
      #expect(await good.ask(RawLines.request(1, "status"))?.contains("\"result\"") == true)
    }
  }

  @Test func `a client that stops sending still gets its answers`() async throws {
    try await ServedEngine.run { served in
      let connected = await onOwnThread { RawSocket.connect(to: served.path) }
      let socket = try #require(connected)
      let answers = await onOwnThread {
        socket.send(RawLines.hello + "\n" + RawLines.request(1, "subscribe") + "\n")
        socket.send(RawLines.request(2, "status") + "\n")
        socket.endSending()
        return (0..<3).compactMap { _ in socket.line() }
      }
      #expect(answers.count == 3)
      #expect(await socket.ends())
      try await eventually { served.server.connectionCount == 0 }
      try await eventually { await served.engine.subscriberCount == 0 }
    }
  }

  @Test func `a flood of nonsense ends that connection`() async throws {
    var limits = ServerLimits.patient
    limits.malformedLines = 10
    try await ServedEngine.run(limits: limits) { served in
      let socket = try await served.raw()
      _ = await onOwnThread { socket.send(String(repeating: "x\n", count: 1000)) }
      #expect(await socket.ends())
    }
  }

  @Test func `requests beyond the limit wait, and an answered one makes room`() async throws {
    var limits = ServerLimits.patient
    limits.outstandingRequests = 4
    try await ServedEngine.run(limits: limits) { served in
      let socket = try await served.raw()
      let request = #"{"operation":"install","updates":[{"name":"a"}]}"#
      await served.engine.holdSubmissions()
      _ = await onOwnThread {
        for number in 1...9 { socket.send(RawLines.request(number, "submit", request) + "\n") }
      }
      var answered = 0
      while answered < 9 {
        let expected = min(4, 9 - answered)
        try await eventually { await served.engine.heldCount == expected }
        await served.engine.release()
        for _ in 0..<expected {
          #expect(await socket.nextLine()?.contains("\"result\"") == true)
        }
        answered += expected
      }
    }
  }

  @Test func `a slow request holds up no other one of the same connection`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let planning = Task { try await backend.plan(JobRequest(.install, [Update("a")])) }
      try await eventually { await served.engine.heldCount == 1 }
      #expect(try await backend.status().engine.pid == 1)
      await served.engine.release()
      #expect(try await planning.value.steps.isEmpty)
      await client.close()
    }
  }

  @Test func `whatever waits for a plan, other requests of the same connection are answered`()
    async throws
  {
    var limits = ServerLimits.patient
    limits.outstandingRequests = 4
    limits.outstandingLookups = 8
    try await ServedEngine.run(limits: limits) { served in
      let socket = try await served.raw()
      let request = #"{"operation":"install","updates":[{"name":"a"}]}"#
      _ = await onOwnThread {
        for number in 1...9 { socket.send(RawLines.request(number, "plan", request) + "\n") }
        socket.send(RawLines.request(10, "status", "{}") + "\n")
      }
      let refusal = await socket.nextLine()
      #expect(refusal?.contains(#""id":9"#) == true && refusal?.contains("busy") == true)
      let status = await socket.nextLine()
      #expect(status?.contains(#""id":10"#) == true && status?.contains("version") == true)
      try await eventually { await served.engine.heldCount == 8 }
      await served.engine.release()
      for _ in 1...8 { #expect(await socket.nextLine()?.contains("\"result\"") == true) }
    }
  }

  @Test
  func
    `plans of a peer that has gone are ended, and those of one that only stopped sending are not`()
    async throws
  {
    try await ServedEngine.run { served in
      let request = #"{"operation":"install","updates":[{"name":"a"}]}"#
      let listener = try await served.raw()
      _ = await onOwnThread {
        listener.send(RawLines.request(1, "plan", request) + "\n")
        listener.endSending()
      }
      try await eventually { await served.engine.heldCount == 1 }
      await served.engine.release()
      #expect(await listener.nextLine()?.contains("\"result\"") == true)
      #expect(await served.engine.cancelledPlans == 0)
      // The socket closes with its last owner.
      func askForPlans() async throws {
        let socket = try await served.raw()
        _ = await onOwnThread {
          for number in 1...3 { socket.send(RawLines.request(number, "plan", request) + "\n") }
        }
        try await eventually { await served.engine.heldCount == 3 }
      }
      try await askForPlans()
      try await eventually { await served.engine.cancelledPlans == 3 }
    }
  }

  @Test func `an answer longer than a line arrives whole`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let updates = try await EngineBackend(client).upgradableUpdates()
      #expect(
        updates
          == (await served.engine.upgradableUpdates(
            for: PlanningUser(Requester(uid: 0, user: "root"), mayAct: true))))
      await client.close()
    }
  }

  @Test func `pieces of an archive travel, the last one is answered with what it holds`()
    async throws
  {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let archive = LocalArchive(fileName: "a.deb", sha256: "00", size: 600_000)
      let piece = [UInt8](repeating: 0xFF, count: 300_000)
      #expect(try await backend.upload(piece, at: 0, of: archive) == nil)
      #expect(try await backend.upload(piece, at: 300_000, of: archive)?.name == "local")
      #expect(await served.engine.record.map(\.outcome) == ["permitted"])
      let tooLong = [UInt8](repeating: 0, count: (512 << 10) + 1)
      let error = await #expect(throws: InstallationError.self) {
        try await backend.upload(tooLong, at: 0, of: archive)
      }
      #expect(error?.code == .invalidArgument)
      #expect(await served.engine.hangUps == 0)
      await client.close()
      try await eventually("the end of its uploads") { await served.engine.hangUps == 1 }
    }
  }

  @Test func `a request that is longer than a line is refused before it is sent`() async throws {
    try await ServedEngine.run { served in
      let backend = EngineBackend(try await served.connect())
      let updates = (0..<40_000).map { Update("a-package-with-a-longer-name-\($0)") }
      let error = await #expect(throws: InstallationError.self) {
        try await backend.submit(JobRequest(.install, updates))
      }
      #expect(error?.code == .invalidArgument)
      let limit = "a request has at most 1048576 bytes, this one has "
      #expect(error?.message.hasPrefix(limit) == true)
      #expect(error?.hint?.hasPrefix("name fewer of the 40000 packages in one job") == true)
      #expect(await served.engine.record.isEmpty, "the engine heard nothing of it")
      #expect(try await backend.submit(JobRequest(.install, [Update("hello")])).id == JobID(1))
    }
  }

  @Test func `S3: the restart state of the machine is the same over the socket`() async throws {
    try await ServedEngine.run { served in
      let session = try await UpdateSession.connect(to: served.path, clientName: "test")
      let status = try await session.status()
      #expect(status == (await served.engine.status()))
      #expect(status.requiresReboot)
    }
  }

  @Test func `a graceful shutdown ends the connections and removes the socket`() async throws {
    let path = try #require(ScratchFolder.current).path("engine.sock")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = try await JobServer.listen(
      at: path, engine: ScriptedEngine(),
      policy: AccessPolicy(engineUID: geteuid(), group: nil, everybodyMayLook: false),
      logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: [server], logger: logger))
    let running = Task { try await group.run() }
    let client = try await EngineConnection.connect(to: path, clientName: "test")
    await group.triggerGracefulShutdown()
    try await running.value
    try await eventually { await !client.isAlive }
    let isGone = unsafe access(path, F_OK) != 0
    #expect(isGone)
  }

  @Test func `when the engine stops, what waits ends as unreachable`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let planning = Task { try await backend.plan(JobRequest(.install, [Update("a")])) }
      let events = try await client.subscribe()
      try await eventually { await served.engine.heldCount == 1 }
      let reading = Task {
        for try await _ in events {}
      }
      served.stop()
      let first = await #expect(throws: InstallationError.self) { try await planning.value }
      #expect(first?.code == .engineUnreachable)
      let second = await #expect(throws: InstallationError.self) { try await reading.value }
      #expect(second?.code == .engineUnreachable)
      let third = await #expect(throws: InstallationError.self) {
        try await backend.jobs(in: nil)
      }
      #expect(third?.code == .engineUnreachable)
    }
  }
}
