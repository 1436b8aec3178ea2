import InstallJobs
import PackageProvider
import Support
import Testing

@testable import AptProvider

@Suite struct `Names of releases` {
  private static let lists: [String: String] = [
    "deb.example_debian_dists_bookworm_InRelease": """
    -----BEGIN PGP SIGNED MESSAGE-----
    Hash: SHA256

    Origin: Debian
    Label: Debian
    Suite: oldstable
    Version: 12.15
    Codename: bookworm
    Components: main contrib non-free-firmware non-free
    SHA256:
     e3b0 0 Origin: Nobody
    """,
    "deb.example_debian_dists_bookworm_main_binary-amd64_Packages.lz4": "",
    "deb.example_debian_dists_bookworm_contrib_binary-amd64_Packages": "",
    "deb.example_debian_dists_bookworm-updates_InRelease":
      "Origin: Debian\nLabel: Debian\nSuite: oldstable-updates\nVersion: 12-updates\n"
      + "Codename: bookworm-updates\n",
    "deb.example_debian_dists_bookworm-updates_main_binary-amd64_Packages": "",
    "deb.example_security_dists_bookworm-security_InRelease":
      "Origin: Debian\nLabel: Debian-Security\nSuite: oldstable-security\nVersion: 12\n"
      + "Codename: bookworm-security\nComponents: updates/main updates/contrib\n",
    "deb.example_security_dists_bookworm-security_main_binary-amd64_Packages": "",
    "deb.example_security_dists_bookworm-security_contrib_binary-amd64_Packages": "",
    "deb.example_old_dists_buster_Release":
      "Origin: Old\nLabel: Old\nSuite: buster\nCodename: buster\n",
    "deb.example_old_dists_buster_main_binary-amd64_Packages": "",
    "deb.example_old_dists_buster_updates_Release":
      "Origin: Old\nLabel: Old\nSuite: updates\nCodename: buster/updates\n",
    "deb.example_old_dists_buster_updates_non-free_binary-all_Packages": "",
    "_flat_._Release": "Origin: Shed\nSuite: flat\nCodename: tools\n",
    "_flat_._Packages": "",
    "a.example_dists_x_Release": "Origin: One\nLabel: Twin\nSuite: x\nCodename: first\n",
    "b.example_dists_x_Release": "Origin: Two\nLabel: Twin\nSuite: x\nCodename: second\n",
    "c.example_dists_x_Release": "Origin: One\nLabel: Twin\nSuite: x\nCodename: first\n",
    "d.example_dists_y_Release": "Origin: Comma\nLabel: A, B\nSuite: y\nCodename: why\n",
    "e.example_dists_z_Release": "Label: Nameless\nSuite: z\n",
    "f.example_dists_r_Release": "Origin: \u{1B}[31mRed\nLabel: R\nSuite: r\nCodename: r\u{7}\n",
    "lock": "",
  ]

  private func names() throws -> ReleaseNames {
    let folder = try TestFolder()
    for (name, text) in Self.lists { try TestFolder.write(text, to: folder.path(name)) }
    return ReleaseNames(in: folder.path)
  }

  @Test(
    arguments: [
      (
        release("Debian", "bookworm"), "http://d/debian/pool/main/h/hello/h.deb",
        "Debian:bookworm/main"
      ),
      (release("Debian", "bookworm"), "pool/contrib/v/v.deb", "Debian:bookworm/contrib"),
      (release("Debian", "bookworm"), "pool/non-free/v/v.deb", "Debian:bookworm"),
      (release("Debian", "bookworm"), nil, "Debian:bookworm"),
      (release("Debian", "bookworm-updates"), nil, "Debian:bookworm-updates/main"),
      (
        release("Debian", "bookworm-security"), "http://d/s/pool/updates/main/o/o.deb",
        "Debian:bookworm-security/main"
      ),
      (
        release("Debian", "bookworm-security"), "pool/updates/contrib/o/o.deb",
        "Debian:bookworm-security/contrib"
      ),
      (release("Old", "buster"), "pool/x.deb", "Old:buster/main"),
      (release("Old", "buster/updates"), "pool/x.deb", "Old:buster/updates/non-free"),
      (release("Shed", "tools"), "copy:/flat/./x_1_all.deb", "Shed:tools"),
      (release("Git (internal)", "x"), nil, "Git (internal):x"),
      (PlanReport.Origin(archive: "z", label: "A, B"), "pool/main/x.deb", "A, B:z"),
      (PlanReport.Origin(archive: "z", version: "1", label: "N"), nil, "N:1/z"),
      (PlanReport.Origin(site: "deb.example"), nil, "deb.example"),
      (PlanReport.Origin(), nil, "localhost"),
      (release("\u{1B}[31mRed", "r\u{7}"), nil, " [31mRed:r "),
    ] as [(PlanReport.Origin, String?, String)])
  func `apt's release becomes origin, codename and component as far as they are certain`(
    known: PlanReport.Origin, file: String?, expected: String
  ) throws {
    #expect(try names().name(of: known, file: file) == expected)
  }

  private static func release(_ origin: String, _ codename: String) -> PlanReport.Origin {
    PlanReport.Origin(archive: "stable", codename: codename, origin: origin, label: origin)
  }

  @Test func `A7: plans and updates name the release of a repository that has one`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha=1.0").expectSuccess("apt-get")
    #expect(try await repository.plan(.upgrade, "alpha").steps.map(\.origin) == ["localhost"])
    let provider = try repository.provider()
    #expect(try await provider.upgradableUpdates().map(\.origin) == ["localhost"])
    let index = repository.path + "/Packages"
    let sum = try await repository.run(["/usr/bin/sha256sum", index]).output.prefix(64)
    let size = TestFolder.size(of: index)
    try TestFolder.write(
      "Origin: Shed\nLabel: Tools\nSuite: fresh\nVersion: 3\nCodename: hammer\n"
        + "Date: Sat, 11 Jul 2026 10:16:37 UTC\nSHA256:\n \(sum) \(size) Packages\n",
      to: repository.path + "/Release")
    try await repository.refresh()
    #expect(try await provider.upgradableUpdates().map(\.origin) == ["Shed:hammer"])
    let plan = try await provider.plan(JobRequest(.upgrade, [Update("alpha")]))
    #expect(plan.steps.map(\.origin) == ["Shed:hammer"])
  }
}

@Suite struct `What a hint advises` {
  @Test func `the index of a private root is refreshed by the command that the hint names`()
    async throws
  {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let root = try PackageRoot(at: repository.root, for: TestUser.id)
    #expect(
      root.refreshAdvice == "refresh the index with 'fettle root update \(repository.root)'")
    try await repository.publish([PackageFixture("beta")])
    for name in TestFolder.names(in: root.listsDirectory) where name.hasSuffix("_Packages") {
      TestFolder.remove(root.listsDirectory + "/" + name)
    }
    #expect(try await repository.refusal(.install, "beta") != nil)
    let run = try await repository.run([WorkScene.executable, "root", "update", root.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try await repository.plan(.install, "beta").summary == ["install beta 1.0"])
  }

  @Test func `what was left unconfigured is completed by the command that the hint names`()
    async throws
  {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    try await repository.dpkg("--unpack", repository.archive("alpha")).expectSuccess("dpkg")
    #expect(try await repository.state(of: "alpha") == "unpacked 1.0")
    let run = try await repository.run([WorkScene.executable, "root", "repair", repository.root])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("alpha"))
    #expect(try await repository.state(of: "alpha") == "installed 1.0")
  }

  @Test func `a script that fails again is an error of the repair`() async throws {
    var failing = PackageFixture("bad")
    failing.scripts[.postinst] = "#!/bin/sh\nexit 3\n"
    let repository = try await PackageRepository([failing])
    try await repository.dpkg("--unpack", repository.archive("bad")).expectSuccess("dpkg")
    let run = try await repository.run([WorkScene.executable, "root", "repair", repository.root])
    #expect(run.status != 0)
    #expect(run.errors.contains("bad"))
  }

  @Test func `a source that does not answer is an error of the update`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    TestFolder.remove(repository.path)
    let run = try await repository.run([
      WorkScene.executable, "root", "update", repository.root,
    ])
    #expect(run.status != 0)
    #expect(run.errors.contains(repository.root))
  }

  @Test func `the machine's own tools are named for the machine, fettle's for another root`()
    throws
  {
    let machine = try PackageRoot(at: "/")
    #expect(machine.refreshAdvice == "refresh the index with 'apt-get update'")
    #expect(machine.repairAdvice == "complete its work with 'dpkg --configure -a'")
    let odd = PackageRoot(created: "/tmp/a $b")
    #expect(odd.refreshAdvice == "refresh the index with 'fettle root update \"/tmp/a \\$b\"'")
    #expect(odd.repairAdvice == "complete its work with 'fettle root repair \"/tmp/a \\$b\"'")
  }
}
