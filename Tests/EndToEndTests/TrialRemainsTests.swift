import Glibc
import Support
import Testing

/// The engine of a trial that root starts, which becomes a user of its own; needs root.
@Suite(.scratchFolder, .timeLimit(.minutes(5)), .enabled(if: geteuid() == 0))
struct `A trial of root's` {
  private static let uid: uid_t = 70_123

  private func status(_ pid: pid_t, _ name: String) -> String? {
    let lines = TestFolder.text(of: "/proc/\(pid)/status")?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix(name + ":\t") }
    return line?.split(separator: "\t").dropFirst().first.map(String.init)
  }

  @Test func `ends what a package script left at work, removes its files and names both`()
    async throws
  {
    let own = try #require(ScratchFolder.current)
    let left = "/tmp/fettle-left-\(getpid())"
    defer { TestFolder.remove(left) }
    let repository = try await PackageRepository([
      PackageFixture(
        "lingering",
        scripts: [
          .postinst:
            "/usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null 2>&1 &\necho $! >\(left)\n"
        ])
    ])
    // Only root may change the folders above what is given to the trial's user.
    #expect(unsafe chown(repository.folder.path, 0, 0) == 0)
    #expect(unsafe chmod(repository.folder.path, 0o755) == 0)
    try handOver(repository.root)
    let socket = own.path("engine.sock")
    let engine = try RunningProgram(
      [
        EngineUnderTest.path("fettled"), "engine", "--throwaway", "--root", repository.root,
        "--state", own.path("state"), "--socket", socket,
      ], environment: ToolOutput.plain, stem: own.path("engine"), prefix: [])
    try await engine.until("ready") { $0.contains("ready") }
    #expect(status(engine.pid, "Uid") == "\(Self.uid)")
    #expect(status(engine.pid, "NoNewPrivs") == "1")
    let install = try RunningProgram(
      [EngineUnderTest.path("fettle"), "install", "lingering", "--wait", "--socket", socket],
      environment: ToolOutput.plain, stem: own.path("install"), prefix: [])
    #expect(try await install.status() == 0, "\(install.output)\(install.errors)")
    let text = try #require(TestFolder.text(of: left))
    let pid = try #require(pid_t(text.prefix { $0 != "\n" }))
    #expect(status(pid, "Name") == "sleep")
    let cleanUp = try RunningProgram(
      [EngineUnderTest.path("fettle"), "cleanup", "1", "--socket", socket],
      environment: ToolOutput.plain, stem: own.path("cleanup"), prefix: [])
    #expect(try await cleanUp.status() == 0, "\(cleanUp.errors)")
    engine.signal(SIGTERM)
    #expect(try await engine.status() == 0, "\(engine.errors)")
    #expect(engine.lines.contains { $0.hasPrefix("left ended 'sleep' (pid \(pid))") })
    #expect(engine.lines.contains { $0.hasPrefix("left removed '\(left)'") })
    #expect(!TestFolder.exists(left))
    let state = status(pid, "State")
    #expect(state == nil || state?.hasPrefix("Z") == true)
  }

  @Test func `leaves another engine of its user alone`() async throws {
    let own = try #require(ScratchFolder.current)
    let repository = try await PackageRepository([PackageFixture("alpha")])
    #expect(unsafe chown(repository.folder.path, 0, 0) == 0)
    #expect(unsafe chmod(repository.folder.path, 0o755) == 0)
    try handOver(repository.root)
    func engine(_ name: String) throws -> RunningProgram {
      try RunningProgram(
        [
          EngineUnderTest.path("fettled"), "engine", "--throwaway", "--root", repository.root,
          "--state", own.path("state-" + name), "--socket", own.path(name + ".sock"),
        ], environment: ToolOutput.plain, stem: own.path("engine-" + name), prefix: [])
    }
    let first = try engine("first")
    try await first.until("ready") { $0.contains("ready") }
    let second = try engine("second")
    #expect(try await second.status() != 0)
    #expect(second.errors.contains("pid \(first.pid)"), "\(second.errors)")
    #expect(kill(first.pid, 0) == 0, "the first engine goes on")
    first.signal(SIGTERM)
    #expect(try await first.status() == 0, "\(first.errors)")
  }

  private func handOver(_ path: String) throws {
    var record = stat()
    try #require(unsafe lstat(path, &record) == 0)
    if record.st_mode & S_IFMT == S_IFDIR {
      for name in TestFolder.names(in: path) { try handOver(path + "/" + name) }
    }
    try #require(unsafe lchown(path, Self.uid, Self.uid) == 0)
  }
}
