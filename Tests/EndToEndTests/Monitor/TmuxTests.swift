import FoundationEssentials
import Support
import Testing

/// The monitor inside a terminal multiplexer, through the multiplexer's own eyes.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct TmuxTests {
  /// A tmux server of the test's own.
  private struct Tmux {
    let engine: EngineUnderTest

    @discardableResult
    func run(_ arguments: String...) async throws -> String {
      var environment = engine.environment
      environment["TERM"] = "xterm-256color"
      environment["LC_ALL"] = "C.UTF-8"
      let program = try engine.launch(
        "/usr/bin/tmux",
        ["-f", "/dev/null", "-S", engine.folder.path("tmux.sock")] + arguments,
        environment: environment)
      let status = try await program.status()
      #expect(status == 0, "\(arguments): \(program.errors)")
      return program.output
    }

    /// Waits until the pane shows something.
    ///
    /// An answer is pressed again and again until then: what comes between a question's first sight
    /// and its reading is thrown away on purpose.
    @discardableResult
    func pane(
      _ what: String, answer: String? = nil, _ isMet: (String) -> Bool
    ) async throws -> String {
      for look in 0..<2_000 {
        let text = try await run("capture-pane", "-p", "-t", "it")
        if isMet(text) { return text }
        if let answer, look.isMultiple(of: 50) { try await run("send-keys", "-t", "it", answer) }
      }
      Issue.record("never seen: \(what)")
      return ""
    }
  }

  @Test func `in tmux it is seen, resized, typed at, and its end ends no install`() async throws {
    let engine = try await EngineUnderTest([
      .held("one"), PackageFixture("two", fields: ["Depends": "one"]),
    ])
    let tmux = Tmux(engine: engine)
    try await engine.fettle("install", "two")
    try await engine.waitUntilHeld("one")
    try await tmux.run(
      "new-session", "-d", "-s", "it", "-x", "100", "-y", "30",
      EngineUnderTest.path("fettle"), "--socket", engine.socket)
    let wide = try await tmux.pane("the job") {
      $0.contains("live") && $0.contains("two") && $0.contains("F10 Quit")
    }
    #expect(!wide.contains("\u{FFFD}") && !wide.contains("?live"))
    try await tmux.run("resize-window", "-t", "it", "-x", "50", "-y", "14")
    try await tmux.pane("the narrow form") { text in
      text.contains("two") && text.split(separator: "\n").allSatisfy { $0.count <= 50 }
        && !text.contains("PROGRESS")
    }
    try await tmux.run("send-keys", "-t", "it", "x")
    try await tmux.pane("the question") { $0.contains("Keep running") }
    try await tmux.pane("the list", answer: "Escape") { !$0.contains("Keep running") }
    try await tmux.run("kill-session", "-t", "it")
    try engine.release("one")
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }
}
