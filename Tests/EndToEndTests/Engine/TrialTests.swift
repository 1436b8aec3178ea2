import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `Leaving a try` {
  private static let scenario = """
    name = "leaving"
    seed = 3
    [defaults]
    download = 0.1
    unpack = 1
    configure = 1
    [[package]]
    name = "alder"
    version = "1"
    [[package]]
    name = "birch"
    version = "1"
    [[package]]
    name = "elm"
    version = "1"
    [[job]]
    operation = "install"
    packages = ["alder", "birch"]
    [[job]]
    operation = "install"
    packages = ["elm"]
    """

  @Test func `who waits for jobs of a paused queue and for a held one sees their end`()
    async throws
  {
    let folder = try TestFolder()
    try TestFolder.write(Self.scenario, to: folder.path("leaving.toml"))
    let monitor = MonitorUnderTest(
      ["try", "--simulated", folder.path("leaving.toml")], folder: folder)
    try await monitor.line("work on the first job") {
      $0.hasPrefix(">") && $0.contains("alder (2") && $0.contains("unpack")
    }
    monitor.type("p")
    try await monitor.screen("the hold") { $0.contains("paused") }
    monitor.type("P")
    try await monitor.screen("the pause") { $0.contains("PAUSED") || $0.contains("paused") }
    monitor.type("\u{3}")
    await monitor.terminal.wait { String(decoding: $0, as: UTF8.self).contains("Abort them (a)") }
    monitor.type("\n")
    #expect(await monitor.end() == .exit(0))
    let output = String(decoding: monitor.terminal.output, as: UTF8.self)
    #expect(
      output.contains("2 jobs are not over, the queue is paused, 1 job is paused. Abort them (a)"))
    #expect(output.contains("resume them and wait for them (Enter)?"))
    #expect(output.contains("the simulation is over"))
  }

  @Test func `options that a try would ignore are refused before anything begins`() async throws {
    let folder = try TestFolder()
    func refusal(_ words: String...) async throws -> String {
      let program = try RunningProgram(
        [EngineUnderTest.path("fettle"), "try"] + words, environment: ToolOutput.plain,
        stem: folder.path("try"), prefix: [])
      #expect(try await program.status() == 64)
      return program.errors
    }
    let socket = try await refusal("--socket", "/run/x.sock", "--simulated", "demo", "--plain")
    #expect(socket.contains("--socket names an engine that runs"), "\(socket)")
    let readOnly = try await refusal("--read-only", "--plain", "hello")
    #expect(readOnly.contains("--read-only and try exclude each other"), "\(readOnly)")
  }

  @Test func `an engine that is told to end leaves the folder of a try in which a job waits`()
    async throws
  {
    let folder = try TestFolder()
    try TestFolder.write(Self.scenario, to: folder.path("leaving.toml"))
    let place = folder.path("try")
    try TestFolder.makeFolder(place)
    func fettle(_ words: String...) async throws {
      let program = try RunningProgram(
        [EngineUnderTest.path("fettle")] + words + ["--socket", place + "/engine.sock"],
        environment: ToolOutput.plain, stem: folder.path("fettle-" + words[0]))
      #expect(try await program.status() == 0)
    }
    for isOpen in [true, false] {
      let engine = try RunningProgram(
        [
          EngineUnderTest.path("fettled"), "engine", "--socket", place + "/engine.sock",
          "--state", place + "/state", "--remove-at-end", place,
          "--provider", "simulated:" + folder.path("leaving.toml"),
        ], environment: ToolOutput.plain, stem: folder.path("engine-\(isOpen)"))
      try await engine.until("ready") { $0.contains("ready") }
      if isOpen {
        try await fettle("pause")
        try await fettle("install", "elm")
      } else {
        try await fettle("abort", "1")
      }
      engine.signal(SIGTERM)
      #expect(try await engine.status() == 0)
      let isThere = TestFolder.bytes(of: place + "/state/journal.sqlite") != nil
      #expect(isThere == isOpen)
    }
  }
}
