import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Retry and history from the command line` {
  @Test func `retry is a new job with only what did not succeed`() async throws {
    let flag = "test -e \"$DPKG_ROOT/go\" || exit 3"
    let engine = try await EngineUnderTest([
      PackageFixture("good"), PackageFixture("other"),
      PackageFixture("base", scripts: [.preinst: flag]),
      PackageFixture("top", fields: ["Pre-Depends": "base"]),
    ])
    #expect(try await engine.fettle("install", "good", "--wait").status == 0)
    let first = try await engine.fettle(
      "install", "good", "top", "--wait", "--comment", "why", "--token", "once")
    #expect(first.status != 0)
    try TestFolder.write("", to: engine.root + "/go")
    let plan = try await engine.fettle("retry", "2", "--plan", "--json").json
    #expect(plan["updates"]?.elements.map { $0["name"]?.string } == ["top", "base"])
    #expect(try await engine.fettle("jobs", "--json").json.elements.count == 2)
    let answer = try await engine.fettle("retry", "2", "--wait", "--json")
    #expect(answer.status == 0, "\(answer)")
    let job = try await engine.job(3)
    #expect(try answer.json == job)
    #expect(job["comment"] == "retry of 2")
    #expect(job["updates"]?.elements.map { $0["name"]?.string } == ["top", "base"])
    #expect(job["plan"]?.elements.map { $0["name"]?.string } == ["base", "top"])
    #expect(try await engine.repository.state(of: "top") == "installed 1.0")
    let again = try await engine.fettle("retry", "2")
    #expect(again.status == 7)
    #expect(
      again.errors
        == "fettle: cannot retry job 2 again: it was retried as job 3, which succeeded"
        + " ('fettle show 3' lists what it did)\n")
    #expect(try await engine.fettle("jobs", "--all", "--json").json.elements.count == 3)
  }

  @Test func `retry is refused with the reason, and changes nothing`() async throws {
    let engine = try await EngineUnderTest(PackageFixture.standard() + [.held("held")])
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    let done = try await engine.fettle("retry", "1")
    #expect(done.status == 7)
    #expect(done.errors.contains("cannot retry job 1: everything it was asked for is done"))
    let working = try await engine.fettle("retry", "2", "--json")
    #expect(working.status == 7)
    #expect(try working.json["error"]?["code"] == "invalidState")
    #expect(try await engine.fettle("retry", "77").status == 64)
    #expect(try await engine.fettle("jobs", "--json").json.elements.count == 2)
    try engine.release("held")
    try await engine.wait(for: 2, "completed")
  }

  @Test func `history is what is over, newest first, filtered`() async throws {
    let engine = try await EngineUnderTest()
    #expect(try await engine.fettle("history", "--json").output == "[]\n")
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("cleanup", "1")
    try await engine.fettle("install", "badpre", "--wait")
    try await engine.fettle("install", "app", "--wait")
    func ids(_ arguments: String...) async throws -> [Double?] {
      try await engine.fettle(["history", "--json"] + arguments).json.elements.map {
        $0["id"]?.double
      }
    }
    #expect(try await ids() == [3, 2, 1])
    #expect(try await ids("--limit", "2") == [3, 2])
    #expect(try await ids("--package", "lib") == [3])
    #expect(try await ids("--result", "failed,aborted") == [2])
    #expect(try await ids("--result", "interrupted") == [])
    #expect(try await ids("--result", "succeeded, succeeded with errors") == [3, 1])
    #expect(try await ids("--result", "succeededWithErrors,done") == [3, 1])
    #expect(try await ids("--user", "nobody-at-all") == [])
    let ended = try #require(try await engine.job(2)["endedAt"]?.string)
    #expect(try await ids("--since", ended) == [3, 2])
    #expect(try await ids("--since", "yesterday") == [3, 2, 1])
    #expect(try await ids("--since", "9999-12-30") == [])
    #expect(try await engine.fettle("history", "--json").json[0] == engine.job(3))
    let text = try await engine.fettle("history").output.split(separator: "\n")
    #expect(text.count == 4)
    #expect(text[0].contains("ENDED") && text[0].contains("RESULT"))
    #expect(text[1].contains("succeeded") && text[1].contains("app 1.0, 2 packages in all"))
    #expect(text[2].contains("failed") && text[2].contains("badpre"))
    let unread = try await engine.fettle("history", "--since", "2h ago")
    let unknown = try await engine.fettle("history", "--result", "fine").errors
    #expect(unknown.contains("succeeded, 'succeeded with errors', failed, aborted, interrupted"))
    #expect(unread.status == 64 && unread.errors.contains("like 2026-01-31T18:30:00+01:00"))
    for wrong in [["--result", "fine"], ["--limit", "0"], ["--since", "tuesday"]] {
      let answer = try await engine.fettle(["history"] + wrong)
      #expect(answer.status == 64, "\(answer)")
      #expect(answer.errors.contains(wrong[1]) || answer.errors.contains(wrong[0]))
    }
  }

  @Test func `updates is what could be upgraded, and an index that is fetched first`() async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha", "1.0")])
    try await engine.fettle("install", "alpha", "--wait")
    let none = try await engine.fettle("updates")
    #expect(none.status == 0 && none.output == "everything is as new as the index knows it\n")
    try await engine.repository.publish([PackageFixture("alpha", "2.0")])
    let json = try await engine.fettle("updates", "--refresh", "--json").json
    #expect(json.elements.map { $0["name"]?.string } == ["alpha"])
    #expect(json[0]?["toVersion"] == "2.0")
    let text = try await engine.fettle("updates").output
    #expect(text.contains("alpha") && text.contains("2.0") && text.contains("1 package can be"))
    let alone = engine.folder.path("alone")
    try TestFolder.makeFolder(alone)
    // The engine does it: nothing else than fettle is needed beside it.
    let copy = try await engine.repository.run(
      ["/bin/cp", EngineUnderTest.path("fettle"), alone + "/fettle"])
    #expect(copy.status == 0, "\(copy.errors)")
    let program = try engine.launch(alone + "/fettle", ["updates", "--refresh"])
    #expect(try await program.status() == 0, "\(program.errors)")
    try await engine.repository.publish([.held("held"), PackageFixture("alpha", "2.0")])
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    let busy = try await engine.fettle("updates", "--refresh")
    #expect(busy.status == 8 && busy.errors.contains("job 2 works"), "\(busy)")
    try engine.release("held")
    try await engine.wait(for: 2, "completed")
    TestFolder.remove(engine.repository.path)
    let refused = try await engine.fettle("updates", "--refresh")
    #expect(refused.status == 7, "\(refused)")
    #expect(refused.errors.hasPrefix("fettle: cannot refresh the index"), "\(refused)")
  }
}
