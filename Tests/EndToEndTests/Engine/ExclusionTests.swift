import Glibc
import Support
import Testing

/// Rows of the contract that the design decided with no: what is there in their place.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `What there is not` {
  @Test func `A26: keys in the monitor plan and install a package; no name and no terminal do not`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let lines = try engine.follow("monitor")
    let monitor = MonitorUnderTest(["--socket", engine.socket], folder: engine.folder)
    try await monitor.screen("the monitor") { $0.contains("Fettle") || $0.contains("fettle") }
    monitor.type("i")
    try await monitor.screen("the new job") { $0.contains("Enter shows what would be done") }
    monitor.type("\r")
    try await monitor.screen("the refusal") { $0.contains("no package is named") }
    #expect(try await engine.fettle("jobs", "--json").output == "[]\n")
    monitor.type("alpha\r")
    try await monitor.screen("the plan") {
      $0.contains("1 package") && $0.contains("Enter submits")
    }
    #expect(try await engine.fettle("jobs", "--json").output == "[]\n")
    monitor.type("\r")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.repository.state(of: "alpha") == "installed 2.0")
    // Without a terminal there is nobody to review: the same command tells in lines and asks nothing.
    try await lines.until("the end of the job in lines") {
      $0.contains { $0.contains("job=1") && $0.contains("succeeded") }
    }
    #expect(!lines.output.utf8.contains(0x1B))
    lines.signal(SIGINT)
    _ = try await lines.status()
  }

  @Test func `nobody is asked: no option asks for it, no job waits for an answer`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "conf=1.0", "--wait")
    try TestFolder.write("mine\n", to: engine.root + "/etc/conf.ini")
    let before = try await engine.record()
    let asking = try await engine.fettle("install", "conf", "--conffiles", "ask")
    #expect(asking.status == 64)
    #expect(asking.errors.contains("use keep or new"), "\(asking)")
    #expect(try await engine.record() == before)
    let seq = Int(try #require(try await engine.fettle("status", "--json").json["seq"]?.double))
    #expect(try await engine.fettle("install", "conf", "--wait").status == 0)
    #expect(TestFolder.text(of: engine.root + "/etc/conf.ini") == "mine\n")
    let events = try await engine.events(after: seq)
    #expect(events.contains { $0["change"]?["state"] == "installing" })
    #expect(!events.contains { $0["change"]?["state"] == "waitingForInput" })
    #expect(!events.contains { $0["type"] == "question" })
  }

  @Test(arguments: ["--allow-media-prompts", "--accept-licenses", "--conditions=wait"])
  func `no option of a job is about media, licences or conditions`(
    option: String
  ) async throws {
    let engine = try await EngineUnderTest()
    let before = try await engine.record()
    let answer = try await engine.fettle("install", "alpha", option)
    #expect(answer.status == 64)
    #expect(answer.errors.contains(option.prefix { $0 != "=" }), "\(answer)")
    #expect(try await engine.record() == before)
    #expect(try await engine.fettle("install", "alpha", "--wait").status == 0)
    // Everything that a job can be told, as it is kept with the job.
    let known: Set<String> = [
      "clientName", "comment", "priority", "whenBusy", "lockTimeout", "isForced",
      "purgesConfiguration", "ignoresPendingReboot", "token", "after", "notBefore", "stopBy",
      "conffiles", "proxy", "stopWithin",
    ]
    let options = try #require(try await engine.job(1)["options"])
    #expect(options.names.contains("conffiles"))
    #expect(Set(options.names).subtracting(known) == [])
  }
}
