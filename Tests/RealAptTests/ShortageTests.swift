import Glibc
import InstallJobs
import JobClient
import Support
import Testing

@Suite(
  .timeLimit(.minutes(10)), .endsOrAborts, .serialized,
  .enabled("needs root that may mount") { await SmallDisk.canBeMade() })
struct `A machine that runs short` {
  @Test func `a disk that is full before archives have arrived is a failed job that says so`()
    async throws
  {
    let disk = SmallDisk(place: "state", size: 32 << 20)
    let large = PackageFixture(
      "large", files: [.init("usr/share/large/file", "large", size: 4 << 20)])
    try await RealEngine.run([large, PackageFixture("delta")], within: disk.surroundings) {
      engine in
      let server = try HeldServer(engine.repository.path)
      defer { server.close() }
      try TestFolder.write(
        "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n",
        to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let path = try await disk.path(of: engine)
      let job = try await engine.begin("large")
      let next = try await engine.begin("delta")
      try await eventually("some bytes") { await job.progress.downloadedBytes > 0 }
      try disk.fill(at: path)
      server.release()
      try await eventually("the worker's last word") {
        TestFolder.exists("\(path)/jobs/\(job.id)/exit")
      }
      disk.free(at: path)
      let result = try await job.result
      #expect(result.code == .failed && result.error?.code == .noSpace, "\(result)")
      #expect(result.error?.hint?.contains("space") == true)
      #expect(try await next.result.code == .succeeded)
      #expect(try await engine.install("large").code == .succeeded)
    }
  }

  @Test func `a full disk under the journal refuses new jobs and records the end of one at work`()
    async throws
  {
    let disk = SmallDisk(place: "state", size: 16 << 20)
    try await RealEngine.run(
      [.held("p1"), PackageFixture("delta")], within: disk.surroundings
    ) { engine in
      let path = try await disk.path(of: engine)
      let job = try await engine.begin("p1")
      try await engine.untilHeld("p1")
      try await eventually { await job.progress.currentItem == "p1" }
      try disk.fill(at: path)
      // The journal's write-ahead file has room of its own, which acts on record use up.
      var acts = 0
      while acts < 5_000 {
        acts += 1
        do {
          try await job.move(to: .first)
        } catch let error as InstallationError {
          guard error.code == .invalidState else { break }
        }
      }
      let error = await #expect(throws: InstallationError.self) {
        try await engine.begin("delta")
      }
      #expect(
        error?.code == .noSpace && error?.hint?.contains("cleanup") == true,
        "\(String(describing: error)), after \(acts) acts")
      // Looking needs no room.
      #expect(try await engine.session.jobs().count == 1)
      try engine.release("p1")
      let result = try await job.result
      #expect(result.code == .succeeded, "\(result)")
      #expect(try await engine.state("p1") == "installed 1.0")
      #expect(try await engine.session.status().queue.pause?.cause == .journal)
      disk.free(at: path)
      #expect(try await engine.install("delta").code == .succeeded)
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  /// Asks something of a job that works on p1 and then q2 while the engine's disk is full, and frees the
  /// disk once the work is over.
  private func onFullDisk(
    asking: @escaping @Sendable (InstallationJob) async throws -> Void,
    then body: @escaping @Sendable (RealEngine, InstallationJob) async throws -> Void
  ) async throws {
    let chain = [
      PackageFixture.held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ]
    let disk = SmallDisk(place: "state", size: 16 << 20)
    try await RealEngine.run(chain, within: disk.surroundings) { engine in
      let path = try await disk.path(of: engine)
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try disk.fill(at: path)
      try await asking(job)
      try engine.release("p1")
      try await eventually("the end of the work") {
        TestFolder.exists("\(path)/jobs/\(job.id)/exit")
      }
      disk.free(at: path)
      try await body(engine, job)
    }
  }

  @Test func `an abort on a full disk is answered, kept, and on record once there is room`()
    async throws
  {
    try await onFullDisk { job in
      for _ in 0..<2 {
        let answer = try await job.requestAbort()
        #expect(answer.stopsAfter == "p1")
      }
    } then: { engine, job in
      #expect(try await job.result.code == .aborted)
      let snapshot = try await engine.session.observer.job(job.id)
      #expect(snapshot.abort?.disposition.stopsAfter == "p1")
      #expect(try await engine.state("p1") == "installed 1.0")
      #expect(try await engine.state("q2") == "absent")
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test func `a pause on a full disk is kept, and is the job's state once there is room`()
    async throws
  {
    try await onFullDisk { job in
      try await job.suspend()
    } then: { engine, job in
      try await eventually("the pause") { await job.progress.state == .suspended }
      #expect(try await engine.state("q2") == "absent")
      try await job.resume()
      #expect(try await job.result.code == .succeeded)
      #expect(try await engine.state("q2") == "installed 1.0")
    }
  }

  @Test func `a disk that is full while a package is unpacked fails that package alone`()
    async throws
  {
    let disk = SmallDisk(place: "root/usr/share", size: 1 << 20)
    let large = PackageFixture(
      "large", files: [.init("usr/share/large/file", "large", size: 4 << 20)])
    try await RealEngine.run([large, PackageFixture("delta")], within: disk.surroundings) {
      engine in
      let job = try await engine.begin("large")
      let next = try await engine.begin("delta")
      let result = try await job.result
      #expect(result.code == .failed && result.error?.code == .noSpace, "\(result)")
      #expect(result.error?.update == "large" && result.error?.hint?.contains("space") == true)
      #expect(try await next.result.code == .succeeded)
      #expect(try await engine.state("delta") == "installed 1.0")
      if try await !engine.repository.audit().isEmpty {
        #expect(!result.repairs.isEmpty)
        _ = try await engine.repair()
        #expect(try await engine.repository.audit().isEmpty)
      }
    }
  }

  @Test func `a file system that turns read-only in mid-job is named, and the rest is done later`()
    async throws
  {
    let disk = SmallDisk(place: "root/usr/share", size: 4 << 20)
    let fixtures = [
      PackageFixture.held("p1"),
      PackageFixture(
        "q2", fields: ["Pre-Depends": "p1"], files: [.init("usr/share/q2/file", "q2")]),
    ]
    try await RealEngine.run(fixtures, within: disk.surroundings) { engine in
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try await disk.remount(writable: false, in: engine)
      try engine.release("p1")
      let result = try await job.result
      #expect(result.code == .failed, "\(result)")
      #expect(result.error?.detail?.contains("Read-only file system") == true, "\(result)")
      #expect(result.error?.hint?.contains("read-only") == true, "\(result)")
      try await disk.remount(writable: true, in: engine)
      if try await !engine.repository.audit().isEmpty { _ = try await engine.repair() }
      #expect(try await engine.install("q2").code == .succeeded)
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test func `a full disk under the package database is told, and mended once there is room`()
    async throws
  {
    let disk = SmallDisk(place: "root/var/lib/dpkg", size: 2 << 20)
    let held = PackageFixture.held("p1")
    try await RealEngine.run(
      [held, PackageFixture("q2", fields: ["Pre-Depends": "p1"]), PackageFixture("delta")],
      within: disk.asPackageDatabase
    ) { engine in
      let path = try await disk.path(of: engine)
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try disk.fill(at: path)
      try engine.release("p1")
      let result = try await job.result
      #expect(result.code == .failed && result.error?.code == .noSpace, "\(result)")
      #expect(result.error?.hint?.contains("fettle doctor") == true && !result.repairs.isEmpty)
      let full = try await engine.session.jobs().last
      #expect(full?.state == .completed)
      disk.free(at: path)
      _ = try await engine.repair()
      #expect(try await engine.install("q2").code == .succeeded)
      #expect(try await engine.install("delta").code == .succeeded)
    }
  }

  @Test func `a job ends well while the folder of apt's logs is full`() async throws {
    let disk = SmallDisk(place: "root/var/log/apt", size: 64 << 10)
    try await RealEngine.run(
      [.held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"])],
      within: disk.surroundings
    ) { engine in
      let path = try await disk.path(of: engine)
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try disk.fill(at: path)
      try engine.release("p1")
      let result = try await job.result
      #expect(result.code == .succeeded, "\(result)")
      #expect(try await engine.state("q2") == "installed 1.0")
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  /// Puts a full file system in the place of /tmp, with the test's own folder in it, and the programs
  /// where they lie there, too.
  private static func fullTemporaryFolder(_ repository: PackageRepository) -> [String] {
    let script = #"""
      mount --bind /tmp /mnt && mount -t tmpfs -o size=64k,mode=1777 fettle-test /tmp || exit 1
      for folder in "$1" "$2"; do
        case $folder in
        /tmp/*) mkdir -p "$folder" && mount --bind "/mnt${folder#/tmp}" "$folder" || exit 1 ;;
        esac
      done
      { cat /dev/zero > /tmp/filler || :; } 2>/dev/null
      shift 2 && exec "$@"
      """#
    // The first folder below /tmp: libraries may lie beside the programs.
    let parts = RealEngine.executable.split(separator: "/").prefix(2)
    return SmallDisk.namespace + [
      script, "sh", repository.folder.path, "/" + parts.joined(separator: "/"),
    ]
  }

  @Test func `a full temporary folder fails what needs it with the reason`() async throws {
    try await RealEngine.run([PackageFixture("delta")], within: Self.fullTemporaryFolder) {
      (engine: RealEngine) async throws in
      let error = await #expect(throws: InstallationError.self) {
        try await engine.install("delta")
      }
      #expect(error?.message.contains("/tmp/") == true, "\(String(describing: error))")
      #expect(error?.hint?.contains("space") == true)
      #expect(try await engine.session.jobs().isEmpty)
      #expect(try await engine.state("delta") == "absent")
    }
  }

  @Test func `a state folder that cannot be written is refused with the reason`() async throws {
    let repository = try await PackageRepository([PackageFixture("delta")])
    let state = repository.folder.path("state")
    try TestFolder.makeFolder(state)
    let script =
      #"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@""#
    var environment = ToolOutput.plain
    environment["HOME"] = repository.folder.path
    let answer = try await ToolOutput.of(
      SmallDisk.namespace + [script, "sh", state] + TestUser.prefix + [
        RealEngine.executable, "engine", "--root", repository.root, "--state", state,
        "--socket", repository.folder.path("engine.sock"),
      ], environment: environment)
    #expect(answer.status == 6, "\(answer)")
    #expect(answer.errors.contains(state) && answer.errors.contains("--state"), "\(answer)")
    #expect(TestFolder.names(in: state).isEmpty)
  }

  private static func fewDescriptors(_: PackageRepository) -> [String] {
    ["/usr/bin/prlimit", "--nofile=96:96", "--"]
  }

  @Test func `an engine with few descriptors keeps some for its jobs, whoever connects`()
    async throws
  {
    try await RealEngine.run(
      [PackageFixture("delta"), PackageFixture("zeta")],
      within: Self.fewDescriptors
    ) { engine in
      let socket = engine.socket
      let crowd = await onOwnThread {
        (0..<200).compactMap { _ in RawSocket.connect(to: socket) }
      }
      let code = try await engine.install("delta").code
      #expect(code == .succeeded)
      // Until here they were all connected.
      #expect(crowd.count > 40)
      let later = try await engine.install("zeta").code
      #expect(later == .succeeded)
    }
  }
}
