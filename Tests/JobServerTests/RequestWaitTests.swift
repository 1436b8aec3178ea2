import InstallJobs
import JobServer
import JobWire
import Support
import Testing

@testable import JobClient
@testable import JobEngine

/// Waiting for an engine that does not answer: what ends the wait, and what is left of it.
@Suite(.scratchFolder, .timeLimit(.minutes(5)), .endsOrAborts)
struct `Waiting for an engine's answer` {
  @Test func `no request is left out of the samples`() {
    let methods = Set(WireRequests.samples.map(\.method))
    #expect(methods == Set(WireRequests.types.map { $0.method }).subtracting(["hello", "cancel"]))
  }

  // MARK: Cancellation

  @Test(arguments: WireRequests.samples)
  func `a request whose task is cancelled ends at once, and the connection goes on`(
    request: any WireRequest
  ) async throws {
    let engine = try SilentEngine()
    let connection = try await engine.connect()
    let asking = Task { _ = try await connection.ask(request) }
    let asked = try await engine.request(type(of: request))
    asking.cancel()
    let error = await #expect(throws: InstallationError.self) { try await asking.value }
    #expect(error?.code == .cancelled)
    #expect(error?.message.contains("'\(request.method)'") == true)
    #expect(error?.message.contains("not known") == (request.kind == .act))
    // What comes too late is nobody's.
    try await engine.answer(asked)
    #expect(try await engine.isServing(connection))
    await connection.close()
  }

  @Test func `a task that is cancelled before it asks asks nothing`() async throws {
    let engine = try SilentEngine()
    let connection = try await engine.connect()
    let (permit, allow) = AsyncStream.makeStream(of: Void.self)
    let asking = Task {
      for await _ in permit {}
      return try await EngineBackend(connection).submit(JobRequest(.install, [Update("a")]))
    }
    asking.cancel()
    allow.finish()
    let error = await #expect(throws: InstallationError.self) { try await asking.value }
    #expect(error?.code == .cancelled)
    #expect(error?.hint?.contains("nothing was done") == true)
    #expect(try await engine.isServing(connection))
    #expect(engine.methods == ["withdraw"])
    await connection.close()
  }

  @Test func `a submit that could not be sent yet is taken back, and the error says so`()
    async throws
  {
    let engine = try SilentEngine(reads: false)
    let connection = try await engine.connect()
    let archive = LocalArchive(fileName: "a.deb", sha256: "00", size: 9 << 20)
    let piece = UploadRequest(
      archive: archive, offset: 0, bytes: [UInt8](repeating: 0, count: 512 << 10))
    // More than the kernel keeps for a peer that does not read.
    let uploads = (0..<4).map { _ in
      Task { try await connection.ask(piece) }
    }
    try await eventually("they wait") { await connection.waitCount == 4 }
    let submitting = Task {
      try await EngineBackend(connection).submit(JobRequest(.install, [Update("a")]))
    }
    try await eventually("it waits") { await connection.waitCount == 5 }
    submitting.cancel()
    let error = await #expect(throws: InstallationError.self) { try await submitting.value }
    #expect(error?.code == .cancelled)
    #expect(error?.message.contains("before the engine was asked") == true)
    engine.read()
    try await eventually("all has come") { engine.methods.count == 4 }
    for upload in uploads { upload.cancel() }
    for upload in uploads { _ = await upload.result }
    #expect(try await engine.isServing(connection))
    #expect(!engine.methods.contains("submit"))
    await connection.close()
  }

  @Test func `a request goes before submissions that the engine still plans`() async throws {
    let engine = try SilentEngine()
    let connection = try await engine.connect()
    let submissions = (0..<100).map { number in
      Task {
        try await EngineBackend(connection).submit(JobRequest(.install, [Update("p\(number)")]))
      }
    }
    try await eventually("all wait") { await connection.waitCount == 100 }
    #expect(try await engine.isServing(connection))
    let planned = engine.methods.count { $0 == "submit" }
    #expect(planned < ServerLimits().outstandingRequests)
    // Each answer lets the next go.
    try await engine.answer(engine.request(SubmitRequest.self))
    try await eventually("one more") { engine.methods.count { $0 == "submit" } == planned + 1 }
    await connection.close()
    for submission in submissions { _ = await submission.result }
  }

  @Test func `lookups beyond those that the engine takes wait for an answer`() async throws {
    let engine = try SilentEngine()
    let connection = try await engine.connect()
    let lookups = (0..<100).map { _ in
      Task { try await connection.ask(UpdatesRequest()) }
    }
    try await eventually("all wait") { await connection.waitCount == 100 }
    #expect(try await engine.isServing(connection))
    let asked = engine.methods.count { $0 == "updates" }
    #expect(asked == ServerLimits().outstandingViewerLookups)
    try await engine.answer(engine.request(UpdatesRequest.self), "[]")
    try await eventually("one more") { engine.methods.count { $0 == "updates" } == asked + 1 }
    await connection.close()
    for lookup in lookups { _ = await lookup.result }
  }

  @Test func `an attempt to connect ends at once when its task is cancelled`() async throws {
    let engine = try SilentEngine(saysHello: false)
    let connecting = Task { try await engine.connect() }
    try await eventually("the hello") { engine.isConnected.value }
    connecting.cancel()
    let error = await #expect(throws: InstallationError.self) { try await connecting.value }
    #expect(error?.code == .cancelled)
  }

  // MARK: Time-outs

  @Test(arguments: WireRequests.samples)
  func `a request that is not answered ends in time, and what is sent later is nobody's`(
    request: any WireRequest
  ) async throws {
    let engine = try SilentEngine()
    let clock = ManualClock()
    let connection = try await engine.connect(clock: clock)
    let bounds = RequestTimeouts().bounds(of: request)
    let asking = Task { _ = try await connection.ask(request) }
    let asked = try await engine.request(type(of: request))
    let limit = bounds.silence ?? bounds.total
    let ended = Locked(false)
    Task {
      _ = await asking.result
      ended.change { $0 = true }
    }
    try await clock.waitForSleepers()
    await clock.advance(by: limit - .seconds(1))
    #expect(!ended.value)
    // A timer that wakes late on a busy machine gives the engine some time more.
    await clock.advance(limit: limit, until: { ended.value })
    let error = await #expect(throws: InstallationError.self) { try await asking.value }
    #expect(error?.code == .timedOut)
    let words =
      "the engine at '\(engine.path)' did not answer to '\(request.method)' within "
    #expect(error?.message.hasPrefix(words) == true)
    #expect(error?.message.contains("not known") == (request.kind == .act))
    try await engine.answer(asked)
    #expect(try await engine.isServing(connection))
    await connection.close()
  }

  @Test func `an engine that sends other things is waited for longer, and not for ever`()
    async throws
  {
    let engine = try SilentEngine()
    let clock = ManualClock()
    let connection = try await engine.connect(clock: clock)
    let asking = Task { try await connection.ask(StatusRequest()) }
    _ = try await engine.request(StatusRequest.self)
    try await clock.waitForSleepers()
    let ended = Locked(false)
    Task {
      _ = await asking.result
      ended.change { $0 = true }
    }
    for second in stride(from: 0, to: 300, by: 20) {
      #expect(!ended.value, "after \(second) s")
      try await engine.send(#"{"jsonrpc":"2.0","method":"weather","params":{}}"#)
      try await eventually("it is heard") { connection.silentSeconds == 0 }
      await clock.advance(by: .seconds(20))
    }
    await clock.advance(limit: .seconds(60), until: { ended.value })
    let error = await #expect(throws: InstallationError.self) { try await asking.value }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("within 300 s") == true)
    await connection.close()
  }

  @Test func `the client waits longer for what the engine bounds itself`() {
    let timeouts = RequestTimeouts()
    #expect(timeouts.refresh > .seconds(Engine.refreshLimit))
    #expect(timeouts.work > PlanningQueue.turnLimit)
  }

  // MARK: What is left

  @Test func `a subscription that comes too late is ended again`() async throws {
    let engine = try SilentEngine()
    let connection = try await engine.connect()
    let subscribing = Task { try await connection.subscribe() }
    let asked = try await engine.request(SubscribeRequest.self)
    subscribing.cancel()
    let error = await #expect(throws: InstallationError.self) { try await subscribing.value }
    #expect(error?.code == .cancelled)
    try await engine.answer(asked, #"{"subscription":5,"seq":9}"#)
    let ending = try await engine.request(UnsubscribeRequest.self)
    #expect(try ending.body.get() as? UnsubscribeRequest == UnsubscribeRequest(5))
    // It is ended once.
    try await engine.answer(ending)
    try await engine.answer(asked, #"{"subscription":5,"seq":9}"#)
    #expect(try await engine.isServing(connection))
    #expect(engine.methods == ["subscribe", "unsubscribe", "withdraw"])
    await connection.close()
  }

  @Test func `thousands of requests need one timer, and none once all are answered`() async throws {
    try await ServedEngine.run { served in
      let clock = ManualClock()
      let connection = try await EngineConnection.connect(
        to: served.path, clientName: "test", clock: clock)
      let backend = EngineBackend(connection)
      await served.engine.holdSubmissions()
      let submitting = Task { try await backend.submit(JobRequest(.install, [Update("a")])) }
      try await clock.waitForSleepers()
      for _ in 0..<2000 { _ = try await backend.status() }
      #expect(clock.sleepsBegun == 1)
      #expect(await connection.waitCount == 1)
      try await eventually { await served.engine.heldCount == 1 }
      await served.engine.release()
      _ = try await submitting.value
      #expect(await connection.waitCount == 0)
      await clock.advance(by: .seconds(7200))
      try await eventually("no timer is left") { clock.sleeperCount == 0 }
      await connection.close()
      try await eventually("the timer ends with the connection") { clock.sleeperCount == 0 }
    }
  }

  @Test func `a connection that nobody holds ends, although a timer runs`() async throws {
    let engine = try SilentEngine()
    weak var remaining: EngineConnection?
    let clock = ManualClock()
    do {
      let connection = try await engine.connect(clock: clock)
      remaining = connection
      #expect(try await engine.isServing(connection))
      try await clock.waitForSleepers()
    }
    try await eventually { remaining == nil }
    try await eventually { clock.sleeperCount == 0 }
  }
}
