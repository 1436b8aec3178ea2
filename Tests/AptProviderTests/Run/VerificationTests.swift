import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `What the package database says` {
  @Test func `D21: a failed script leaves findings and a repair, whatever apt's status says`()
    async throws
  {
    let repository = try await PackageRepository()
    let request = JobRequest(.install, [Update("bad"), Update("delta")])
    let plan = try await repository.planner().plan(request)
    let before = try await repository.provider().verify(plan)
    #expect(before.findings.allSatisfy { $0.isUntouched && !$0.isAsPlanned })
    let work = try await repository.carryOut(plan, request)
    #expect(work.status == 100)
    let after = try await repository.provider().verify(plan)
    let bad = try #require(plan.steps.firstIndex { $0.name == "bad" })
    #expect(after.findings[bad].state == "half-configured")
    #expect(after.findings[bad].version == "1.0")
    #expect(!after.findings[bad].isAsPlanned)
    #expect(!after.findings[bad].isUntouched)
    #expect(after.audit.contains("bad"))
    #expect(after.repairs == [.finishConfiguration])
  }

  @Test func `a removal and an upgrade are untouched until they are done`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha=1.0", "beta").expectSuccess("apt-get")
    for (operation, name) in [(JobOperation.upgrade, "alpha"), (.remove, "beta")] {
      let request = JobRequest(operation, [Update(name)])
      let plan = try await repository.planner().plan(request)
      let before = try #require(try await repository.provider().verify(plan).findings.first)
      #expect(before.isUntouched && !before.isAsPlanned)
      try await repository.carryOut(plan, request)
      let after = try #require(try await repository.provider().verify(plan).findings.first)
      #expect(after.isAsPlanned && !after.isUntouched)
    }
  }

  @Test func `a purge of configuration files is told from a purge that did half its work`()
    async throws
  {
    let repository = try await PackageRepository()
    try await repository.apt("install", "conf").expectSuccess("conf")
    let whole = try await repository.plan(.purge, "conf")
    try await repository.apt("remove", "conf").expectSuccess("conf")
    let half = try #require(try await repository.provider().verify(whole).findings.first)
    #expect(half.state == "config-files")
    #expect(!half.isUntouched && !half.isAsPlanned)
    let rest = try await repository.plan(.purge, "conf")
    let finding = try #require(try await repository.provider().verify(rest).findings.first)
    #expect(finding.isUntouched && !finding.isAsPlanned)
  }

  @Test func `D19: a package that waits for a trigger is not done`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "watcher").expectSuccess("watcher")
    let plan = try await repository.plan(.install, "poker")
    try await repository.dpkg("--no-triggers", "-i", repository.archive("poker"))
      .expectSuccess("dpkg")
    let waiting = try #require(try await repository.provider().verify(plan).findings.first)
    #expect(waiting.state == "triggers-awaited")
    #expect(!waiting.isAsPlanned && !waiting.isUntouched)
    let repair = try await repository.plan(.repair)
    #expect(Set(repair.summary) == ["configure poker 1.0", "configure watcher 1.0"])
    try await repository.dpkg("--configure", "-a").expectSuccess("dpkg")
    #expect(try await repository.provider().verify(plan).findings.first?.isAsPlanned == true)
  }

  @Test func `a database that cannot be read is neither planned nor untouched`() async throws {
    let repository = try await PackageRepository()
    let plan = try await repository.plan(.install, "alpha")
    let provider = try repository.provider()
    try TestFolder.write("Package: @@@\nnonsense\n", to: repository.root + "/var/lib/dpkg/status")
    let found = await provider.verify(plan)
    #expect(found.findings.count == 1)
    #expect(found.findings.allSatisfy { !$0.isAsPlanned && !$0.isUntouched })
    #expect(!found.audit.isEmpty)
    #expect(try await repository.refusal(.install, "alpha")?.code == .badRoot)
  }

  @Test func `A7: exactly the outdated package is upgradable, held or not`() async throws {
    let repository = try await PackageRepository()
    #expect(try await repository.provider().upgradableUpdates().isEmpty)
    try await repository.apt("install", "alpha=1.0", "beta").expectSuccess("apt-get")
    let updates = try await repository.provider().upgradableUpdates()
    let alpha = try #require(updates.first)
    #expect(updates.count == 1)
    #expect(alpha.name == "alpha" && alpha.architecture == "all" && alpha.action == .upgrade)
    #expect(alpha.fromVersion == "1.0" && alpha.toVersion == "2.0")
    #expect(alpha.downloadSize > 0 && alpha.installedSize > 0 && alpha.origin != nil)
    try await repository.run(["/usr/bin/apt-mark", "hold", "alpha"]).expectSuccess("apt-mark")
    #expect(try await repository.provider().upgradableUpdates().map(\.name) == ["alpha"])
  }

  @Test func `A16, D3: the restart marker names the packages that asked, each once`() async throws {
    let repository = try await PackageRepository()
    let provider = try repository.provider()
    #expect(await provider.rebootReasons() == RebootMarker(isSet: false))
    try await repository.apt("install", "kernelish").expectSuccess("kernelish")
    try await repository.apt("install", "--reinstall", "kernelish").expectSuccess("kernelish")
    #expect(
      await provider.rebootReasons() == RebootMarker(isSet: true, packages: ["kernelish"]))
  }

  @Test func `what others wrote into the restart list is not passed on`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    try TestFolder.write("", to: repository.root + "/run/reboot-required")
    try TestFolder.write(
      "good\n\u{1B}[31mred\n../evil\n\ngood\n",
      to: repository.root + "/run/reboot-required.pkgs")
    #expect(try await repository.provider().rebootReasons().packages == ["good"])
  }
}

@Suite struct `Who holds the package lock` {
  @Test func `what stands in a lock's place and is no file does not hold up the look`() async throws
  {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let provider = try repository.provider()
    let locks = ["lock-frontend", "lock"].map { repository.root + "/var/lib/dpkg/" + $0 }
    for lock in locks {
      unsafe unlink(lock)
      #expect(unsafe mkfifo(lock, 0o666) == 0)
    }
    let isOver = Locked(false)
    let look = Task.detached {
      let holder = await provider.lockHolder()
      isOver.change { $0 = true }
      return holder
    }
    let isFree: Void? = try? await eventually(within: .seconds(20)) { isOver.value }
    #expect(isFree != nil)
    // A look that waits is let go, so that only this test fails.
    try await eventually {
      for lock in locks { close(unsafe open(lock, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) }
      return isOver.value
    }
    #expect(await look.value == nil)
  }

  @Test func `a lock's place that leads elsewhere is not followed`() async throws {
    let repository = try await PackageRepository([.held("slow")])
    let other = try await PackageRepository([PackageFixture("alpha")])
    for name in ["lock-frontend", "lock"] {
      let place = other.root + "/var/lib/dpkg/" + name
      unsafe unlink(place)
      unsafe symlink(repository.root + "/var/lib/dpkg/" + name, place)
    }
    async let work = repository.apt("install", "slow")
    while !TestFolder.exists(repository.root + "/at-slow") { await Task.yield() }
    #expect(try await repository.provider().lockHolder() != nil)
    #expect(try await other.provider().lockHolder() == nil)
    try TestFolder.write("", to: repository.root + "/go-slow")
    try await work.expectSuccess("apt-get")
  }

  @Test(.timeLimit(.minutes(10)), .endsOrAborts)
  func `A15: a foreign dpkg is named while it works, and no longer`() async throws {
    let repository = try await PackageRepository([.held("slow")])
    let provider = try repository.provider()
    #expect(await provider.lockHolder() == nil)
    async let work = repository.apt("install", "slow")
    while !TestFolder.exists(repository.root + "/at-slow") { await Task.yield() }
    let holder = try #require(await provider.lockHolder())
    #expect(holder.pid > 1)
    #expect(holder.command == "apt-get")
    try TestFolder.write("", to: repository.root + "/go-slow")
    try await work.expectSuccess("apt-get")
    #expect(await provider.lockHolder() == nil)
  }
}
