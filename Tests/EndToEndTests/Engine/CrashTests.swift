import FoundationEssentials
import Glibc
import InstallJobs
import JobClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Deaths in the middle of work` {
  private static let chain: [PackageFixture] = [
    .held("one"), PackageFixture("two", fields: ["Depends": "one"]),
  ]

  @Test func `B29: an engine killed in a script and started again follows the job to its end`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    let before = try await engine.events()
    try await engine.kill()
    #expect(try await engine.fettle("jobs").status == 5)
    try await engine.start()
    #expect(try await engine.job(1)["state"] == "installing")
    let follow = try engine.follow("watch", "--json", "--from", "0")
    try engine.release("one")
    try await follow.until("the end of the job") { lines in
      try lines.contains { try JSONValue($0)["type"] == "completed" }
    }
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 2)
    #expect(job["plan"]?.elements.map { $0["resultCode"] } == [2, 2])
    #expect(try await engine.repository.state(of: "two") == "installed 1.0")
    #expect(try await engine.repository.audit() == "")
    let events = try follow.lines.map { try JSONValue($0) }.filter(\.isDurable)
    expectGapFree(events)
    #expect(Array(events.prefix(before.count)) == before)
    expectNoneDoubled(events)
  }

  @Test func `B27, R6: a client that is killed in mid-job takes nothing with it`() async throws {
    let engine = try await EngineUnderTest(Self.chain)
    let client = try engine.follow("install", "two", "--follow")
    try await engine.waitUntilHeld("one")
    client.signal(SIGKILL)
    #expect(try await client.status() == 128 + SIGKILL)
    let open = try await engine.fettle("jobs", "--json").json
    #expect(open.elements.map { $0["state"] } == ["installing"])
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.repository.state(of: "two") == "installed 1.0")
    #expect(try await engine.repository.audit() == "")
    let history = try await engine.fettle("history", "--json").json
    #expect(history.elements.map { $0["id"] } == [1])
    #expect(history.elements.map { $0["resultCode"] } == [2])
    #expect(try await engine.job(1)["plan"]?.elements.map { $0["resultCode"] } == [2, 2])
  }

  @Test func `a program's job is followed through two deaths of the engine, and completes once`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    let session = try await UpdateSession.connect(to: engine.socket, clientName: "test")
    let completed = Locked(0)
    let seen = Locked<[Double]>([])
    let job = try await session.makeInstaller().beginInstallation(
      of: [Update("two")],
      onProgress: { _, progress in seen.change { $0.append(progress.overallFraction) } },
      onCompletion: { _ in completed.change { $0 += 1 } })
    try await engine.waitUntilHeld("one")
    for _ in 1...2 {
      try await engine.kill()
      try await engine.start()
      #expect(try await session.job(job.id).isCompleted == false)
    }
    try engine.release("one")
    let result = try await job.result
    #expect(result.code == .succeeded && result.updateResults.map(\.name) == ["two"])
    try await job.cleanUp()
    #expect(completed.value == 1)
    #expect(seen.value == seen.value.sorted() && seen.value.last == 1)
    await session.close()
  }

  @Test func `an engine that was dead when the job ended tells its result when it is back`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    try await engine.kill()
    try engine.release("one")
    try await eventually("the install without an engine", within: .seconds(240)) {
      try await engine.repository.state(of: "two") == "installed 1.0"
    }
    try await engine.start()
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    let events = try await engine.events()
    expectGapFree(events)
    expectNoneDoubled(events)
  }

  @Test func `an engine that is stopped leaves the job alone`() async throws {
    let engine = try await EngineUnderTest(Self.chain)
    let follow = try engine.follow("install", "two", "--follow")
    try await engine.waitUntilHeld("one")
    try await engine.stop()
    #expect(try await follow.status() == 5)
    #expect(follow.errors.contains("went away"))
    try await engine.start()
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `an engine that is upgraded in mid-job finds the job that the old one began`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.stop()
    let program = engine.folder.path("fettled")
    try FileManager.default.copyItem(atPath: EngineUnderTest.path("fettled"), toPath: program)
    try await engine.start(program)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    // As dpkg replaces a file: the new one beside it, then renamed; other bytes behind the end
    // make it another build.
    var bytes = try Data(contentsOf: URL(filePath: program))
    bytes.append(contentsOf: "another build".utf8)
    let upgrade = program + ".dpkg-new"
    try bytes.write(to: URL(filePath: upgrade))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: upgrade)
    #expect(unsafe rename(upgrade, program) == 0)
    try await engine.stop()
    try await engine.start(program)
    #expect(try await engine.job(1)["state"] == "installing")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    #expect(try await engine.repository.state(of: "two") == "installed 1.0")
    let events = try await engine.events()
    expectGapFree(events)
    expectNoneDoubled(events)
  }

  @Test(arguments: ["suspend", "abort"])
  func `a stop that stands in the job's folder is the next engine's, with who asked`(
    kind: String
  ) async throws {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    try await engine.kill()
    // As the engine writes it before it answers; it had no time to record anything.
    let line = "# \(kind) 4242 1763932838123 another "
    try TestFolder.write(
      "# after 0\n\(line)\none\none:all\none_1.0_all.deb\n", to: engine.state + "/jobs/1/stop")
    if kind == "abort" {
      // It stops for it before the engine is back.
      try engine.release("one")
      try await eventually("the end of the work") {
        TestFolder.exists(engine.state + "/jobs/1/exit")
      }
    }
    try await engine.start()
    if kind == "suspend" {
      let job = try await engine.job(1)
      #expect(job["waitingFor"]?["by"]?["user"] == "another", "\(job)")
      try engine.release("one")
      try await engine.wait(for: 1, "suspended")
      try await engine.fettle("resume", "1")
      try await engine.wait(for: 1, "completed")
      #expect(try await engine.job(1)["resultCode"] == 2)
      #expect(try await engine.repository.state(of: "two") == "installed 1.0")
    } else {
      try await engine.wait(for: 1, "completed")
      let job = try await engine.job(1)
      #expect(job["resultCode"] == 5, "\(job)")
      #expect(job["abort"]?["requestedBy"]?["user"] == "another", "\(job)")
      #expect(job["abort"]?["requestedAt"] == "2025-11-23T21:20:38.123Z", "\(job)")
      #expect(try await engine.repository.state(of: "two") == "absent")
    }
    #expect(try await engine.repository.audit().isEmpty)
    expectGapFree(try await engine.events())
  }

  @Test func `who follows a job goes on when the engine is back`() async throws {
    let engine = try await EngineUnderTest(Self.chain)
    let follow = try engine.follow("install", "two", "--follow")
    try await engine.waitUntilHeld("one")
    try await engine.kill()
    try await engine.start()
    try engine.release("one")
    #expect(try await follow.status() == 0)
    #expect(follow.errors.contains("went away"))
    #expect(follow.output.contains("job 1 succeeded"))
  }

  @Test func `an abort that was accepted is kept by an engine started anew`() async throws {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    try await engine.fettle("abort", "1")
    try await engine.kill()
    try await engine.start()
    let abort = try #require(try await engine.job(1)["abort"])
    #expect(abort["stopsAfter"] == "one")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 5)
    #expect(try await engine.repository.state(of: "one") == "installed 1.0")
    #expect(try await engine.repository.state(of: "two") == "absent")
    expectNoneDoubled(try await engine.events())
  }

  @Test(arguments: ["--follow", "--wait"])
  func `Ctrl-C leaves with 130 and one line, the job goes on`(option: String) async throws {
    let engine = try await EngineUnderTest(Self.chain)
    let follow = try engine.follow("install", "two", option)
    try await engine.waitUntilHeld("one")
    try await follow.until("a first line") { !$0.isEmpty }
    follow.signal(SIGINT)
    #expect(try await follow.status() == 130)
    #expect(follow.errors == "fettle: you left; job 1 goes on, see 'fettle jobs'\n")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `a second engine on the same state folder is refused and told of the first`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    let second = try engine.launch(
      EngineUnderTest.path("fettled"),
      ["engine", "--root", engine.root, "--state", engine.state, "--socket"]
        + [engine.folder.path("second.sock")])
    #expect(try await second.status() == 8)
    #expect(second.errors.contains("another engine"))
    #expect(second.errors.contains("\(engine.pid)"))
    #expect(second.output.isEmpty)
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `a second engine on the same socket is refused, the first goes on`() async throws {
    let engine = try await EngineUnderTest([])
    let other = try await PackageRepository([])
    let second = try engine.launch(
      EngineUnderTest.path("fettled"),
      ["engine", "--root", other.root, "--state", engine.folder.path("state-2")]
        + ["--socket", engine.socket])
    #expect(try await second.status() != 0)
    #expect(second.errors.contains(engine.socket))
    #expect(
      try await engine.fettle("status", "--json").json["engine"]?["pid"]
        == .number(Double(engine.pid)))
  }

  @Test func `what an engine left queued is done by the next`() async throws {
    let engine = try await EngineUnderTest(Self.chain + [PackageFixture("delta")])
    try await engine.fettle("install", "one")
    try await engine.waitUntilHeld("one")
    let second = try await engine.fettle("install", "delta").id
    try await engine.kill()
    try await engine.start()
    #expect(try await engine.job(second)["state"] == "queued")
    try engine.release("one")
    try await engine.wait(for: second, "completed")
    #expect(try await engine.repository.state(of: "delta") == "installed 1.0")
  }
}

/// Numbers grow by one, without gaps.
func expectGapFree(_ events: [JSONValue], sourceLocation: SourceLocation = #_sourceLocation) {
  let numbers = events.compactMap { $0["seq"]?.double }
  let first = numbers.first ?? 0
  #expect(
    numbers == (0..<numbers.count).map { first + Double($0) }, sourceLocation: sourceLocation)
}

/// No package ends or begins a phase twice, no job ends twice.
func expectNoneDoubled(_ events: [JSONValue], sourceLocation: SourceLocation = #_sourceLocation) {
  var seen: Set<[JSONValue?]> = []
  for event in events {
    guard event["type"] == "update" || event["type"] == "completed" else { continue }
    let key = [
      event["job"], event["type"], event["index"], event["update"]?["phase"],
      event["update"]?["resultCode"],
    ]
    #expect(seen.insert(key).inserted, "\(event)", sourceLocation: sourceLocation)
  }
}
