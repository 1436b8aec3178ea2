import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Pausing and moving jobs and the queue` {
  private static let packages: [PackageFixture] = [
    .held("one"), PackageFixture("two"), PackageFixture("three"),
  ]

  @Test func `pause lets the job at work end and no other begin, also after a restart`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.packages)
    #expect(try await engine.fettle("resume").status == 7)
    try await engine.fettle("install", "one")
    try await engine.waitUntilHeld("one")
    try await engine.fettle("install", "two")
    try await engine.fettle("install", "three")
    let paused = try await engine.fettle("pause")
    #expect(paused.output == "queue paused; job 1 runs to its end, 2 queued\n")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    try await engine.stop()
    try await engine.start()
    #expect(try await engine.job(2)["state"] == "queued")
    #expect(try await engine.job(2)["waitingFor"]?["cause"] == "request")
    let status = try await engine.fettle("status", "--json").json
    #expect(status["queue"]?["paused"] == true)
    #expect(status["queue"]?["pause"]?["by"]?["uid"] == .number(Double(TestUser.id)))
    #expect(try await engine.fettle("status").output.contains(", paused by "))
    #expect(try await engine.fettle("show", "2").output.contains("waits:      queue paused by "))
    let jobs = try await engine.fettle("jobs").output
    #expect(jobs.contains("next in the queue, paused") && jobs.contains(" ago: no further job"))
    let again = try await engine.fettle("pause").output
    #expect(again.hasPrefix("the queue is paused already, by "))
    let resumed = try await engine.fettle("resume").output
    #expect(resumed == "queue resumed; job 2 is at work, 1 queued\n")
    try await engine.wait(for: 3, "completed")
    let notices = try await engine.events().compactMap { $0["notice"]?["kind"]?.string }
    #expect(notices.filter { $0.hasPrefix("queue") } == ["queuePaused", "queueResumed"])
  }

  @Test func `who looks at a job that waits is told that its archives are here`() async throws {
    let engine = try await EngineUnderTest(Self.packages)
    try await engine.fettle("install", "one")
    try await engine.waitUntilHeld("one")
    let followed = try engine.launch(
      EngineUnderTest.path("fettle"), ["install", "two", "--follow"])
    try await eventually("its line", within: .seconds(60)) {
      followed.output.contains("ahead=\"its archives are here\"")
    }
    let shown = try await engine.fettle("show", "2").output
    #expect(shown.contains("waits:      job 1 goes first; its archives are here"), "\(shown)")
    #expect(!shown.contains("fetched:"), "\(shown)")
    try engine.release("one")
    #expect(try await followed.status() == 0)
    #expect(try await engine.job(2)["activity"] == .null)
  }

  @Test func `B28: a job that waits is paused and passed, moved, and resumed`() async throws {
    let engine = try await EngineUnderTest(Self.packages)
    try await engine.fettle("pause")
    for name in ["two", "three", "one"] { try await engine.fettle("install", name) }
    let held = try await engine.fettle("pause", "1")
    #expect(held.output.hasPrefix("job 1: paused by "))
    #expect(try await engine.job(1)["state"] == "queued")
    #expect(try await engine.fettle("jobs", "--state", "paused").output.contains(" paused "))
    // An error at one job hides nothing of the others and keeps nobody from asking them.
    let partly = try await engine.fettle("pause", "99", "2", "--json")
    #expect(partly.status == 64)
    let told = try partly.json.elements
    #expect(told.count == 2 && told.last?["id"] == 2)
    #expect(told.first?["job"] == 99 && told.first?["error"]?["code"] == "unknownJob")
    #expect(try await engine.fettle("resume", "2").output == "job 2: resumed\n")
    let moved = try await engine.fettle("move", "3", "--first")
    #expect(moved.output == "job 3 is 1st of 2 in the queue, priority 1\n")
    #expect(try await engine.job(3)["options"]?["priority"] == 1)
    try await engine.fettle("resume")
    try await engine.waitUntilHeld("one")
    let late = try await engine.fettle("move", "3", "--last")
    #expect(late.status == 7)
    #expect(late.errors.contains("job 3 has begun"))
    #expect(try await engine.fettle("move", "2").status == 64)
    #expect(try await engine.fettle("move", "2", "--first", "--last").status == 64)
    #expect(try await engine.fettle("move", "2", "--priority", "101").status == 64)
    try engine.release("one")
    try await engine.wait(for: 2, "completed")
    #expect(try await engine.job(1)["state"] == "queued")
    #expect(try await engine.fettle("resume", "1").output == "job 1: resumed\n")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.fettle("pause", "1").status == 7)
  }
}

@Suite(.timeLimit(.minutes(2)), .endsOrAborts)
struct `An engine that goes away when it has done what it was asked` {
  @Test(.scratchFolder) func `has resumed the job, and that is what is told`() async throws {
    let folder = try #require(ScratchFolder.current)
    let listener = try #require(RawSocket.listen(at: folder.path("engine.sock")))
    let answers = [
      #"{"product":"fettle","version":1,"capabilities":["queue"],"epoch":"x","lastSeq":9,"#
        + #""rights":"act"}"#, "{}",
    ]
    let served = Task { await listener.serve(answers) }
    let program = try RunningProgram(
      [EngineUnderTest.path("fettle"), "resume", "3", "--socket", folder.path("engine.sock")],
      environment: ToolOutput.plain, stem: folder.path("program"), prefix: [])
    #expect(try await program.status() == 0, "\(program.errors)")
    #expect(program.output == "job 3: resumed; the engine went away after that\n")
    #expect(program.errors.isEmpty)
    await served.value
  }
}
