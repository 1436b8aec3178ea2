import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Engines, roots and the safe first minute` {
  @Test func `root create makes what root check approves of and an engine works on`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let root = engine.folder.path("new root")
    let made = try await engine.fettle(
      "root", "create", root, "--source", "deb [trusted=yes] copy:\(engine.repository.path) ./")
    #expect(made.status == 0, "\(made)")
    #expect(made.output.contains(root))
    #expect(TestFolder.exists(root + "/.fettle-root"))
    let check = try await engine.fettle("root", "check", root)
    #expect(check.status == 0)
    #expect(check.output.contains("private root"))
    let again = try await engine.fettle("root", "create", root)
    #expect(again.status == 7)
    #expect(again.errors.contains("not empty"))
    for path in [engine.folder.path("nothing"), engine.repository.path] {
      let wrong = try await engine.fettle("root", "check", path)
      #expect(wrong.status == 7)
      #expect(wrong.errors.contains(path))
      #expect(wrong.errors.contains("fettle root create"))
    }
    let odd = try await engine.fettle(
      "root", "create", engine.folder.path("odd"), "--source", "nonsense")
    #expect(odd.status == 64)
    #expect(odd.errors.contains("nonsense"))
  }

  @Test func `fettle engine is the engine`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.stop()
    let program = try engine.launch(EngineUnderTest.path("fettle"), engine.arguments)
    try await program.until("ready") { $0.contains("ready") }
    #expect(try await engine.fettle("install", "alpha", "--wait").status == 0)
    program.signal(SIGINT)
    #expect(try await program.status() == 0)
    #expect(!TestFolder.exists(engine.socket))
  }

  @Test(arguments: [
    ["engine", "--provider", "\u{1B}]0;t\u{7}"], ["engine", "--provider", "simulated:\u{202E}x"],
    ["\u{1B}[31m"], ["engine", "\u{9B}31m"],
  ])
  func `fettled writes nothing of its arguments that would act on a terminal`(
    arguments: [String]
  ) async throws {
    let answer = try await ToolOutput.of([EngineUnderTest.path("fettled")] + arguments)
    #expect(answer.status != 0 && !answer.errors.isEmpty)
    #expect(
      answer.errors.unicodeScalars.allSatisfy {
        $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
      }, "\(answer)")
  }

  @Test(arguments: [[], ["--state", "/tmp/none"], ["--root", "/"]])
  func `fettled without a command is no engine, 64`(arguments: [String]) async throws {
    let answer = try await ToolOutput.of([EngineUnderTest.path("fettled")] + arguments)
    #expect(answer.status == 64)
    #expect(answer.errors.contains("('fettled --help' lists what it takes)"), "\(answer)")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `root is told before a private root is made that it is none for root, 6`() async throws {
    let engine = try await EngineUnderTest([])
    let path = engine.folder.path("new root")
    let answer = try await engine.fettle(["root", "create", path], prefix: [])
    #expect(answer.status == 6)
    #expect(answer.errors.hasPrefix("fettle: cannot make the private root"), "\(answer)")
    #expect(answer.errors.contains("ordinary user") && answer.errors.contains("'fettle try'"))
    #expect(!TestFolder.exists(path))
  }

  @Test(.enabled(if: geteuid() == 0))
  func `an engine with the rights of root refuses a private root, 6`() async throws {
    let engine = try await EngineUnderTest([])
    try await engine.stop()
    let state = engine.folder.path("root-state")
    let program = try engine.launch(
      EngineUnderTest.path("fettled"),
      ["engine", "--root", engine.root, "--state", state, "--socket", engine.socket], prefix: [])
    #expect(try await program.status() == 6)
    #expect(program.errors.contains("as root"))
    #expect(!TestFolder.exists(state))
  }

  @Test(arguments: [
    (["--root", "/nonexistent"], 7, "/nonexistent"), (["--provider", "rpm"], 64, "rpm"),
    (["--provider", "simulated:nosuch"], 64, "nosuch"), (["--nosuch"], 64, "nosuch"),
  ])
  func `an engine that cannot be says why`(arguments: [String], status: Int32, word: String)
    async throws
  {
    let engine = try await EngineUnderTest([])
    let program = try engine.launch(
      EngineUnderTest.path("fettled"),
      ["engine", "--state", engine.folder.path("s2"), "--socket", engine.folder.path("s2.sock")]
        + arguments)
    #expect(try await program.status() == status)
    #expect(program.errors.contains(word))
    #expect(program.output.isEmpty)
  }

  @Test func `a scenario with errors is 64 and names file and line`() async throws {
    let engine = try await EngineUnderTest([])
    let path = engine.folder.path("wrong.toml")
    try TestFolder.write("name = \"x\"\nseed = true\n", to: path)
    let answer = try await engine.fettle("try", "--simulated", path, "--plain")
    #expect(answer.status == 64, "\(answer)")
    #expect(answer.errors.contains(path))
    #expect(answer.errors.contains("seed"))
    let unknown = try await engine.fettle("try", "--simulated", "nosuch", "--plain", "--json")
    #expect(unknown.status == 64)
    #expect(try unknown.json["error"]?["message"]?.string?.contains("nosuch") == true)
  }

  @Test(arguments: ["color = 3\n", "theme = \n", "[engine]\nroot = \"here\"\n"])
  func `settings with errors are 64 and name file and line`(text: String) async throws {
    let engine = try await EngineUnderTest([])
    try await engine.stop()
    try TestFolder.write(text, to: engine.folder.path("config/fettle/config.toml"))
    let program = try engine.launch(EngineUnderTest.path("fettled"), engine.arguments)
    #expect(try await program.status() == 64)
    #expect(program.errors.contains("config/fettle/config.toml:"))
  }

  @Test(arguments: [["--theme", "nosuch"], ["--theme", "./nosuch.toml"], ["--color", "pink"]])
  func `a theme or colour that is not there is 64`(arguments: [String]) async throws {
    let engine = try await EngineUnderTest([])
    let screen = PseudoTerminal()
    var environment = engine.environment
    environment["TERM"] = "xterm-256color"
    let words = ([EngineUnderTest.path("fettle")] + arguments).joined(separator: " ")
    let script = engine.folder.path("script.sh")
    try TestFolder.write("#!/bin/sh\nexec \(words)\n", to: script, mode: 0o755)
    let program = TerminalProgram(script, on: screen, environment: environment)
    #expect(await program.end() == .exit(64))
    await screen.wait { bytes in
      String(decoding: bytes, as: UTF8.self).contains(arguments[1].split(separator: "/").last ?? "")
    }
  }

  @Test func `try --simulated plays a scenario, marked as simulated, and exits with its result`()
    async throws
  {
    let engine = try await EngineUnderTest([])
    try await engine.stop()
    let answer = try await engine.fettle("try", "--simulated", "failing", "--plain")
    #expect(answer.status == 3)
    #expect(answer.output.contains("nothing is installed"))
    let lines = answer.output.split(separator: "\n").filter { $0.contains("job=") }
    #expect(lines.contains { $0.contains("result=succeededWithErrors") })
    #expect(lines.contains { $0.contains("simulated") })
    let names = TestFolder.names(in: engine.folder.path).filter { $0.hasPrefix("fettle-try") }
    #expect(names == [])
    let json = try await engine.fettle("try", "--simulated", "failing", "--plain", "--json")
    #expect(json.status == 3)
    #expect(json.errors.isEmpty)
    let jobs = try json.json.elements
    #expect(jobs.map { $0["resultCode"] } == [3, 2])
    for job in jobs {
      #expect(LookingFields.job.subtracting(job.names) == [])
      #expect(job["provider"]?.string?.hasPrefix("simulated") == true)
    }
  }

  @Test func `try is real: a package is installed into a root of its own, which is kept`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.stop()
    let answer = try await engine.fettle(
      "try", "alpha", "app", "--root", engine.root, "--plain")
    #expect(answer.status == 0, "\(answer)")
    #expect(try await engine.repository.state(of: "app") == "installed 1.0")
    #expect(try await engine.repository.state(of: "alpha") == "installed 2.0")
    let failed = try await engine.fettle(
      "try", "bad", "--root", engine.root, "--plain", "--json")
    #expect(failed.status == 1)
    #expect(try failed.json[0]?["error"]?["update"] == "bad")
    #expect(TestFolder.names(in: engine.folder.path).allSatisfy { !$0.hasPrefix("fettle-try") })
  }

  @Test(arguments: [["try", "--simulated", "demo", "hello"], ["try", "--json"]])
  func `options of try that do not go together are 64`(arguments: [String]) async throws {
    let engine = try await EngineUnderTest([])
    #expect(try await engine.fettle(arguments).status == 64)
  }
}

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Cleaning up` {
  @Test func `cleanup waits for the end, frees work files and moves the job to history`()
    async throws
  {
    let engine = try await EngineUnderTest([.held("held"), PackageFixture("delta")])
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    let bounded = try await engine.fettle("cleanup", "1", "--within", "0.2")
    #expect(bounded.status == 8)
    #expect(bounded.errors.contains("job 1"))
    let cleanup = try engine.follow("cleanup", "1")
    try engine.release("held")
    #expect(try await cleanup.status() == 0)
    #expect(cleanup.output == "job 1: cleaned up\n")
    #expect(try await engine.job(1)["state"] == "completed")
    #expect(try await engine.fettle("jobs", "--json").output == "[]\n")
    // Cleaning up twice is the same as once.
    #expect(try await engine.fettle("cleanup", "1").status == 0)
    let left = TestFolder.names(in: engine.state + "/jobs/1")
    #expect(!left.contains("archives"), "\(left)")
  }

  @Test func `cleanup --finished takes all that is over, and nothing else`() async throws {
    let engine = try await EngineUnderTest([
      .held("held"), PackageFixture("delta"), PackageFixture("alpha"),
    ])
    try await engine.fettle("install", "delta", "--wait")
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("install", "held")
    try await engine.waitUntilHeld("held")
    #expect(try await engine.fettle("cleanup", "--finished", "--json").json == .array([1, 2]))
    let left = try await engine.fettle("jobs", "--json").json
    #expect(left.elements.map { $0["id"] } == [3])
    try engine.release("held")
    try await engine.wait(for: 3, "completed")
  }
}

/// Fields that the contract names.
enum LookingFields {
  static let job = `Looking from the command line`.jobFields
}
