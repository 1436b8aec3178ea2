import Support
import Testing

/// Silence is told with its age and, where it can be known, its cause.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `A job without a sign of life` {
  /// The job as soon as this is why it says nothing; on a busy machine other things take a second too.
  private func stalled(_ engine: EngineUnderTest, by kind: String) async throws -> JSONValue {
    try await eventually("a job that is stalled by \(kind)", within: .seconds(120)) {
      let job = try await engine.job(1)
      guard job["isStalled"] == true, job["stall"]?["kind"]?.string == kind else {
        return JSONValue?.none
      }
      return job
    }
  }

  @Test func `N6: a script that does not end is named, until it ends`() async throws {
    let script = """
      exec tail -f "$DPKG_ROOT/guard" --pid="$(cat "$DPKG_ROOT/guard")" >/dev/null 2>&1
      """
    let engine = try await EngineUnderTest(
      [PackageFixture("slow", scripts: [.postinst: script])],
      settings: "[engine]\nstallAfterSeconds = 1\n")
    let guardian = try engine.launch("/bin/sleep", ["3600"])
    try TestFolder.write("\(guardian.pid)", to: engine.root + "/guard")
    try await engine.fettle("install", "slow")
    let job = try await stalled(engine, by: "script")
    #expect(job["stall"]?["command"] == "tail")
    let message = try #require(job["stall"]?["message"]?.string)
    #expect(message.hasPrefix("postinst of slow runs tail (pid "))
    let show = try await engine.fettle("show", "1").output
    #expect(show.contains("no sign of life since") && show.contains(message), "\(show)")
    #expect(show.contains("last sign:") && show.contains(" ago"))
    #expect(try await engine.fettle("jobs", "--json").json[0]?["stall"] == job["stall"])
    guardian.signal(9)
    _ = try await guardian.status()
    try await engine.wait(for: 1, "completed")
    let after = try await engine.job(1)
    #expect(after["resultCode"] == 2 && after["isStalled"] == false)
    #expect(!after.names.contains("stall"))
  }

  @Test func `N6: a wait for a foreign lock that says nothing is named as such`() async throws {
    let engine = try await EngineUnderTest(
      [.held("slow"), PackageFixture("alpha")], settings: "[engine]\nstallAfterSeconds = 1\n")
    async let foreign = engine.repository.apt("install", "slow")
    try await engine.waitUntilHeld("slow")
    try await engine.fettle("install", "alpha")
    let job = try await stalled(engine, by: "lock")
    #expect(job["state"] == "waitingForLock" && job["stall"]?["command"] == "apt-get")
    #expect(job["stall"]?["pid"] == job["waitingFor"]?["holder"]?["pid"])
    try engine.release("slow")
    try await foreign.expectSuccess("the foreign apt-get")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `N6: a source that sends nothing more is named as such`() async throws {
    let engine = try await EngineUnderTest(settings: "[engine]\nstallAfterSeconds = 1\n")
    let server = try HeldServer(engine.repository.path)
    defer { server.close() }
    let source = "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n"
    try TestFolder.write(source, to: engine.root + "/etc/apt/sources.list")
    try await engine.repository.refresh()
    try await engine.fettle("install", "large")
    let job = try await stalled(engine, by: "network")
    #expect(job["state"] == "downloading", "\(job)")
    server.release()
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }
}
