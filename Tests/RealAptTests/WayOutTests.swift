import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Ways out of half states` {
  @Test func `D21: a package whose script ends its dpkg is taken away as the hints say`()
    async throws
  {
    let killing = PackageFixture("evil", scripts: [.postinst: "kill -9 $PPID"])
    try await RealEngine.run([killing, PackageFixture("alpha")]) { engine in
      #expect(try await engine.install("evil").code == .failed)
      #expect(!TestFolder.names(in: engine.root + "/var/lib/dpkg/updates").isEmpty)
      let refused = await #expect(throws: InstallationError.self) {
        _ = try await engine.install("alpha")
      }
      #expect(
        refused?.hint?.contains("'fettle purge evil'") == true, "\(String(describing: refused))")
      let mending = try await TestUser.run(
        [RealEngine.executable, "root", "repair", engine.root], environment: ToolOutput.plain)
      #expect(mending.status != 0 && mending.errors.contains("'fettle purge evil'"), "\(mending)")

      let repair = try await engine.repair()
      #expect(repair.code == .failed)
      let job = try #require(try await engine.session.observer.jobs().last)
      let status = try #require(try await engine.session.observer.job(job.id).plan?.first)
      #expect(status.name == "evil" && status.resultCode == .failed, "\(status)")

      let purge = try await engine.session.makeInstaller().begin(
        JobRequest(.purge, [Update("evil")])
      ).result
      let log = TestFolder.text(of: engine.repository.folder.path("state/jobs/3/log")) ?? ""
      #expect(purge.code == .succeeded, "\(String(describing: purge.error)) \(log)")
      let state = try await engine.state("evil")
      #expect(state == "absent" || state.hasPrefix("not-installed"), "\(state)")
      #expect(try await engine.repository.audit().isEmpty)
      #expect(try await engine.install("alpha").code == .succeeded)
    }
  }

  @Test func `a retry keeps the mark of a package that it only configures`() async throws {
    let failing = PackageFixture("base", scripts: [.postinst: "exit 3"])
    let fixtures = [failing, PackageFixture("boat", fields: ["Depends": "base"])]
    try await RealEngine.run(fixtures) { engine in
      func isMarked() throws -> Bool {
        let marks = try #require(engine.text("var/lib/apt/extended_states"))
        return marks.split(separator: "\n\n").contains {
          $0.contains("Package: base\n") && $0.contains("Auto-Installed: 1")
        }
      }
      let request = JobRequest(.install, [Update("boat")])
      let job = try await engine.session.makeInstaller().begin(request)
      #expect(try await job.result.code == .failed)
      #expect(try isMarked())
      let retry = try request.retrying(try await engine.session.observer.job(job.id))
      #expect(retry.updates.map(\.name) == ["boat", "base"])
      #expect(try await engine.session.makeInstaller().begin(retry).result.code == .failed)
      #expect(try isMarked())
    }
  }

  @Test func `D21: a repair that waits behind a job mends what that one leaves`() async throws {
    // Fails twice, and waits the second time.
    let script = """
      n=$(cat "$DPKG_ROOT/runs" 2>/dev/null || echo 0)
      echo $((n + 1)) > "$DPKG_ROOT/runs"
      [ "$n" != 1 ] || : > "$DPKG_ROOT/at-bad"
      while [ "$n" = 1 ] && [ ! -e "$DPKG_ROOT/go-bad" ]; do sleep 0.05; done
      [ "$n" -ge 2 ] || exit 3
      """
    try await RealEngine.run([PackageFixture("bad", scripts: [.postinst: script])]) { engine in
      let installer = try engine.session.makeInstaller()
      let request = JobRequest(.install, [Update("bad")])
      let first = try await installer.begin(request)
      #expect(try await first.result.code == .failed)
      let retry = try request.retrying(try await engine.session.observer.job(first.id))
      let second = try await installer.begin(retry)
      try await engine.untilHeld("bad")
      let repair = try await installer.begin(JobRequest(.repair, []))
      try engine.release("bad")
      #expect(try await second.result.code == .failed)
      let result = try await repair.result
      #expect(result.code == .succeeded, "\(String(describing: result.error))")
      #expect(try await engine.state("bad") == "installed 1.0")
    }
  }

  @Test func `a repair that waited and mends nothing is a failure`() async throws {
    let bad = PackageFixture("bad", scripts: [.postinst: "exit 3"])
    try await RealEngine.run([bad, .held("wait")]) { engine in
      let installer = try engine.session.makeInstaller()
      let first = try await installer.begin(JobRequest(.install, [Update("wait")]))
      try await engine.untilHeld("wait")
      let second = try await installer.begin(JobRequest(.install, [Update("bad")]))
      let repair = try await installer.begin(JobRequest(.repair, []))
      try engine.release("wait")
      #expect(try await first.result.code == .succeeded)
      #expect(try await second.result.code == .failed)
      let result = try await repair.result
      #expect(result.code == .failed && result.error?.message.contains("bad") == true, "\(result)")
    }
  }
}
