import Bench
import Glibc
import Support
import Testing

/// An operator who works over ssh, with a real server and a real client.
@Suite(
  .timeLimit(.minutes(10)), .endsOrAborts,
  .enabled("needs root that may mount, and an ssh server") { await SecureShell.isAvailable() })
struct `A link over ssh` {
  /// Which end of a link is killed.
  enum End: CaseIterable { case client, server }

  /// `fettle` at the other end of a link.
  private struct Distant {
    let program: MonitorUnderTest
    /// The command that runs there.
    let words: [String]

    init(_ arguments: [String], through shell: SecureShell, to engine: EngineUnderTest) {
      words = [EngineUnderTest.path("fettle")] + arguments + ["--socket", engine.socket]
      program = MonitorUnderTest(
        command: shell.command(
          words,
          variables: [
            "HOME": engine.folder.path, "XDG_CONFIG_HOME": engine.folder.path("config"),
            "LC_ALL": "C.UTF-8",
          ].merging(ToolOutput.sanitizers) { mine, _ in mine }),
        folder: engine.folder)
    }

    var processes: Set<pid_t> { ProcessTable.processes(running: words) }

    func cut(at end: End, _ shell: SecureShell) async throws {
      #expect(processes.count == 1)
      switch end {
      case .client: program.kill()
      case .server: #expect(shell.cutLinks() == 1)
      }
      _ = await program.end()
      try await eventually("nobody is left behind") { processes.isEmpty }
    }
  }

  private static func engineAtWork(_ body: (EngineUnderTest, SecureShell) async throws -> Void)
    async throws
  {
    let engine = try await EngineUnderTest([
      .held("one"), PackageFixture("two", fields: ["Depends": "one"]),
    ])
    let shell = try await SecureShell()
    try await body(engine, shell)
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
    #expect(try await engine.repository.state(of: "two") == "installed 1.0")
    let events = try await engine.events()
    expectGapFree(events)
    expectNoneDoubled(events)
  }

  @Test(arguments: End.allCases)
  func `a monitor whose link dies is gone, the install goes on, and the next link shows it`(
    end: End
  ) async throws {
    try await Self.engineAtWork { engine, shell in
      try await engine.fettle("install", "two")
      try await engine.waitUntilHeld("one")
      try await engine.wait(for: 1, "installing")
      let first = Distant([], through: shell, to: engine)
      try await first.program.screen("the job") { $0.contains("two") && $0.contains("live") }
      try await first.cut(at: end, shell)
      #expect(try await engine.job(1)["state"] == "installing")
      let second = Distant([], through: shell, to: engine)
      try await second.program.screen("the job") { $0.contains("two") && $0.contains("live") }
      try engine.release("one")
      try await second.program.screen("its end") { $0.contains("succeeded") }
      second.program.type("q")
      #expect(await second.program.end() == .exit(0))
      #expect(second.processes.isEmpty)
    }
  }

  @Test(arguments: End.allCases)
  func `an install that was submitted over a link outlives it`(end: End) async throws {
    try await Self.engineAtWork { engine, shell in
      let install = Distant(["install", "two", "--follow"], through: shell, to: engine)
      try await engine.waitUntilHeld("one")
      try await engine.wait(for: 1, "installing")
      try await install.cut(at: end, shell)
      #expect(try await engine.job(1)["state"] == "installing")
    }
  }
}
