import Testing

@testable import fettle

@Suite struct `Global options before the command` {
  private static let commands: Set<String> = ["jobs", "install"]

  @Test(arguments: [
    (["--socket", "/s", "jobs", "--all"], ["jobs", "--socket", "/s", "--all"]),
    (["--socket=/s", "--plain", "jobs"], ["jobs", "--socket=/s", "--plain"]),
    (["--color", "256", "install", "--", "-x"], ["install", "--color", "256", "--", "-x"]),
  ])
  func `are moved behind it`(typed: [String], expected: [String]) {
    #expect(ArgumentOrder.normalized(typed, commands: Self.commands) == expected)
  }

  @Test(arguments: [
    [], ["jobs"], ["--socket"], ["--socket", "jobs"], ["--plain"], ["--version"],
    ["install", "--socket", "/s"], ["--ascii", "frob"], ["--help", "jobs"],
  ])
  func `stay where nothing is to be moved`(typed: [String]) {
    #expect(ArgumentOrder.normalized(typed, commands: Self.commands) == typed)
  }
}
