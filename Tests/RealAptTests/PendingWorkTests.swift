import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized)
struct `Requests made while somebody works` {
  @Test func `a plan takes no package of the job at work for its own`() async throws {
    let fixtures = [
      PackageFixture.held("slow"), PackageFixture("next", fields: ["Depends": "slow"]),
      PackageFixture("beta"),
    ]
    try await RealEngine.run(fixtures) { engine in
      let first = try await engine.begin("next")
      try await engine.untilHeld("slow")
      let second = try await engine.begin("beta")
      let plan = try await engine.session.observer.job(second.id).plan
      #expect(plan?.map(\.name) == ["beta"])
      // What the job at work brings is there when the next one has its turn.
      let third = try await engine.begin("slow")
      #expect(try await engine.session.observer.job(third.id).plan?.isEmpty == true)
      try engine.release("slow")
      #expect(try await first.result.code == .succeeded)
      #expect(try await second.result.code == .succeeded)
      let result = try await third.result
      #expect(result.code == .succeeded && result["slow"]?.note == .alreadyInstalled)
    }
  }

  @Test func `a package is installed and then purged by jobs that wait one behind the other`()
    async throws
  {
    try await RealEngine.run([.held("slow"), PackageFixture("beta"), PackageFixture("delta")]) {
      engine in
      let first = try await engine.begin("slow")
      try await engine.untilHeld("slow")
      let installer = try engine.session.makeInstaller()
      let install = try await installer.begin(JobRequest(.install, [Update("beta")]))
      let purge = try await installer.begin(JobRequest(.purge, [Update("beta")]))
      let plan = try await engine.session.observer.job(purge.id).plan
      #expect(plan?.map(\.planned.action) == [.purge])
      let again = try await installer.begin(JobRequest(.install, [Update("beta")]))
      try engine.release("slow")
      #expect(try await first.result.code == .succeeded)
      #expect(try await install.result.code == .succeeded)
      #expect(try await purge.result.code == .succeeded)
      #expect(try await again.result.code == .succeeded)
      #expect(try await engine.state("beta") == "installed 1.0")
      let times = try #require(engine.text("var/log/dpkg.log"))
      #expect(times.contains(" status not-installed beta:all <none>"))
    }
  }

  @Test func `a wait for the lock that ends in vain leaves nothing to repair`() async throws {
    try await RealEngine.run([.held("slow"), PackageFixture("beta")]) { engine in
      let repository = engine.repository
      let foreign = Task { try await repository.apt("install", "slow") }
      try await engine.untilHeld("slow")
      var options = InstallationOptions()
      options.lockSeconds = 0
      let result = try await engine.install("slow", "beta", options: options)
      #expect(result.code != .succeeded && result.error?.code == .busy, "\(result)")
      #expect(result.repairs.isEmpty)
      #expect(result["slow"]?.code == .notStarted)
      #expect(result["beta"]?.code == .notStarted)
      try engine.release("slow")
      _ = try await foreign.value
    }
  }

  @Test func `what a job ahead was to bring is named with that job where it failed`() async throws {
    let failing = PackageFixture("late", scripts: [.preinst: "exit 4"])
    try await RealEngine.run([.held("slow"), failing, PackageFixture("beta")]) { engine in
      let first = try await engine.begin("slow")
      try await engine.untilHeld("slow")
      let bringing = try await engine.begin("late")
      let alone = try await engine.begin("late")
      let together = try await engine.begin("late", "beta")
      try engine.release("slow")
      #expect(try await first.result.code == .succeeded)
      #expect(try await bringing.result.code == .failed)
      for job in [alone, together] {
        let result = try await job.result
        let words = "late was expected to be there after job \(bringing.id), and is not"
        #expect(result.code == .failed && result.error?.code == .planOutOfDate, "\(result)")
        #expect(
          result.error?.message.contains(words) == true, "\(String(describing: result.error))")
      }
    }
  }
}
