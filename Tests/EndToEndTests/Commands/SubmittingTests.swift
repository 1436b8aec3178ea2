import FoundationEssentials
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Submitting from the command line` {
  @Test func `each verb prints its job's number, does its work and exits 0`() async throws {
    let engine = try await EngineUnderTest()
    let first = try await engine.fettle("install", "alpha=1.0", "--wait")
    #expect(first.status == 0)
    #expect(first.output == "1\n")
    #expect(first.errors.isEmpty)
    #expect(try await engine.repository.state(of: "alpha") == "installed 1.0")
    let steps: [(arguments: [String], state: String)] = [
      (["upgrade", "alpha"], "installed 2.0"), (["reinstall", "alpha"], "installed 2.0"),
      (["remove", "alpha"], "absent"), (["install", "alpha:all"], "installed 2.0"),
      (["purge", "alpha"], "absent"),
    ]
    for (index, step) in steps.enumerated() {
      let answer = try await engine.fettle(step.arguments + ["--wait"])
      #expect(answer.status == 0, "\(step.arguments): \(answer)")
      #expect(answer.output == "\(index + 2)\n")
      #expect(try await engine.repository.state(of: "alpha") == step.state, "\(step.arguments)")
    }
    #expect(try await engine.repository.audit() == "")
  }

  @Test func `on a terminal a person is told where the job is`() async throws {
    let engine = try await EngineUnderTest()
    let screen = PseudoTerminal()
    var environment = engine.environment
    environment["TERM"] = "xterm-256color"
    let program = TerminalProgram(
      EngineUnderTest.path("fettle"), ["install", "alpha", "--socket", engine.socket], on: screen,
      environment: environment)
    #expect(await program.end() == .exit(0))
    await screen.wait {
      String(decoding: $0, as: UTF8.self).contains("job 1 is in the queue")
    }
  }

  @Test func `what a job ahead takes away is installed again by the next one`()
    async throws
  {
    let engine = try await EngineUnderTest([.held("holder"), PackageFixture("alpha")])
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("install", "holder")
    try await engine.waitUntilHeld("holder")
    try await engine.fettle("remove", "alpha")
    try await engine.fettle("install", "alpha", "holder")
    try engine.release("holder")
    try await engine.wait(for: 4, "completed")
    #expect(try await engine.job(4)["resultCode"] == 2)
    #expect(try await engine.repository.state(of: "alpha") == "installed 1.0")
  }

  @Test func `remove keeps configuration files, purge takes them`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "conf", "--wait")
    try await engine.fettle("remove", "conf", "--wait")
    #expect(try await engine.repository.state(of: "conf") == "config-files 2.0")
    #expect(TestFolder.exists(engine.root + "/etc/conf.ini"))
    try await engine.fettle("purge", "conf", "--wait")
    #expect(!TestFolder.exists(engine.root + "/etc/conf.ini"))
  }

  @Test(arguments: [("keep", "mine\n"), ("new", "version = 2.0\n")])
  func `a changed configuration file goes by --conffiles`(policy: String, content: String)
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "conf=1.0", "--wait")
    try TestFolder.write("mine\n", to: engine.root + "/etc/conf.ini")
    #expect(try await engine.fettle("upgrade", "--wait", "--conffiles", policy).status == 0)
    #expect(try await engine.repository.state(of: "conf") == "installed 2.0")
    #expect(TestFolder.text(of: engine.root + "/etc/conf.ini") == content)
  }

  @Test func `upgrade without a name upgrades everything`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha=1.0", "conf=1.0", "--wait")
    #expect(try await engine.fettle("upgrade", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "alpha") == "installed 2.0")
    #expect(try await engine.repository.state(of: "conf") == "installed 2.0")
    let again = try await engine.fettle("upgrade", "--follow")
    #expect(again.status == 0)
    #expect(again.output.contains("nothing"), "\(again)")
  }

  @Test func `a plan right after a job is made from what the job has left`() async throws {
    let engine = try await EngineUnderTest()
    for _ in 1...3 {
      try await engine.fettle("install", "alpha=1.0", "--wait")
      let plan = try await engine.fettle("plan", "upgrade", "--json").json
      #expect(plan["plan"]?[0]?["fromVersion"] == "1.0")
      try await engine.fettle("upgrade", "--wait")
      #expect(try await engine.fettle("plan", "upgrade", "--json").json["plan"] == .array([]))
      try await engine.fettle("remove", "alpha", "--wait")
    }
  }

  @Test func `a local archive is installed, with what it needs from the index`() async throws {
    let engine = try await EngineUnderTest()
    let archive = engine.repository.archive("omega")
    let answer = try await engine.fettle("install", archive, "--follow")
    #expect(answer.status == 0, "\(answer)")
    #expect(try await engine.repository.state(of: "omega") == "installed 1.0")
    #expect(try await engine.repository.state(of: "alpha") == "installed 2.0")
    let job = try await engine.job(1)
    #expect(job["plan"]?.elements.map { $0["name"]?.string } == ["alpha", "omega"])
    #expect(job["updates"]?[0]?["origin"] == "local file")
  }

  @Test func `local archives are divided as others are: a stop is as near as was asked for`()
    async throws
  {
    let names = ["s1", "s2", "s3"]
    let engine = try await EngineUnderTest(names.map { PackageFixture.held($0) })
    let archives = names.map { engine.repository.archive($0) }
    try await engine.fettle(["install", "--stop-within", "0"] + archives)
    try await engine.waitUntilHeld("s1")
    try await engine.wait(for: 1, "installing")
    let abort = try await engine.fettle("abort", "1")
    #expect(abort.output.hasPrefix("job 1: stops after s1,"), "\(abort)")
    for name in names { try engine.release(name) }
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.repository.state(of: "s1") == "installed 1.0")
    #expect(try await engine.repository.state(of: "s2") == "absent")
  }

  @Test func `--plan and plan show the same and submit nothing`() async throws {
    let engine = try await EngineUnderTest()
    let before = try await engine.record()
    let text = try await engine.fettle("plan", "install", "app", "delta")
    #expect(text.status == 0)
    for word in ["app", "lib", "delta", "3 packages"] { #expect(text.output.contains(word)) }
    #expect(try await engine.fettle("install", "app", "delta", "--plan").output == text.output)
    let json = try await engine.fettle("plan", "install", "app", "--json").json
    #expect(json["id"] == nil)
    for name in ["submittedAt", "startedAt", "endedAt", "lastActivityAt"] {
      #expect(json[name] == JSONValue.null, "\(name)")
    }
    #expect(json["plan"]?[0]?["security"] == false)
    #expect(json["operation"] == "install")
    #expect(json["updates"]?.elements.map { $0["name"]?.string } == ["app"])
    #expect(json["plan"]?.elements.map { $0["name"]?.string } == ["lib", "app"])
    #expect(json["plan"]?.elements.map { $0["requested"] } == [.bool(false), .bool(true)])
    #expect(try await engine.record() == before)
  }

  @Test(arguments: ["remove", "purge", "reinstall", "upgrade"])
  func `every verb can be planned`(verb: String) async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha=1.0", "--wait")
    // The archive of 1.0 stays on offer, so a reinstall has a source.
    let plan = try await engine.fettle("plan", verb, "alpha", "--json")
    #expect(plan.status == 0, "\(plan)")
    let action = try plan.json["plan"]?[0]?["action"]
    #expect(action == .string(verb))
    #expect(try await engine.fettle("jobs", "--json").json.elements.count == 1)
  }

  @Test func `the same token gives the same job, also after its end`() async throws {
    let engine = try await EngineUnderTest()
    let first = try await engine.fettle("install", "alpha", "--token", "t-1", "--wait").id
    #expect(try await engine.fettle("install", "alpha", "--token", "t-1").id == first)
    #expect(try await engine.fettle("install", "beta", "--token", "t-2").id != first)
    #expect(try await engine.fettle("jobs", "--json").json.elements.count == 2)
  }

  @Test func `twenty people at once get a job each, all done`() async throws {
    let fixtures = (1...20).map { PackageFixture("p\($0)") }
    let engine = try await EngineUnderTest(fixtures)
    let ids = try await withThrowingTaskGroup(of: Int.self) { group in
      for fixture in fixtures {
        group.addTask {
          let answer = try await engine.fettle("install", fixture.name, "--wait")
          #expect(answer.status == 0, "\(answer)")
          return try answer.id
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(ids == Set(1...20))
    for fixture in fixtures {
      #expect(try await engine.repository.state(of: fixture.name) == "installed 1.0")
    }
    expectGapFree(try await engine.events())
  }

  @Test func `priority, --after and --not-before order the queue; --when-busy fail exits 8`()
    async throws
  {
    let engine = try await EngineUnderTest(PackageFixture.standard() + [.held("held")])
    #expect(try await engine.fettle("install", "held").id == 1)
    try await engine.waitUntilHeld("held")
    let busy = try await engine.fettle("install", "beta", "--when-busy", "fail")
    #expect(busy.status == 8)
    #expect(busy.errors.hasPrefix("fettle: "))
    #expect(busy.errors.contains("1"))
    _ = try await engine.fettle("install", "alpha", "--comment", "why not").id
    _ = try await engine.fettle("install", "beta", "--priority", "50").id
    _ = try await engine.fettle("install", "gamma", "--priority", "99", "--after", "2").id
    _ = try await engine.fettle(
      "install", "delta", "--priority", "100", "--not-before", "2199-01-01T00:00:00Z"
    ).id
    #expect(try await engine.job(2)["comment"] == "why not")
    #expect(try await engine.job(2)["queuePosition"]?.double != nil)
    #expect(try await engine.job(4)["waitingFor"]?["job"] == 2)
    #expect(try await engine.job(5)["waitingFor"]?["kind"] == "time")
    try engine.release("held")
    try await engine.wait(for: 4, "completed")
    let starts = try await [3, 2, 4].asyncMap {
      try await engine.job($0)["startedAt"]?.string ?? ""
    }
    #expect(starts == starts.sorted())
    #expect(try await engine.job(5)["state"] == "queued")
  }

  @Test func `--stop-by asks for an abort at its time`() async throws {
    let chain: [PackageFixture] = [
      .held("one"), PackageFixture("two", fields: ["Depends": "one"]),
    ]
    let engine = try await EngineUnderTest(chain)
    let soon = Date.now.addingTimeInterval(4).formatted(.iso8601)
    let job = try await engine.fettle("install", "two", "--stop-by", soon).id
    try await eventually("the abort at its time") {
      try await engine.job(job)["abort"]?["disposition"] == "accepted"
    }
    try engine.release("one")
    try await engine.wait(for: job, "completed")
    #expect(try await engine.job(job)["abort"]?["disposition"] == "accepted")
    #expect(try await engine.job(job)["resultCode"] == 5)
    #expect(try await engine.repository.state(of: "two") == "absent")
  }
}

extension Array {
  func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
