import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `Planning installations` {
  @Test func `B5: the plan holds dependencies in the order of work, requests in the order of wish`()
    async throws
  {
    let repository = try await PackageRepository()
    let plan = try await repository.plan(.install, "q3", "alpha", "beta")
    #expect(plan.requests.map(\.update.name) == ["q3", "alpha", "beta"])
    #expect(
      Array(plan.summary.filter { $0.contains(" p1") || $0.contains(" q") })
        == ["install p1 1.0", "install q2 1.0", "install q3 1.0"])
    let q3 = try #require(plan.requests.first?.step)
    #expect(plan.steps[q3].name == "q3")
    #expect(plan.steps.filter(\.requested).map(\.name).sorted() == ["alpha", "beta", "q3"])
    #expect(plan.steps.allSatisfy { $0.installedSize > 0 && $0.downloadSize > 0 })
    #expect(plan.archives.count == plan.steps.count)
    for (index, archive) in plan.archives {
      #expect(archive.fileName.hasPrefix(plan.steps[index].name + "_"))
      #expect(archive.hash?.hasPrefix("SHA256:") == true)
    }
    #expect(plan.downloadSize == plan.steps.reduce(0) { $0 + $1.downloadSize })
    #expect(plan.installedSizeChange > 0)
  }

  @Test func `B5: what runs is what was planned, in that order`() async throws {
    let repository = try await PackageRepository()
    let (plan, work) = try await repository.perform(.install, "omega", "q3", "app", "twin", "ess")
    #expect(work.status == 0, "\(work.output)")
    let unpacked = work.dpkgStatus.compactMap { line in
      line.hasPrefix("processing: install: ")
        ? String(line.dropFirst(21).prefix { $0 != ":" }) : nil
    }
    #expect(unpacked == plan.steps.map(\.name))
    let found = try await repository.provider().verify(plan)
    #expect(found.findings.allSatisfy { $0.isAsPlanned })
    #expect(found.audit.isEmpty)
    #expect(found.repairs.isEmpty)
  }

  @Test func `U18, U25: archives and their bytes are those that apt would fetch`() async throws {
    let repository = try await PackageRepository()
    let plan = try await repository.plan(.install, "q3", "alpha")
    // `'URI' FILE SIZE HASH` for each.
    let printed = try await repository.apt("install", "--print-uris", "-qq", "q3", "alpha").output
      .split(separator: "\n").filter { $0.hasPrefix("'") }.map { $0.split(separator: " ") }
    #expect(Set(plan.archives.values.map(\.fileName)) == Set(printed.map { String($0[1]) }))
    #expect(plan.archives.count == printed.count && printed.count > 3)
    #expect(plan.downloadSize == printed.reduce(0) { $0 + (Int64($1[2]) ?? -1) })
  }

  @Test func `U29: what is done with a package is told by its own word`() async throws {
    let versions = ["1.0", "2.0"].map { PackageFixture("alpha", $0) }
    let repository = try await PackageRepository(versions)
    func action(
      _ operation: JobOperation, _ update: String, isForced: Bool = false
    ) async throws -> PlannedAction? {
      var options = InstallationOptions()
      options.isForced = isForced
      return try await repository.plan(operation, update, options: options).steps.first?.action
    }
    #expect(try await action(.install, "alpha") == .install)
    try await repository.apt("install", "alpha=1.0").expectSuccess("install")
    #expect(try await action(.upgrade, "alpha") == .upgrade)
    #expect(try await action(.reinstall, "alpha") == .reinstall)
    #expect(try await action(.remove, "alpha") == .remove)
    #expect(try await action(.purge, "alpha") == .purge)
    try await repository.apt("install", "alpha=2.0").expectSuccess("upgrade")
    #expect(try await action(.install, "alpha=1.0", isForced: true) == .downgrade)
  }

  @Test func `A13: an empty list is refused`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    #expect(try await repository.refusal(.install)?.code == .noUpdates)
    #expect(try await repository.refusal(.remove)?.code == .noUpdates)
  }

  @Test(arguments: [
    ("nosuch", InstallationError.Code.notApplicable), ("alpha=9.9", .notApplicable),
    ("alpha:armhf", .notApplicable), ("alpha=1.0:armhf", .notApplicable),
    ("p1-", .notApplicable), ("p1+", .notApplicable), ("alph.", .notApplicable),
    ("nd", .unresolvable),
  ])
  func `A43: what the index does not have is refused by name`(
    text: String, code: InstallationError.Code
  ) async throws {
    let repository = try await PackageRepository()
    let error = try #require(try await repository.refusal(.install, text))
    #expect(error.code == code)
    #expect(error.update == String(text.prefix { $0 != "=" && $0 != ":" }))
    #expect(error.hint?.isEmpty == false)
  }

  @Test func `an unknown package's error names package, root and next step`() async throws {
    let repository = try await PackageRepository()
    let error = try #require(try await repository.refusal(.install, "nosuch"))
    #expect(
      error.description == "cannot install 'nosuch': no such package in the index of "
        + "\(repository.root) (refresh the index with 'fettle root update \(repository.root)')")
  }

  @Test func `a name that apt takes for a pattern is unknown like any other`() async throws {
    let repository = try await PackageRepository()
    // The index has alpha in two versions, whose lines follow those of what provides it.
    let error = try #require(try await repository.refusal(.install, "alph+"))
    #expect(error.message.hasPrefix("cannot install 'alph+': no such package in the index of "))
  }

  @Test(arguments: [
    "-y", "--force", "a;reboot", "a b", "a\nb", "\u{1B}[31mred", "Alpha", "../alpha", "$(id)",
    "alpha\u{0}", "", String(repeating: "a", count: 10_000),
  ])
  func `a name that is none never reaches a tool`(name: String) async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let planner = try repository.planner()
    for operation in [JobOperation.install, .remove, .purge, .reinstall, .upgrade, .repair] {
      let error = try await #require(throws: InstallationError.self) {
        try await planner.plan(JobRequest(operation, [Update(name)]))
      }
      #expect(error.code == .notApplicable)
      #expect(error.message.utf8.allSatisfy { (0x20...0x7E).contains($0) })
      #expect(error.message.count < 300)
    }
  }

  @Test func `a virtual package is refused with those that provide it`() async throws {
    let repository = try await PackageRepository([
      PackageFixture("alpha", fields: ["Provides": "letter"]),
      PackageFixture("beta", fields: ["Provides": "letter"]),
    ])
    let error = try #require(try await repository.refusal(.install, "letter"))
    #expect(error.code == .notApplicable)
    #expect(error.hint?.hasSuffix("alpha, beta") == true)
  }

  @Test func `an empty index is named as such`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    for name in TestFolder.names(in: repository.root + "/var/lib/apt/lists") {
      TestFolder.remove(repository.root + "/var/lib/apt/lists/" + name)
    }
    let error = try #require(try await repository.refusal(.install, "alpha"))
    #expect(error.code == .notApplicable)
    #expect(error.message.contains("index"))
    #expect(error.hint?.contains("fettle root update \(repository.root)") == true)
  }

  @Test func `unmet dependencies and conflicts are named`() async throws {
    let repository = try await PackageRepository()
    let unmet = try #require(try await repository.refusal(.install, "nd"))
    #expect(unmet.message.contains("no-such-package"))
    let conflict = try #require(try await repository.refusal(.install, "rival", "lib"))
    #expect(conflict.code == .unresolvable)
    #expect(conflict.message.contains("rival"))
    #expect(conflict.message.contains("lib"))
  }

  @Test func `what a conflict drives out is part of the plan`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "lib").expectSuccess("lib")
    let plan = try await repository.plan(.install, "rival")
    #expect(plan.summary.sorted() == ["install rival 1.0", "remove lib -"])
    #expect(plan.steps.first { $0.name == "lib" }?.requested == false)
  }

  @Test func `L5: the same package twice is one step`() async throws {
    let repository = try await PackageRepository()
    let plan = try await repository.plan(.install, "alpha", "alpha")
    #expect(plan.summary == ["install alpha 2.0"])
    #expect(plan.requests.allSatisfy { $0.step == 0 })
  }

  @Test func `L6: two versions of one package are a contradiction`() async throws {
    let repository = try await PackageRepository()
    #expect(
      try await repository.refusal(.install, "alpha=1.0", "alpha=2.0")?.code == .contradiction)
  }

  @Test func `D16: what is installed already is a note and no step`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha").expectSuccess("alpha")
    for text in ["alpha", "alpha=2.0"] {
      let plan = try await repository.plan(.install, text)
      #expect(plan.steps.isEmpty)
      #expect(plan.requests.first?.note == .alreadyInstalled)
      #expect(plan.requests.first?.foundVersion == "2.0")
    }
    let mixed = try await repository.plan(.install, "alpha", "delta")
    #expect(mixed.summary == ["install delta 1.0"])
    #expect(mixed.requests.map(\.step) == [nil, 0])
  }

  @Test(arguments: ["dpkg", "apt", "libc6", "libc-bin"])
  func `A17: an exclusive update is alone or refused`(name: String) async throws {
    let repository = try await PackageRepository([PackageFixture("alpha"), PackageFixture(name)])
    #expect(try await repository.refusal(.install, name, "alpha")?.code == .exclusiveConflict)
    #expect(try await repository.refusal(.install, "alpha", name)?.update == name)
    #expect(try await repository.plan(.install, name).summary == ["install \(name) 1.0"])
    #expect(try await repository.state(of: name) == "absent")
  }

  @Test func `U38: too little space is refused before any work`() async throws {
    let repository = try await PackageRepository()
    let request = JobRequest(.install, [Update("large")])
    let error = try await #require(throws: InstallationError.self) {
      try await repository.planner(free: 1 << 20).plan(request)
    }
    #expect(error.code == .noSpace)
    #expect(error.hint?.isEmpty == false)
    let plan = try await repository.planner(free: 1 << 26).plan(request)
    #expect(plan.installedSizeChange + plan.downloadSize > 8 << 20)
  }

  @Test func `a pair of architectures is two qualified steps`() async throws {
    let repository = try await PackageRepository(isMultiarch: true)
    let foreign = repository.foreignArchitecture
    let (plan, work) = try await repository.perform(.install, "twin", "twin:\(foreign)")
    #expect(work.status == 0, "\(work.output)")
    #expect(
      Set(plan.steps.map(\.architecture)) == [repository.architecture, foreign])
    #expect(plan.requests.compactMap(\.step).count == 2)
    #expect(Set(plan.requests.compactMap(\.step)).count == 2)
    let found = try await repository.provider().verify(plan)
    #expect(found.findings.allSatisfy { $0.isAsPlanned })
    let removal = try await repository.perform(.remove, "twin:\(foreign)")
    #expect(removal.plan.steps.map(\.architecture) == [foreign])
    #expect(removal.work.status == 0, "\(removal.work.output)")
  }
}
