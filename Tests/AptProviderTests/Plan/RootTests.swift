import AptProvider
import InstallJobs
import Support
import Testing

@Suite struct `Package roots` {
  @Test func `a repository's root is a sound private root`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let root = try PackageRoot(at: repository.root, for: TestUser.id)
    #expect(root.kind == .privateRoot)
    #expect(root.adminDirectory == repository.root + "/var/lib/dpkg")
    #expect(root.frontendLock == repository.root + "/var/lib/dpkg/lock-frontend")
    #expect(root.dpkgOptions.contains("--force-script-chrootless"))
  }

  @Test func `no spelling of the system's root passes for another root`() throws {
    for path in ["/", "//", "/.", "/usr/.."] {
      let root = try PackageRoot(at: path, for: TestUser.id)
      #expect(root.kind == .system)
      #expect(root.path == "/")
      #expect(root.dpkgOptions.isEmpty)
    }
  }

  @Test(arguments: ["relative", "", "/no/such/folder", "/etc/passwd", "/proc"])
  func `an unusable folder is refused with a next step`(path: String) throws {
    let error = try #require(throws: InstallationError.self) {
      try PackageRoot(at: path, for: TestUser.id)
    }
    #expect(error.code == .badRoot)
    #expect(error.hint?.isEmpty == false)
  }

  @Test func `a path that cannot stand in apt's configuration is refused`() throws {
    let folder = try TestFolder()
    let odd = folder.path("a\"b")
    try TestFolder.makeFolder(odd)
    let error = try #require(throws: InstallationError.self) {
      try PackageRoot(at: odd, for: TestUser.id)
    }
    #expect(error.code == .badRoot)
  }

  @Test func `root may not act on a private root, others not on a system`() async throws {
    let folder = try TestFolder(isHandedOver: false)
    let own = try await PackageRoot.create(at: folder.path("root"), likeHost: false)
    try own.checkRights(euid: 1000)
    let refusal = try #require(throws: InstallationError.self) { try own.checkRights(euid: 0) }
    #expect(refusal.code == .notPermitted)
    let system = try PackageRoot(at: "/")
    try system.checkRights(euid: 0)
    let other = try #require(throws: InstallationError.self) {
      try system.checkRights(euid: 1000)
    }
    #expect(other.code == .notPermitted)
  }

  @Test func `a made root is sound, empty and silent`() async throws {
    let folder = try TestFolder(isHandedOver: false)
    let made = try await PackageRoot.create(
      at: folder.path("root"), likeHost: false, sources: ["deb [trusted=yes] copy:/nowhere ./"])
    try TestFolder.handAll(folder.path, to: TestUser.id)
    let root = try PackageRoot(at: made.path, for: TestUser.id)
    #expect(root == made)
    let audit = try await ToolOutput.of(
      ["/usr/bin/dpkg"] + ["--admindir=\(root.adminDirectory)", "--audit"])
    #expect(audit.status == 0)
    #expect(audit.output.isEmpty)
    #expect(
      TestFolder.text(of: root.path("etc/apt/sources.list"))
        == "deb [trusted=yes] copy:/nowhere ./\n")
  }

  @Test func `a root like the host counts its packages, is silent, and has no hooks`() async throws
  {
    let folder = try TestFolder(isHandedOver: false)
    let root = try await PackageRoot.create(at: folder.path("root"), likeHost: true)
    let audit = try await ToolOutput.of(
      ["/usr/bin/dpkg"] + ["--admindir=\(root.adminDirectory)", "--audit"])
    #expect(audit.status == 0)
    #expect(audit.output.isEmpty)
    let dpkg = try await ToolOutput.of([
      "/usr/bin/dpkg-query", "--admindir=\(root.adminDirectory)", "-W", "-f",
      "${db:Status-Status}", "dpkg",
    ])
    #expect(dpkg.output == "installed")
    let settings = try #require(TestFolder.text(of: root.path("etc/apt/apt.conf.d/10host")))
    #expect(settings.split(separator: "\n").allSatisfy { $0.hasPrefix("Acquire::") })
  }

  @Test func `a system tree elsewhere is a chroot, an incomplete one is refused`() async throws {
    let folder = try TestFolder()
    for name in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt", "usr/bin", "bin"] {
      try TestFolder.makeFolder(folder.path(name))
    }
    try TestFolder.write("", to: folder.path("var/lib/dpkg/status"))
    let error = try #require(throws: InstallationError.self) {
      try PackageRoot(at: folder.path, for: TestUser.id)
    }
    #expect(error.code == .badRoot)
    #expect(error.message.contains("usr/bin/dpkg"))
    for name in ["usr/bin/dpkg", "bin/sh"] { try TestFolder.write("", to: folder.path(name)) }
    let root = try PackageRoot(at: folder.path, for: TestUser.id)
    #expect(root.kind == .chroot)
    #expect(root.dpkgOptions == ["--root=" + root.path])
    try root.checkRights(euid: 0)
    #expect(throws: InstallationError.self) { try root.checkRights(euid: 1000) }
  }

  @Test func `a folder in use and a source of two lines are refused`() async throws {
    let folder = try TestFolder(isHandedOver: false)
    try TestFolder.write("x", to: folder.path("file"))
    await #expect(throws: InstallationError.self) {
      try await PackageRoot.create(at: folder.path, likeHost: false)
    }
    await #expect(throws: InstallationError.self) {
      try await PackageRoot.create(
        at: folder.path("root"), likeHost: false, sources: ["deb x y\nAPT::Update evil"])
    }
  }
}
