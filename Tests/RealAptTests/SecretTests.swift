import AptProvider
import FoundationEssentials
import Glibc
import InstallJobs
import JobClient
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `A password` {
  private static let word = "s3cr3t-w0rd"

  @Test func `of a proxy is in no argument, log, event or error, nor where others can read`()
    async throws
  {
    try await RealEngine.run([PackageFixture("delta"), PackageFixture("beta")]) { engine in
      // A mirror is as good as a proxy: it takes the name at the end of what is asked for.
      let proxy = try FaultyMirror(
        engine.repository.path, faults: ["delta": .silent, "beta": .broken])
      defer { proxy.close() }
      try TestFolder.write(proxy.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      var session = engine.session
      session.proxy = "http://fettle:\(Self.word)@127.0.0.1:\(proxy.port)"
      let updates = session.observer
      let waiting = try await session.makeInstaller().beginInstallation(of: [Update("delta")])
      try await eventually("apt that fetches") {
        await waiting.progress.state == .downloading
          && Self.arguments.contains { words in
            words.contains("--download-only") && words.contains("delta")
          }
      }
      #expect(!Self.arguments.contains { $0.contains(Self.word) })
      // It is what apt was given, or nothing would be shown here.
      let settings = engine.repository.folder.path(
        "state/jobs/\(waiting.id)/apt-download.conf")
      #expect(TestFolder.text(of: settings)?.contains(Self.word) == true)
      #expect(try await waiting.requestAbort() == .accepted(stopsAfter: nil))
      _ = try await waiting.result
      let failed = try await session.makeInstaller().install([Update("beta")])
      #expect(failed.error?.code == .downloadFailed)
      for job in try await session.jobs() {
        let shown = try await updates.job(job.id)
        let text = String(decoding: try JSONEncoder().encode(shown), as: UTF8.self)
        #expect(!text.contains(Self.word), "job \(job.id): \(text)")
        #expect(shown.options.proxy?.contains("***@127.0.0.1") == true)
        let log = engine.repository.folder.path("state/jobs/\(job.id)/log")
        #expect(TestFolder.text(of: log)?.contains(Self.word) == false)
      }
      try Self.expectClosed(engine.repository.folder.path("state"))
      // Nothing that is kept of jobs that are over needs it.
      for job in try await session.jobs() {
        let folder = engine.repository.folder.path("state/jobs/\(job.id)")
        for name in TestFolder.names(in: folder) {
          let text = TestFolder.text(of: folder + "/" + name) ?? ""
          #expect(!text.contains(Self.word), "job \(job.id): \(name)")
        }
        #expect(TestFolder.exists(folder + "/plan.json"))
      }
    }
  }

  @Test func `of a source is not shown in a plan, and is in no argument or log`()
    async throws
  {
    try await RealEngine.run([.held("rock"), PackageFixture("delta")]) { engine in
      let mirror = try FaultyMirror(engine.repository.path, faults: [:])
      defer { mirror.close() }
      let source = mirror.source.replacing("http://", with: "http://fettle:\(Self.word)@")
      let list = engine.root + "/etc/apt/sources.list"
      try TestFolder.write(source, to: list)
      guard unsafe chmod(list, 0o600) == 0, unsafe chown(list, TestUser.id, TestUser.id) == 0
      else { throw FixtureError("sources.list cannot be made private") }
      try await engine.repository.refresh()
      let rock = try await engine.begin("rock")
      try await engine.untilHeld("rock")
      let updates = engine.session.observer
      let plan = try await updates.plan(JobRequest(.install, [Update("delta")]))
      let address = try #require(plan.archives.values.first?.uri)
      #expect(address.hasPrefix("http://127.0.0.1:"))
      let delta = try await engine.begin("delta")
      // Not before its turn: that would be done by a program with the address in its arguments.
      let provider = AptProvider(
        root: try PackageRoot(at: engine.root, for: TestUser.id), workerExecutable: "/nonexistent",
        archiveStore: "")
      let request = JobRequest(.install, [Update("delta")])
      let work = JobWork(
        id: JobID(99), request: request, plan: try await provider.plan(request),
        folder: JobFolder(path: engine.repository.folder.path("ahead")), archiveStore: "")
      #expect(await !provider.fetchAhead(work, leavingOut: []))
      #expect(mirror.requests["delta"] == nil)
      #expect(!Self.arguments.contains { $0.contains(Self.word) })
      try engine.release("rock")
      #expect(try await rock.result.code == .succeeded)
      #expect(try await delta.result.code == .succeeded)
      #expect(mirror.requests["delta"] == 1)
      for job in [rock, delta] {
        let log = engine.repository.folder.path("state/jobs/\(job.id)/log")
        #expect(TestFolder.text(of: log)?.contains(Self.word) == false)
      }
      try Self.expectClosed(engine.repository.folder.path("state"))
    }
  }

  @Test func `or a lock of a job's folder can be opened by nobody else`()
    async throws
  {
    try await RealEngine.run([PackageFixture("delta")]) { engine in
      let result = try await engine.install("delta")
      #expect(result.code == .succeeded, "\(result)")
      let folder = engine.repository.folder.path("state/jobs/1")
      let names = TestFolder.names(in: folder)
      #expect(names.contains("fetching") && names.contains("arriving"))
      for name in names {
        var record = stat()
        // The engine removes what is not needed any more.
        guard unsafe lstat(folder + "/" + name, &record) == 0 else { continue }
        guard record.st_mode & S_IFMT == S_IFREG else { continue }
        #expect(record.st_mode & 0o077 == 0, "\(name)")
      }
    }
  }

  /// The arguments of every process that is to be seen.
  private static var arguments: [String] {
    TestFolder.names(in: "/proc").filter { Int($0) != nil }.compactMap {
      TestFolder.text(of: "/proc/\($0)/cmdline")
    }
  }

  /// Expects that files with the password are for their owner alone.
  private static func expectClosed(_ path: String) throws {
    var record = stat()
    guard unsafe lstat(path, &record) == 0 else { return }
    if record.st_mode & S_IFMT == S_IFDIR {
      for name in TestFolder.names(in: path) { try expectClosed(path + "/" + name) }
    } else if let bytes = TestFolder.bytes(of: path),
      bytes.firstRange(of: Array(Self.word.utf8)) != nil
    {
      #expect(record.st_mode & 0o077 == 0, "\(path)")
    }
  }
}
