import Foundation
import Glibc
import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import HostSystem

/// Starts and ends of processes through the code that starts workers and watches them.
///
/// With `FETTLE_STARTS=100000` in the environment, so many: a design with two Dispatch sources on one
/// process descriptor ended the program with SIGILL after some thousands.
@Suite(.timeLimit(.minutes(60)), .endsOrAborts)
struct `The ends of processes` {
  private static let lanes = 8

  private static var starts: Int {
    guard let value = unsafe getenv("FETTLE_STARTS") else { return 400 }
    return unsafe Int(String(cString: value)) ?? 400
  }

  @Test func `each is reported to all who watch it, and nothing of it is left`() async throws {
    let scratch = try TestFolder()
    let output = try #require(Descriptor(unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)))
    let share = Self.starts / Self.lanes
    let reported = Locked(0)
    let pids = Locked<[Int32]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<Self.lanes {
        group.addTask {
          for number in 0..<share {
            let process = try #require(
              ToolProcess(["/bin/true"], environment: [:], output: output, leadsSession: true))
            pids.change { $0 = ($0 + [process.pid]).suffix(64) }
            process.reapInBackground()
            let watch = try #require(FolderWatch([scratch.path]))
            watch.add(process.descriptor)
            // Some watches go away before the process does, as those of an engine that stops.
            if number % 5 == 4 { continue }
            if number % 2 == 0 { try TestFolder.write("", to: scratch.path("file\(lane)")) }
            for await _ in watch.wakeUps {
              watch.rearm()
              if process.descriptor.hasEnded { break }
            }
            reported.change { $0 += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(reported.value == Self.lanes * (share - share / 5))
    try await eventually("none is left unreaped") {
      pids.value.allSatisfy { isReaped($0) }
    }
  }

  @Test func `one that ended before it is watched is reported`() async throws {
    let output = try #require(Descriptor(unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)))
    let process = try #require(ToolProcess(["/bin/true"], environment: [:], output: output))
    _ = process.reap()
    let isReported = Locked(false)
    let notification = ProcessExitNotification(of: process.descriptor) {
      isReported.change { $0 = true }
    }
    try await eventually { isReported.value }
    withExtendedLifetime(notification) {}
  }

  @Test func `one that cannot be watched is not left running`() throws {
    let output = try #require(Descriptor(unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)))
    // Below this number no descriptor is free; those above it stay open.
    let free = try #require(Descriptor(unsafe open("/dev/null", O_RDONLY | O_CLOEXEC))).number
    var limit = rlimit()
    try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    var none = limit
    none.rlim_cur = rlim_t(free)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
    let process = ToolProcess(["/bin/sleep", "100471"], environment: [:], output: output)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #expect(process == nil)
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    let children = tasks.flatMap {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/children", encoding: .utf8))?
        .split(separator: " ") ?? []
    }
    let left = children.filter {
      (try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8))?.contains("100471")
        == true
    }
    #expect(left == [])
  }

  private func isReaped(_ pid: Int32) -> Bool {
    waitpid(pid, nil, WNOHANG) != 0
  }
}
