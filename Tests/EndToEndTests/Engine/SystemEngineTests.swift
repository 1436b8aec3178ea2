import Glibc
import Support
import Testing

/// An engine of root's on a simulated machine, and users who are in no group; needs root.
@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts, .enabled(if: geteuid() == 0))
struct `A system engine and who is not in its group` {
  private static let stranger = TestUser.prefix

  private struct Place {
    let folder: String
    let count = Locked(0)

    var socket: String { folder + "/run/engine.sock" }

    init(settings: String) throws {
      folder = try #require(ScratchFolder.current).path
      try #require(unsafe chmod(folder, 0o755) == 0)
      for name in ["config", "config/fettle"] {
        try #require(unsafe mkdir(folder + "/" + name, 0o755) == 0)
      }
      let file = folder + "/config/fettle/config.toml"
      try TestFolder.write(settings, to: file)
      try #require(unsafe chown(file, 0, 0) == 0)
    }

    func launch(
      _ program: String, _ arguments: [String], as prefix: [String] = [],
      _ more: [String: String] = [:]
    ) throws -> RunningProgram {
      count.change { $0 += 1 }
      let number = count.value
      var environment = ToolOutput.plain
      environment["FETTLE_SOCKET"] = socket
      environment["TMPDIR"] = folder
      if prefix.isEmpty { environment["XDG_CONFIG_HOME"] = folder + "/config" }
      return try RunningProgram(
        [EngineUnderTest.path(program)] + arguments, environment: environment.merging(more) { $1 },
        stem: folder + "/program-\(number)", prefix: prefix)
    }

    func engine(_ more: [String: String] = [:]) async throws -> RunningProgram {
      let program = try launch(
        "fettled",
        [
          "engine", "--provider", "simulated:demo", "--state", folder + "/state", "--socket",
          socket,
        ], more)
      try await program.until("ready") { $0.contains("ready") }
      return program
    }

    func fettle(_ arguments: String..., as prefix: [String] = []) async throws -> Answer {
      let program = try launch("fettle", arguments, as: prefix)
      let status = try await program.status()
      return Answer(status: status, output: program.output, errors: program.errors)
    }
  }

  @Test func `A40: where everybody may look, looking works and acting is refused with 6`()
    async throws
  {
    let place = try Place(settings: "[engine]\neverybodyMayLook = true\n")
    let engine = try await place.engine()
    let install = try await place.fettle("install", "libzoo2", "--wait", "--json")
    #expect(install.status == 0, "\(install.errors)")
    for words in [["status"], ["jobs"], ["show", "1"], ["history"], ["doctor"], ["updates"]] {
      let program = try place.launch("fettle", words + ["--json"], as: Self.stranger)
      let status = try await program.status()
      #expect(status == 0 || words == ["doctor"] && status < 6, "\(words): \(program.errors)")
      _ = try JSONValue(program.output)
    }
    #expect(try await place.fettle("show", "1", as: Self.stranger).output.contains("libzoo2"))
    #expect(try await place.fettle("log", "1", as: Self.stranger).status == 0)
    #expect(try await place.fettle("watch", "1", "--until-end", as: Self.stranger).status == 0)
    #expect(try await place.fettle("plan", "install", "zoo", as: Self.stranger).status == 0)
    for words in [
      ["install", "zoo"], ["abort", "1"], ["cleanup", "1"], ["pause"], ["audit"],
      ["updates", "--refresh"],
    ] {
      let program = try place.launch("fettle", words, as: Self.stranger)
      #expect(try await program.status() == 6, "\(words): \(program.output)\(program.errors)")
      #expect(program.errors.contains("is not permitted to"), "\(words)")
    }
    engine.signal(SIGTERM)
    #expect(try await engine.status() == 0)
  }

  @Test func `A40: where not, the refusal names the setting, and the audit who it was`()
    async throws
  {
    let place = try Place(settings: "[engine]\n")
    let engine = try await place.engine()
    let refused = try await place.fettle("status", as: Self.stranger)
    #expect(refused.status == 6)
    #expect(refused.errors.contains("everybodyMayLook = true"))
    #expect(refused.errors.contains("/etc/fettle/config.toml"))
    #expect(try await place.fettle("install", "libzoo2", "--wait").status == 0)
    #expect(try await place.fettle("install", "nosuchpackage").status != 0)
    let audit = try await place.fettle("audit", "--json")
    #expect(audit.status == 0)
    let rows = try audit.json.elements
    #expect(rows.map { $0["act"] } == ["submit", "submit", "submit", "hello"])
    #expect(
      rows.map { $0["outcome"] } == ["notApplicable", "permitted", "permitted", "notPermitted"])
    #expect(rows[2]["job"] == 1 && rows[2]["operation"] == "install")
    #expect(rows[2]["packages"] == .array(["libzoo2"]) && rows[2]["packageCount"] == 1)
    #expect(rows[3]["uid"] == .number(Double(TestUser.id)) && rows[3]["command"] == "fettle")
    let time = try #require(rows[0]["at"]?.string)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
    func numbers(_ words: String...) async throws -> [JSONValue?] {
      let program = try place.launch("fettle", ["audit", "--json"] + words)
      #expect(try await program.status() == 0, "\(program.errors)")
      return try JSONValue(program.output).elements.map { $0["number"] }
    }
    #expect(try await numbers("--job", "1") == [2])
    #expect(try await numbers("--outcome", "refused", "--act", "hello") == [1])
    #expect(try await numbers("--user", "root", "--limit", "1") == [4])
    #expect(try await numbers("--since", "2999-01-01") == [])
    let table = try await place.fettle("audit")
    #expect(table.output.contains("install libzoo2"))
    #expect(try await place.fettle("audit", "--limit", "0").status == 64)
    engine.signal(SIGTERM)
    #expect(try await engine.status() == 0)
  }

  @Test func `the service manager hears that the engine serves, lives and ends`() async throws {
    let place = try Place(settings: "[engine]\n")
    let path = place.folder + "/notify"
    let listener = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: Array(path.utf8))
    }
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    let engine = try await place.engine(["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"])
    func next() async -> String? {
      await onOwnThread {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = unsafe recv(listener, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
      }
    }
    var heard: [String] = []
    while !heard.contains("READY=1") || heard.count < 6 { heard.append(await next() ?? "") }
    #expect(Set(heard) == ["READY=1", "WATCHDOG=1"])
    // What it starts must not speak in its name.
    engine.signal(SIGTERM)
    #expect(try await engine.status() == 0)
    while heard.last != "STOPPING=1" { heard.append(await next() ?? "") }
  }
}
