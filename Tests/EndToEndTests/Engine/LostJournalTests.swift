import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `An engine whose journal is gone or damaged` {
  private func files(_ engine: EngineUnderTest) -> [String] {
    TestFolder.names(in: engine.state).filter { $0.hasPrefix("journal.sqlite") }
  }

  /// Does as the engine's own hint says.
  private func moveJournalAway(_ engine: EngineUnderTest) throws {
    let safe = engine.folder.path("safe")
    try TestFolder.makeFolder(safe)
    for name in files(engine) {
      let isMoved = unsafe rename("\(engine.state)/\(name)", "\(safe)/\(name)") == 0
      #expect(isMoved)
    }
  }

  @Test func `follows the job at work by its folder, to its end`() async throws {
    let engine = try await EngineUnderTest([.held("one"), PackageFixture("two")])
    try await engine.fettle("install", "one")
    try await engine.waitUntilHeld("one")
    let lastSign = try #require(try await engine.job(1)["lastActivityAt"]?.string)
    try await engine.kill()
    try moveJournalAway(engine)
    let looked = try await engine.fettle(
      "doctor", "--root", engine.root, "--state", engine.state)
    #expect(looked.status == 1)
    #expect(looked.output.contains("is gone, with the queue; 1 job folder is there"), "\(looked)")
    try await engine.start()
    #expect(try await engine.job(1)["state"] == "installing")
    #expect(try await engine.job(1)["submittedAt"]?.string ?? "z" <= lastSign)
    // It still is the one at work: nothing begins beside it.
    #expect(try await engine.fettle("install", "two").id == 2)
    #expect(try await engine.job(2)["state"] == "queued")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    try await engine.wait(for: 2, "completed")
    #expect(try await engine.repository.state(of: "one") == "installed 1.0")
    #expect(try await engine.repository.audit() == "")
    expectGapFree(try await engine.events())
    #expect(engine.errors.contains("the journal knows nothing of"), "\(engine.errors)")
  }

  @Test func `says loudly that jobs which waited are lost with the write-ahead file`() async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("one"), PackageFixture("two")])
    try await engine.fettle("pause")
    try await engine.fettle("install", "one")
    try await engine.fettle("install", "two")
    try await engine.kill()
    for suffix in ["-wal", "-shm"] {
      #expect(unsafe unlink(engine.state + "/journal.sqlite" + suffix) == 0)
    }
    try await engine.start()
    #expect(engine.errors.contains("the journal has lost its last "), "\(engine.errors)")
    #expect(engine.errors.contains(" and the jobs 1 to 2: "), "\(engine.errors)")
    let looked = try await engine.fettle("doctor")
    #expect(looked.output.contains("and the jobs 1 to 2"), "\(looked)")
    // No number is given to another job.
    #expect(try await engine.fettle("install", "one").id == 3)
    expectGapFree(try await engine.events())
  }

  @Test func `tells a job that had nothing to fetch as one that works`() async throws {
    let engine = try await EngineUnderTest([.held("one")])
    try await engine.fettle("install", engine.repository.archive("one"))
    try await engine.waitUntilHeld("one")
    try await engine.kill()
    try moveJournalAway(engine)
    try await engine.start()
    let job = try await engine.job(1)
    #expect(job["state"] == "installing", "\(job)")
    #expect(job["startedAt"]?.string != nil, "\(job)")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `of another root takes no job of this one`() async throws {
    let engine = try await EngineUnderTest()
    let other = try await EngineUnderTest()
    try await engine.fettle("pause")
    try await engine.fettle("install", "alpha")
    try await other.stop()
    let arguments = [
      "engine", "--root", other.root, "--state", engine.state, "--socket", other.socket,
    ]
    // The one that is there is not disturbed, and nothing is noted.
    let second = try engine.launch(EngineUnderTest.path("fettled"), arguments)
    #expect(try await second.status() == 8)
    #expect(TestFolder.text(of: engine.state + "/subject") == "apt \(engine.root)\n")
    try await engine.stop()
    let refusal = "has a job of 'apt \(engine.root)' open: no engine for 'apt \(other.root)' can"
    let program = try engine.launch(EngineUnderTest.path("fettled"), arguments)
    #expect(try await program.status() == 64)
    #expect(program.errors.contains(refusal), "\(program.errors)")
    let looked = try await engine.fettle("doctor", "--root", other.root, "--state", engine.state)
    #expect(looked.status == 1 && looked.output.contains(refusal), "\(looked)")
    try await engine.start()
    #expect(try await engine.job(1)["state"] == "queued")
  }

  @Test func `settles the job whose worker died with it`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture("cain", scripts: [.postinst: "sleep 1000"]), PackageFixture("two"),
    ])
    try await engine.fettle("install", "cain")
    try await eventually("the script") {
      try await engine.repository.state(of: "cain") == "half-configured 1.0"
    }
    try await engine.kill()
    // The machine lost power: everything of the job is gone.
    let started = try #require(TestFolder.text(of: engine.state + "/jobs/1/started"))
    let pid = try #require(try JSONValue(started)["pid"]?.double)
    // Again until none is left: one of them may start another while they are being killed.
    try await eventually("the session is gone") {
      var count = 0
      for name in TestFolder.names(in: "/proc") where Int(name) != nil {
        guard let text = TestFolder.text(of: "/proc/\(name)/stat"),
          let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 3,
          fields[3] == "\(Int(pid))", fields[0] != "Z", let member = Int32(name)
        else { continue }
        Glibc.kill(member, SIGKILL)
        count += 1
      }
      return count == 0
    }
    try moveJournalAway(engine)
    try await engine.start()
    try await engine.wait(for: 1, "interrupted")
    let job = try await engine.job(1)
    #expect(job["error"]?["hint"]?.string?.isEmpty == false, "\(job)")
    #expect(job["repairs"]?.elements.isEmpty == false, "\(job)")
    // Its result was told: no later engine tells another one.
    try await engine.stop()
    for name in files(engine) { unsafe unlink("\(engine.state)/\(name)") }
    try await engine.start()
    #expect(try await engine.fettle("jobs", "--all", "--json").output == "[]\n")
  }

  @Test func `gives no number of a folder twice and leaves recordings as they are`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("one"), PackageFixture("two")])
    try await engine.fettle("install", "one", "--wait")
    try await engine.fettle("install", "two", "--wait")
    try await engine.stop()
    let files = ["log", "plan.json", "dpkg-status", "exit"]
    let before = files.map { TestFolder.bytes(of: "\(engine.state)/jobs/1/\($0)") }
    try moveJournalAway(engine)
    try await engine.start()
    #expect(try await engine.fettle("jobs", "--all", "--json").output == "[]\n")
    let answer = try await engine.fettle("remove", "one", "--wait")
    #expect(answer.status == 0)
    #expect(try await engine.job(3)["resultCode"] == 2)
    #expect(try await engine.fettle("show", "1").status == 64)
    #expect(files.map { TestFolder.bytes(of: "\(engine.state)/jobs/1/\($0)") } == before)
  }

  @Test func `refuses a damaged one with what to do, and touches nothing`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("one")])
    try await engine.fettle("install", "one", "--wait")
    try await engine.stop()
    let path = engine.state + "/journal.sqlite"
    var bytes = try #require(TestFolder.bytes(of: path))
    let middle = bytes.count / 8192 * 4096
    for index in middle..<min(bytes.count, middle + 4096) { bytes[index] = 0xA5 }
    try TestFolder.write(bytes, to: path, mode: 0o600)
    let answer = try await run(engine)
    #expect(answer.status == 1)
    #expect(answer.errors.contains(path) && answer.errors.contains("damaged"), "\(answer)")
    #expect(answer.errors.contains("move journal.sqlite"), "\(answer)")
    #expect(TestFolder.bytes(of: path) == bytes)
    try moveJournalAway(engine)
    try await engine.start()
    #expect(try await engine.fettle("install", "one").id == 2)
  }

  @Test func `refuses one that it may not read`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("one")])
    try await engine.stop()
    let path = engine.state + "/journal.sqlite"
    #expect(unsafe chmod(path, 0) == 0)
    let answer = try await run(engine)
    #expect(answer.status == 1)
    #expect(answer.errors.contains(path) && answer.errors.contains("owner and mode"), "\(answer)")
    #expect(TestFolder.exists(path))
  }

  private func run(_ engine: EngineUnderTest) async throws -> Answer {
    let program = try engine.launch(EngineUnderTest.path("fettled"), engine.arguments)
    let status = try await program.status()
    return Answer(status: status, output: program.output, errors: program.errors)
  }
}
