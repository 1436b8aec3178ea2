import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Retries of real jobs` {
  @Test func `of an upgrade does what is left, and leaves alone what is held`() async throws {
    let fixtures = [
      PackageFixture("a", "1.0"), PackageFixture("a", "2.0"), PackageFixture("b", "1.0"),
      PackageFixture("b", "2.0", fields: ["Depends": "n"]), PackageFixture("c", "1.0"),
      PackageFixture("c", "2.0", fields: ["Depends": "b (>= 2.0)"]),
      PackageFixture("n", scripts: [.postinst: "test -e \"$DPKG_ROOT/mended\""]),
    ]
    try await RealEngine.run(fixtures) { engine in
      let repository = engine.repository
      try await repository.apt("install", "a=1.0", "b=1.0", "c=1.0").expectSuccess("apt-get")
      try await repository.run(["/usr/bin/apt-mark", "hold", "a"]).expectSuccess("hold")
      try await repository.run(["/usr/bin/apt-mark", "auto", "b", "c"]).expectSuccess("auto")
      let installer = try engine.session.makeInstaller()
      let request = JobRequest(.upgrade, [Update("a"), Update("b"), Update("c")])
      let job = try await installer.begin(request)
      #expect(try await job.result.code != .succeeded)
      try TestFolder.write("", to: engine.root + "/mended")
      let retry = try request.retrying(try await engine.session.observer.job(job.id))
      #expect(retry.operation == .upgrade)
      let again = try await installer.begin(retry)
      let result = try await again.result
      #expect(result["b"]?.code == .succeeded && result["c"]?.code == .succeeded, "\(result)")
      #expect(result["a"]?.code == .notStarted)
      #expect(result["a"]?.error?.message == "a stays as it is: it is held at 1.0")
      #expect(try await engine.state("a") == "installed 1.0")
      #expect(try await engine.state("b") == "installed 2.0")
      #expect(try await engine.state("c") == "installed 2.0")
      #expect(try await engine.state("n") == "installed 1.0")
      #expect(try await repository.audit().isEmpty)
      let marks = try await repository.run(["/usr/bin/apt-mark", "showauto"]).output
      #expect(marks.split(separator: "\n") == ["b", "c", "n"])
    }
  }
}
