import Glibc
import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `Fetching the package index by apt` {
  @Test func `S8: a fetch that is cancelled ends at once, and the old index stays`() async throws {
    try await RealEngine.run([PackageFixture("alpha")]) { engine in
      let (isAsked, isOver) = (Locked(false), Locked(false))
      let listener = try LoopbackListener()
      defer {
        isOver.change { $0 = true }
        listener.close()
      }
      // A source that never answers.
      listener.serve { _, _ in
        isAsked.change { $0 = true }
        while !isOver.value { usleep(5_000) }
        return false
      }
      try TestFolder.write(
        "deb [trusted=yes] copy:\(engine.repository.path) ./\n"
          + "deb [trusted=yes] http://127.0.0.1:\(listener.port) ./\n",
        to: engine.root + "/etc/apt/sources.list")
      let refreshing = Task { try await engine.session.refreshIndex() }
      try await eventually("a question to the source") { isAsked.value }
      refreshing.cancel()
      let error = await #expect(throws: InstallationError.self) { try await refreshing.value }
      #expect(error?.code == .cancelled)
      #expect(!isOver.value, "the source has answered")
      let plan = try await engine.session.plan(JobRequest(.install, [Update("alpha")]))
      #expect(plan.steps.map(\.name) == ["alpha"])
    }
  }
}
