import Glibc
import Support
import Testing

/// A foreign apt that holds the package lock: shown everywhere, waited for, never touched.
@Suite(.timeLimit(.minutes(10)))
struct `Waiting for a foreign apt` {
  @Test func `it is named in every view, and the wait is abortable, bounded or without end`()
    async throws
  {
    let engine = try await EngineUnderTest([
      .held("slow"), PackageFixture("alpha"), PackageFixture("beta"), PackageFixture("delta"),
    ])
    async let foreign = engine.repository.apt("install", "slow")
    try await engine.waitUntilHeld("slow")
    let holder = try #require(try await engine.fettle("status", "--json").json["lock"])
    let pid = Int(try #require(holder["pid"]?.double))
    #expect(holder["command"] == "apt-get")
    // Said before anything is submitted, and refused where waiting was not asked for.
    #expect(try await engine.fettle("status").output.contains("held by apt-get (pid \(pid))"))
    let refused = try await engine.fettle("install", "alpha", "--when-busy", "fail")
    #expect(refused.status == 8 && refused.errors.contains("apt-get (pid \(pid))"), "\(refused)")

    try await engine.fettle("install", "alpha")
    try await engine.wait(for: 1, "waitingForLock")
    let waits = "waits for apt-get (pid \(pid))"
    #expect(try await engine.fettle("jobs").output.contains(waits))
    #expect(try await engine.fettle("show", "1").output.contains(waits))
    #expect(try await engine.job(1)["waitingFor"]?["holder"] == holder)
    #expect(try await engine.fettle("jobs", "--json").json[0]?["waitingFor"]?["kind"] == "lock")
    let abort = try await engine.fettle("abort", "1")
    #expect(abort.status == 0 && abort.output.contains("stops at once"), "\(abort)")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 5)

    let bounded = try await engine.fettle("install", "beta", "--lock-timeout", "0.1", "--wait")
    #expect(bounded.status == 8, "\(bounded)")
    #expect(try await engine.job(2)["error"]?["code"] == "busy")
    #expect(try await engine.job(2)["error"]?["message"]?.string?.contains("\(pid)") == true)

    try await engine.fettle("install", "delta")
    try await engine.wait(for: 3, "waitingForLock")
    #expect(kill(pid_t(pid), 0) == 0 || errno == EPERM)
    try engine.release("slow")
    try await foreign.expectSuccess("the foreign apt-get")
    try await engine.wait(for: 3, "completed")
    #expect(try await engine.job(3)["resultCode"] == 2)
    #expect(try await engine.repository.state(of: "slow") == "installed 1.0")
    for name in ["alpha", "beta"] {
      #expect(try await engine.repository.state(of: name) == "absent")
    }
  }

  @Test func `F7.10, E11: while a job works a foreign apt is kept out, and told by whom`()
    async throws
  {
    let engine = try await EngineUnderTest([.held("slow"), PackageFixture("alpha")])
    try await engine.fettle("install", "slow")
    try await engine.waitUntilHeld("slow")
    let foreign = try await engine.repository.apt("install", "alpha")
    #expect(foreign.status == 100)
    #expect(foreign.errors.contains("held by process"), "\(foreign.errors)")
    let direct = try await engine.repository.dpkg("-i", engine.repository.archive("alpha"))
    #expect(direct.status == 2)
    try engine.release("slow")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    #expect(try await engine.repository.state(of: "alpha") == "absent")
  }

  @Test func `a foreign run while a job is paused is seen before the job goes on`() async throws {
    let engine = try await EngineUnderTest([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
      PackageFixture("q3", fields: ["Pre-Depends": "q2"]),
    ])
    try await engine.fettle("install", "q3")
    try await engine.waitUntilHeld("p1")
    #expect(try await engine.fettle("pause", "1").status == 0)
    try engine.release("p1")
    try await engine.wait(for: 1, "suspended")
    try await engine.repository.apt("install", "q2").expectSuccess("the foreign apt-get")
    #expect(try await engine.fettle("resume", "1").status == 0)
    try await engine.wait(for: 1, "completed")
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 2, "\(job)")
    #expect(try await engine.repository.state(of: "q3") == "installed 1.0")
    // What somebody else has done meanwhile was not done once more.
    let log = try await engine.fettle("log", "1").output
    #expect(log.contains("Setting up q3") && !log.contains("Setting up q2"), "\(log)")
  }

  @Test func `a foreign run that undoes what a paused job stands on ends it with that reason`()
    async throws
  {
    let engine = try await EngineUnderTest([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ])
    try await engine.fettle("install", "q2")
    try await engine.waitUntilHeld("p1")
    #expect(try await engine.fettle("pause", "1").status == 0)
    try engine.release("p1")
    try await engine.wait(for: 1, "suspended")
    try await engine.repository.apt("purge", "p1").expectSuccess("the foreign apt-get")
    #expect(try await engine.fettle("resume", "1").status == 0)
    try await engine.wait(for: 1, "completed")
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 4, "\(job)")
    #expect(job["error"]?["code"] == "planOutOfDate", "\(job)")
    #expect(try await engine.repository.state(of: "q2") == "absent")
  }
}
