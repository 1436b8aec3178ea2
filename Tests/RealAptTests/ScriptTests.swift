import Glibc
import InstallJobs
import JobClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Scripts that misbehave` {
  @Test func `one that never ends is told as stalled, an abort is answered and kept`()
    async throws
  {
    let fixtures = [
      PackageFixture.held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
      PackageFixture("zeta"),
    ]
    try await RealEngine.run(fixtures, settings: "[engine]\nstallAfterSeconds = 1\n") { engine in
      let job = try await engine.begin("q2")
      let next = try await engine.begin("zeta")
      try await engine.untilHeld("p1")
      // A slow machine may be silent for a second before that, too.
      let stalled = try await eventually("the stall") { () -> JobSnapshot? in
        let snapshot = try await engine.session.observer.job(job.id)
        return snapshot.isStalled && snapshot.state == .installing ? snapshot : nil
      }
      #expect(stalled.lastActivityAt != nil)
      #expect(try await job.requestAbort().stopsAfter == "p1")
      // Answered, and still nothing is killed: the script goes on until it ends by itself.
      #expect(await !job.isCompleted)
      #expect(try await engine.state("p1") == "half-configured 1.0")
      try engine.release("p1")
      #expect(try await job.result.code == .aborted)
      #expect(try await engine.state("p1") == "installed 1.0")
      #expect(try await engine.state("q2") == "absent")
      #expect(try await next.result.code == .succeeded)
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test func `one that kills dpkg fails its job with a repair, and the next job waits for that`()
    async throws
  {
    // The job itself tries once more to configure what its end finds unpacked.
    let murder = """
      [ -e "$DPKG_ROOT/peace" ] && exit 0
      kill -9 $PPID
      sleep 0.2
      """
    let fixtures = [PackageFixture("cain", scripts: [.postinst: murder]), PackageFixture("zeta")]
    try await RealEngine.run(fixtures) { engine in
      let job = try await engine.begin("cain")
      let next = try await engine.begin("zeta")
      let result = try await job.result
      #expect(result.code == .failed && result.error?.hint != nil, "\(String(describing: result))")
      #expect(result["cain"]?.code == .failed)
      #expect(!result.repairs.isEmpty)
      // The next job ends by name: dpkg's own mending, or an error that says what to do.
      let later = try await next.result
      #expect(later.code == .succeeded || later.error?.hint != nil, "\(later)")
      try TestFolder.write("", to: engine.root + "/peace")
      _ = try await engine.repair()
      #expect(try await engine.state("cain") == "installed 1.0")
      #expect(try await engine.repository.audit().isEmpty)
      if later.code != .succeeded {
        #expect(try await engine.install("zeta").code == .succeeded)
      }
    }
  }

  @Test func `one that kills the worker's whole line of work is told, and mended`() async throws {
    // The highest first, or the next higher one would hear of it.
    let murder = """
      [ -e "$DPKG_ROOT/done" ] && exit 0
      : > "$DPKG_ROOT/done"
      pid=$PPID
      line=
      while [ "$pid" -gt 1 ]; do
        line="$pid $line"
        case $(cat "/proc/$pid/comm") in exe|fettled) break ;; esac
        while read -r key value; do
          [ "$key" = PPid: ] && parent=$value
        done < "/proc/$pid/status"
        pid=$parent
      done
      kill -9 $line
      """
    let fixtures = [PackageFixture("cain", scripts: [.postinst: murder]), PackageFixture("zeta")]
    try await RealEngine.run(fixtures) { engine in
      let job = try await engine.begin("cain")
      _ = try? await job.result
      let snapshot = try await engine.session.observer.job(job.id)
      #expect(snapshot.state == .interrupted && snapshot.error?.hint != nil, "\(snapshot)")
      _ = try await engine.repair()
      #expect(try await engine.install("zeta").code == .succeeded)
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test func `one that prints 100 MB costs neither memory nor the disk for ever`() async throws {
    let flood = "head -c 100000000 /dev/zero | tr '\\0' 'x\\n'; echo; echo last words"
    let fixtures = [PackageFixture("flood", scripts: [.postinst: flood]), PackageFixture("small")]
    try await RealEngine.run(fixtures) { engine in
      _ = try await engine.install("small")
      let pid = try await engine.session.status().engine.pid
      let before = try #require(Self.peakMemory(of: pid))
      let job = try await engine.begin("flood")
      #expect(try await job.result.code == .succeeded)
      let after = try #require(Self.peakMemory(of: pid))
      #expect(after - before < 64 << 20, "\(after - before) bytes more")
      let log = engine.repository.folder.path("state/jobs/\(job.id)/log")
      #expect(Self.bytesOnDisk(log) < 48 << 20, "\(Self.bytesOnDisk(log))")
      // The beginning and the end are there; what is left out is said.
      let connection = try await EngineConnection.connect(
        to: engine.socket, clientName: "test", isReadOnly: true)
      defer { Task { await connection.close() } }
      let text = try #require(TestFolder.text(of: log))
      #expect(text.contains("Setting up flood"))
      #expect(text.contains("last words"))
    }
  }

  /// The most memory that a process has had, in bytes.
  private static func peakMemory(of pid: Int32) -> Int? {
    guard let text = TestFolder.text(of: "/proc/\(pid)/status"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
      .map { $0 * 1024 }
  }

  private static func bytesOnDisk(_ path: String) -> Int {
    var record = stat()
    return unsafe stat(path, &record) == 0 ? Int(record.st_blocks) * 512 : .max
  }
}
