import Glibc
import InstallJobs
import JobClient
import JobServer
import Support
import Synchronization
import Testing

@testable import JobServer

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `The service manager` {
  /// A socket of datagrams, as a service manager has one; closed with the value.
  private final class Listener: Sendable {
    private let descriptor: Int32

    init(at path: String) throws {
      descriptor = socket(
        AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var name = Array(path.utf8)
      if name[0] == UInt8(ascii: "@") { name[0] = 0 }
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
      let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, length)
        }
      }
      try #require(descriptor >= 0 && status == 0)
    }

    deinit { close(descriptor) }

    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 200)
      let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
      return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
  }

  private func reached(_ path: String, _ more: [String: String] = [:]) -> ServiceManager? {
    ServiceManager(variables: ["NOTIFY_SOCKET": path].merging(more) { $1 }, pid: 7)
  }

  @Test(arguments: [false, true])
  func `is told that the engine serves and that it ends`(isAbstract: Bool) throws {
    let folder = try #require(ScratchFolder.current)
    let path = isAbstract ? "@" + folder.path("notify") : folder.path("notify")
    let listener = try Listener(at: path)
    let manager = try #require(reached(path))
    manager.notifyReady()
    manager.notifyStopping()
    #expect(listener.next() == "READY=1")
    #expect(listener.next() == "STOPPING=1")
    #expect(manager.watchdogInterval == nil)
  }

  @Test(
    arguments: [
      (["WATCHDOG_USEC": "30000000"], .seconds(30)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "x"], nil), ([:], nil),
    ] as [([String: String], Duration?)])
  func `says how often it must hear of whom`(variables: [String: String], interval: Duration?) {
    #expect(reached("/run/notify", variables)?.watchdogInterval == interval)
  }

  @Test(arguments: ["", "relative", "@", "/" + String(repeating: "x", count: 200)])
  func `with an address that is none is nobody`(path: String) {
    #expect(reached(path) == nil)
  }

  @Test func `hears of an engine twice in each interval, and nothing while it does not answer`()
    async throws
  {
    let path = try #require(ScratchFolder.current).path("notify")
    let listener = try Listener(at: path)
    let manager = try #require(reached(path, ["WATCHDOG_USEC": "30000000"]))
    let clock = ManualClock()
    let isAnswering = Mutex(true)
    let asked = Mutex(0)
    let watchdog = Watchdog(manager: manager, clock: clock) {
      asked.withLock { $0 += 1 }
      return isAnswering.withLock { $0 }
    }
    let task = Task { await watchdog.run() }
    for number in 1...3 {
      try await eventually { clock.untilNextDeadline == .seconds(15) }
      #expect(asked.withLock { $0 } == number)
      #expect(listener.next() == "WATCHDOG=1")
      #expect(listener.next() == nil)
      await clock.advance(by: .seconds(15))
    }
    isAnswering.withLock { $0 = false }
    try await eventually { asked.withLock { $0 } >= 4 }
    _ = listener.next()
    try await eventually { clock.untilNextDeadline == .seconds(15) }
    await clock.advance(by: .seconds(15))
    try await eventually { asked.withLock { $0 } >= 5 }
    #expect(listener.next() == nil)
    task.cancel()
    await task.value
  }

  @Test func `is answered by the task that accepts connections, at the socket itself`() async throws
  {
    try await ServedEngine.run { served in
      #expect(await served.server.ping())
      #expect(await served.server.ping())
      let client = try await served.connect()
      #expect(await served.server.ping())
      await client.close()
      // Where nobody can connect any more, the engine is of no use to anybody.
      let (path, aside) = (served.path, served.path + ".aside")
      #expect(unsafe rename(path, aside) == 0)
      #expect(await !served.server.ping())
      #expect(unsafe rename(aside, path) == 0)
    }
  }
}
