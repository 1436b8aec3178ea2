import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Fetching archives` {
  /// An engine whose archives come half, and whole only after `release()`.
  private func slowEngine() async throws -> (EngineUnderTest, HeldServer) {
    let engine = try await EngineUnderTest()
    let server = try HeldServer(engine.repository.path)
    let source = "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n"
    try TestFolder.write(source, to: engine.root + "/etc/apt/sources.list")
    try await engine.repository.refresh()
    return (engine, server)
  }

  private func waitUntilFetching(_ engine: EngineUnderTest) async throws {
    let watch = try engine.follow("watch", "1", "--json", "--from", "0")
    try await watch.until("an archive that is being fetched") { lines in
      try lines.contains { try JSONValue($0)["update"]?["phase"] == "downloading" }
    }
  }

  @Test func `B16: an abort while archives are fetched stops at once and changes nothing`()
    async throws
  {
    let (engine, server) = try await slowEngine()
    defer { server.close() }
    let before = TestFolder.text(of: engine.root + "/var/lib/dpkg/status")
    let follow = try engine.follow("install", "large", "app", "--follow")
    try await waitUntilFetching(engine)
    let answer = try await engine.fettle("abort", "1", "--json")
    #expect(answer.status == 0)
    #expect(try answer.json[0]?["abort"]?["disposition"] == "accepted")
    #expect(try answer.json[0]?["abort"]?["stopsAfter"] == JSONValue.null)
    #expect(try await follow.status() == 4)
    #expect(TestFolder.text(of: engine.root + "/var/lib/dpkg/status") == before)
    let job = try await engine.job(1)
    #expect(job["plan"]?.elements.allSatisfy { $0["resultCode"] == 0 } == true)
    // Neither the connection nor the lock is left behind.
    server.release()
    #expect(try await engine.fettle("install", "large", "--wait").status == 0)
  }

  @Test func `an engine killed while archives are fetched goes on from there`() async throws {
    let (engine, server) = try await slowEngine()
    defer { server.close() }
    try await engine.fettle("install", "large", "app")
    try await waitUntilFetching(engine)
    try await engine.kill()
    try await engine.start()
    #expect(try await engine.job(1)["state"] == "downloading")
    server.release()
    try await engine.wait(for: 1, "completed")
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 2)
    #expect(job["downloadedBytes"] == job["totalDownloadBytes"])
    #expect((job["totalDownloadBytes"]?.double ?? 0) > 4_194_304)
    #expect(try await engine.repository.state(of: "large") == "installed 1.0")
    let events = try await engine.events()
    expectGapFree(events)
    expectNoneDoubled(events)
  }

  @Test func `a job that is over tells what it fetched`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "app", "--wait")
    let job = try await engine.job(1)
    #expect((job["totalDownloadBytes"]?.double ?? 0) > 0)
    #expect(job["downloadedBytes"] == job["totalDownloadBytes"])
  }

  @Test func `a source that is gone is a failed job that can be tried again`() async throws {
    let (engine, server) = try await slowEngine()
    server.close()
    TestFolder.remove(engine.repository.archive("delta"))
    let answer = try await engine.fettle("install", "delta", "--wait")
    #expect(answer.status == 1)
    let error = try #require(try await engine.job(1)["error"])
    #expect(error["code"] == "downloadFailed")
    #expect(error["class"] == "transient")
    #expect(error["message"]?.string?.contains("delta") == true)
    #expect(error["hint"]?.string?.isEmpty == false)
    #expect(try await engine.repository.state(of: "delta") == "absent")
  }
}
