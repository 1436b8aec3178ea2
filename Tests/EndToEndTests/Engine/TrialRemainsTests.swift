import Glibc
import Support
import Testing

/// The engine of a trial that root starts, which becomes a user of its own; needs root.
@Suite(.scratchFolder, .timeLimit(.minutes(5)), .endsOrAborts, .enabled(if: geteuid() == 0))
struct `A trial of root's` {
  // Not the one of a test run beside this one, whose processes would be ended, too.
  private static let uid = 70_000 + uid_t(getpid() % 10_000)

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
    let folder = left + ".d"
    // Whatever becomes of this test: the script goes on only while the folder is there.
    defer { for path in [left, folder] { TestFolder.remove(path) } }
    let repository = try await PackageRepository([
      PackageFixture("lingering", scripts: [.postinst: Self.script(left, folder)])
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
    #expect(!TestFolder.exists(left) && !TestFolder.exists(folder))
    #expect(engine.lines.contains { $0.hasPrefix("left ended 'fettled' ") }, "\(engine.lines)")
    #expect(!engine.lines.contains { $0.contains("cannot be ended") }, "\(engine.lines)")
    let rest = TestFolder.names(in: "/proc").compactMap { pid_t($0) }.filter {
      status($0, "Uid") == "\(Self.uid)" && status($0, "State")?.hasPrefix("Z") == false
    }
    #expect(rest.isEmpty)
    let state = status(pid, "State")
    #expect(state == nil || state?.hasPrefix("Z") == true)
  }

  /// A script that leaves a process, one that looks like an engine, and one that begins another and
  /// ends, without end.
  private static func script(_ left: String, _ folder: String) -> String {
    """
    mkdir \(folder) && cd \(folder)
    mkdir -p closed/inner full && echo x >closed/inner/file && echo x >full/file
    chmod 000 closed/inner closed && chmod 555 full
    ln -s /bin/sh fettled
    echo '/bin/sleep 1000; :' >engine
    printf '%s\\n' '[ -d \(folder) ] && /usr/bin/setsid /bin/sh \(folder)/next &' >next
    /usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null 2>&1 &
    echo $! >\(left)
    /usr/bin/setsid ./fettled engine </dev/null >/dev/null 2>&1 &
    /usr/bin/setsid /bin/sh \(folder)/next </dev/null >/dev/null 2>&1 &

    """
  }

  @Test func `leaves another engine of its user alone`() async throws {
    let own = try #require(ScratchFolder.current)
    let repository = try await PackageRepository([PackageFixture("alpha")])
    #expect(unsafe chown(repository.folder.path, 0, 0) == 0)
    #expect(unsafe chmod(repository.folder.path, 0o755) == 0)
    try handOver(repository.root)
    func engine(_ name: String, _ more: [String] = []) throws -> RunningProgram {
      try RunningProgram(
        [
          EngineUnderTest.path("fettled"), "engine", "--throwaway", "--root", repository.root,
          "--state", own.path("state-" + name), "--socket", own.path(name + ".sock"),
        ] + more, environment: ToolOutput.plain, stem: own.path("engine-" + name), prefix: [])
    }
    let first = try engine("first")
    try await first.until("ready") { $0.contains("ready") }
    let second = try engine("second")
    #expect(try await second.status() != 0)
    #expect(second.errors.contains("pid \(first.pid)"), "\(second.errors)")
    // Refused before it comes to the root, and about to end what is left.
    let third = try engine("third", ["--provider", "none"])
    #expect(try await third.status() != 0)
    #expect(third.lines.contains { $0.hasPrefix("left everything") }, "\(third.lines)")
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
