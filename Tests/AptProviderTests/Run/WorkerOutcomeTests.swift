import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `What becomes of packages` {
  @Test func `Y6, E8: a failing script is reported with its name and exit status`() async throws {
    let scene = try await WorkScene()
    let work = try await scene.job(.install, ["bad", "delta"])
    let observer = try scene.start(work)
    let end = await observer.end()
    #expect(end?.exitStatus == 100)
    #expect(end?.stoppedAtBoundary == false)
    #expect(observer.failures["bad"]?.code == .packageFailed)
    #expect(observer.failures["bad"]?.detail == "post-installation script, exit status 3")
    #expect(observer.failures["bad"]?.message == "cannot configure bad")
    #expect(observer.failures.count == 1)
    #expect(try await scene.repository.state(of: "bad") == "half-configured 1.0")
  }

  @Test func `E9: a file that another package owns fails the package, not its neighbours`()
    async throws
  {
    let scene = try await WorkScene()
    try await scene.repository.apt("install", "alpha").expectSuccess("install")
    let work = try await scene.job(.install, ["delta", "fc", "gamma"])
    let observer = try scene.start(work)
    #expect(await observer.end()?.exitStatus == 100)
    #expect(observer.failures["fc"]?.message == "cannot unpack fc")
    #expect(observer.failures["fc"]?.detail?.contains("also in package alpha") == true)
    #expect(observer.failures.count == 1)
    #expect(try await ["absent", "not-installed "].contains(scene.repository.state(of: "fc")))
    for name in ["delta", "gamma"] {
      #expect(try await ["installed 1.0", "absent"].contains(scene.repository.state(of: name)))
    }
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test func `a failing script before the unpacking leaves the package absent`() async throws {
    let scene = try await WorkScene()
    let work = try await scene.job(.install, ["badpre"])
    let observer = try scene.start(work)
    #expect(await observer.end()?.exitStatus == 100)
    #expect(observer.failures["badpre"]?.detail == "pre-installation script, exit status 4")
    #expect(observer.failures["badpre"]?.message == "cannot unpack badpre")
  }

  @Test func `removal and purge end with the package gone`() async throws {
    let scene = try await WorkScene()
    try await scene.repository.apt("install", "conf=1.0", "delta").expectSuccess("install")
    let removal = try scene.start(try await scene.job(.remove, ["conf"], number: 1))
    #expect(await removal.end()?.exitStatus == 0)
    #expect(removal.phases(of: "conf") == [.removing, .done])
    #expect(try await scene.repository.state(of: "conf").hasPrefix("config-files"))
    let purge = try scene.start(try await scene.job(.purge, ["conf", "delta"], number: 2))
    #expect(await purge.end()?.exitStatus == 0)
    for name in ["conf", "delta"] {
      #expect(purge.phases(of: name) == [.removing, .done])
      #expect(try await scene.repository.state(of: name).hasPrefix("config") == false)
    }
  }

  @Test func `a removal whose script fails is reported and rolled back`() async throws {
    let scene = try await WorkScene()
    try await scene.repository.apt("install", "badrm").expectSuccess("install")
    let observer = try scene.start(try await scene.job(.remove, ["badrm"]))
    #expect(await observer.end()?.exitStatus == 100)
    #expect(observer.failures["badrm"]?.detail == "pre-removal script, exit status 5")
    #expect(observer.failures["badrm"]?.message == "cannot remove badrm")
    #expect(observer.phases(of: "badrm") == [.removing])
  }

  @Test func `an awaited trigger shows its owner and ends the activator`() async throws {
    let scene = try await WorkScene()
    try await scene.repository.apt("install", "watcher").expectSuccess("install")
    let observer = try scene.start(try await scene.job(.install, ["poker"]))
    #expect(await observer.end()?.exitStatus == 0)
    #expect(
      observer.phases(of: "poker").suffix(3) == [.configuring, .triggers, .done])
    #expect(observer.reports.contains(.trigger("watcher")))
    #expect(observer.reports.contains(.trigger(nil)))
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test func `a trigger that is not awaited shows its owner`() async throws {
    let scene = try await WorkScene()
    try await scene.repository.apt("install", "listener").expectSuccess("install")
    let observer = try scene.start(try await scene.job(.install, ["teller"]))
    #expect(await observer.end()?.exitStatus == 0)
    #expect(observer.phases(of: "teller").last == .done)
    #expect(observer.reports.contains(.trigger("listener")))
  }

  @Test func `an upgrade's old version is not taken for progress`() async throws {
    let scene = try await WorkScene()
    try await scene.repository.apt("install", "alpha=1.0").expectSuccess("install")
    let observer = try scene.start(try await scene.job(.install, ["alpha=2.0"]))
    #expect(await observer.end()?.exitStatus == 0)
    #expect(
      observer.phases(of: "alpha") == [
        .downloading, .downloaded, .unpacking, .unpacked, .configuring, .done,
      ])
    #expect(try await scene.repository.state(of: "alpha") == "installed 2.0")
  }

  @Test func `two architectures of one package are two steps`() async throws {
    let scene = try await WorkScene(isMultiarch: true)
    let foreign = "twin:\(scene.repository.foreignArchitecture)"
    let work = try await scene.job(.install, ["twin", foreign])
    #expect(work.plan.steps.count == 2)
    let observer = try scene.start(work)
    #expect(await observer.end()?.exitStatus == 0)
    for step in 0...1 {
      #expect(observer.reports.contains(.phase(step: step, .unpacking)))
      #expect(observer.reports.contains(.phase(step: step, .done)))
    }
  }

  @Test func `a machine that moved since the plan is left alone`() async throws {
    let scene = try await WorkScene()
    let work = try await scene.job(.install, ["omega"])
    try await scene.repository.apt("install", "alpha").expectSuccess("install")
    let end = try await scene.start(work).end()
    #expect(end?.error?.code == .planOutOfDate)
    #expect(try await scene.repository.state(of: "omega") == "absent")
  }

  @Test func `dependencies stay marked as installed automatically`() async throws {
    let scene = try await WorkScene()
    #expect(try await scene.start(try await scene.job(.install, ["omega"])).end() != nil)
    let marked = try await scene.repository.run(["/usr/bin/apt-mark", "showauto"])
    #expect(marked.output == "alpha\n")
  }

  @Test func `W14, E13: an archive with a wrong hash is not installed`() async throws {
    let scene = try await WorkScene()
    let observer = try scene.start(try await scene.job(.install, ["wrong"]))
    let end = await observer.end()
    #expect(end?.error?.code == .hashMismatch)
    #expect(try await scene.repository.state(of: "wrong") == "absent")
    #expect(!observer.reports.contains(.stage(.installing)))
  }

  @Test(arguments: [true, false])
  func `a local archive is installed, with its dependencies or where they are there already`(
    hasDependency: Bool
  ) async throws {
    let scene = try await WorkScene()
    if hasDependency { try await scene.repository.apt("install", "alpha").expectSuccess("alpha") }
    let archive = scene.repository.archive("omega")
    let sum = try await ToolOutput.of(["/usr/bin/sha256sum", archive]).output.prefix(64)
    let store = scene.repository.folder.path("store")
    try TestFolder.makeFolder(store)
    let content = try #require(TestFolder.bytes(of: archive))
    try TestFolder.write(content, to: "\(store)/\(sum).deb")
    let local = LocalArchive(
      fileName: "omega.deb", sha256: String(sum), size: Int64(content.count))
    let work = try await scene.job(.install, updates: [Update("omega", archive: local)])
    let observer = try scene.start(work)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(observer.phases(of: "omega").suffix(2) == [.configuring, .done])
    #expect(try await scene.repository.state(of: "omega") == "installed 1.0")
  }

  @Test func `E17: a repair configures what a failure left behind`() async throws {
    let scene = try await WorkScene()
    try await scene.repository.dpkg("--unpack", scene.repository.archive("delta"))
      .expectSuccess("unpack")
    let work = try await scene.job(.repair, [])
    let observer = try scene.start(work)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(try await scene.repository.state(of: "delta") == "installed 1.0")
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test func `E17: a neighbour that a failure left unpacked is configured`() async throws {
    let scene = try await WorkScene(
      [
        PackageFixture("twin", architecture: "native", fields: ["Multi-Arch": "same"]),
        PackageFixture(
          "twin", architecture: "foreign", fields: ["Multi-Arch": "same"],
          scripts: [.preinst: "exit 4"]),
      ], isMultiarch: true)
    let repository = scene.repository
    let foreign = repository.foreignArchitecture
    let work = try await scene.job(.install, ["twin", "twin:\(foreign)"])
    let observer = try scene.start(work)
    #expect(await observer.end()?.exitStatus == 100)
    let failed = work.plan.steps.firstIndex { $0.architecture == foreign }
    #expect(observer.reports.contains { $0.failedStep == failed })
    let native = "twin:\(repository.architecture)"
    #expect(try await repository.state(of: native) == "installed 1.0")
    #expect(try await repository.audit().isEmpty)
  }

  @Test func `many packages go one by one and leave the database clean`() async throws {
    let names = (0..<40).map { "many\($0)" }
    let scene = try await WorkScene(names.map { PackageFixture($0) })
    let work = try await scene.job(.install, names)
    let observer = try scene.start(work)
    #expect(await observer.end()?.exitStatus == 0)
    for name in names { #expect(observer.phases(of: name).last == .done) }
    #expect(try await scene.repository.audit().isEmpty)
  }
}

extension WorkReport {
  fileprivate var failedStep: Int? {
    if case .failed(let step, _) = self { step } else { nil }
  }
}
