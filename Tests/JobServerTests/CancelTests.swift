import InstallJobs
import JobClient
import JobServer
import JobWire
import Support
import Testing

/// The message `cancel`: what an engine does not plan to its end because nobody waits for it.
@Suite(.scratchFolder, .timeLimit(.minutes(5)), .endsOrAborts)
struct `Cancelling a request at the engine` {
  private static let request = #"{"operation":"install","updates":[{"name":"a"}]}"#

  private static func cancel(_ id: String) -> String {
    #"{"jsonrpc":"2.0","method":"cancel","params":{"id":\#(id)}}"#
  }

  @Test(arguments: ["1", #""one""#])
  func `a plan that is cancelled is planned no further, and its place is free`(id: String)
    async throws
  {
    var limits = ServerLimits.patient
    limits.outstandingLookups = 1
    try await ServedEngine.run(limits: limits) { served in
      let socket = try await served.raw()
      let plan = #"{"jsonrpc":"2.0","id":\#(id),"method":"plan","params":\#(Self.request)}"#
      _ = await onOwnThread { socket.send(plan + "\n") }
      try await eventually { await served.engine.heldCount == 1 }
      #expect(await socket.ask(Self.cancel(id))?.contains(#""id":\#(id)"#) == true)
      #expect(await served.engine.cancelledPlans == 1)
      _ = await onOwnThread { socket.send(RawLines.request(2, "plan", Self.request) + "\n") }
      try await eventually { await served.engine.heldCount == 1 }
      await served.engine.release()
      let next = await socket.nextLine()
      #expect(next?.contains(#""id":2"#) == true && next?.contains("\"result\"") == true)
    }
  }

  @Test func `only plans of the own connection are cancelled, and nothing that acts`() async throws
  {
    try await ServedEngine.run { served in
      let (own, other) = (try await served.raw(), try await served.raw())
      await served.engine.holdSubmissions()
      _ = await onOwnThread {
        own.send(RawLines.request(1, "plan", Self.request) + "\n")
        own.send(RawLines.request(2, "submit", Self.request) + "\n")
      }
      try await eventually { await served.engine.heldCount == 2 }
      _ = await onOwnThread { other.send(Self.cancel("1") + "\n") }
      #expect(await other.ask(RawLines.request(3, "status"))?.contains(#""id":3"#) == true)
      _ = await onOwnThread {
        for id in ["2", "4", #""1""#] { own.send(Self.cancel(id) + "\n") }
      }
      #expect(await own.ask(RawLines.request(5, "status"))?.contains(#""id":5"#) == true)
      #expect(await served.engine.cancelledPlans == 0)
      #expect(await served.engine.heldCount == 2)
      await served.engine.release()
      for _ in 0..<2 { #expect(await own.nextLine()?.contains("\"result\"") == true) }
      #expect(await served.engine.requests.count == 1)
    }
  }

  @Test func `cancel is answered where it has an id, and needs one to cancel`() async throws {
    try await ServedEngine.run { served in
      let socket = try await served.raw(RawLines.readOnlyHello)
      _ = await onOwnThread { socket.send(RawLines.request(1, "plan", Self.request) + "\n") }
      try await eventually { await served.engine.heldCount == 1 }
      #expect(await socket.ask(RawLines.request(2, "cancel"))?.contains("-32602") == true)
      #expect(await served.engine.cancelledPlans == 0)
      let answers = await onOwnThread {
        socket.send(RawLines.request(3, "cancel", #"{"id":1}"#) + "\n")
        return (0..<2).compactMap { _ in socket.line() }
      }
      #expect(answers.contains { $0.contains(#""id":3"#) && $0.contains(#""result":{}"#) })
      #expect(answers.contains { $0.contains(#""id":1"#) })
      #expect(await served.engine.cancelledPlans == 1)
      #expect(await served.engine.record.isEmpty)
    }
  }

  @Test func `a flood of cancels harms nobody`() async throws {
    try await ServedEngine.run { served in
      let (bad, good) = (try await served.raw(), try await served.raw())
      async let flood = onOwnThread {
        let lines = (0..<1000).map { Self.cancel("\($0)") + "\n" }.joined()
        for _ in 0..<20 { bad.send(lines) }
        bad.send(RawLines.request(1, "status") + "\n")
        return bad.line()
      }
      for number in 0..<20 {
        #expect(await good.ask(RawLines.request(number, "status"))?.contains("version") == true)
      }
      #expect(await flood?.contains(#""id":1"#) == true)
      #expect(served.server.bufferedBytes < 8 << 20)
    }
  }

  @Test
  func `who cancels the task that waits for a plan ends the plan, on a connection that lives on`()
    async throws
  {
    try await ServedEngine.run { served in
      let session = try await UpdateSession.connect(to: served.path, clientName: "test")
      let installer = try session.makeInstaller()
      let planning = Task { try await installer.plan(JobRequest(.install, [Update("a")])) }
      try await eventually { await served.engine.heldCount == 1 }
      planning.cancel()
      let error = await #expect(throws: InstallationError.self) { try await planning.value }
      #expect(error?.code == .cancelled)
      try await eventually { await served.engine.cancelledPlans == 1 }
      #expect(try await session.status().engine.pid == 1)
      await session.close()
    }
  }

  @Test(
    arguments: [
      PlanRequest(JobRequest(.install, [Update("a")])), UpdatesRequest(),
      SearchRequest(UpdateCriteria()), SystemRequest(), DoctorRequest(),
      SubmitRequest(JobRequest(.install, [Update("a")])), RefreshRequest(),
    ] as [any WireRequest])
  func `an engine is told of cancelled plans alone, and only where it knows the word`(
    request: any WireRequest
  ) async throws {
    for knows in [true, false] {
      let engine = try SilentEngine(capabilities: knows ? ["cancel"] : ["queue"], name: "\(knows)")
      let connection = try await engine.connect()
      let asking = Task { _ = try await connection.ask(request) }
      let asked = try await engine.request(type(of: request))
      asking.cancel()
      _ = await asking.result
      #expect(try await engine.isServing(connection))
      let cancel = CancelRequest(try #require(asked.id))
      let told = engine.requests.value.filter { $0.isNotification }
      let isTold = knows && request.kind == .lookup
      #expect(
        told
          == (isTold
            ? [IncomingRequest(id: nil, isNotification: true, body: .success(cancel))] : []))
      await connection.close()
    }
  }

  @Test func `what is planned is given up at the engine when the wait for it runs out`()
    async throws
  {
    let engine = try SilentEngine()
    let clock = ManualClock()
    let connection = try await engine.connect(clock: clock)
    let planning = Task { try await connection.ask(UpdatesRequest()) }
    let asked = try await engine.request(UpdatesRequest.self)
    try await clock.waitForSleepers()
    // A timer that wakes late on a busy machine gives the engine some time more.
    #expect(await clock.advance(until: { engine.methods.contains(CancelRequest.method) }))
    let error = await #expect(throws: InstallationError.self) { try await planning.value }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("7200 s") == true)
    let cancel = try await engine.request(CancelRequest.self)
    #expect(try cancel.body.get() as? CancelRequest == CancelRequest(try #require(asked.id)))
    await connection.close()
  }
}
