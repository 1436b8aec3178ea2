import FoundationEssentials
import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct MonitorTests {
  /// Two jobs, the first of which leaves time for a person at the keys.
  private static let scenario = """
    name = "keys"
    seed = 3
    [defaults]
    download = 0.1
    unpack = 3
    configure = 3
    [[package]]
    name = "alder"
    version = "1"
    [[package]]
    name = "birch"
    version = "1"
    [[package]]
    name = "cedar"
    version = "1"
    [[package]]
    name = "daphne"
    version = "1"
    [[package]]
    name = "elm"
    version = "1"
    unpack = 1.5
    configure = 1.5
    [[job]]
    operation = "install"
    packages = ["alder", "birch", "cedar", "daphne"]
    [[job]]
    operation = "install"
    packages = ["elm"]
    """

  private static func makeFolder() throws -> TestFolder {
    let folder = try TestFolder()
    try TestFolder.write(scenario, to: folder.path("keys.toml"))
    return folder
  }

  @Test func `an abort by keys stops after the package at work, c cleans up, the next job ends`()
    async throws
  {
    let folder = try Self.makeFolder()
    let before = TestFolder.names(in: folder.path)
    let monitor = MonitorUnderTest(
      ["try", "--simulated", folder.path("keys.toml")], folder: folder)
    let modes = Modes(monitor.terminal.modes)
    try await monitor.line("work on the first job") {
      $0.hasPrefix(">") && $0.contains("alder (4") && $0.contains("unpack")
    }
    monitor.type("x")
    try await monitor.screen("the question and its first answer") {
      $0.contains("Abort job 1?") && $0.contains("Keep running")
    }
    try await monitor.answer("a", "the question's end") { !$0.contains("Abort job 1?") }
    // Row and detail say the same, and the selection has stayed with the job.
    // One frame may arrive in pieces, so both are waited for.
    try await monitor.screen("the aborted job") { picture in
      let lines = picture.split(separator: "\n")
      return lines.contains {
        $0.hasPrefix(">") && $0.contains("alder (4") && $0.contains("aborted")
      }
        && lines.contains {
          $0.contains("aborted: ") && $0.contains("installed")
            && $0.contains("daphne not started")
        }
    }
    monitor.type("c")
    try await monitor.screen("the queue without the job") { !$0.contains("alder (4") }
    monitor.type("4")
    try await monitor.screen("the history") {
      $0.contains("[4 History]") && $0.contains("alder (4") && $0.contains("cleaned up")
    }
    monitor.type("1")
    try await monitor.line("the end of the second job") {
      $0.contains(" 2 simulated elm") && $0.contains("100%")
    }
    monitor.type("q")
    #expect(await monitor.end() == .exit(0))
    #expect(Modes(monitor.terminal.modes) == modes)
    let bytes = String(decoding: monitor.terminal.output, as: UTF8.self)
    #expect(bytes.contains("\u{1b}[?1049l"))
    #expect(TestFolder.names(in: folder.path).sorted() == before.sorted())
  }

  @Test func `an answer that is typed ahead of the question is not one, the type's notice is seen`()
    async throws
  {
    let folder = try Self.makeFolder()
    let monitor = MonitorUnderTest(
      ["try", "--simulated", folder.path("keys.toml")], folder: folder, type: "xterm-ghostly")
    try await monitor.line("work on the first job") {
      $0.hasPrefix(">") && $0.contains("alder (4") && $0.contains("unpack")
    }
    monitor.type("xa")
    try await monitor.screen("the question, unanswered") { $0.contains("Abort job 1?") }
    // What is said of it may be covered by the next thing that happens.
    try await monitor.answer("\u{1b}", "the list") {
      !$0.contains("Abort job 1?") && $0.contains("alder (4")
    }
    monitor.type("\u{3}")
    await monitor.terminal.wait { String(decoding: $0, as: UTF8.self).contains("Abort them (a)") }
    let output = String(decoding: monitor.terminal.output, as: UTF8.self)
    monitor.type("a\n")
    _ = await monitor.end()
    #expect(!output.contains("aborted: "))
    #expect(output.contains("The terminal type xterm-ghostly is not known here"))
  }

  @Test func `an engine that is killed is told and found again, the place is kept`()
    async throws
  {
    let folder = try Self.makeFolder()
    let socket = folder.path("engine.sock")
    func engine(_ number: Int) async throws -> RunningProgram {
      let program = try RunningProgram(
        [
          EngineUnderTest.path("fettled"), "engine", "--socket", socket, "--state",
          folder.path("state"), "--provider", "simulated:" + folder.path("keys.toml"),
        ], environment: ToolOutput.plain, stem: folder.path("engine-\(number)"))
      try await program.until("ready") { $0.contains("ready") }
      return program
    }
    let first = try await engine(1)
    for name in ["elm", "alder"] {
      let submit = try RunningProgram(
        [EngineUnderTest.path("fettle"), "install", name, "--socket", socket],
        environment: ToolOutput.plain, stem: folder.path("submit-" + name))
      #expect(try await submit.status() == 0)
    }
    let monitor = MonitorUnderTest(["--socket", socket], folder: folder)
    try await monitor.line("the end of both jobs") {
      $0.contains(" 2 simulated alder") && $0.contains("done")
    }
    // Down to the older of the two, which stands last.
    monitor.type("G")
    try await monitor.line("the older job") {
      $0.hasPrefix(">") && $0.contains(" 1 simulated elm")
    }
    first.signal(SIGKILL)
    #expect(try await first.status() == 137)
    try await monitor.screen("the loss") { $0.contains("LOST, retry in") }
    let second = try await engine(2)
    try await monitor.screen("the engine again, and the place kept") { picture in
      picture.contains("live") && !picture.contains("LOST")
        && picture.split(separator: "\n").contains {
          $0.hasPrefix(">") && $0.contains(" 1 simulated elm")
        }
    }
    monitor.type("q")
    #expect(await monitor.end() == .exit(0))
    second.signal(SIGTERM)
    #expect(try await second.status() == 0)
  }
}

/// The modes of a terminal that can be compared.
private struct Modes: Equatable {
  var flags: [tcflag_t]

  init(_ modes: termios) { flags = [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag] }
}
