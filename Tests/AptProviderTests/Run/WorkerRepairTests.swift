import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `A repair on real half states` {
  private static func fragile(_ script: PackageFixture.Script, _ trouble: String)
    -> PackageFixture
  {
    PackageFixture("fragile", scripts: [script: "[ -e \"$DPKG_ROOT/mended\" ] || \(trouble)"])
  }

  @Test func `E8 D21: a package whose script failed is configured once it can be`() async throws {
    let scene = try await WorkScene([Self.fragile(.postinst, "exit 3"), PackageFixture("delta")])
    let first = try scene.start(try await scene.job(.install, ["fragile", "delta"]))
    #expect(await first.end()?.exitStatus == 100)
    #expect(try await scene.repository.state(of: "fragile") == "half-configured 1.0")
    // Repaired too early, it fails again and says so.
    let early = try scene.start(try await scene.job(.repair, [], number: 2))
    #expect(await early.end()?.exitStatus != 0)
    #expect(early.failures["fragile"]?.detail == "post-installation script, exit status 3")
    try TestFolder.write("", to: scene.root.path("mended"))
    try await expectRepaired(["fragile", "delta"], in: scene)
  }

  @Test func `E7 D21: what a killed dpkg left behind is unpacked again`() async throws {
    let scene = try await WorkScene([
      Self.fragile(.preinst, "kill -KILL $PPID"), PackageFixture("delta"),
    ])
    let first = try scene.start(try await scene.job(.install, ["delta", "fragile"]))
    #expect(await first.end()?.exitStatus != 0)
    #expect(try await scene.repository.state(of: "fragile").hasPrefix("installed") == false)
    #expect(try await !scene.repository.audit().isEmpty)
    try TestFolder.write("", to: scene.root.path("mended"))
    try await expectRepaired(["fragile"], in: scene)
  }

  @Test func `E16 D21: a package that needs its archive again gets it`() async throws {
    let scene = try await WorkScene([PackageFixture("alpha"), PackageFixture("beta")])
    try await scene.repository.apt("install", "alpha", "beta").expectSuccess("install")
    let path = scene.root.path("var/lib/dpkg/status")
    let status = try #require(TestFolder.text(of: path))
    let broken = status.split(separator: "\n\n").map { stanza in
      stanza.hasPrefix("Package: beta\n")
        ? String(stanza).replacing("install ok installed", with: "install reinstreq half-installed")
        : String(stanza)
    }
    try TestFolder.write(broken.joined(separator: "\n\n") + "\n", to: path)
    #expect(try await !scene.repository.audit().isEmpty)
    try await expectRepaired(["alpha", "beta"], in: scene)
  }

  @Test func `E9 D21: neighbours that were only unpacked are configured`() async throws {
    let names = ["alpha", "beta", "delta"]
    let scene = try await WorkScene(names.map { PackageFixture($0) })
    for name in names {
      try await scene.repository.dpkg("--unpack", scene.repository.archive(name))
        .expectSuccess("unpack")
    }
    try await expectRepaired(names, in: scene)
  }

  private func expectRepaired(_ names: [String], in scene: WorkScene) async throws {
    let observer = try scene.start(try await scene.job(.repair, [], number: 9))
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    for name in names {
      #expect(try await scene.repository.state(of: name) == "installed 1.0")
    }
    #expect(try await scene.repository.audit().isEmpty)
    #expect(observer.failures.isEmpty)
  }
}
