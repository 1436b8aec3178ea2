import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Looking from the command line` {
  static let jobFields: Set<String> = [
    "id", "operation", "state", "resultCode", "requestedBy", "clientName", "comment",
    "submittedAt", "startedAt", "endedAt", "percentComplete", "currentUpdateIndex",
    "queuePosition", "waitingFor", "abort", "error", "rebootRequired", "downloadedBytes",
    "totalDownloadBytes", "bytesPerSecond", "etaSeconds", "lastActivityAt", "updates", "plan",
  ]
  static let updateFields: Set<String> = [
    "name", "architecture", "action", "fromVersion", "toVersion", "phase", "percentComplete",
    "resultCode", "error", "downloadSize", "installedSize", "origin", "requested",
  ]

  @Test func `show --json has every field of the contract, null where there is nothing`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let answer = try await engine.fettle("install", "app", "--wait", "--json")
    #expect(answer.status == 0)
    let job = try await engine.job(1)
    #expect(try answer.json["id"] == 1)
    #expect(Self.jobFields.subtracting(job.names) == [])
    for name in ["comment", "currentUpdateIndex", "queuePosition", "waitingFor", "abort", "error"] {
      #expect(job[name] == JSONValue.null, "\(name)")
    }
    #expect(job["state"] == "completed")
    #expect(job["resultCode"] == 2)
    #expect(job["percentComplete"] == 100)
    #expect(job["clientName"] == "fettle")
    #expect(job["requestedBy"]?["uid"] == .number(Double(TestUser.id)))
    #expect(job["requestedBy"]?["user"]?.string?.isEmpty == false)
    for name in ["submittedAt", "startedAt", "endedAt"] {
      let time = try #require(job[name]?.string)
      #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
    }
    let plan = try #require(job["plan"]).elements
    #expect(plan.map { $0["name"]?.string } == ["lib", "app"])
    for update in plan {
      #expect(Self.updateFields.subtracting(update.names) == [])
      #expect(update["phase"] == "done")
      #expect(update["percentComplete"] == 100)
      #expect(update["resultCode"] == 2)
      #expect(update["action"] == "install")
      #expect(update["fromVersion"] == JSONValue.null)
      #expect(update["toVersion"] == "1.0")
      #expect(update["error"] == JSONValue.null)
    }
    #expect(job["updates"]?.elements == plan.filter { $0["requested"] == true })
    // The element of the list is the same job.
    #expect(try await engine.fettle("jobs", "--json").json == .array([job]))
  }

  @Test func `jobs lists the queue, --all the history, --state what it names`() async throws {
    let engine = try await EngineUnderTest(PackageFixture.standard() + [.held("held")])
    #expect(try await engine.fettle("jobs", "--json").output == "[]\n")
    try await engine.fettle("install", "alpha", "--wait")
    #expect(try await engine.fettle("cleanup", "1").output == "job 1: cleaned up\n")
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    try await engine.wait(for: 2, "installing")
    try await engine.fettle("install", "beta")
    func ids(_ arguments: String...) async throws -> [Double?] {
      try await engine.fettle(["jobs", "--json"] + arguments).json.elements.map { $0["id"]?.double }
    }
    #expect(try await ids() == [2, 3])
    #expect(try await ids("--all") == [1, 2, 3])
    #expect(try await ids("--state", "queued") == [3])
    #expect(try await ids("--state", "queued,installing") == [2, 3])
    #expect(try await ids("--state", "suspended") == [])
    #expect(try await ids("--state", "running") == [2])
    #expect(try await ids("--state", "held,with errors,warned") == [])
    #expect(try await ids("--state", "waiting") == [3])
    let text = try await engine.fettle("jobs").output
    #expect(text.contains("held") && text.contains("beta") && !text.contains("alpha"))
    let wrong = try await engine.fettle("jobs", "--state", "asleep")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("asleep") && wrong.errors.contains("queued"))
    try engine.release("held")
    try await engine.wait(for: 3, "completed")
  }

  @Test func `show is one job in text`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "app", "--wait", "--comment", "for the show")
    let text = try await engine.fettle("show", "1")
    #expect(text.status == 0)
    for word in ["job 1", "app", "lib", "for the show", "100"] {
      #expect(text.output.contains(word), "\(word) in \(text.output)")
    }
  }

  @Test func `log is what the tools printed, --update a slice, --follow lasts to the end`()
    async throws
  {
    let engine = try await EngineUnderTest([
      PackageFixture("talks", scripts: [.postinst: "echo talks: one line of my own"]),
      .held("held", fields: ["Depends": "talks"]),
    ])
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    let follow = try engine.follow("log", "1", "--follow")
    try await follow.until("the line of talks") { $0.contains { $0.contains("of my own") } }
    try engine.release("held")
    #expect(try await follow.status() == 0)
    let whole = try await engine.fettle("log", "1")
    #expect(whole.status == 0)
    #expect(whole.output == follow.output)
    let slice = try await engine.fettle("log", "1", "--update", "talks")
    #expect(slice.output.contains("one line of my own"))
    #expect(!slice.output.contains("Setting up held"))
    #expect(slice.output.utf8.count < whole.output.utf8.count)
    for words in [["--update", "nosuch"], ["--update", "nosuch", "--follow"]] {
      let none = try await engine.fettle(["log", "1"] + words)
      #expect(none.status == 64, "\(none)")
      #expect(none.output.isEmpty)
      #expect(none.errors.contains("job 1 has no package 'nosuch' ('fettle show 1' lists"))
    }
  }

  @Test func `what is advised reaches the engine that --socket names, typed as it stands`()
    async throws
  {
    let engine = try await EngineUnderTest(PackageFixture.standard())
    let unknown = try await engine.fettle("--socket", engine.socket, "show", "9")
    #expect(unknown.errors.contains("('fettle --socket \(engine.socket) jobs --all' lists them)"))
    try await engine.fettle("install", "bad", "--wait")
    let shown = try await engine.fettle("--socket", engine.socket, "show", "1")
    let words = shown.output.split(separator: "'fettle ").dropFirst()
    #expect(!words.isEmpty && words.allSatisfy { $0.hasPrefix("--socket \(engine.socket) ") })
    #expect(try await engine.fettle("show", "1").output.contains("'fettle doctor"))
  }

  @Test func `acts are found by the names of commands, and what there is none of is said`()
    async throws
  {
    let engine = try await EngineUnderTest(PackageFixture.standard())
    let nothing = try await engine.fettle("cleanup", "--finished")
    #expect(nothing.status == 0 && nothing.output == "there is no job to clean up that is over\n")
    for name in ["alpha", "beta"] { try await engine.fettle("install", name, "--wait") }
    try await engine.fettle("remove", "alpha", "--wait")
    try await engine.fettle("cleanup", "--finished")
    for words in [["pause"], ["resume"], ["pause", "1"]] { try await engine.fettle(words) }
    func acts(_ act: String, _ limit: Int = 50) async throws -> [String?] {
      let rows = try await engine.fettle("audit", "--json", "--act", act, "--limit", "\(limit)")
      return try rows.json.elements.map { $0["act"]?.string }
    }
    #expect(try await acts("cleanup") == ["cleanUp", "cleanUp", "cleanUp"])
    #expect(try await acts("cleanUp").count == 3)
    // The job was over: what was refused is on record below its act.
    #expect(try await acts("pause") == ["suspend", "suspend", "pauseQueue"])
    #expect(try await acts("pause", 1) == ["suspend"])
    #expect(try await acts("install", 1) == ["submit"])
    #expect(try await acts("install").count == 2)
    #expect(try await acts("remove").count == 1)
  }

  @Test func `a place in the queue is said in words`() async throws {
    let engine = try await EngineUnderTest(PackageFixture.standard() + [.held("held")])
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    try await engine.fettle("install", "alpha")
    try await engine.fettle("install", "beta")
    let jobs = try await engine.fettle("jobs").output
    #expect(jobs.contains("next in the queue") && jobs.contains("2nd in the queue"))
    let show = try await engine.fettle("show", "3").output
    #expect(show.contains("2nd in the queue") && !show.contains("#"))
    try engine.release("held")
    try await engine.wait(for: 3, "completed")
  }

  @Test func `what a script prints stands in JSON without a character that acts`() async throws {
    // An escape, a bidi override, a C1 control sequence introducer, a line separator, a tag.
    let print =
      #"printf 'a\033[2Jb\342\200\256c\302\2332Jd\342\200\250e\363\240\200\201f\303\251g\n'"#
    var evil = PackageFixture.held("evil")
    evil.scripts[.postinst] = print + "\n" + (evil.scripts[.postinst] ?? "")
    let engine = try await EngineUnderTest([evil])
    let watch = try engine.follow("watch", "--json")
    try await engine.fettle("install", "evil")
    try await engine.waitUntilHeld("evil")
    try await watch.until("what the script printed") { lines in
      try lines.contains { try JSONValue($0)["text"]?.string?.contains("f\u{E9}g") == true }
    }
    try engine.release("evil")
    try await engine.wait(for: 1, "completed")
    let line = try #require(watch.lines.first { $0.contains("f\u{E9}g") })
    for code in ["\\u001b", "\\u202e", "\\u009b", "\\u2028", "\\udb40\\udc01"] {
      #expect(line.lowercased().contains(code), "\(code) in \(line)")
    }
    let text = try #require(try JSONValue(line)["text"]?.string)
    #expect(text.contains("b\u{202E}c\u{9B}2Jd\u{2028}e\u{E0001}f"), "nothing is lost")
    #expect(
      watch.output.unicodeScalars.allSatisfy {
        switch $0.properties.generalCategory {
        case .control: $0 == "\n"
        case .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      })
  }

  @Test func `what a script prints is printed without its escape sequences`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture(
        "evil",
        scripts: [.postinst: #"printf 'before\033]0;owned\007\033[2Jafter\n'; exit 3"#])
    ])
    let follow = try await engine.fettle("install", "evil", "--follow")
    #expect(follow.status == 1)
    for output in [
      follow.output, try await engine.fettle("log", "1").output,
      try await engine.fettle("show", "1").output,
    ] {
      #expect(!output.utf8.contains(0x1B))
      #expect(!output.utf8.contains(0x07))
    }
  }

  @Test func `status tells engine, queue, lock and restart`() async throws {
    let engine = try await EngineUnderTest()
    let json = try await engine.fettle("status", "--json").json
    #expect(
      Set(["engine", "queue", "lock", "rebootRequired", "rebootReasons", "seq"])
        .subtracting(json.names) == [])
    let names = json["engine"]?.names ?? []
    #expect(Set(["pid", "version", "startedAt", "root", "provider"]).subtracting(names) == [])
    #expect(json["engine"]?["pid"] == .number(Double(engine.pid)))
    #expect(json["engine"]?["root"] == .string(engine.root))
    #expect(json["queue"]?["running"] == 0)
    #expect(json["queue"]?["queued"] == 0)
    #expect(json["queue"]?["paused"] == false)
    #expect(json["lock"] == JSONValue.null)
    #expect(json["rebootRequired"] == false)
    #expect(json["rebootReasons"] == .array([]))
    try await engine.fettle("install", "kernelish", "--wait")
    let after = try await engine.fettle("status", "--json").json
    #expect(after["rebootRequired"] == true)
    #expect(after["rebootReasons"] == .array(["kernelish"]))
    let text = try await engine.fettle("status").output
    #expect(text.contains("\(engine.pid)") && text.contains("kernelish"))
    #expect(try await engine.job(1)["rebootRequired"] == true)
  }

  @Test func `--version, --help and completions need no engine`() async throws {
    let engine = try await EngineUnderTest([])
    try await engine.stop()
    #expect(try await engine.fettle("--version").output == "0.1.0\n")
    let help = try await engine.fettle("--help")
    #expect(help.status == 0)
    for word in ["install", "abort", "watch", "try", "root"] { #expect(help.output.contains(word)) }
    for shell in ["bash", "zsh", "fish"] {
      let script = try await engine.fettle("--generate-completion-script", shell)
      #expect(script.status == 0)
      #expect(script.output.contains("fettle"))
    }
  }
}
