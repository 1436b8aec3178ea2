import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Aborting real work` {
  private static let chain: [PackageFixture] = [
    .held("one"), PackageFixture("two", fields: ["Depends": "one"]),
    PackageFixture("three", fields: ["Depends": "two"]),
  ]

  @Test func `B17: an abort stops exactly after the named package and says so in JSON`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    let follow = try engine.follow("install", "three", "--follow")
    try await engine.waitUntilHeld("one")
    let answer = try await engine.fettle("abort", "1", "--json")
    #expect(answer.status == 0)
    let abort = try #require(try answer.json[0])
    #expect(abort["job"] == 1)
    #expect(abort["abort"]?["disposition"] == "accepted")
    #expect(abort["abort"]?["stopsAfter"] == "one")
    let stopping = try await engine.job(1)
    #expect(stopping["state"] == "stopping")
    #expect(stopping["abort"]?["stopsAfter"] == "one")
    #expect(stopping["abort"]?["acknowledgedAt"] != nil)
    #expect(stopping["abort"]?["requestedBy"]?["uid"] == .number(Double(TestUser.id)))
    try engine.release("one")
    #expect(try await follow.status() == 4)
    #expect(try await engine.repository.state(of: "one") == "installed 1.0")
    for name in ["two", "three"] {
      #expect(try await engine.repository.state(of: name) == "absent")
    }
    #expect(try await engine.repository.audit() == "")
    let job = try await engine.job(1)
    #expect(job["state"] == "completed")
    #expect(job["resultCode"] == 5)
    #expect(job["plan"]?.elements.map { $0["resultCode"]?.double } == [2, 0, 0])
    let phases = job["plan"]?.elements.compactMap { $0["phase"]?.string } ?? []
    #expect(phases.first == "done")
    #expect(Set(["pending", "downloaded"]).isSuperset(of: phases.dropFirst()))
    #expect(follow.output.contains("stops-after=one"))
    // Nothing is in the way of the next job.
    #expect(try await engine.fettle("install", "three", "--wait").status == 0)
  }

  @Test func `the text of an answer says where it stops; a job that is over is over`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "three")
    try await engine.waitUntilHeld("one")
    try await engine.fettle("install", "two")
    let queued = try await engine.fettle("abort", "2")
    #expect(queued.status == 0)
    #expect(queued.output == "job 2: stops at once, no package was begun\n")
    try await engine.fettle("install", "three")
    let several = try await engine.fettle("abort", "99", "3")
    #expect(several.status == 64)
    #expect(several.output == "job 3: stops at once, no package was begun\n")
    #expect(several.errors.contains("fettle: there is no job 99"), "\(several)")
    #expect(try await engine.job(2)["resultCode"] == 5)
    let answer = try await engine.fettle("abort", "1")
    #expect(answer.output.hasPrefix("job 1: stops after one"))
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    let late = try await engine.fettle("abort", "1")
    #expect(late.status == 0)
    #expect(late.output == "job 1: was over already, nothing was changed\n")
    let json = try await engine.fettle("abort", "1", "--json").json
    #expect(json[0]?["abort"]?["disposition"] == "alreadyCompleted")
  }

  @Test func `B18: an abort in the last package is refused, exit 7, and the job succeeds`()
    async throws
  {
    let engine = try await EngineUnderTest([.held("last")])
    let follow = try engine.follow("install", "last", "--wait")
    try await engine.waitUntilHeld("last")
    let answer = try await engine.fettle("abort", "1")
    #expect(answer.status == 7)
    #expect(answer.output.contains("last is the last step"))
    let json = try await engine.fettle("abort", "1", "--json")
    #expect(json.status == 7)
    #expect(try json.json[0]?["abort"]?["disposition"] == "refused")
    #expect(try json.json[0]?["abort"]?["reason"]?.string?.contains("last") == true)
    try engine.release("last")
    #expect(try await follow.status() == 0)
    #expect(try await engine.repository.state(of: "last") == "installed 1.0")
  }

  @Test func `an abort that is withdrawn in time lets the whole job be done`() async throws {
    let engine = try await EngineUnderTest(Self.chain)
    let follow = try engine.follow("install", "three", "--wait")
    try await engine.waitUntilHeld("one")
    #expect(try await engine.fettle("abort", "1").status == 0)
    let withdrawn = try await engine.fettle("abort", "1", "--withdraw")
    #expect(withdrawn.status == 0, "\(withdrawn)")
    #expect(try await engine.job(1)["abort"] == JSONValue.null)
    try engine.release("one")
    #expect(try await follow.status() == 0)
    #expect(try await engine.repository.state(of: "three") == "installed 1.0")
    let late = try await engine.fettle("abort", "1", "--withdraw")
    #expect(late.status == 7)
    #expect(late.errors.contains("job 1 is over"))
  }

  @Test func `B28: a paused job stops between packages and goes on when resumed`() async throws {
    let engine = try await EngineUnderTest(Self.chain)
    let follow = try engine.follow("install", "three", "--wait")
    try await engine.waitUntilHeld("one")
    #expect(try await engine.fettle("pause", "1").status == 0)
    try engine.release("one")
    try await engine.wait(for: 1, "suspended")
    #expect(try await engine.repository.state(of: "one") == "installed 1.0")
    #expect(try await engine.repository.state(of: "two") == "absent")
    #expect(try await engine.repository.audit() == "")
    #expect(try await engine.fettle("resume", "1").status == 0)
    #expect(try await follow.status() == 0)
    #expect(try await engine.repository.state(of: "three") == "installed 1.0")
    let over = try await engine.fettle("resume", "1")
    #expect(over.status == 7)
    #expect(over.errors.contains("job 1"))
  }

  @Test(arguments: ["remove", "purge"])
  func `an abort of a removal is refused once dpkg has the whole list, which is then done`(
    verb: String
  ) async throws {
    let script = """
      [ "$1" = remove ] || exit 0
      : > "$DPKG_ROOT/at-three"
      n=0
      while [ ! -e "$DPKG_ROOT/go-three" ]; do
        n=$((n + 1))
        [ $n -lt 1200 ] || exit 9
        sleep 0.05
      done
      """
    let engine = try await EngineUnderTest([
      PackageFixture(
        "one", files: [.init("etc/one.ini", "1\n")], conffiles: ["/etc/one.ini"]),
      PackageFixture("two", fields: ["Depends": "one"]),
      PackageFixture(
        "three", fields: ["Depends": "two"], files: [.init("etc/three.ini", "3\n")],
        conffiles: ["/etc/three.ini"], scripts: [.prerm: script]),
    ])
    try await engine.fettle("install", "three", "--wait")
    let follow = try engine.follow(verb, "one", "two", "three", "--wait")
    try await engine.waitUntilHeld("three")
    // The script may run before the engine has read what dpkg said of it.
    try await eventually("three at work") {
      try await engine.job(2)["currentUpdateIndex"] == 2
    }
    let answer = try await engine.fettle("abort", "2", "--json").json
    // apt hands all of it to one call of dpkg: there is no boundary after this one.
    #expect(answer[0]?["abort"]?["disposition"] == "refused")
    let reason = answer[0]?["abort"]?["reason"]?.string
    #expect(reason == "three is running, and what comes after it cannot be left out")
    try engine.release("three")
    #expect(try await follow.status() == 0)
    for name in ["two", "one"] {
      #expect(try await engine.repository.state(of: name) != "installed 1.0")
    }
    #expect(TestFolder.exists(engine.root + "/etc/three.ini") == (verb == "remove"))
    #expect(try await engine.repository.audit() == "")
  }

  @Test func `a paused job is still paused for an engine started anew, and can be aborted`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.chain)
    try await engine.fettle("install", "three")
    try await engine.waitUntilHeld("one")
    try await engine.fettle("pause", "1")
    try engine.release("one")
    try await engine.wait(for: 1, "suspended")
    try await engine.kill()
    try await engine.start()
    #expect(try await engine.job(1)["state"] == "suspended")
    #expect(try await engine.fettle("abort", "1").status == 0)
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 5)
    #expect(try await engine.repository.state(of: "two") == "absent")
  }
}
