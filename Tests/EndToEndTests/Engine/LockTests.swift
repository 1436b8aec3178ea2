import Glibc
import Support
import Testing

/// A foreign apt that holds the package lock: shown everywhere, waited for, never touched.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
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

  @Test func `a worker that dies while it waits is missed at once, and the next job waits on`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha"), PackageFixture("beta")])
    let (holder, end) = try await engine.foreignHolder("keeper")
    try await engine.fettle("install", "alpha")
    try await engine.fettle("install", "beta")
    try await engine.wait(for: 1, "waitingForLock")
    let started = try #require(TestFolder.text(of: engine.state + "/jobs/1/started"))
    let pid = try #require(try JSONValue(started)["pid"]?.double)
    kill(pid_t(pid), SIGKILL)
    // The lock is still held: nothing of this job is left that could let go of it.
    try await engine.wait(for: 1, "interrupted")
    try await engine.wait(for: 2, "waitingForLock")
    try TestFolder.write("", to: end)
    _ = try await holder.status()
    try await engine.wait(for: 2, "completed")
    #expect(try await engine.job(2)["resultCode"] == 2)
  }

  @Test func `what it does is told while it is waited for, and no apt is asked to yield`()
    async throws
  {
    let engine = try await EngineUnderTest([.held("slow"), PackageFixture("alpha")])
    let log = engine.root + "/var/log/dpkg.log"
    async let foreign = engine.repository.apt("install", "slow")
    try await engine.waitUntilHeld("slow")
    try await engine.fettle("install", "alpha")
    try await engine.wait(for: 1, "waitingForLock")
    // What was before the wait may be another run's.
    #expect(try await engine.job(1)["activity"] == .null)
    let before = TestFolder.text(of: log) ?? ""
    try TestFolder.write(
      before + """
        2026-01-01 10:00:01 startup packages configure
        2026-01-01 10:00:01 status half-configured first:all 1.0
        2026-01-01 10:00:01 status installed first:all 1.0
        2026-01-01 10:00:02 trigproc triggered:all 1.0 <none>
        2026-01-01 10:00:02 status half-configured triggered:all 1.0
        2026-01-01 10:00:02 status installed triggered:all 1.0
        2026-01-01 10:00:02 configure se\u{1b}[2Jcond:all 1.0 <none>
        2026-01-01 10:00:02 status half-configured se\u{1b}[2Jcond:all 1.0

        """, to: log)
    try await eventually("what the holder does", within: .seconds(120)) {
      guard let words = try await engine.job(1)["activity"]?.string else { return false }
      #expect(words == "configures se [2Jcond, 1 package done")
      return true
    }
    #expect(
      try await engine.fettle("show", "1").output.contains("which configures se"))
    let asked = try await engine.fettle("yield")
    #expect(asked.status == 7, "\(asked)")
    #expect(asked.errors.contains("cannot be asked to yield"), "\(asked)")
    try engine.release("slow")
    try await foreign.expectSuccess("the foreign apt-get, which nobody signalled")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    #expect(try await engine.job(1)["activity"] == .null)
  }

  @Test func `while a job waits for it, status and doctor name the holder as the list does`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    let (foreign, end) = try await engine.foreignHolder("holder")
    try await engine.fettle("install", "alpha")
    try await engine.wait(for: 1, "waitingForLock")
    let held = "held by holder (pid \(foreign.pid)); job 1 waits"
    #expect(try await engine.fettle("status").output.contains(held))
    let lock = try await engine.fettle("status", "--json").json["lock"]
    #expect(lock?["pid"]?.double == Double(foreign.pid), "\(String(describing: lock))")
    let doctor = try await engine.fettle("doctor")
    #expect(doctor.status == 0 && doctor.output.contains("attention  lock      \(held)\n"))
    try TestFolder.write("", to: end)
    #expect(try await foreign.status() == 0)
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.fettle("status", "--json").json["lock"] == .null)
  }

  @Test func `unattended-upgrades is asked to yield, and ends after what it is at`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    // As the real one: SIGTERM is noted, and looked at after the packages that it is at.
    let (foreign, whole) = try await engine.foreignHolder(
      "unattended-upgrade", notesTermination: true)
    let holder = try await engine.fettle("status", "--json").json["lock"]
    #expect(holder?["canYield"] == true && holder?["pid"]?.double == Double(foreign.pid))
    try await engine.fettle("install", "alpha")
    try await engine.wait(for: 1, "waitingForLock")
    #expect(try await engine.fettle("show", "1").output.contains("it yields when asked"))
    let asked = try await engine.fettle("yield")
    #expect(asked.status == 0, "\(asked)")
    #expect(asked.output.contains("asked unattended-upgr (pid \(foreign.pid)) to yield"))
    // It is at something, and nobody kills it.
    #expect(kill(foreign.pid, 0) == 0 || errno == EPERM)
    #expect(try await engine.job(1)["state"] == "waitingForLock")
    try TestFolder.write("", to: whole)
    #expect(try await foreign.status() == 0)
    #expect(foreign.lines == ["held", "asked"])
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    let late = try await engine.fettle("yield")
    #expect(late.status == 7 && late.errors.contains("nobody else holds"), "\(late)")
  }

  @Test func `a program of that name that SIGTERM would kill is left alone`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    // As the real one before it has set up its handler.
    let (foreign, whole) = try await engine.foreignHolder("unattended-upgrade")
    let holder = try await engine.fettle("status", "--json").json["lock"]
    #expect(holder?["canYield"] != true && holder?["pid"]?.double == Double(foreign.pid))
    let asked = try await engine.fettle("yield")
    #expect(asked.status == 7, "\(asked)")
    let words = "(pid \(foreign.pid)) holds the package lock and would be ended by it"
    #expect(asked.errors.contains(words), "\(asked)")
    try TestFolder.write("", to: whole)
    #expect(try await foreign.status() == 0)
    #expect(foreign.lines == ["held", "not asked"])
  }

  @Test func `a job that waits for dpkg alone is not asked to yield to itself`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    // As a dpkg whose front end was killed: it has its own lock alone.
    let (foreign, whole) = try await engine.foreignHolder("orphan", of: "lock")
    try await engine.fettle("install", "alpha")
    try await engine.wait(for: 1, "waitingForLock")
    let lock = try await engine.fettle("status", "--json").json["lock"]
    #expect(lock?["pid"]?.double == Double(foreign.pid), "\(String(describing: lock))")
    let asked = try await engine.fettle("yield")
    #expect(asked.status == 7, "\(asked)")
    #expect(asked.errors.contains("job 1 has the package lock"), "\(asked)")
    let reason = "waits for orphan (pid \(foreign.pid)), which cannot be asked"
    #expect(asked.errors.contains(reason), "\(asked)")
    try TestFolder.write("", to: whole)
    #expect(try await foreign.status() == 0)
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `E11: while a job works a foreign apt is kept out, and told by whom`()
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

  @Test func `B28: a hold that is not reached yet is taken back, and the job goes on to its end`()
    async throws
  {
    let engine = try await EngineUnderTest([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ])
    try await engine.fettle("install", "q2")
    try await engine.waitUntilHeld("p1")
    #expect(try await engine.fettle("pause", "1").output.contains("will pause after p1"))
    #expect(try await engine.fettle("resume", "1").output == "job 1: resumed\n")
    #expect(try await engine.job(1)["waitingFor"] == .null)
    try engine.release("p1")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    #expect(try await engine.repository.state(of: "q2") == "installed 1.0")
    let states = try await engine.events().compactMap { $0["change"]?["state"]?.string }
    #expect(!states.contains("suspended"), "\(states)")
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
