import Support
import Testing

@Suite(.timeLimit(.minutes(5)), .endsOrAborts)
struct `What the programs foresee` {
  // What the short jobs teach of this machine says, by its size, that the large one takes minutes.
  private static let scenario = """
    name = "forecast"
    tickSeconds = 0.05
    [defaults]
    unpack = [0.1, 0.1]
    configure = [0.1, 0.1]
    size = 20000
    installedSize = 1000
    [[package]]
    name = "short"
    version = "1.0"
    [[package]]
    name = "large"
    version = "1.0"
    installedSize = 40000000000
    unpack = [600, 600]
    """

  @Test(.scratchFolder)
  func `N5: jobs --json tells when each job that waits begins and ends`() async throws {
    let folder = try #require(ScratchFolder.current)
    let socket = folder.path("engine.sock")
    try folder.write(Self.scenario, to: "forecast.toml")
    let engine = try RunningProgram(
      [
        EngineUnderTest.path("fettled"), "engine", "--socket", socket, "--state",
        folder.path("state"), "--provider", "simulated:" + folder.path("forecast.toml"),
      ], environment: ToolOutput.plain, stem: folder.path("engine"), prefix: [])
    try await engine.until("ready") { $0.contains("ready") }
    var count = 0
    func fettle(_ arguments: String...) async throws -> String {
      count += 1
      let program = try RunningProgram(
        [EngineUnderTest.path("fettle")] + arguments + ["--socket", socket],
        environment: ToolOutput.plain, stem: folder.path("fettle-\(count)"), prefix: [])
      #expect(try await program.status() == 0, "\(program.errors)")
      return program.output
    }
    let first = try JSONValue(try await fettle("install", "short", "--json"))
    #expect(first["expected"] == JSONValue.null)
    _ = try await fettle("reinstall", "short", "--wait")
    for _ in 0..<2 { _ = try await fettle("reinstall", "short", "--wait") }
    _ = try await fettle("install", "large")
    _ = try await fettle("reinstall", "short")
    let jobs = try JSONValue(try await fettle("jobs", "--state", "queued", "--json"))
    let job = try #require(jobs.elements.first)
    let start = try #require(job["startsInSeconds"]?.double)
    let end = try #require(job["endsInSeconds"]?.double)
    #expect(start > 100 && end > start && end < start + 60)
    #expect(try #require(job["etaSpreadSeconds"]?.double) > 0)
    #expect(try #require(job["expected"]?["packageSeconds"]?.double) > 0)
    let table = try await fettle("jobs", "--state", "queued")
    #expect(table.contains("next in the queue, starts in ~"))
    #expect(try await fettle("show", "6").contains("  eta:        starts in ~"))
  }
}
