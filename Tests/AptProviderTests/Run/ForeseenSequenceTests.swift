import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import PackageProvider

/// apt is asked once what it will do, when the job is planned, and held to that when it does it.
@Suite struct `What apt is about to do, foreseen` {
  /// A line that only the plan's sequence has, as long as nobody writes that anew.
  private static let mark = "# as planned\n"

  private func mark(_ work: JobWork) throws {
    let path = work.folder.path(.sequence)
    let text = try #require(TestFolder.text(of: path))
    try TestFolder.write(text + Self.mark, to: path)
  }

  private func isGoneBy(_ work: JobWork) -> Bool {
    TestFolder.text(of: work.folder.path(.sequence))?.hasSuffix(Self.mark) == true
  }

  private func run(_ work: JobWork, in scene: WorkScene) async throws -> WorkEnd? {
    try mark(work)
    return await (try scene.start(work)).end()
  }

  private static let success = WorkEnd(exitStatus: 0, stoppedAtBoundary: false)

  @Test func `apt is not asked again for an install, an upgrade, a removal or a purge`()
    async throws
  {
    let scene = try await WorkScene([
      PackageFixture("base"), PackageFixture("top", fields: ["Depends": "base, loop"]),
      PackageFixture("loop", fields: ["Depends": "base"]),
      PackageFixture("grow", "1"), PackageFixture("grow", "2"),
    ])
    for (number, (operation, names)) in [
      (JobOperation.install, ["top", "grow=1"]), (.upgrade, ["grow"]), (.reinstall, ["loop"]),
      (.remove, ["top"]), (.purge, ["loop"]),
    ].enumerated() {
      let work = try await scene.job(operation, names, number: number + 1)
      #expect(try await run(work, in: scene) == Self.success, "\(operation)")
      #expect(isGoneBy(work), "\(operation)")
      #expect(!TestFolder.exists(work.folder.path(.differs)))
      let provider = AptProvider(root: scene.root, workerExecutable: "")
      #expect(await provider.verify(work.plan).findings.allSatisfy { $0.isAsPlanned })
    }
  }

  @Test func `packages that are new are brought whatever came before them`() async throws {
    let scene = try await WorkScene([PackageFixture("first"), PackageFixture("second")])
    let works = [
      try await scene.job(.install, ["first"], number: 1),
      try await scene.job(.install, ["second"], number: 2),
    ]
    for work in works {
      #expect(try await run(work, in: scene) == Self.success)
      #expect(isGoneBy(work))
    }
  }

  @Test func `an upgrade is looked at again when another job came before it`() async throws {
    let scene = try await WorkScene([
      PackageFixture("first"), PackageFixture("grow", "1"), PackageFixture("grow", "2"),
    ])
    let old = try await scene.job(.install, ["grow=1"], number: 1)
    #expect(try await run(old, in: scene) == Self.success)
    let upgrade = try await scene.job(.upgrade, ["grow"], number: 2)
    let other = try await scene.job(.install, ["first"], number: 3)
    #expect(try await run(other, in: scene) == Self.success)
    #expect(try await run(upgrade, in: scene) == Self.success)
    #expect(!isGoneBy(upgrade))
  }

  @Test func `where apt is about to do it in another order, it is asked again and nothing is lost`()
    async throws
  {
    let scene = try await WorkScene([PackageFixture("alpha"), PackageFixture("beta")])
    let work = try await scene.job(.install, ["alpha", "beta"])
    let path = work.folder.path(.sequence)
    let lines = try #require(TestFolder.text(of: path)).split(separator: "\n")
    let actions = lines.filter { $0.hasPrefix("Inst ") || $0.hasPrefix("Conf ") }
    try TestFolder.write(actions.reversed().joined(separator: "\n") + "\n", to: path)
    let observer = try scene.start(work)
    #expect(await observer.end() == Self.success)
    #expect(TestFolder.text(of: path)?.contains("Reading package lists") == true)
    #expect(observer.failures.isEmpty)
    #expect(!TestFolder.exists(work.folder.path(.differs)))
  }

  @Test func `hooks of the root's own come after it, and a root that takes it out is asked again`()
    async throws
  {
    let scene = try await WorkScene([PackageFixture("alpha"), PackageFixture("beta")])
    let parts = scene.root.path("etc/apt/apt.conf.d/")
    let told = scene.root.path("told")
    try TestFolder.write(
      "DPkg::Pre-Install-Pkgs { \"test -e \(scene.repository.folder.path)/state/jobs/1/agreed"
        + " && cat >/dev/null && touch \(told)\"; };\n", to: parts + "90own")
    let work = try await scene.job(.install, ["alpha"], number: 1)
    #expect(try await run(work, in: scene) == Self.success)
    #expect(isGoneBy(work) && TestFolder.exists(told))
    try TestFolder.write("#clear DPkg::Pre-Install-Pkgs;\n", to: parts + "90own")
    let second = try await scene.job(.install, ["beta"], number: 2)
    #expect(try await run(second, in: scene) == Self.success)
    #expect(!isGoneBy(second))
  }

  @Test func `an archive of somebody's own is looked at again once anything has moved`() throws {
    let plan = JobPlan(
      requests: [
        JobPlan.Request(
          update: Update("a", archive: LocalArchive(fileName: "a.deb", sha256: "00", size: 1)),
          step: 0)
      ],
      steps: [
        PlannedUpdate(name: "a", architecture: "all", action: .install, toVersion: "1")
      ])
    let memory = SequenceCache()
    memory.keep("Inst a", of: plan, in: RootState(of: []))
    #expect(memory.sequence(of: plan)?.state != nil)
    var other = plan
    other.requests[0].update.archive = nil
    memory.keep("Inst a", of: other, in: RootState(of: []))
    #expect(memory.sequence(of: other) != nil && memory.sequence(of: other)?.state == nil)
  }

  @Test func `where apt is about to do something else, nothing is begun`() async throws {
    let scene = try await WorkScene([
      PackageFixture("alpha", fields: ["Depends": "beta"]), PackageFixture("beta"),
    ])
    let work = try await scene.job(.install, ["alpha"])
    // Somebody else brings a part of it in between.
    let other = try await scene.job(.install, ["beta"], number: 2)
    #expect(try await run(other, in: scene) == Self.success)
    let end = try await run(work, in: scene)
    #expect(end?.error?.code == .planOutOfDate)
    #expect(TestFolder.text(of: work.folder.path(.calls)) == "")
  }

  @Test func `two architectures of one package are foreseen as two`() async throws {
    let scene = try await WorkScene(isMultiarch: true)
    let foreign = "twin:\(scene.repository.foreignArchitecture)"
    let work = try await scene.job(.install, ["twin", foreign])
    #expect(try await run(work, in: scene) == Self.success)
    #expect(isGoneBy(work) && !TestFolder.exists(work.folder.path(.differs)))
  }

  @Test func `what somebody else has left half done has apt asked again, and stops nothing`()
    async throws
  {
    let scene = try await WorkScene([
      PackageFixture("alpha"), PackageFixture("stuck", scripts: [.postinst: "exit 1"]),
    ])
    let work = try await scene.job(.install, ["alpha"])
    #expect(try await scene.repository.apt("install", "stuck").status != 0)
    // apt configures it as well, whatever it was called for, and fails with it.
    #expect(try await run(work, in: scene) == WorkEnd(exitStatus: 100, stoppedAtBoundary: false))
    #expect(!isGoneBy(work))
    #expect(try await scene.repository.state(of: "alpha") == "installed 1.0")
    #expect(try await scene.repository.state(of: "stuck") == "half-configured 1.0")
    let verification = await AptProvider(root: scene.root, workerExecutable: "").verify(work.plan)
    #expect(verification.findings.allSatisfy { $0.isAsPlanned })
    #expect(verification.auditedPackages == ["stuck"])
  }

  @Test func `D: where somebody else has done all of it in between, there is nothing to do`()
    async throws
  {
    let scene = try await WorkScene([PackageFixture("alpha")])
    let work = try await scene.job(.install, ["alpha"])
    try await scene.repository.apt("install", "alpha").expectSuccess("install")
    #expect(try await run(work, in: scene) == Self.success)
    #expect(TestFolder.text(of: work.folder.path(.calls)) == "")
    let provider = AptProvider(root: scene.root, workerExecutable: "")
    #expect(await provider.verify(work.plan).findings.allSatisfy { $0.isAsPlanned })
  }
}
