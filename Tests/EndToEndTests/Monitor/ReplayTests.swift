import FoundationEssentials
import InstallJobs
import JobClient
import Support
import Testing

@testable import Monitor
@testable import fettle

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Replay from the command line` {
  @Test func `N17: the recording of a real job gives it back as it is, with its log on the way`()
    async throws
  {
    let engine = try await EngineUnderTest()
    #expect(try await engine.fettle("install", "app", "--wait").status == 0)
    #expect(try await engine.fettle("cleanup", "1").status == 0)
    let session = try await UpdateSession.connect(to: engine.socket, clientName: "test")
    let job = try await session.endedJob(JobID(1))
    let length = try await session.log(of: JobID(1), from: .max, limit: 1).length
    let page = try await session.recordedEvents(of: JobID(1))
    #expect(page.next == nil)
    var arrived = ArrivingRecording(RecordingRequest(JobID(1), number: 1), from: [.queue])
    arrived.begin(job, logLength: length)
    arrived.append(page.events)
    let recording = try #require(Recording(arrived))
    #expect(recording.gaps(timeOffset: 0).isEmpty)
    #expect(recording.job(after: page.events.count) == job)
    // While it was at work the log had begun and was not whole.
    let lengths = (0..<page.events.count).map { recording.log(after: $0).length }
    #expect(lengths == lengths.sorted() && lengths.contains { $0 > 0 && $0 <= length })
    #expect(lengths.first == 0)
    await session.close()
  }

  @Test func `elsewhere than on a terminal it prints what happened, with its own times`()
    async throws
  {
    let engine = try await EngineUnderTest(
      [PackageFixture.held("held")] + PackageFixture.standard())
    #expect(try await engine.fettle("install", "app", "--wait").status == 0)
    let events = try await engine.events().filter { $0["job"] == .number(1) }
    let json = try await engine.fettle("replay", "1", "--json")
    #expect(json.status == 0)
    #expect(try json.output.split(separator: "\n").map { try JSONValue(String($0)) } == events)
    let plain = try await engine.fettle("replay", "1")
    #expect(plain.status == 0)
    #expect(plain.errors.hasPrefix("fettle: replay of job 1, which was over at "))
    #expect(plain.errors.hasSuffix("what follows is past\n"))
    let lines = plain.output.split(separator: "\n").map(String.init)
    let times = events.compactMap { $0["at"]?.string.map { String($0.dropFirst(11).prefix(8)) } }
    #expect(lines.first == "\(try #require(times.first)) job=1 state=queued pct=0")
    #expect(lines.last == "job 1 succeeded: app installed")
    let told = lines.dropLast().map { String($0.prefix(8)) }
    #expect(told == told.sorted() && Set(told).isSubset(of: times))
    for package in ["lib", "app"] {
      #expect(
        lines.contains { $0.contains("state=installing") && $0.hasSuffix("package=\(package)") },
        "\(plain.output)")
    }
    let unknown = try await engine.fettle("replay", "99")
    #expect(unknown.status == 64 && unknown.errors.contains("there is no job 99"))
    for speed in ["0", "65", "fast"] {
      #expect(try await engine.fettle("replay", "1", "--speed", speed).status == 64)
    }
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    let early = try await engine.fettle("replay", "2")
    #expect(early.status == 7 && early.output.isEmpty)
    #expect(early.errors.contains("not over") && early.errors.contains("fettle watch 2"))
    try engine.release("held")
    try await engine.wait(for: 2, "completed")
  }

  @Test(.scratchFolder, arguments: ["--plain", "--json"])
  func `what of it cannot be read is told beside it`(_ form: String) async throws {
    let folder = try #require(ScratchFolder.current)
    let listener = try #require(RawSocket.listen(at: folder.path("engine.sock")))
    let at = Timestamp(milliseconds: 1_767_268_800_000)
    let ada = Requester(uid: 1, user: "ada")
    var job = JobSnapshot(
      id: JobID(3), request: JobRequest(.install, [Update("a")]),
      plan: JobPlan(requests: [], steps: []), requestedBy: ada, provider: "apt", submittedAt: at)
    let begin = JobEvent(seq: 1, at: at, job: job.id, payload: .submitted(job.withoutPlan))
    job.state = .completed
    let (ended, event) = try (
      String(decoding: JSONEncoder().encode(job), as: UTF8.self),
      String(decoding: JSONEncoder().encode(begin), as: UTF8.self)
    )
    let odd = #"{"seq":2,"at":"2026-01-01T12:00:00.000Z","job":3,"type":"danced"}"#
    let answers = [
      #"{"product":"fettle","version":1,"capabilities":["events"],"epoch":"x","lastSeq":9,"#
        + #""rights":"act"}"#, ended,
      #"{"events":[\#(event),\#(odd),\#(odd)],"next":2,"isWhole":true}"#,
    ]
    let served = Task { await listener.serve(answers) }
    let program = try RunningProgram(
      [
        EngineUnderTest.path("fettle"), "replay", "3", form, "--socket",
        folder.path("engine.sock"),
      ], environment: ToolOutput.plain, stem: folder.path("program"), prefix: [])
    #expect(try await program.status() == 0, "\(program.errors)")
    #expect(program.output.split(separator: "\n").count == 1)
    #expect(program.errors.hasPrefix("fettle: 2 events of job 3 could not be read"))
    await served.value
  }

  @Test func `on a terminal the monitor opens in it, at any moment, and changes nothing`()
    async throws
  {
    let engine = try await EngineUnderTest()
    #expect(try await engine.fettle("install", "app", "--wait").status == 0)
    let record = try await engine.record()
    let monitor = MonitorUnderTest(
      ["replay", "1", "--speed", "16", "--socket", engine.socket], folder: engine.folder)
    try await monitor.line("the replay") { $0.contains("REPLAY of job 1 ") }
    monitor.type("G")
    try await monitor.screen("its end") {
      $0.contains("· end 16x") && $0.contains("succeeded: app installed")
    }
    monitor.type("g")
    try await monitor.screen("its begin") { $0.contains("· +0.0s of ") && $0.contains("not begun") }
    monitor.type("G")
    try await monitor.screen("its end again") { $0.contains("succeeded: app installed") }
    monitor.type("c")
    try await monitor.line("a refusal") { $0.contains("a replay of job 1 changes nothing") }
    monitor.type("q")
    try await monitor.line("the queue") { $0.hasPrefix("> ✓    1 app") }
    monitor.type("q")
    #expect(await monitor.end() == .exit(0))
    #expect(try await engine.record() == record)
  }
}
