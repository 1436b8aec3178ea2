import Glibc
import InstallJobs
import PackageTools
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Fetching the package index by apt` {
  @Test func `S8: a fetch that is cancelled ends at once, and the old index stays`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
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
      "deb [trusted=yes] copy:\(repository.path) ./\n"
        + "deb [trusted=yes] http://127.0.0.1:\(listener.port) ./\n",
      to: repository.root + "/etc/apt/sources.list")
    let provider = try repository.provider()
    let refreshing = Task { try await provider.refreshIndex() }
    try await eventually("a question to the source") { isAsked.value }
    refreshing.cancel()
    await #expect(throws: InstallationError.self) { try await refreshing.value }
    #expect(try await repository.plan(.install, "alpha").summary == ["install alpha 1.0"])
  }
}
