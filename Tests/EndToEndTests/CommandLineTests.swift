import Glibc
import JobClient
import Settings
import Support
import Testing

@testable import fettle

@Suite struct `Unknown words` {
  private static let words = ["install", "history", "jobs", "abort", "root", "resume", "retry"]

  @Test(arguments: [
    ("instal", "install"), ("isntall", "install"), ("job", "jobs"), ("rety", "retry"),
    ("hist", "history"), ("abrot", "abort"),
  ])
  func `have a nearest one`(typed: String, meant: String) {
    #expect(NearestWord.of(typed, in: Self.words) == meant)
  }

  @Test(arguments: ["frobnicate", "x", "", String(repeating: "a", count: 100_000)])
  func `that are near to nothing have none`(typed: String) {
    #expect(NearestWord.of(typed, in: Self.words) == nil)
  }

  @Test(arguments: [
    (["frob"], "frob"), (["--plain", "frob", "--json"], "frob"), (["--socket", "jobs", "x"], "x"),
    (["jobs", "frob"], nil), (["--frob"], nil), ([], nil), (["help", "jobs"], nil),
    (["--socket", "/s"], nil),
  ])
  func `stand where a command should`(typed: [String], word: String?) {
    #expect(ArgumentOrder.unknownCommand(typed, commands: ["jobs"]) == word)
  }

  @Test func `an ordinary user is not sent to what only root can do first`() {
    let hint = GlobalOptions.noEngineHint(euid: 1000)
    #expect(hint.hasPrefix("see it work with 'fettle try'"))
    #expect(
      hint.contains("'fettle root create DIR'") && hint.contains("'fettle engine --root DIR'"))
    #expect(
      GlobalOptions.noEngineHint(euid: 0).hasPrefix("start it with 'systemctl start fettled'"))
  }

  @Test(arguments: [0, 1000] as [UInt32])
  func `who named an engine is told first how to start that one`(euid: UInt32) {
    let hint = GlobalOptions.noEngineHint(euid: euid, socket: "/tmp/r/e.sock")
    #expect(
      hint.hasPrefix(
        "start that engine with 'fettle engine --root DIR --state DIR --socket PATH'"))
    #expect(hint.contains("systemctl start fettled") && hint.contains("'fettle try'"))
    let system = GlobalOptions.noEngineHint(euid: euid, socket: SocketPath.system)
    #expect(system == GlobalOptions.noEngineHint(euid: euid))
  }
}

@Suite struct `Texts of the program` {
  /// All files below a folder of the repository.
  private static func files(below folder: String) -> [String] {
    TestFolder.names(in: folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      return name.hasSuffix(".swift") ? [path] : files(below: path)
    }
  }

  @Test func `name only commands that there are`() {
    let sources = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    let words = Self.files(below: sources + "/Sources").flatMap { path in
      (TestFolder.text(of: path) ?? "").matches(of: /'fettle ((?:root )?[a-z]+)/).map {
        String($0.output.1)
      }
    }
    let roots = ["create", "check", "update", "repair"].map { "root " + $0 }
    let known = Fettle.commandNames.union(roots)
    #expect(words.count > 20)
    #expect(Set(words).subtracting(known).isEmpty)
  }
}

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `The command line` {
  @Test func `engine and root show the options that fettled has`() async throws {
    let engine = try await EngineUnderTest([])
    for words in [["engine"], ["root"], ["root", "create"]] {
      let own = try await engine.fettle(words + ["--help"])
      let program = try engine.launch(EngineUnderTest.path("fettled"), words + ["--help"])
      #expect(try await program.status() == 0)
      #expect(own.status == 0)
      #expect(own.output == program.output.replacing("fettled", with: "fettle"))
      #expect(own.output.contains("fettle \(words[0])"))
      #expect(try await engine.fettle(["help"] + words).output == own.output)
    }
    let help = try await engine.fettle("engine", "--help").output
    for option in ["--root", "--state", "--socket", "--provider"] {
      #expect(help.contains(option), "\(help)")
    }
  }

  @Test func `A6: says the same in whatever language the client runs`() async throws {
    let bad = PackageFixture("bad", scripts: [.postinst: "exit 3"])
    let engine = try await EngineUnderTest([bad])
    #expect(try await engine.fettle("install", "bad", "--follow").status != 0)
    let german = engine.environment.merging(
      ["LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"]
    ) { $1 }
    for words in [
      ["install", "nosuch"], ["show", "1", "--json"], ["history", "--json"], ["log", "1"],
      ["abort", "1"], ["--help"], ["frob"],
    ] {
      let plain = try await engine.fettle(words)
      let answer = try await engine.fettle(words, environment: german)
      #expect(answer.output == plain.output && answer.errors == plain.errors, "\(words)")
      #expect(answer.status == plain.status && !(plain.output + plain.errors).isEmpty)
    }
  }

  @Test(arguments: [
    (["instal", "alpha"], "'instal'", "did you mean 'install'?"),
    (["--plain", "job"], "'job'", "did you mean 'jobs'?"),
    (["frobnicate"], "'frobnicate'", "'fettle --help' lists the commands"),
    (["jobs", "--jsn"], "'--jsn'", "--json"),
    (["jobs", "--xyzzyx"], "'--xyzzyx'", "fettle jobs --help"),
    (["--xyzzyx"], "'--xyzzyx'", "fettle --help"),
  ])
  func `what is not known is named, with what is near or where to look, in one line`(
    arguments: [String], named: String, hint: String
  ) async throws {
    let engine = try await EngineUnderTest([])
    let answer = try await engine.fettle(arguments)
    #expect(answer.status == 64)
    #expect(answer.output.isEmpty)
    #expect(answer.errors.hasPrefix("fettle: "))
    #expect(answer.errors.split(separator: "\n").count == 1, "\(answer.errors)")
    #expect(answer.errors.contains(named) && answer.errors.contains(hint), "\(answer.errors)")
    let json = try await engine.fettle(arguments + ["--json"])
    #expect(json.status == 64 && json.errors.isEmpty)
    #expect(try json.json["error"]?["code"] == "invalidArgument")
  }

  @Test(arguments: ["jobs", "status", "jobs --json", "--help", "--version", "install alpha"])
  func `output that cannot be written is an error`(command: String) async throws {
    let engine = try await EngineUnderTest()
    let shell = try engine.launch(
      "/bin/sh", ["-c", "exec '\(EngineUnderTest.path("fettle"))' \(command) > /dev/full"])
    #expect(try await shell.status() == 1)
    #expect(shell.errors.hasPrefix("fettle: cannot write to standard output: No space left"))
    #expect(shell.errors.split(separator: "\n").count == 1)
  }

  @Test func `what root update says is no success when it cannot be written`() async throws {
    let engine = try await EngineUnderTest([])
    let shell = try engine.launch(
      "/bin/sh",
      ["-c", "exec '\(EngineUnderTest.path("fettle"))' root update '\(engine.root)' > /dev/full"])
    #expect(try await shell.status() == 1)
    #expect(shell.errors.hasPrefix("fettle: cannot write to standard output: No space left"))
  }

  @Test func `an engine takes its root by a relative path, as root create does`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    try await engine.stop()
    let state = engine.folder.path("other")
    let program = try engine.launch(
      "/bin/sh",
      [
        "-c",
        "cd '\(engine.folder.path)' && exec '\(EngineUnderTest.path("fettle"))' engine --root root"
          + " --state '\(state)' --socket '\(engine.socket)'",
      ])
    try await program.until("ready") { $0.contains("ready") }
    #expect(try await engine.fettle("install", "alpha", "--wait").status == 0)
    program.signal(SIGTERM)
    #expect(try await program.status() == 0)
  }

  @Test func `a reader that has seen enough ends it without a word, also with SIGPIPE ignored`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    for trap in ["", "trap '' PIPE; "] {
      let shell = try engine.launch(
        "/bin/sh",
        ["-c", "\(trap)'\(EngineUnderTest.path("fettle"))' watch --json --from 0 | head -n 1"])
      try await shell.until("the first event") { $0.count == 1 }
      // Whatever comes next finds nobody.
      try await engine.fettle("plan", "install", "beta")
      try await engine.fettle("install", "beta", "--wait")
      try await engine.fettle("remove", "beta", "--wait")
      #expect(try await shell.status() == 0)
      #expect(shell.errors.isEmpty, "\(shell.errors)")
    }
  }
}
