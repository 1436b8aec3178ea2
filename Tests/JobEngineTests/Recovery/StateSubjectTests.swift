import Glibc
import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Whose state a folder holds` {
  private func note(_ folder: ScratchFolder) -> String? {
    TestFolder.text(of: folder.path("subject"))
  }

  @Test func `the first engine notes it, the next finds it`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    #expect(note(fixture.folder) == nil)
    try await fixture.engine.claimState()
    #expect(note(fixture.folder) == "simulated\n")
    var record = stat()
    #expect(unsafe stat(fixture.folder.path("subject"), &record) == 0)
    #expect(record.st_mode & 0o777 == 0o600)
    _ = try await fixture.installer().beginInstallation(of: [Update("p1")])
    try await fixture.engine.claimState()
  }

  @Test func `another root's is refused while a job of it is open, and taken over afterwards`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    try TestFolder.write("apt /srv/one\n", to: fixture.folder.path("subject"))
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.engine.claimState()
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("has a job of 'apt /srv/one' open") == true)
    #expect(note(fixture.folder) == "apt /srv/one\n")
    // The root was moved, and somebody does as the error says.
    let wayOut = "write 'simulated' into \(fixture.folder.path("subject"))"
    #expect(error?.hint?.contains(wayOut) == true)
    let run = try #require(await work.next())
    run.performAllSteps()
    #expect(try await job.result.code == .succeeded)
    try await fixture.engine.claimState()
    #expect(note(fixture.folder) == "simulated\n")
  }

  @Test func `a note that is empty says nothing, one that is a link is not followed`() async throws
  {
    let (fixture, _) = try await EngineFixture.byHand()
    let path = fixture.folder.path("subject")
    try TestFolder.write("", to: path)
    try await fixture.engine.claimState()
    #expect(note(fixture.folder) == "simulated\n")
    unsafe unlink(path)
    try TestFolder.write("apt /srv/one\n", to: fixture.folder.path("planted"))
    #expect(unsafe symlink(fixture.folder.path("planted"), path) == 0)
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.engine.claimState()
    }
    #expect(error?.code == .notPermitted)
  }
}
