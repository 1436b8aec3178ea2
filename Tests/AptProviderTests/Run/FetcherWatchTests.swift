import Glibc
import Support
import Testing

@testable import AptProvider
@testable import HostSystem

@Suite struct `Download methods that are gone` {
  private func start(_ arguments: [String]) throws -> ToolProcess {
    let output = try #require(Descriptor(unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)))
    return try #require(
      ToolProcess(arguments, environment: ["PATH": "/usr/bin:/bin"], output: output))
  }

  private func end(_ process: ToolProcess) {
    process.signalGroup(SIGKILL)
    _ = process.reap()
  }

  private func untilAsleep(_ process: ToolProcess, as name: String) async throws {
    try await eventually("\(name) sleeps") {
      let record = WorkProcess(of: process.pid)
      return record?.command == name && record?.state == "S"
    }
  }

  @Test func `are noticed when a program sleeps without children at two checks`() async throws {
    let process = try start(["/bin/sleep", "100"])
    defer { end(process) }
    try await untilAsleep(process, as: "sleep")
    var watch = FetcherWatch(program: "sleep")
    let checks = (0..<3).map { _ in watch.isAbandoned(process.pid) }
    #expect(checks == [false, true, true])
    // It waits for a lock, and is no apt yet.
    var other = FetcherWatch()
    #expect((0..<3).map { _ in other.isAbandoned(process.pid) } == [false, false, false])
  }

  @Test func `are none where a child works`() async throws {
    let process = try start(["/bin/sh", "-c", "sleep 100 & wait"])
    defer { end(process) }
    try await untilAsleep(process, as: "sh")
    var watch = FetcherWatch(program: "sh")
    #expect((0..<3).map { _ in watch.isAbandoned(process.pid) } == [false, false, false])
  }
}
