import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Stopping apt and dpkg` {
  private static let chain = [
    PackageFixture.held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    PackageFixture("q3", fields: ["Pre-Depends": "q2"]),
  ]

  @Test
  func `B17, B19, B20, B21, B23, B24, D8, D13: an abort in p1 leaves p1 whole and the rest absent`()
    async throws
  {
    try await RealEngine.run(Self.chain) { engine in
      let job = try await engine.begin("q3")
      try await engine.untilHeld("p1")
      // What the engine has read of it may be behind; p1 was fetched before it was begun, too.
      try await eventually("a promise") { await job.progress.abortPreview.stopsAfter == "p1" }
      #expect(try await job.requestAbort().stopsAfter == "p1")
      #expect(await !job.isCompleted, "answered before the package was done")
      #expect(try await job.requestAbort().stopsAfter == "p1")
      try engine.release("p1")
      let result = try await job.result
      #expect(result.code == .aborted)
      #expect(result.updateResults.map(\.code) == [.notStarted])
      let snapshot = try await engine.session.observer.job(job.id)
      #expect(snapshot.plan?.map(\.resultCode) == [.succeeded, .notStarted, .notStarted])
      #expect(try await engine.state("p1") == "installed 1.0")
      #expect(try await engine.state("q2") == "absent")
      #expect(try await engine.state("q3") == "absent")
      #expect(try await engine.repository.audit().isEmpty)
      #expect(try await job.requestAbort() == .alreadyCompleted)
      #expect(try await job.result == result)
    }
  }

  @Test func `B16: an abort in the download ends it and keeps what has arrived`() async throws {
    let large = PackageFixture(
      "large", files: [.init("usr/share/large/file", "large", size: 1 << 20)])
    try await RealEngine.run([large]) { engine in
      let server = try HeldServer(engine.repository.path)
      defer { server.close() }
      try TestFolder.write(
        "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n",
        to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let job = try await engine.begin("large")
      try await eventually("some bytes", within: .seconds(240)) {
        await job.progress.downloadedBytes > 0
      }
      #expect(try await job.requestAbort() == .accepted(stopsAfter: nil))
      let result = try await job.result
      #expect(result.code == .aborted && result["large"]?.code == .notStarted)
      #expect(try await engine.state("large") == "absent")
      let partial = engine.repository.folder.path("state/jobs/\(job.id)/archives/partial")
      #expect(TestFolder.names(in: partial).contains { $0.hasPrefix("large") })
      server.release()
    }
  }

  @Test func `B18, B22: the only package is not stopped, with the reason`() async throws {
    try await RealEngine.run([.held("only")]) { engine in
      let job = try await engine.begin("only")
      try await engine.untilHeld("only")
      try await eventually { await job.progress.currentItem == "only" }
      guard case .refused(let reason) = try await job.requestAbort() else {
        Issue.record("the last step was stopped")
        return
      }
      #expect(reason.code == .finalStep && reason.message.contains("only"))
      try engine.release("only")
      #expect(try await job.result.code == .succeeded)
    }
  }

  @Test func `A21: cancelling the task that installs still gives the partial result`() async throws
  {
    try await RealEngine.run(Self.chain) { engine in
      let installer = try engine.session.makeInstaller()
      let task = Task { try await installer.install(["p1", "q2", "q3"].map { Update($0) }) }
      try await engine.untilHeld("p1")
      try await eventually {
        try await engine.session.jobs().first?.currentStepIndex == 0
      }
      task.cancel()
      try await eventually { try await engine.session.jobs().first?.abort != nil }
      try engine.release("p1")
      let result = try await task.value
      #expect(result.code == .aborted)
      #expect(result.updateResults.map(\.code) == [.succeeded, .notStarted, .notStarted])
    }
  }

  @Test
  func `D8: recommended packages that were not begun make it aborted, and the retry brings them`()
    async throws
  {
    let fixtures = [
      PackageFixture("app", fields: ["Recommends": "slow, late"]),
      PackageFixture.held("slow", fields: ["Pre-Depends": "app"]),
      PackageFixture("late", fields: ["Pre-Depends": "slow"]),
    ]
    try await RealEngine.run(fixtures) { engine in
      let job = try await engine.begin("app")
      try await engine.untilHeld("slow")
      try await eventually("a promise") { await job.progress.abortPreview.stopsAfter == "slow" }
      #expect(try await job.requestAbort().stopsAfter == "slow")
      try engine.release("slow")
      let result = try await job.result
      #expect(result.code == .aborted && result["app"]?.code == .succeeded)
      #expect(result.counts == ResultCounts(succeeded: 2, failed: 0, notStarted: 1))
      #expect(await job.progress.percentComplete < 100)
      let request = JobRequest(.install, [Update("app")])
      let retry = try request.retrying(try await engine.session.observer.job(job.id))
      #expect(
        try await engine.session.makeInstaller().begin(retry).result.code == .succeeded)
      #expect(try await engine.state("late") == "installed 1.0")
      let marks = try #require(engine.text("var/lib/apt/extended_states"))
      let late = try #require(marks.firstRange(of: "Package: late\n")?.upperBound)
      #expect(marks[late...].prefix { $0 != "\n" }.isEmpty == false)
      #expect(marks[late...].split(separator: "\n").prefix(2).contains("Auto-Installed: 1"))
      #expect(!marks.contains("Package: app\n"))
    }
  }

  @Test func `B28: a pause stops after p1, and the rest is done on resuming`() async throws {
    try await RealEngine.run(Self.chain) { engine in
      let job = try await engine.begin("q3")
      try await engine.untilHeld("p1")
      try await eventually { await job.progress.currentItem == "p1" }
      try await job.suspend()
      try engine.release("p1")
      try await eventually("the pause", within: .seconds(240)) {
        await job.progress.state == .suspended
      }
      #expect(try await engine.state("p1") == "installed 1.0")
      #expect(try await engine.state("q2") == "absent")
      #expect(try await engine.repository.audit().isEmpty)
      try await job.resume()
      #expect(try await job.result.code == .succeeded)
      #expect(try await engine.state("q3") == "installed 1.0")
    }
  }
}
