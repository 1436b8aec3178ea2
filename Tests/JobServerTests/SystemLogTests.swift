import Glibc
import InstallJobs
import JobJournal
import Support
import Testing

@testable import JobServer

@Suite(.scratchFolder) struct `Acts in the machine's log` {
  private let ada = Requester(uid: 1000, user: "ada")

  private func entry(
    _ outcome: String = AuditEntry.permitted, command: String? = "fettle"
  ) -> AuditEntry {
    AuditEntry(
      at: Timestamp(milliseconds: 0), requester: ada, pid: 77, command: command, act: "abort",
      job: JobID(3), outcome: outcome)
  }

  /// Listens as a log does; the descriptor is the caller's to close.
  private func listen(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: Array(path.utf8))
    }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(descriptor >= 0 && status == 0)
    return descriptor
  }

  private func next(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  @Test func `an act and a refusal are a record each, with who it was`() throws {
    let path = try #require(ScratchFolder.current).path("log")
    let descriptor = try listen(at: path)
    defer { close(descriptor) }
    let log = SystemLog(path: path)
    log.publish(entry())
    log.publish(entry("notPermitted"))
    let act = try #require(next(descriptor))
    #expect(act.hasPrefix("<86>"))
    #expect(
      act.hasSuffix(
        " fettled[\(getpid())]: act=\"abort\" outcome=\"permitted\" uid=1000 user=\"ada\" job=3"
          + " pid=77 command=\"fettle\""), "\(act)")
    let refusal = try #require(next(descriptor))
    #expect(refusal.hasPrefix("<85>") && refusal.contains(" outcome=\"notPermitted\" "))
    #expect(next(descriptor) == nil)
  }

  @Test func `the end of a job is a record, with who asked and what became of its packages`() throws
  {
    let path = try #require(ScratchFolder.current).path("log")
    let descriptor = try listen(at: path)
    defer { close(descriptor) }
    let steps = ["a", "b"].map {
      PlannedUpdate(
        name: $0, architecture: "amd64", action: .install, toVersion: "1", requested: true)
    }
    var job = JobSnapshot(
      id: JobID(4), request: JobRequest(.install, [Update("a"), Update("b")]),
      plan: JobPlan(requests: [], steps: steps), requestedBy: ada, provider: "apt",
      submittedAt: Timestamp(milliseconds: 0))
    job.state = .completed
    job.resultCode = .failed
    job.plan?[0].resultCode = .succeeded
    job.plan?[1].resultCode = .failed
    job.error = InstallationError(.packageFailed, "x")
    SystemLog(path: path).report(job)
    let record = try #require(next(descriptor))
    #expect(record.hasPrefix("<29>"))
    #expect(
      record.hasSuffix(
        ": job=4 operation=\"install\" state=\"completed\" result=\"failed\" uid=1000 user=\"ada\""
          + " packages=2 succeeded=1 failed=1 aborted=0 notStarted=0 error=\"packageFailed\""),
      "\(record)")
  }

  @Test func `an act names what it was about`() {
    var submit = entry()
    submit.subject = AuditSubject(operation: .install, packages: ["hello", "x\" uid=0"])
    let record = SystemLog.record(of: submit, at: "Jan  1 00:00:00")
    #expect(
      record.contains(" operation=\"install\" packages=2 names=\"hello x? uid=0\""), "\(record)")
  }

  @Test func `text of a peer's choice is one field of printable characters`() throws {
    let hostile =
      "x\" uid=0\n<0>kernel: \u{1B}[2J\u{202E}\u{9B}é\\" + String(repeating: "y", count: 999)
    let record = SystemLog.record(of: entry(command: hostile), at: "Jan  1 00:00:00")
    #expect(record.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    #expect(record.utf8.count < 400)
    #expect(record.contains(" command=\"x? uid=0?<0>kernel: ?[2J????yyy"))
    #expect(record.split(separator: "\"").count == 8)
  }

  @Test func `a log that is not there, or is behind, holds nobody up`() throws {
    let path = try #require(ScratchFolder.current).path("log")
    SystemLog(path: path).publish(entry())
    SystemLog(path: String(repeating: "x", count: 200)).publish(entry())
    let descriptor = try listen(at: path)
    defer { close(descriptor) }
    for _ in 0..<2000 { SystemLog(path: path).publish(entry()) }
    #expect(next(descriptor) != nil)
  }
}
