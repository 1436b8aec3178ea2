import Glibc
import Support
import Testing

/// An engine that root starts on a folder which somebody else has prepared for it.
@Suite(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0))
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

  @Test(.scratchFolder)
  func `its own folder with a planted link in the journal's place is refused, too`() async throws {
    let folder = try #require(ScratchFolder.current)
    let state = folder.path("state")
    #expect(unsafe mkdir(state, 0o700) == 0)
    let victim = try folder.write("precious\n", to: "victim")
    let isPlanted = unsafe symlink(victim, state + "/journal.sqlite") == 0
    #expect(isPlanted)
    let answer = try await refusal(folder.path, state: state)
    #expect(answer.status == 1, "\(answer)")
    #expect(answer.errors.contains("journal.sqlite"), "\(answer)")
    #expect(TestFolder.text(of: victim) == "precious\n")
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
