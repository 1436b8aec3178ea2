import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `The history of real jobs` {
  @Test
  func `Y4, Y5, Y8, Y10, Y15: has operation, verified code, versions, origin and log of each`()
    async throws
  {
    let failing = PackageFixture("bad", scripts: [.postinst: "echo the last words >&2; exit 3"])
    try await RealEngine.run([PackageFixture("alpha"), failing]) { engine in
      let installer = try engine.session.makeInstaller()
      _ = try await engine.install("alpha")
      try await engine.repository.publish([PackageFixture("alpha", "2.0"), failing])
      try await engine.session.refreshIndex()
      _ = try await installer.upgrade([Update("alpha")])
      _ = try await installer.begin(JobRequest(.reinstall, [Update("alpha")])).result
      _ = try await installer.uninstall([Update("alpha")])
      _ = try await engine.install("bad")
      // What it says is not believed: the database is looked at.
      _ = try await installer.begin(JobRequest(.purge, [Update("bad")])).result

      let jobs = try await engine.session.history(limit: 10)
      #expect(
        jobs.map(\.operation) == [.purge, .install, .remove, .reinstall, .upgrade, .install])
      #expect(
        jobs.map(\.resultCode) == [
          .succeeded, .failed, .succeeded, .succeeded, .succeeded, .succeeded,
        ])
      func package(_ job: JobSnapshot) async throws -> UpdateStatus {
        try #require(try await engine.session.snapshot(of: job.id).plan?.first)
      }
      let upgrade = try await package(jobs[4])
      #expect(upgrade.name == "alpha" && upgrade.planned.fromVersion == "1.0")
      #expect(upgrade.planned.toVersion == "2.0" && upgrade.planned.origin?.isEmpty == false)
      #expect(try await package(jobs[2]).planned.fromVersion == "2.0")
      var lines: [String] = []
      for try await line in engine.session.logLines(
        of: jobs[1].id, about: "bad", following: false)
      { lines.append(line) }
      #expect(lines.contains("the last words"))
      #expect(!lines.contains { $0.contains("alpha") })
    }
  }
}
