import InstallJobs
import JobEngine
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Finishing what is staged` {
  @Test func `A27, A28: commit configures what is unpacked, and a second one has nothing`()
    async throws
  {
    let fixture = try await EngineFixture.playing(.instant(2))
    fixture.provider.setPackage("p1", state: "unpacked", version: "1.0")
    let installer = try fixture.installer()
    try await installer.commit()
    #expect(fixture.provider.database["p1:amd64"].state == "installed")
    let before = fixture.provider.database
    let error = await #expect(throws: InstallationError.self) { try await installer.commit() }
    #expect(error?.code == .nothingToCommit)
    #expect(fixture.provider.database == before)
    let jobs = try await fixture.session.jobs()
    #expect(jobs.map(\.operation) == [.repair], "the second call makes no job")
  }

  @Test func `A27: with nothing staged there is nothing to commit`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.installer().commit()
    }
    #expect(error?.code == .nothingToCommit)
    #expect(try await fixture.session.jobs().isEmpty)
  }
}
