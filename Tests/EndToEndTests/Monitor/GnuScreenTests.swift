import FoundationEssentials
import Glibc
import Support
import Testing

/// The monitor inside GNU screen, as a person at screen's own terminal sees it.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct GnuScreenTests {
  private static let program = "/usr/bin/screen"

  /// A screen session of the test's own, seen through a terminal of some size.
  private final class Session: Sendable {
    private let columns: Int
    private let rows: Int
    private let terminal: PseudoTerminal
    private let client: TerminalProgram

    /// Starts `screen` with these arguments, its sockets and settings in the test's folder.
    init(_ engine: EngineUnderTest, _ arguments: [String], columns: Int, rows: Int) throws {
      (self.columns, self.rows) = (columns, rows)
      let folder = engine.folder.path("screen")
      // Of whoever runs screen, and nobody else's: it insists.
      _ = unsafe mkdir(folder, 0o700)
      let settings = engine.folder.path("screenrc")
      try TestFolder.write("startup_message off\nmaptimeout 50\n", to: settings)
      var environment = engine.environment
      environment["SCREENDIR"] = folder
      environment["TERM"] = "xterm-256color"
      environment["LC_ALL"] = "C.UTF-8"
      terminal = PseudoTerminal(columns: columns, rows: rows)
      client = TerminalProgram(
        GnuScreenTests.program, ["-U", "-c", settings] + arguments, on: terminal,
        environment: environment)
    }

    func type(_ keys: String) { terminal.send(keys) }

    /// Waits until the screen satisfies a condition.
    ///
    /// An answer is typed again each second until then: what comes between a question's first sight
    /// and its reading is thrown away on purpose.
    @discardableResult
    func sees(
      _ what: String, answer: String? = nil, _ isMet: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
      let clock = ContinuousClock()
      var next = clock.now
      var picture = ""
      try await eventually(what, within: .seconds(120)) {
        let emulator = EmulatedTerminal(columns: self.columns, rows: self.rows)
        emulator.feed(self.terminal.output)
        picture = (0..<self.rows).map { emulator.line($0) }.joined(separator: "\n")
        if isMet(picture) { return true }
        if let answer, clock.now >= next {
          type(answer)
          next = clock.now.advanced(by: .seconds(1))
        }
        return false
      }
      return picture
    }

    func end() async -> TerminalProgram.End { await client.end() }
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: GnuScreenTests.program),
      "screen is not installed"))
  func `in screen it is seen, typed at, left alone and found again, and its end ends no install`()
    async throws
  {
    let engine = try await EngineUnderTest([
      .held("one"), PackageFixture("two", fields: ["Depends": "one"]),
    ])
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    let monitor = [EngineUnderTest.path("fettle"), "--socket", engine.socket]
    let first = try Session(engine, ["-S", "it"] + monitor, columns: 100, rows: 30)
    let wide = try await first.sees("the job") {
      $0.contains("live") && $0.contains("two") && $0.contains("F10 Quit") && $0.contains("█")
    }
    #expect(!wide.contains("\u{FFFD}"))
    first.type("x")
    try await first.sees("the question") { $0.contains("Keep running") }
    try await first.sees("the list", answer: "\u{1B}") { !$0.contains("Keep running") }
    // Detached, the monitor goes on without a terminal that shows it.
    first.type("\u{1}d")
    #expect(await first.end() == .exit(0))
    let second = try Session(engine, ["-r", "it"], columns: 50, rows: 14)
    try await second.sees("the narrow form") {
      $0.contains("live") && $0.contains("two") && !$0.contains("PROGRESS")
    }
    second.type("q")
    #expect(await second.end() == .exit(0))
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }
}
