import InstallJobs
import Testing

@testable import PackageTools

@Suite(.timeLimit(.minutes(2)))
struct `Programs that are only asked` {
  static let shell = Tool("/bin/sh")

  static func run(_ script: String) async throws(InstallationError) -> Tool.Run {
    try await shell.run(["-c", script], environment: Tool.plain)
  }

  @Test func `are heard to their end, on both ways at once`() async throws {
    let script = """
      i=0; while [ $i -lt 3000 ]; do i=$((i + 1))
      printf '%0100d\\n' $i; printf 'E: %0100d\\n' $i >&2; done; exit 7
      """
    let run = try await Self.run(script)
    #expect(run.status == 7)
    #expect(run.output.utf8.count == 3000 * 101)
    #expect(run.lines.dropLast().last?.hasSuffix("3000") == true)
    #expect(run.complaints.count == 3000)
  }

  @Test func `may say what is no text, and nothing`() async throws {
    let run = try await Self.run(#"printf 'a\377b'"#)
    #expect((run.status, run.output, run.errors) == (0, "a\u{FFFD}b", ""))
  }

  @Test(arguments: ["", " >&2"])
  func `that do not stop talking are ended, with an error`(way: String) async throws {
    let error = await #expect(throws: InstallationError.self) {
      try await Self.run("exec cat /dev/zero" + way)
    }
    #expect(error?.code == .internal)
    #expect(error?.message.contains("it says more than") == true)
  }

  @Test func `are told by their signal when one ends them`() async throws {
    #expect(try await Self.run("kill -TERM $$").status == 128 + 15)
  }
}
