import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Commands with --download-only` {
  @Test func `fetch beside a foreign holder of the lock, and say what they have done`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha=1.0", "--wait")
    let (holder, end) = try await engine.foreignHolder("keeper")
    let status = TestFolder.text(of: engine.root + "/var/lib/dpkg/status")
    let install = try await engine.fettle("install", "app", "--download-only", "--follow")
    #expect(install.status == 0, "\(install)")
    #expect(install.output.contains("downloaded") && !install.output.contains("installed"))
    #expect(try await engine.fettle("reinstall", "alpha", "--download-only", "--wait").status == 0)
    #expect(try await engine.fettle("upgrade", "--download-only", "--wait").status == 0)
    let json = try await engine.fettle("install", "beta", "--download-only", "--wait", "--json")
    #expect(try json.json["options"]?["downloadOnly"] == true)
    #expect(try json.json["resultCode"] == 2)
    #expect(TestFolder.text(of: engine.root + "/var/lib/dpkg/status") == status)
    let history = try await engine.fettle("history")
    #expect(history.output.contains("download app"), "\(history)")
    let shown = try await engine.fettle("show", "2")
    #expect(shown.output.contains("succeeded: app downloaded"), "\(shown)")
    #expect(!shown.output.contains("installed"), "\(shown)")
    try TestFolder.write("", to: end)
    #expect(try await holder.status() == 0)
  }

  @Test func `plan, refuse what fetches nothing, and take an archive that lies there`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let plan = try await engine.fettle("install", "app", "--download-only", "--plan")
    #expect(plan.status == 0 && plan.output.contains("no package is changed"), "\(plan)")
    for verb in ["remove", "purge"] {
      let answer = try await engine.fettle(verb, "app", "--download-only")
      #expect(answer.status != 0 && answer.errors.contains("fetching archives only"), "\(answer)")
    }
    #expect(try await engine.fettle("jobs", "--all", "--json").json.elements.isEmpty)
    let archive = engine.repository.archive("omega")
    let local = try await engine.fettle("install", archive, "--download-only", "--wait")
    #expect(local.status == 0, "\(local)")
    let job = try await engine.job(1)
    #expect(job["updates"]?[0]?["note"] == "alreadyDownloaded", "\(job)")
    #expect(job["plan"]?.elements.allSatisfy { $0["phase"] == "downloaded" } == true)
    #expect(try await engine.repository.state(of: "omega") == "absent")
  }

  @Test func `W16: an engine that is killed in between finds the download and ends it truly`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let server = try HeldServer(engine.repository.path)
    defer { server.close() }
    try TestFolder.write(
      "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n",
      to: engine.root + "/etc/apt/sources.list")
    try await engine.repository.refresh()
    try await engine.fettle("install", "large", "app", "--download-only")
    try await eventually("bytes") {
      (try await engine.job(1)["downloadedBytes"]?.double ?? 0) > 0
    }
    try await engine.kill()
    try await engine.start()
    #expect(try await engine.job(1)["state"] == "downloading")
    server.release()
    try await engine.wait(for: 1, "completed")
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 2 && job["percentComplete"] == 100)
    #expect(job["plan"]?.elements.allSatisfy { $0["phase"] == "downloaded" } == true)
    #expect(try await engine.repository.state(of: "large") == "absent")
  }
}
