import Glibc
import Support
import Testing

/// What is wrong is refused with the right status, names the thing and the next step, and leaves
/// packages and jobs exactly as they were.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Refusals` {
  /// One thing that cannot be done.
  struct Case: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var status: Int32
    var code: String
    var words: [String]

    init(_ arguments: [String], _ status: Int32, _ code: String, _ words: [String] = []) {
      self.arguments = arguments
      self.status = status
      self.code = code
      self.words = words
    }

    var testDescription: String { arguments.joined(separator: " ").prefix(60).description }
  }

  static let cases: [Case] = [
    Case(["install", "nosuch"], 7, "notApplicable", ["'nosuch'", "no such package", "refresh"]),
    Case(["install", "alpha", "nosuch"], 7, "notApplicable", ["'nosuch'"]),
    Case(["install", "alpha=9.9"], 7, "notApplicable", ["alpha=9.9", "on offer: 2.0, 1.0"]),
    Case(
      ["install", "alpha:sparc"], 7, "notApplicable",
      ["packages for sparc are not enabled", "--add-architecture sparc', then"]),
    Case(["install", "nd"], 7, "unresolvable", ["nd", "no-such-package"]),
    Case(["install", "lib", "rival"], 7, "unresolvable", ["rival"]),
    Case(["remove", "nosuch"], 7, "notApplicable", ["'nosuch'"]),
    Case(["reinstall", "beta"], 7, "notApplicable", ["beta", "not installed"]),
    Case(["remove", "ess"], 7, "notUninstallable", ["ess"]),
    Case(["remove", "lib"], 7, "notUninstallable", ["lib", "app"]),
    Case(["install", "libc6", "beta"], 7, "exclusiveConflict", ["libc6"]),
    Case(
      ["install", "conf=1.0"], 7, "notApplicable", ["2.0", "newer", "--allow-downgrades conf=1.0"]),
    Case(["install", "alpha=1.0", "alpha=2.0"], 64, "contradiction", ["alpha"]),
    Case(["install", "--", "-x"], 7, "notApplicable", ["'-x'", "not a package name"]),
    Case(["install", "--", "--reinstall"], 7, "notApplicable", ["--reinstall"]),
    Case(["install", ""], 7, "notApplicable", ["not a package name"]),
    Case(["install", "$(touch /tmp/pwned)"], 7, "notApplicable", ["not a package name"]),
    Case(["install", "a;b"], 7, "notApplicable", ["'a;b'"]),
    Case(["install", "a\nb"], 7, "notApplicable", ["\\u{a}"]),
    Case(["install", "\u{1B}[2Jx"], 7, "notApplicable", ["\\u{1b}"]),
    Case(["install", "x=1;2"], 7, "notApplicable", ["version"]),
    Case(["install", "x:../.."], 7, "notApplicable", ["architecture"]),
    Case(["install", String(repeating: "a", count: 10_000)], 7, "notApplicable", ["256"]),
    Case(["install", "./nosuch.deb"], 7, "badArchive", ["./nosuch.deb"]),
    Case(["install", "/dev/zero"], 7, "badArchive", ["/dev/zero"]),
    Case(["remove", "./nosuch.deb"], 7, "notApplicable", ["./nosuch.deb", "name the package"]),
    Case(["show", "77"], 64, "unknownJob", ["77", "('fettle jobs --all' lists them)"]),
    Case(["log", "77"], 64, "unknownJob", ["77"]),
    Case(["abort", "77"], 64, "unknownJob", ["77"]),
    Case(["abort", "77", "--withdraw"], 64, "unknownJob", ["77"]),
    Case(["cleanup", "77"], 64, "unknownJob", ["77"]),
    Case(["pause", "77"], 64, "unknownJob", ["77"]),
    Case(["resume", "77"], 64, "unknownJob", ["77"]),
    Case(["resume", "1"], 7, "cannotResume", ["job 1 is over, it is not paused"]),
    Case(["install", "beta", "--after", "77"], 64, "unknownJob", ["77"]),
    Case(["--read-only", "status", "--nosuch"], 64, "", ["nosuch"]),
    Case(["install", "beta", "--read-only"], 6, "notPermitted", ["read-only"]),
    Case(["abort", "1", "--read-only"], 6, "notPermitted", ["read-only"]),
    Case(["jobs", "--theme", "nosuch"], 64, "", ["nosuch", "no theme of this name"]),
    Case(["install"], 64, ""), Case(["remove"], 64, ""), Case(["abort"], 64, ""),
    Case(["cleanup", "7", "--finished"], 64, "", ["not both"]),
    Case(["install", "beta", "--conffiles", "foo"], 64, "", ["foo", "keep", "new"]),
    Case(["cleanup"], 64, "", ["--finished"]), Case(["show", "x"], 64, "", ["x"]),
    Case(["show", "0"], 64, ""), Case(["abort", "--", "-1"], 64, ""),
    Case(["install", "beta", "--priority", "101"], 64, "", ["-100", "100"]),
    Case(["install", "beta", "--when-busy", "panic"], 64, "", ["panic", "queue", "fail"]),
    Case(["install", "beta", "--lock-timeout=-1"], 64, "", ["--lock-timeout", "from 0"]),
    Case(["install", "beta", "--lock-timeout", "-3"], 64, "", ["--lock-timeout", "from 0"]),
    Case(["history", "--limit", "-1"], 64, "", ["--limit must be at least 1"]),
    Case(["install", "beta", "--lock-timeout", "nan"], 64, "", ["from 0"]),
    Case(["install", "beta", "--not-before", "tomorrow"], 64, "", ["tomorrow"]),
    Case(["plan", "install"], 64, ""), Case(["frobnicate"], 64, "", ["frobnicate"]),
    Case(["help", "frobnicate"], 64, "", ["there is no command 'frobnicate'"]),
    Case(["root", "frobnicate"], 64, "", ["fettle: ", "'frobnicate'", "'fettle root --help'"]),
    Case(["root", "create"], 64, "", ["fettle: ", "'fettle root --help'"]),
    Case(["audit", "--act", "frobnicate"], 64, "", ["'frobnicate'", "cleanup", "submit"]),
    Case(["audit", "--outcome", "frobnicate"], 64, "", ["'frobnicate'", "permitted", "busy"]),
  ]

  @Test func `each refusal has its status and words, and changes nothing`() async throws {
    let engine = try await EngineUnderTest(PackageFixture.standard())
    try await engine.fettle("install", "app", "ess", "conf", "--wait")
    let before = try await engine.record()
    for row in Self.cases {
      let text = try await engine.fettle(row.arguments)
      #expect(text.status == row.status, "\(row.testDescription): \(text)")
      #expect(text.output.isEmpty, "\(row.testDescription): \(text)")
      for word in row.words { #expect(text.errors.contains(word), "\(word) in \(text.errors)") }
      let codes = text.errors.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" }
      #expect(codes.isEmpty, "\(row.testDescription)")
      #expect(text.errors.utf8.count < 1000, "\(row.testDescription)")
      guard !row.code.isEmpty else { continue }
      #expect(text.errors.hasPrefix("fettle: "))
      #expect(text.errors.split(separator: "\n").count == 1)
      guard row.arguments.first != "log", row.arguments.first != "pause",
        row.arguments.first != "resume"
      else { continue }
      var arguments = row.arguments
      arguments.insert("--json", at: 1)
      let json = try await engine.fettle(arguments)
      #expect(json.status == row.status)
      #expect(json.errors.isEmpty)
      #expect(try json.json.names == ["error"])
      let error = try #require(try json.json["error"])
      #expect(error["code"] == .string(row.code), "\(row.testDescription): \(json.output)")
      #expect(error["message"]?.string?.isEmpty == false)
      #expect(error["hint"] != nil)
    }
    #expect(try await engine.record() == before)
  }

  @Test func `what does not fit on the disk is refused before a job, with both figures`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let index = engine.repository.path + "/Packages"
    let text = try #require(TestFolder.text(of: index))
    try TestFolder.write(
      text.replacing("Installed-Size: 4\n", with: "Installed-Size: 900000000000\n"), to: index)
    try await engine.repository.refresh()
    let before = try await engine.record()
    let answer = try await engine.fettle("install", "delta")
    #expect(answer.status == 7)
    #expect(answer.errors.contains("KiB are needed"))
    #expect(answer.errors.contains("KiB are free"))
    let json = try await engine.fettle("install", "delta", "--json").json
    #expect(json["error"]?["code"] == "noSpace")
    #expect(try await engine.record() == before)
  }

  @Test func `the same package twice is asked for once`() async throws {
    let engine = try await EngineUnderTest()
    #expect(try await engine.fettle("install", "alpha", "alpha", "--wait").status == 0)
    let names = try await engine.job(1)["updates"]?.elements.map { $0["name"]?.string }
    #expect(names == ["alpha"])
  }

  @Test func `an archive older than what is installed goes back as the refusal says`() async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    let path = engine.repository.archive("alpha")
    let refused = try await engine.fettle("install", path)
    #expect(refused.status == 7)
    #expect(
      refused.errors.contains("('fettle install --allow-downgrades \(path)' goes back to it)"))
    #expect(try await engine.fettle("install", "--allow-downgrades", path, "--wait").status == 0)
    #expect(try await engine.repository.state(of: "alpha") == "installed 1.0")
  }

  @Test func `a damaged archive named on the command line is refused before a job`() async throws {
    let engine = try await EngineUnderTest()
    let archive = engine.repository.archive("delta")
    try engine.repository.damage(archive)
    let text = engine.folder.path("text.deb")
    try TestFolder.write("no archive\n", to: text)
    let before = try await engine.record()
    for path in [archive, text, engine.folder.path, "/dev/null"] {
      let answer = try await engine.fettle("install", path)
      #expect(answer.status == 7, "\(path): \(answer)")
      #expect(answer.errors.hasPrefix("fettle: "), "\(path): \(answer)")
      let json = try await engine.fettle("install", "--json", path)
      #expect(try json.json["error"]?["code"] == "badArchive", "\(json)")
    }
    #expect(try await engine.record() == before)
  }

  @Test func `without an engine every command is 5 and names try and the service`() async throws {
    let engine = try await EngineUnderTest([])
    try await engine.stop()
    for arguments in [[], ["jobs"], ["install", "alpha"], ["watch"], ["abort", "1"], ["status"]] {
      let answer = try await engine.fettle(arguments)
      #expect(answer.status == 5, "\(arguments)")
      #expect(answer.errors.split(separator: "\n").count == 1)
      #expect(answer.errors.contains("fettle try"))
      #expect(answer.errors.contains("systemctl start fettled"))
      #expect(answer.errors.contains(engine.socket))
    }
    let json = try await engine.fettle("status", "--json")
    #expect(json.status == 5)
    #expect(try json.json["error"]?["code"] == "engineUnreachable")
  }

  @Test func `without --socket and variable the places that were tried are named`() async throws {
    let engine = try await EngineUnderTest([])
    var environment = engine.environment
    environment["FETTLE_SOCKET"] = nil
    environment["XDG_RUNTIME_DIR"] = engine.folder.path("run")
    let answer = try await engine.fettle(["jobs"], environment: environment)
    #expect(answer.status == 5)
    #expect(answer.errors.contains(engine.folder.path("run/fettle/engine.sock")))
    #expect(answer.errors.contains("/run/fettle/engine.sock"))
    let named = try await engine.fettle(
      ["jobs", "--json", "--socket", engine.socket], environment: environment)
    #expect(named.output == "[]\n")
  }

  @Test func `a socket that is not an engine's is 5`() async throws {
    let engine = try await EngineUnderTest([])
    let path = engine.folder.path("foreign.sock")
    let foreign = try #require(RawSocket.listen(at: path))
    #expect(unsafe chmod(path, 0o777) == 0)
    let answering = Task {
      await onOwnThread {
        guard let peer = foreign.accept() else { return }
        _ = peer.line()
        peer.send("220 mail.example.org ESMTP\r\n")
        _ = peer.isEnded()
      }
    }
    let answer = try await engine.fettle("jobs", "--socket", path)
    await answering.value
    #expect(answer.status == 5)
    #expect(answer.errors.contains(path))
    #expect(answer.errors.contains("not an engine"))
    #expect(answer.errors.split(separator: "\n").count == 1)
    let file = try await engine.fettle("jobs", "--socket", engine.folder.path("engine.sock.not"))
    #expect(file.status == 5)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `A40: another user looks where the settings say so, and is refused with 6 when acting`()
    async throws
  {
    let engine = try await EngineUnderTest(settings: "[engine]\neverybodyMayLook = true\n")
    #expect(unsafe chmod(engine.folder.path, 0o755) == 0)
    let other = "\(TestUser.id + 1)"
    let prefix = ["/usr/bin/setpriv", "--reuid", other, "--regid", other, "--clear-groups", "--"]
    try await engine.fettle("install", "alpha", "--wait")
    let before = try await engine.record()
    let looking = [
      ["jobs"], ["show", "1"], ["log", "1"], ["status", "--json"], ["plan", "install", "beta"],
    ]
    for arguments in looking {
      let answer = try await engine.fettle(arguments, prefix: prefix)
      #expect(answer.status == 0, "\(arguments): \(answer)")
    }
    let acting = [
      ["install", "beta"], ["abort", "1"], ["cleanup", "1"], ["pause", "1"], ["resume", "1"],
    ]
    for arguments in acting {
      let answer = try await engine.fettle(arguments, prefix: prefix)
      #expect(answer.status == 6, "\(arguments): \(answer)")
      #expect(answer.errors.contains(other))
      #expect(answer.errors.contains("'fettle try'"), "\(answer)")
      #expect(answer.errors.contains("'fettle engine --root DIR'"), "\(answer)")
    }
    #expect(try await engine.record() == before)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `A40: without that setting another user is not even let in`() async throws {
    let engine = try await EngineUnderTest([])
    #expect(unsafe chmod(engine.folder.path, 0o755) == 0)
    let other = "\(TestUser.id + 1)"
    let prefix = ["/usr/bin/setpriv", "--reuid", other, "--regid", other, "--clear-groups", "--"]
    let answer = try await engine.fettle(["jobs"], prefix: prefix)
    #expect(answer.status == 6, "\(answer)")
    #expect(answer.errors.contains(engine.socket))
    #expect(answer.errors.contains("'fettle engine --root DIR'"), "\(answer)")
  }
}
