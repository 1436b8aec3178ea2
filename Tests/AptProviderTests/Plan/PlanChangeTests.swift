import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `Planning changes to what is installed` {
  private var forced: InstallationOptions {
    var options = InstallationOptions()
    options.isForced = true
    return options
  }

  @Test func `A22, A24: a removal keeps configuration files, a purge takes them`() async throws {
    let repository = try await PackageRepository()
    try await repository.perform(.install, "conf")
    let removal = try await repository.perform(.remove, "conf")
    #expect(removal.plan.summary == ["remove conf -"])
    #expect(removal.plan.steps.first?.fromVersion == "2.0")
    #expect(removal.plan.installedSizeChange < 0)
    #expect(TestFolder.exists(repository.root + "/etc/conf.ini"))
    #expect(
      try await repository.provider().verify(removal.plan).findings.first?.isAsPlanned == true)
    try await repository.perform(.install, "conf")
    var options = InstallationOptions()
    options.purgesConfiguration = true
    let purge = try await repository.perform(.remove, "conf", options: options)
    #expect(purge.plan.summary == ["purge conf -"])
    #expect(!TestFolder.exists(repository.root + "/etc/conf.ini"))
    #expect(try await repository.provider().verify(purge.plan).findings.first?.isAsPlanned == true)
  }

  @Test func `A25: essential, protected and needed packages stay`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "ess", "prot", "app").expectSuccess("apt-get")
    for name in ["ess", "prot", "lib"] {
      for operation in [JobOperation.remove, .purge] {
        let error = try #require(try await repository.refusal(operation, name))
        #expect(error.code == .notUninstallable)
        #expect(error.update == name)
      }
      #expect(try await repository.state(of: name) == "installed 1.0")
    }
    let needed = try #require(try await repository.refusal(.remove, "lib"))
    #expect(needed.message.contains("app"))
    let (plan, work) = try await repository.perform(.remove, "lib", "app")
    #expect(plan.summary == ["remove app -", "remove lib -"])
    #expect(plan.requests.map(\.step) == [1, 0])
    let removed = work.dpkgStatus.filter { $0.hasPrefix("processing: remove: ") }
    #expect(removed.map { $0.dropFirst(20).prefix { $0 != ":" } } == ["app", "lib"])
  }

  @Test func `what drives out another package runs in the plan's order`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "app", "alpha=1.0").expectSuccess("apt-get")
    let (plan, work) = try await repository.perform(.install, "rival", "alpha", "q3")
    #expect(work.status == 0, "\(work.output)")
    let order = work.dpkgStatus.compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard words.count == 3, words[0] == "processing:",
        ["install:", "upgrade:", "remove:"].contains(words[1])
      else { return nil }
      return String(words[2].prefix { $0 != ":" })
    }
    #expect(order == plan.steps.map(\.name))
    #expect(try await repository.provider().verify(plan).findings.allSatisfy { $0.isAsPlanned })
  }

  @Test func `A30: force installs again, and goes back when an older version is named`()
    async throws
  {
    let repository = try await PackageRepository()
    try await repository.perform(.install, "alpha")
    let again = try await repository.plan(.install, "alpha", options: forced)
    #expect(again.summary == ["reinstall alpha 2.0"])
    let refused = try #require(try await repository.refusal(.install, "alpha=1.0"))
    #expect(refused.code == .notApplicable)
    #expect(refused.message.contains("2.0"))
    #expect(refused.hint == "'fettle install --allow-downgrades alpha=1.0' goes back to it")
    let back = try await repository.perform(.install, "alpha=1.0", options: forced)
    #expect(back.plan.summary == ["downgrade alpha 1.0"])
    #expect(back.work.status == 0, "\(back.work.output)")
    #expect(try await repository.state(of: "alpha") == "installed 1.0")
  }

  @Test func `A30: a reinstallation unpacks and configures the same version again`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha=1.0").expectSuccess("alpha")
    let before = TestFolder.text(of: repository.root + "/var/log/dpkg.log") ?? ""
    let (plan, work) = try await repository.perform(.reinstall, "alpha")
    #expect(plan.summary == ["reinstall alpha 1.0"])
    #expect(work.status == 0, "\(work.output)")
    #expect(work.dpkgStatus.contains("processing: upgrade: alpha"))
    #expect(TestFolder.text(of: repository.root + "/var/log/dpkg.log") != before)
    #expect(try await repository.refusal(.reinstall, "beta")?.code == .notApplicable)
  }

  @Test func `A31: a purge cleans what a removal left`() async throws {
    let repository = try await PackageRepository()
    try await repository.perform(.install, "conf")
    try await repository.perform(.remove, "conf")
    #expect(try await repository.state(of: "conf") == "config-files 2.0")
    #expect(try await repository.plan(.remove, "conf").requests.first?.note == .notInstalled)
    var options = forced
    options.purgesConfiguration = true
    let (plan, work) = try await repository.perform(.remove, "conf", options: options)
    #expect(plan.summary == ["purge conf -"])
    #expect(work.status == 0, "\(work.output)")
    #expect(!TestFolder.exists(repository.root + "/etc/conf.ini"))
    #expect(try await repository.state(of: "conf") == "absent")
  }

  @Test func `A32: installing again without a source is an error, not a success`() async throws {
    let repository = try await PackageRepository()
    try await repository.perform(.install, "alpha")
    try await repository.publish([PackageFixture("beta")])
    for request in [JobOperation.install, .reinstall] {
      let error = try #require(
        try await repository.refusal(request, "alpha", options: forced))
      #expect(error.code == .sourceUnavailable)
      #expect(error.update == "alpha")
    }
  }

  @Test func `D17: removing what is absent is a note, removing the unknown an error`()
    async throws
  {
    let repository = try await PackageRepository()
    let plan = try await repository.plan(.remove, "delta")
    #expect(plan.steps.isEmpty)
    #expect(plan.requests.first?.note == .notInstalled)
    #expect(try await repository.refusal(.remove, "nosuch")?.code == .notApplicable)
  }

  @Test func `U12: a held package is kept back by an upgrade, and refused where it is named`()
    async throws
  {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha=1.0", "conf=1.0").expectSuccess("apt-get")
    try await repository.run(["/usr/bin/apt-mark", "hold", "conf"]).expectSuccess("apt-mark")
    let plan = try await repository.plan(.upgrade)
    #expect(plan.summary == ["upgrade alpha 2.0"])
    #expect(plan.steps.first?.fromVersion == "1.0")
    #expect(plan.requests.map(\.update.name) == ["alpha"])
    #expect(plan.warnings == [UpdateWarning(.held, "kept back because held: conf")])
    let named = try await repository.plan(.upgrade, "conf", "alpha", "beta")
    #expect(named.summary == ["upgrade alpha 2.0"])
    #expect(named.requests.map(\.note) == [.notReached, nil, .notInstalled])
    #expect(
      named.warnings == [UpdateWarning(.held, "kept back because held: conf", update: "conf")])
    #expect(named.requests.first?.reason == "it is held at 1.0")
    let alone = try #require(try await repository.refusal(.upgrade, "conf"))
    #expect(
      alone.code == .unresolvable && alone.message == "cannot upgrade 'conf': it is held at 1.0")
    let held = try #require(try await repository.refusal(.install, "conf"))
    #expect(held.code == .unresolvable)
    #expect(held.update == "conf")
    // No option of a job changes a package that is held.
    #expect(try await repository.refusal(.install, "conf", options: forced)?.update == "conf")
    #expect(try await repository.perform(.upgrade).work.status == 0)
    #expect(try await repository.state(of: "alpha") == "installed 2.0")
    #expect(try await repository.state(of: "conf") == "installed 1.0")
    // Nothing is left that it could do, and that is not the same as nothing to do.
    let kept = try #require(try await repository.refusal(.upgrade))
    #expect(kept.code == .unresolvable)
    #expect(kept.message == "cannot upgrade: 1 package is kept back, held: conf")
  }

  @Test func `A43: a version that left the index is refused, a moved index makes plans stale`()
    async throws
  {
    let repository = try await PackageRepository()
    let request = JobRequest(.install, [Update("alpha", version: "2.0")])
    let plan = try await repository.planner().plan(request)
    #expect(plan.fingerprint == (try repository.planner().currentFingerprint()))
    #expect(try await repository.planner().recheck(plan, for: request) == [])
    try await repository.publish([PackageFixture("alpha", "1.0")])
    #expect(plan.fingerprint != (try repository.planner().currentFingerprint()))
    let stale = try await #require(throws: InstallationError.self) {
      try await repository.planner().recheck(plan, for: request)
    }
    #expect(stale.code == .planOutOfDate)
    let gone = try #require(try await repository.refusal(.install, "alpha=2.0"))
    #expect(gone.code == .notApplicable)
    #expect(gone.update == "alpha")
  }

  @Test func `another job's work leaves a plan valid, less what it did already`() async throws {
    let repository = try await PackageRepository()
    let request = JobRequest(.install, [Update("app")])
    let plan = try await repository.planner().plan(request)
    try await repository.perform(.install, "lib", "beta")
    #expect(plan.fingerprint != (try repository.planner().currentFingerprint()))
    let done = try await repository.planner().recheck(plan, for: request)
    #expect(done.map { plan.steps[$0].name } == ["lib"])
    try await repository.perform(.install, "rival")
    let stale = try await #require(throws: InstallationError.self) {
      try await repository.planner().recheck(plan, for: request)
    }
    #expect(stale.code == .planOutOfDate)
  }

  @Test func `B28: what is finished is left out of the command, what is left keeps its version`()
    async throws
  {
    let repository = try await PackageRepository()
    let request = JobRequest(
      .install, [Update("q3"), Update("alpha", version: "1.0"), Update("delta")])
    let plan = try await repository.planner().plan(request)
    let all = try #require(AptCommand(for: request, plan: plan, archiveStore: "/store"))
    #expect(
      all.arguments == ["--no-auto-remove", "install", "--", "q3=1.0", "alpha=1.0", "delta=1.0"])
    #expect(all.installing.contains("--no-download"))
    let finished = Set(plan.steps.indices.filter { plan.steps[$0].name != "delta" })
    let rest = AptCommand(
      for: request, plan: plan, archiveStore: "/store", finishedSteps: finished)
    #expect(rest?.arguments == ["--no-auto-remove", "install", "--", "delta=1.0"])
    #expect(
      AptCommand(
        for: request, plan: plan, archiveStore: "/store", finishedSteps: Set(plan.steps.indices))
        == nil)
  }

  @Test func `B28: a finished step does not make a resumed job's plan stale`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha").expectSuccess("alpha")
    let request = JobRequest(
      .install, [Update("alpha", version: "1.0"), Update("delta")], options: forced)
    let plan = try await repository.planner().plan(request)
    let back = try #require(plan.steps.firstIndex { $0.action == .downgrade })
    try await repository.perform(.install, "alpha=1.0", options: forced)
    let left = try await repository.planner().recheck(plan, for: request, finishedSteps: [back])
    #expect(left.isEmpty)
    await #expect(throws: InstallationError.self) {
      try await repository.planner().recheck(plan, for: request)
    }
  }

  @Test func `a wrong hash in the index stops the job before anything is unpacked`() async throws {
    let repository = try await PackageRepository()
    let (plan, work) = try await repository.perform(.install, "wrong", "delta")
    #expect(plan.steps.count == 2)
    #expect(work.status == 100)
    #expect(work.dpkgStatus.isEmpty)
    let found = try await repository.provider().verify(plan)
    #expect(found.findings.allSatisfy { $0.isUntouched })
  }

  @Test func `a package that only counts as installed cannot be touched`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha=1.0").expectSuccess("alpha")
    try TestFolder.write("", to: repository.root + "/var/lib/dpkg/info/alpha.list")
    #expect(try await repository.refusal(.remove, "alpha")?.code == .notUninstallable)
    #expect(try await repository.refusal(.install, "alpha")?.code == .unresolvable)
    #expect(try await repository.plan(.install, "omega").summary == ["install omega 1.0"])
  }
}
