import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `An upgrade where packages of the host only count as installed` {
  /// `base` only counts as installed; `user` 2.0 needs `base` 2.0, `free` needs nothing.
  private func repository() async throws -> PackageRepository {
    let repository = try await PackageRepository([
      PackageFixture("base", "1.0"), PackageFixture("user", "1.0"), PackageFixture("free", "1.0"),
    ])
    try await repository.apt("install", "base", "user", "free").expectSuccess("install")
    try TestFolder.write("", to: repository.root + "/var/lib/dpkg/info/base.list")
    try await repository.publish([
      PackageFixture("base", "2.0"), PackageFixture("free", "2.0"),
      PackageFixture("user", "2.0", fields: ["Depends": "base (>= 2.0)"]),
    ])
    return repository
  }

  @Test func `upgrades what it can, names what is left out and why`() async throws {
    let repository = try await repository()
    let plan = try await repository.plan(.upgrade)
    #expect(plan.summary == ["upgrade free 2.0"])
    #expect(plan.requests.map(\.update.name) == ["free"])
    #expect(
      plan.leftOut == [
        JobPlan.LeftOut(name: "base", architecture: "all", version: "1.0", reason: .onlyCounted)
      ])
    #expect(
      plan.warnings.contains {
        $0.message.contains("only count as installed") && $0.message.hasSuffix(": base")
      })
    #expect(
      plan.warnings.contains(
        UpdateWarning(.keptBack, "left as they are by an upgrade that removes nothing: user")))
  }

  @Test func `what needs one of them is refused by name`() async throws {
    let repository = try await repository()
    let refusal = try #require(try await repository.refusal(.upgrade, "user"))
    #expect(refusal.message.hasPrefix("cannot upgrade 'base', which user needs: it only counts"))
    #expect(refusal.update == "base")
  }

  @Test func `scripts that ask the host's debconf are warned of`() async throws {
    let repository = try await repository()
    try await repository.publish([
      PackageFixture("debconf", "1.0"),
      PackageFixture("asking", "1.0", fields: ["Depends": "debconf (>= 0.5) | debconf-2.0"]),
      PackageFixture("silent", "1.0", fields: ["Depends": "libdebconfclient0 | debconf-doc"]),
      PackageFixture("debconf-doc", "1.0"),
    ])
    func warnings() async throws -> [UpdateWarning] {
      try await repository.plan(.install, "asking", "silent").warnings
        .filter { $0.code == .hostDebconf }
    }
    try await repository.apt("install", "debconf").expectSuccess("install")
    #expect(try await warnings().isEmpty, "this one is the root's own")
    try TestFolder.write("", to: repository.root + "/var/lib/dpkg/info/debconf.list")
    let warning = try #require(try await warnings().first)
    #expect(
      warning.message.hasPrefix("scripts of asking use debconf, which only counts as installed in"))
  }

  @Test func `what runs is what was planned`() async throws {
    let repository = try await repository()
    let work = try await repository.perform(.upgrade).work
    #expect(work.status == 0, "\(work.output)")
    #expect(try await repository.state(of: "free") == "installed 2.0")
    #expect(try await repository.state(of: "base") == "installed 1.0")
    #expect(try await repository.state(of: "user") == "installed 1.0")
    // What is kept back is not silently nothing to do.
    let error = await #expect(throws: InstallationError.self) {
      try await repository.plan(.upgrade)
    }
    #expect(error?.code == .unresolvable)
    #expect(error?.message.contains("1 package is kept back") == true)
  }

  @Test func `A7: what could be upgraded says what an upgrade keeps back`() async throws {
    let repository = try await repository()
    let updates = try await repository.provider().upgradableUpdates()
    #expect(
      updates.map { "\($0.name) \($0.keptBack ?? "-")" }
        == [
          "base only counts as installed here, its files are the host's", "free -",
          "user an upgrade that removes nothing leaves it",
        ])
    // The plan of the upgrade tells of the same packages.
    let plan = try await repository.plan(.upgrade)
    #expect(plan.steps.map(\.name) == updates.filter { $0.keptBack == nil }.map(\.name))
    #expect(
      plan.warnings.contains { $0.message.hasPrefix("left out because they only count") }
        && plan.leftOut.map(\.name) == ["base"])
    try await repository.run(["/usr/bin/apt-mark", "hold", "free"]).expectSuccess("hold")
    let held = try await repository.provider().upgradableUpdates()
    #expect(held.first { $0.name == "free" }?.keptBack == "held")
  }

  @Test func `A7: what could be upgraded says what comes from an archive of security updates`()
    async throws
  {
    let repository = try await repository()
    let provider = try repository.provider()
    #expect(try await provider.upgradableUpdates().allSatisfy { !$0.isSecurity })
    let index = repository.path + "/Packages"
    let sum = try await repository.run(["/usr/bin/sha256sum", index]).output.prefix(64)
    try TestFolder.write(
      "Origin: Shed\nLabel: Shed-Security\nSuite: fresh\nCodename: hammer\n"
        + "Date: Sat, 11 Jul 2026 10:16:37 UTC\nSHA256:\n \(sum) \(TestFolder.size(of: index))"
        + " Packages\n", to: repository.path + "/Release")
    try await repository.refresh()
    let updates = try await provider.upgradableUpdates()
    #expect(updates.first { $0.name == "free" }?.isSecurity == true)
    let plan = try await repository.plan(.upgrade)
    #expect(plan.steps.first { $0.name == "free" }?.isSecurity == true)
  }

  @Test func `A7: what is refused as a whole is not said to be each package's fault`()
    async throws
  {
    let repository = try await repository()
    try TestFolder.write(
      "Package: free\n", to: repository.root + "/var/lib/dpkg/updates/0001")
    let updates = try await repository.provider().upgradableUpdates()
    #expect(!updates.isEmpty)
    #expect(updates.allSatisfy { $0.keptBack == PlannedUpdate.unplannable })
  }
}

@Suite struct `A root without an index` {
  private func repository() async throws -> PackageRepository {
    let repository = try await PackageRepository([
      PackageFixture("alpha"),
      PackageFixture(
        "conf", files: [PackageFixture.File("etc/conf.ini", "1\n")], conffiles: ["/etc/conf.ini"]),
    ])
    try await repository.apt("install", "alpha", "conf").expectSuccess("install")
    let lists = repository.root + "/var/lib/apt/lists"
    for name in TestFolder.names(in: lists) where name.contains("Packages") {
      TestFolder.remove(lists + "/" + name)
    }
    return repository
  }

  @Test func `is named when an upgrade is asked for, with the way to an index`() async throws {
    let repository = try await repository()
    for error in [
      try await repository.refusal(.upgrade), try await repository.refusal(.upgrade, "alpha"),
    ] {
      #expect(error?.code == .notApplicable)
      #expect(error?.message.contains("the package index of \(repository.root) is empty") == true)
      #expect(error?.hint?.contains("fettle root update \(repository.root)") == true)
    }
    let error = await #expect(throws: InstallationError.self) {
      try await repository.provider().upgradableUpdates()
    }
    #expect(error?.hint?.contains("fettle root update \(repository.root)") == true)
  }

  @Test func `lets packages be removed and purged`() async throws {
    let repository = try await repository()
    #expect(try await repository.perform(.remove, "alpha").work.status == 0)
    #expect(try await repository.state(of: "alpha") == "absent")
    #expect(try await repository.perform(.purge, "conf").work.status == 0)
    #expect(try await repository.state(of: "conf") == "absent")
    let absent = try await repository.plan(.remove, "nosuch")
    #expect(absent.steps.isEmpty && absent.requests.first?.note == .notInstalled)
  }
}
