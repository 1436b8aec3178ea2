import Glibc
import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `A job that only fetches archives` {
  private static let fixtures = [
    PackageFixture("lib"), PackageFixture("app", fields: ["Depends": "lib"]),
    PackageFixture("other"), PackageFixture("rival", fields: ["Conflicts": "lib"]),
    PackageFixture("large", files: [.init("usr/share/large/file", "large", size: 1 << 20)]),
  ]

  /// Has an engine whose source is a mirror that counts.
  private static func run(
    faults: [String: FaultyMirror.Fault] = [:],
    _ body: @Sendable (RealEngine, FaultyMirror) async throws -> Void
  ) async throws {
    try await RealEngine.run(fixtures) { engine in
      let mirror = try FaultyMirror(engine.repository.path, faults: faults)
      defer { mirror.close() }
      try TestFolder.write(mirror.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      try await body(engine, mirror)
    }
  }

  private static func download(
    _ names: String..., on engine: RealEngine
  ) async throws -> InstallationJob {
    try await engine.session.makeInstaller().beginDownload(of: names.map { Update($0) })
  }

  private static func archives(of job: InstallationJob, _ engine: RealEngine) -> [String] {
    let folder = engine.repository.folder.path("state/jobs/\(job.id)/archives")
    return TestFolder.names(in: folder).filter { $0.hasSuffix(".deb") }.sorted()
  }

  @Test func `W1, W8, W13: archives come once, for the next download and the installation, too`()
    async throws
  {
    try await Self.run { engine, mirror in
      let status = engine.text("var/lib/dpkg/status")
      let first = try await Self.download("app", on: engine)
      let result = try await first.result
      #expect(result.code == .succeeded && !result.requiresReboot, "\(result)")
      #expect(result.updateResults.map(\.note) == [nil])
      #expect(Self.archives(of: first, engine) == ["app_1.0_all.deb", "lib_1.0_all.deb"])
      #expect(engine.text("var/lib/dpkg/status") == status)
      let progress = await first.progress
      #expect(progress.overallFraction == 1 && progress.totalDownloadBytes > 0)
      #expect(progress.downloadedBytes == progress.totalDownloadBytes)
      // What a job has is no promise that another one will install it.
      let second = try await Self.download("app", on: engine)
      #expect(try await second.result.updateResults.map(\.note) == [.alreadyDownloaded])
      #expect(mirror.requests == ["app": 1, "lib": 1])
      #expect(try await engine.install("app").code == .succeeded)
      #expect(mirror.requests == ["app": 1, "lib": 1])
      #expect(try await engine.state("app") == "installed 1.0")
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test func `W4: a forced download fetches again, and what is installed`() async throws {
    try await Self.run { engine, mirror in
      #expect(try await engine.install("other").code == .succeeded)
      let installer = try engine.session.makeInstaller()
      #expect(
        try await installer.download([Update("other")]).updateResults[0].note == .alreadyInstalled)
      var options = InstallationOptions()
      options.isForced = true
      let forced = try await installer.download([Update("other")], options: options)
      #expect(forced.code == .succeeded && forced.updateResults[0].note == nil, "\(forced)")
      #expect(mirror.requests == ["other": 2])
    }
  }

  @Test func `the archives of a download go with its clean up`() async throws {
    try await Self.run { engine, mirror in
      let first = try await Self.download("other", on: engine)
      #expect(try await first.result.code == .succeeded)
      try await first.cleanUp()
      #expect(Self.archives(of: first, engine).isEmpty)
      #expect(try await engine.install("other").code == .succeeded)
      #expect(mirror.requests == ["other": 2])
    }
  }

  @Test func `an archive that was changed behind the engine is fetched anew, not installed`()
    async throws
  {
    try await Self.run { engine, mirror in
      let first = try await Self.download("other", on: engine)
      #expect(try await first.result.code == .succeeded)
      let path = engine.repository.folder.path(
        "state/jobs/\(first.id)/archives/other_1.0_all.deb")
      var content = try #require(TestFolder.bytes(of: path))
      content[content.count - 1] ^= 1
      try TestFolder.write(content, to: path)
      #expect(try await engine.install("other").code == .succeeded)
      #expect(mirror.requests == ["other": 2])
    }
  }

  @Test func `W5: an empty list is refused, and nothing reaches the source`() async throws {
    try await Self.run { engine, mirror in
      let installer = try engine.session.makeInstaller()
      let error = await #expect(throws: InstallationError.self) {
        try await installer.download([])
      }
      #expect(error?.code == .noUpdates)
      #expect(try await engine.session.jobs().isEmpty && mirror.requests.isEmpty)
    }
  }

  @Test func `W11: one archive that is missing at the source fails by itself`() async throws {
    try await Self.run(faults: ["other": .missing]) { engine, _ in
      let job = try await Self.download("app", "other", on: engine)
      let result = try await job.result
      #expect(result.code == .succeededWithErrors, "\(result)")
      #expect(result.updateResults.map(\.code) == [.succeeded, .failed])
      #expect(result["other"]?.error?.code == .downloadFailed)
      #expect(result["other"]?.error?.update == "other")
      #expect(result.error?.code == .downloadFailed)
      #expect(await job.progress.overallFraction < 1)
      #expect(Self.archives(of: job, engine) == ["app_1.0_all.deb", "lib_1.0_all.deb"])
    }
  }

  @Test func `W14: an archive with another hash than the index has fails, and is not kept`()
    async throws
  {
    try await Self.run(faults: ["other": .changed]) { engine, mirror in
      let job = try await Self.download("other", "app", on: engine)
      let result = try await job.result
      #expect(result.updateResults.map(\.code) == [.failed, .succeeded], "\(result)")
      #expect(result["other"]?.error?.code == .hashMismatch)
      #expect(result.code == .succeededWithErrors && result.error?.code == .hashMismatch)
      let entry = try await engine.session.observer.job(job.id)
      #expect(entry.error?.code == .hashMismatch && entry.options.isDownloadOnly)
      #expect(Self.archives(of: job, engine) == ["app_1.0_all.deb", "lib_1.0_all.deb"])
      mirror.mend()
      #expect(try await engine.install("other").code == .succeeded)
    }
  }

  @Test func `W7, W15: an abort stops at once, and the next download goes on from what came`()
    async throws
  {
    try await RealEngine.run(Self.fixtures) { engine in
      let server = try RangeServer(engine.repository.path)
      defer { server.close() }
      try TestFolder.write(server.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let first = try await Self.download("large", on: engine)
      let size = await first.progress.totalDownloadBytes
      try await eventually("half of it", within: .seconds(120)) {
        await first.progress.downloadedBytes == size / 2
      }
      let progress = await first.progress
      #expect(progress.state == .downloading && progress.currentItem == "large")
      #expect(progress.currentDownloadedBytes == size / 2)
      #expect(progress.currentTotalDownloadBytes == size)
      #expect(try await first.requestAbort() == .accepted(stopsAfter: nil))
      let aborted = try await first.result
      #expect(aborted.code == .aborted && aborted.updateResults[0].code == .notStarted)
      server.release()
      let second = try await Self.download("large", on: engine)
      #expect(try await second.result.code == .succeeded)
      // The rest was asked for. What lay between both ends when the first half's reader left comes again.
      let sent = try #require(server.sentBytes["large"])
      #expect(sent < Int(size) + Int(size) / 2, "\(sent) of \(size)")
      #expect(try await engine.install("large").code == .succeeded)
      #expect(server.sentBytes["large"] == sent)
    }
  }

  @Test func `what an installation would remove stays, and is no part of the download`()
    async throws
  {
    try await Self.run { engine, _ in
      #expect(try await engine.install("lib").code == .succeeded)
      let job = try await Self.download("rival", on: engine)
      #expect(job.plan.map(\.name) == ["rival"])
      #expect(try await job.result.code == .succeeded)
      #expect(try await engine.state("lib") == "installed 1.0")
    }
  }

  @Test func `a job behind a download plans as if it had done nothing to the packages`()
    async throws
  {
    try await RealEngine.run([.held("rock")] + Self.fixtures) { engine in
      let rock = try await engine.begin("rock")
      try await engine.untilHeld("rock")
      let download = try await Self.download("app", on: engine)
      let job = try await engine.begin("app")
      #expect(job.plan.map(\.name).sorted() == ["app", "lib"])
      try engine.release("rock")
      for job in [rock, download, job] { #expect(try await job.result.code == .succeeded) }
      #expect(try await engine.state("app") == "installed 1.0")
    }
  }

  @Test func `an upgrade of everything can be fetched beforehand`() async throws {
    let fixtures = [PackageFixture("alpha", "1.0"), PackageFixture("alpha", "2.0")]
    try await RealEngine.run(fixtures) { engine in
      _ = try await engine.install("alpha=1.0")
      var options = InstallationOptions()
      options.isDownloadOnly = true
      let job = try await engine.session.makeInstaller().begin(
        JobRequest(.upgrade, [], options: options))
      #expect(try await job.result.code == .succeeded)
      #expect(job.updates.map(\.name) == ["alpha"])
      #expect(Self.archives(of: job, engine) == ["alpha_2.0_all.deb"])
      #expect(try await engine.state("alpha") == "installed 1.0")
    }
  }
}
