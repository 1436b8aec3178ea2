import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `What the package database says` {
  @Test func `a failing script is exit 3 beside what succeeded, with script and status`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let answer = try await engine.fettle("install", "alpha", "bad", "--follow")
    #expect(answer.status == 3)
    #expect(answer.output.contains("package=bad result=failed"))
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 3)
    let bad = try #require(job["plan"]?.elements.first { $0["name"] == "bad" })
    #expect(bad["resultCode"] == 4)
    #expect(bad["error"]?["code"] == "packageFailed")
    #expect(bad["error"]?["class"] == "needsHuman")
    #expect(bad["error"]?["update"] == "bad")
    #expect(bad["error"]?["detail"]?.string?.contains("exit status 3") == true)
    #expect(bad["error"]?["detail"]?.string?.contains("post-installation") == true)
    #expect(try await engine.repository.state(of: "alpha") == "installed 2.0")
  }

  @Test(arguments: [("bad", "3"), ("badpre", "4")])
  func `a job of nothing but failures is exit 1`(name: String, status: String) async throws {
    let engine = try await EngineUnderTest()
    let answer = try await engine.fettle("install", name, "--wait")
    #expect(answer.status == 1)
    let job = try await engine.job(1)
    #expect(job["resultCode"] == 4)
    #expect(job["error"]?["code"] == "packageFailed", "\(job["error"] ?? .null)")
    #expect(job["error"]?["update"] == .string(name))
    #expect(job["error"]?["message"]?.string?.contains(name) == true)
    #expect(job["error"]?["detail"]?.string?.contains("exit status \(status)") == true)
    #expect(job["error"]?.names.isSuperset(of: ["hint", "class", "detail"]) == true)
  }

  @Test func `a removal whose script fails is exit 1 and the package is still there`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "badrm", "--wait")
    #expect(try await engine.fettle("remove", "badrm", "--wait").status == 1)
    #expect(try await engine.job(2)["error"]?["detail"]?.string?.contains("exit status 5") == true)
    #expect(try await engine.repository.state(of: "badrm") == "installed 1.0")
  }

  @Test(arguments: [["alpha"], ["alpha", "zeta"]])
  func `D16: what was there when it was planned and is gone at its turn is no success`(
    names: [String]
  ) async throws {
    let engine = try await EngineUnderTest([
      .held("holder"), PackageFixture("alpha"), PackageFixture("zeta"),
    ])
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("install", "holder")
    try await engine.waitUntilHeld("holder")
    try await engine.fettle(["install"] + names)
    // It goes before what was planned without it.
    try await engine.fettle("remove", "alpha")
    try await engine.fettle("move", "4", "--first")
    try engine.release("holder")
    try await engine.wait(for: 3, "completed")
    #expect(try await engine.repository.state(of: "alpha") == "absent")
    let job = try await engine.job(3)
    #expect(job["resultCode"] == 4)
    #expect(job["error"]?["code"] == "planOutOfDate", "\(job["error"] ?? .null)")
    #expect(job["error"]?["message"]?.string?.contains("alpha was there already") == true)
    // Planned anew, it does what was asked for.
    try await engine.fettle("retry", "3", "--wait")
    #expect(try await engine.repository.state(of: "alpha") == "installed 1.0")
  }

  @Test func `D17: what was not there when it was planned and is there at its turn is no success`()
    async throws
  {
    let engine = try await EngineUnderTest([.held("holder"), PackageFixture("alpha")])
    try await engine.fettle("install", "holder")
    try await engine.waitUntilHeld("holder")
    try await engine.fettle("remove", "alpha")
    try await engine.fettle("install", "alpha")
    try await engine.fettle("move", "3", "--first")
    try engine.release("holder")
    try await engine.wait(for: 2, "completed")
    let job = try await engine.job(2)
    #expect(job["resultCode"] == 4)
    #expect(job["error"]?["message"]?.string?.contains("is there now") == true)
  }

  @Test func `triggers are run, and the job is over only after them`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "watcher", "--wait")
    #expect(try await engine.fettle("install", "poker", "--wait").status == 0)
    #expect(TestFolder.text(of: engine.root + "/watched") == "configure\ntriggered\n")
    #expect(try await engine.repository.state(of: "poker") == "installed 1.0")
    #expect(try await engine.repository.audit() == "")
  }

  @Test func `both architectures of a package are installed and removed by name`() async throws {
    let engine = try await EngineUnderTest(isMultiarch: true)
    let foreign = engine.repository.foreignArchitecture
    let both = try await engine.fettle("install", "twin", "twin:\(foreign)", "--wait")
    #expect(both.status == 0, "\(both)")
    let job = try await engine.job(1)
    let architectures = Set(job["plan"]?.elements.compactMap { $0["architecture"]?.string } ?? [])
    #expect(architectures == [engine.repository.architecture, foreign])
    #expect(job["plan"]?.elements.map { $0["resultCode"] } == [2, 2])
    #expect(try await engine.fettle("remove", "twin:\(foreign)", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "twin:\(foreign)") == "absent")
    #expect(
      try await engine.repository.state(of: "twin:\(engine.repository.architecture)")
        == "installed 1.0")
  }

  @Test func `an archive that is not what the index says is refused before dpkg sees it`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let answer = try await engine.fettle("install", "wrong", "--wait")
    #expect(answer.status == 1)
    let error = try #require(try await engine.job(1)["error"])
    #expect(error["code"] == "hashMismatch")
    #expect(error["message"]?.string?.contains("wrong") == true)
    #expect(try await engine.repository.state(of: "wrong") == "absent")
    #expect(try await engine.repository.audit() == "")
  }

  @Test func `an archive cut off in the repository is a failed job that names it`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try engine.repository.damage(engine.repository.archive("delta"))
    let answer = try await engine.fettle("install", "delta", "--wait")
    #expect(answer.status == 1)
    let error = try #require(try await engine.job(1)["error"])
    #expect(error["message"]?.string?.contains("delta") == true)
    #expect(try await engine.repository.state(of: "delta") == "absent")
  }

  @Test func `a file conflict between packages is told with both names`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    #expect(try await engine.fettle("install", "fc", "--wait").status == 1)
    let error = try #require(try await engine.job(2)["error"])
    #expect(error["update"] == "fc")
    #expect(error["detail"]?.string?.contains("alpha") == true, "\(error)")
  }
}
