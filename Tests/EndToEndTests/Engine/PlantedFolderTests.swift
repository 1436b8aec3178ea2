import Glibc
import Support
import Testing

/// An engine that root starts on a folder which somebody else has prepared for it.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .enabled(if: geteuid() == 0))
struct `A state folder that somebody else made` {
  /// Runs an engine with the rights of root on a prepared state folder, to its refusal.
  private func refusal(_ folder: String, state: String) async throws -> Answer {
    var environment = ToolOutput.plain
    environment["HOME"] = folder
    let program = try RunningProgram(
      [
        EngineUnderTest.path("fettled"), "engine", "--provider", "simulated:demo",
        "--state", state, "--socket", folder + "/engine.sock",
      ], environment: environment, stem: folder + "/program", prefix: [])
    let status = try await program.status()
    return Answer(status: status, output: program.output, errors: program.errors)
  }

  @Test(arguments: ["journal.sqlite", "journal.sqlite-wal", "jobs", "archives"])
  func `is refused, and no link in it is followed`(name: String) async throws {
    let folder = try TestFolder()
    let state = folder.path("state")
    // Owned by the test user, as TestFolder makes it.
    try TestFolder.makeFolder(state)
    let victim = folder.path("victim")
    try TestFolder.makeFolder(victim)
    try TestFolder.write("precious\n", to: victim + "/file")
    let target = name.hasPrefix("journal") ? victim + "/file" : victim
    let isPlanted = unsafe symlink(target, "\(state)/\(name)") == 0
    #expect(isPlanted)
    let answer = try await refusal(folder.path, state: state)
    #expect(answer.status == 6, "\(answer)")
    #expect(answer.errors.contains(state), "\(answer)")
    #expect(TestFolder.names(in: state) == [name])
    #expect(TestFolder.names(in: victim) == ["file"])
    #expect(TestFolder.text(of: victim + "/file") == "precious\n")
    var record = stat()
    let isThere = unsafe stat(victim, &record) == 0
    #expect(isThere && record.st_uid == TestUser.id)
  }

  @Test(
    .scratchFolder,
    arguments: [
      "journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.sqlite-journal",
      "journal.sqlite-last", "reserve", "reserve/blocks", "jobs", "jobs/1", "archives",
      "archives/x.deb", "cache", "cache/x", "subject", "simulated.json", "anything",
    ])
  func `its own folder with a planted link is refused, too`(name: String) async throws {
    let folder = try #require(ScratchFolder.current)
    let (state, victim) = (folder.path("state"), folder.path("victim"))
    for path in [state, victim] { #expect(unsafe mkdir(path, 0o700) == 0) }
    let file = try folder.write("precious\n", to: "victim/file")
    let parts = name.split(separator: "/")
    if parts.count > 1 { #expect(unsafe mkdir("\(state)/\(parts[0])", 0o700) == 0) }
    let isFile = name.contains("journal") || name.contains("simulated")
    #expect(unsafe symlink(isFile ? file : victim, "\(state)/\(name)") == 0)
    let answer = try await refusal(folder.path, state: state)
    #expect(name == "simulated.json" ? answer.status != 0 : answer.status == 6, "\(answer)")
    #expect(answer.errors.contains(String(parts[0])), "\(answer)")
    #expect(TestFolder.names(in: state) == [String(parts[0])])
    #expect(TestFolder.names(in: victim) == ["file"])
    #expect(TestFolder.text(of: file) == "precious\n")
  }

  @Test(.scratchFolder)
  func `is not begun below a folder of somebody else, where nothing is made`() async throws {
    let folder = try TestFolder()
    let own = try #require(ScratchFolder.current)
    #expect(unsafe symlink(folder.path, own.path("link")) == 0)
    for state in [folder.path("new/state"), own.path("link/new/state")] {
      let answer = try await refusal(own.path, state: state)
      #expect(answer.status == 6, "\(answer)")
      #expect(
        answer.errors.contains("'\(folder.path)' belongs to user \(TestUser.id)"), "\(answer)")
    }
    #expect(TestFolder.names(in: folder.path).isEmpty)
  }
}
