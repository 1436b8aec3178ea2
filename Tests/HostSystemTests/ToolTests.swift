import Foundation
import InstallJobs
import Support
import Testing

@testable import HostSystem

@Suite(.timeLimit(.minutes(2)), .endsOrAborts)
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

  @Test func `have given no answer when a signal ends them`() async throws {
    let error = await #expect(throws: InstallationError.self) {
      try await Self.run("echo half of an answer; kill -TERM $$")
    }
    #expect(error?.code == .internal)
    #expect(error?.message == "/bin/sh was ended by signal 15; it was run to read packages")
    let whole = try await Self.shell.run(
      ["-c", "kill -TERM $$"], environment: Tool.plain, limits: .none)
    #expect(whole.status == 128 + 15)
  }

  /// Runs a shell that starts a child and waits for it, and writes the child's number to `file`.
  static func runForEver(
    in folder: ScratchFolder, _ limits: Tool.Limits
  ) async throws(InstallationError) -> Tool.Run {
    try await shell.run(
      [
        "-c",
        "sleep 100000 & echo $! > \(folder.path("draft")); mv \(folder.path("draft")) \(folder.path("child")); wait",
      ],
      environment: Tool.plain, to: "show a limit", limits: limits)
  }

  static func child(in folder: ScratchFolder) async throws -> Int32 {
    try await eventually("the child's number") {
      (try? String(contentsOfFile: folder.path("child"), encoding: .utf8))
        .flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
  }

  static func isGone(_ pid: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
      return true
    }
    return status.contains(") Z ")
  }

  @Test func `that do not end are ended at their limit, with all that they started`() async throws {
    let folder = try ScratchFolder()
    let error = await #expect(throws: InstallationError.self) {
      try await Self.runForEver(in: folder, Tool.Limits(seconds: 1))
    }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("/bin/sh") == true)
    #expect(error?.message.contains("to show a limit") == true)
    let child = try await Self.child(in: folder)
    try await eventually("the end of the child") { Self.isGone(child) }
  }

  @Test func `that cannot be killed are left behind at their limit, and reaped when they end`()
    async throws
  {
    let folder = try ScratchFolder()
    // SIGCONT ends nothing, as SIGKILL does not while a process waits for a disk.
    let error = await #expect(throws: InstallationError.self) {
      try await Self.runForEver(in: folder, Tool.Limits(seconds: 1, signal: SIGCONT))
    }
    #expect(error?.code == .timedOut)
    let words = try #require(error?.message.split(separator: "(pid ").last)
    let pid = try #require(Int32(words.prefix { $0.isNumber }))
    #expect(!Self.isGone(pid))
    #expect(kill(-pid, SIGKILL) == 0)
    try await eventually("the program is reaped") {
      !FileManager.default.fileExists(atPath: "/proc/\(pid)")
    }
  }

  @Test func `are not started while 64 that were killed have not ended`() async throws {
    let remaining = try await withThrowingTaskGroup(of: Int32.self) { group in
      for _ in 0..<64 {
        group.addTask {
          let error = await #expect(throws: InstallationError.self) {
            try await Tool("/bin/sleep").run(
              ["100000"], environment: Tool.plain, limits: Tool.Limits(seconds: 1, signal: SIGCONT))
          }
          let words = try #require(error?.message.split(separator: "(pid ").last)
          return try #require(Int32(words.prefix { $0.isNumber }))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let error = await #expect(throws: InstallationError.self) { try await Self.run("exit 0") }
    #expect(error?.code == .internal)
    #expect(error?.message.contains("64 programs that were killed have not ended") == true)
    for pid in remaining { #expect(kill(-pid, SIGKILL) == 0) }
    try await eventually("programs are started again") {
      (try? await Self.run("exit 0").status) == 0
    }
  }

  @Test func `that are not to be ended may say too much, and go on to their end`() async throws {
    let run = try await Self.shell.run(
      ["-c", "yes | head -c 6000000 >&2; echo done"], environment: Tool.plain, limits: .none)
    #expect(run.status == 0 && run.output == "done\n")
    #expect(run.errors.utf8.count == Tool.errorLimit)
  }

  @Test func `are ended with all that they started when nobody waits for them`() async throws {
    let folder = try ScratchFolder()
    let task = Task { try await Self.runForEver(in: folder, .looking) }
    let child = try await Self.child(in: folder)
    task.cancel()
    await #expect(throws: InstallationError.self) { try await task.value }
    try await eventually("the end of the child") { Self.isGone(child) }
  }

  @Test func `that leave a child behind with their output are over when they have ended`()
    async throws
  {
    let run = try await Self.run("sleep 100000 & echo $!")
    let child = try #require(Int32(run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    try await eventually("the end of the child") { Self.isGone(child) }
  }
}
