import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Results with apt and dpkg` {
  @Test func `D2, D6, D11, C5: a failing script is named with its exit status`() async throws {
    try await RealEngine.run { engine in
      let job = try await engine.begin("alpha", "bad")
      let result = try await job.result
      #expect(result.code == .succeededWithErrors && result.exitStatus == 100)
      #expect(result.error?.code == .packageFailed && result.error?.update == "bad")
      #expect(result["alpha"]?.code == .succeeded && result["bad"]?.code == .failed)
      #expect(result["bad"]?.detail == "post-installation script, exit status 3")
      #expect(await job.progress.overallFraction < 1)
    }
  }

  @Test func `D12, D18: a package that a failure keeps from its turn was fetched and not started`()
    async throws
  {
    let fixtures = [3, 4].map { PackageFixture("bad\($0)", scripts: [.postinst: "exit \($0)"]) }
    try await RealEngine.run(fixtures) { engine in
      let job = try await engine.begin("bad4", "bad3")
      let result = try await job.result
      #expect(result.code == .failed && result.error?.code == .packageFailed)
      #expect(result.updateResults.map(\.name) == ["bad4", "bad3"])
      let first = try #require(job.plan.first?.name)
      #expect(result.error?.update == first && result[first]?.code == .failed)
      #expect(result[first]?.detail == "post-installation script, exit status \(first.suffix(1))")
      let other = result.updateResults.first { $0.name != first }
      #expect(other?.code == .notStarted && other?.note == .fetched)
      #expect(try await engine.state(other?.name ?? "") == "absent")
    }
  }

  @Test func `D15: an upgrade of which all fails has failed, whatever it was told to leave out`()
    async throws
  {
    try await RealEngine.run([PackageFixture("base"), PackageFixture("free")]) { engine in
      let repository = engine.repository
      try await repository.apt("install", "base", "free").expectSuccess("install")
      // Without files of its own it only counts as installed.
      try TestFolder.write("", to: repository.root + "/var/lib/dpkg/info/base.list")
      try await repository.publish([
        PackageFixture("base", "2.0"),
        PackageFixture("free", "2.0", scripts: [.preinst: "exit 3"]),
      ])
      let job = try await engine.session.makeInstaller().begin(JobRequest(.upgrade, []))
      let result = try await job.result
      #expect(result.code == .failed && result["free"]?.code == .failed)
      #expect(result.updateResults.map(\.name) == ["free"])
      #expect(try await engine.state("base") == "installed 1.0")
    }
  }

  @Test func `A33: a configuration file that was changed on both sides is named in the result`()
    async throws
  {
    try await RealEngine.run { engine in
      #expect(try await engine.install("conf=1.0").code == .succeeded)
      try TestFolder.write("mine\n", to: engine.root + "/etc/conf.ini")
      let result = try await engine.install("conf=2.0")
      #expect(result.code == .succeeded && result["conf"]?.note == .keptConfiguration)
      #expect(
        result["conf"]?.conffiles == [
          ConffileChange(path: engine.root + "/etc/conf.ini", outcome: .kept)
        ])
      #expect(engine.text("etc/conf.ini") == "mine\n")
      #expect(engine.text("etc/conf.ini.dpkg-dist") == "version = 2.0\n")
      let checkup = try await engine.checkup()
      let finding = try #require(checkup.findings.first { $0.subject == .conffiles })
      #expect(finding.verdict == .attention)
      #expect(finding.message.contains(" \(engine.root)/etc/conf.ini.dpkg-dist"))
    }
  }

  @Test func `D3, D7: the package that wrote the marker is named, others are not`() async throws {
    try await RealEngine.run { engine in
      #expect(try await engine.install("alpha").requiresReboot == false)
      let result = try await engine.install("kernelish", "beta")
      #expect(result.code == .succeeded && result.requiresReboot)
      #expect(result.rebootReasons == ["kernelish"])
      #expect(result["kernelish"]?.requiresReboot == true)
      #expect(result["beta"]?.requiresReboot == false)
      #expect(result.afterReboot?.outcome == .pending)
      #expect(try await engine.install("delta").requiresReboot == false)
    }
  }

  @Test func `D5, D18, E9: a file conflict fails its package and no neighbour silently succeeds`()
    async throws
  {
    try await RealEngine.run { engine in
      _ = try await engine.install("alpha=1.0")
      let result = try await engine.install("fc", "beta")
      #expect(result["fc"]?.code == .failed)
      #expect(result.updateResults.count == 2)
      let isInstalled = try await engine.state("beta") == "installed 1.0"
      #expect((result["beta"]?.code == .succeeded) == isInstalled)
      #expect(result.code != .succeeded)
    }
  }

  @Test func `D17: the absent is a note, the unknown an error`() async throws {
    try await RealEngine.run { engine in
      let installer = try engine.session.makeInstaller()
      let result = try await installer.uninstall([Update("delta")])
      #expect(result.code == .succeeded && result["delta"]?.note == .notInstalled)
      let error = await #expect(throws: InstallationError.self) {
        try await installer.uninstall([Update("nosuch")])
      }
      #expect(error?.code == .notApplicable)
    }
  }

  @Test(arguments: [("watcher", "poker"), ("listener", "teller")])
  func `D19: a job is over when the triggers it set off are`(names: (String, String)) async throws {
    try await RealEngine.run { engine in
      _ = try await engine.install(names.0)
      let result = try await engine.install(names.1)
      #expect(result.code == .succeeded)
      #expect(try await engine.state(names.0) == "installed 1.0")
      #expect(try await engine.state(names.1) == "installed 1.0")
      let file = names.0 == "watcher" ? "watched" : "listened"
      #expect(engine.text(file)?.contains("triggered") == true)
    }
  }

  @Test(arguments: [("watcher", "poker", "await"), ("listener", "teller", "noawait")])
  func `D19: while a trigger runs the result is in progress`(
    names: (interested: String, poking: String, kind: String)
  ) async throws {
    var interested = PackageFixture(
      names.interested, triggers: "interest-\(names.kind) /usr/share/poked\n")
    interested.scripts[.postinst] = """
      [ "$1" = triggered ] || exit 0
      : > "$DPKG_ROOT/at-trigger"
      while [ ! -e "$DPKG_ROOT/go-trigger" ]; do sleep 0.05; done
      """
    let poking = PackageFixture(
      names.poking, files: [.init("usr/share/poked/\(names.poking)", "poke\n")])
    try await RealEngine.run([interested, poking]) { engine in
      _ = try await engine.install(names.interested)
      let job = try await engine.begin(names.poking)
      try await engine.untilHeld("trigger")
      try await eventually { await job.progress.state == .installing }
      let meanwhile = try await engine.session.observer.job(job.id)
      #expect(meanwhile.resultCode == .inProgress && meanwhile.state == .installing)
      #expect(await !job.isCompleted)
      try engine.release("trigger")
      #expect(try await job.result.code == .succeeded)
      #expect(try await engine.state(names.interested) == "installed 1.0")
      #expect(try await engine.state(names.poking) == "installed 1.0")
    }
  }
}
