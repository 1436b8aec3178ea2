import InstallJobs
import Testing

@testable import AptProvider
@testable import HostSystem

@Suite struct `Archives of security updates` {
  @Test(arguments: [
    ("Inst a (2 Debian:12.10/stable, Debian-Security:12/x [amd64]) []", true),
    ("Inst a (2 Ubuntu:22.04/jammy-security [amd64])", true),
    ("Inst a-security (2 Debian:12.10/stable [amd64])", false),
  ])
  func `are known in a simulation by any of the releases`(line: String, isSecurity: Bool) {
    #expect(SimulatedAction(line)?.isSecurity == isSecurity)
  }

  @Test func `are known in the table of versions by the candidate's places`() {
    let policy = AptPolicy(
      parsing: """
        old:
          Installed: 1
          Candidate: 3
          Version table:
             3 500
                500 http://d/debian-security bookworm/main amd64 Packages
             2 500
                500 http://d/x bookworm-security/main amd64 Packages
         *** 1 100
                100 /var/lib/dpkg/status
        new:
          Installed: 1
          Candidate: 2
          Version table:
             2 500
                500 http://d/debian bookworm/main amd64 Packages
                500 http://d/x bookworm-security/main amd64 Packages
        """)
    let database = PackageDatabase(
      entries: ["old", "new"].map { name in
        PackageDatabase.Entry(
          name: name, architecture: "all", version: "1", state: "installed", isHeld: false,
          needsReinstall: false, isEssential: false, installedSize: 1)
      }, nativeArchitecture: "amd64")
    #expect(database.entries.map { policy.isSecurity($0, in: database) } == [false, true])
  }
}

@Suite struct `Lines of a simulation` {
  @Test(arguments: [
    ("Inst p1 (1.0 localhost [all])", "Inst p1 all - 1.0 localhost"),
    ("Inst alpha [1.0] (2.0 localhost [all])", "Inst alpha all 1.0 2.0 localhost"),
    (
      "Inst libc6 [2.36-9] (2.36-9+deb12u10 Debian:12.10/stable, Debian-Security:12/x [amd64]) []",
      "Inst libc6 amd64 2.36-9 2.36-9+deb12u10 Debian:12.10/stable"
    ),
    ("Inst twin:i386 (1:1.0 localhost [i386]) [b:amd64 ]", "Inst twin i386 - 1:1.0 localhost"),
    ("Inst loc (1:3-1 local-deb [amd64])", "Inst loc amd64 - 1:3-1 local-deb"),
    ("Conf p1 (1.0 localhost [all])", "Conf p1 all - 1.0 localhost"),
    ("Remv app [1.0]", "Remv app - 1.0 - -"), ("Remv twin:i386 [1.0]", "Remv twin i386 1.0 - -"),
    ("Purg lib [1.0] [app:amd64 ]", "Purg lib - 1.0 - -"),
  ])
  func `are read field by field`(line: String, fields: String) throws {
    let action = try #require(SimulatedAction(line))
    let found = [
      action.verb.rawValue, action.name, action.architecture ?? "-", action.oldVersion ?? "-",
      action.newVersion ?? "-",
    ]
    #expect(
      (found + (action.origin.map { [$0] } ?? (action.newVersion == nil ? ["-"] : [])))
        .joined(separator: " ") == fields)
  }

  @Test(arguments: [
    "", "Inst", "Inst ", "Inst alpha", "Inst alpha 2.0", "Inst alpha (", "Inst alpha ()",
    "Inst \u{1B}[31m (1.0 x [all])", "Installed", "NOTE: This is only a simulation!",
    "The following NEW packages will be installed:", "  alpha",
  ])
  func `that say nothing are passed over`(line: String) {
    #expect(SimulatedAction(line) == nil)
  }

  @Test(
    arguments: [
      ("'copy:/r/./p1_1.0_all.deb' p1_1.0_all.deb 20672 SHA256:ab", 20_672, "SHA256:ab"),
      ("'http://d/p_1%3a2_all.deb' p_1%3a2_all.deb 7 ", 7, nil),
    ] as [(String, Int64, String?)])
  func `archives are read with size and hash`(line: String, size: Int64, hash: String?) throws {
    let archive = try #require(PlannedArchive(printedURI: line[...]))
    #expect(archive.size == size && archive.hash == hash)
    #expect(archive.fileName.hasSuffix("_all.deb"))
  }

  @Test(arguments: ["", "'x", "'x' y", "'x' y z", "'x' ../y 7 ", "'x' y -7", "Get:1 x 7"])
  func `archives with odd names or sizes are none`(line: String) {
    #expect(PlannedArchive(printedURI: line[...]) == nil)
  }

  @Test(arguments: [
    ("1.0", "2.0", true), ("2.0", "1.0", false), ("1.0", "1.0", false), ("1.0~rc1", "1.0", true),
    ("1:0.9", "2.0", false), ("1.0-1", "1.0-1+b1", true),
  ])
  func `versions are ordered by dpkg's rules`(first: String, second: String, isOlder: Bool)
    async throws
  {
    #expect(try await VersionOrder.isOlder(first, than: second) == isOlder)
  }

  @Test func `text of others is fit for a screen`() {
    #expect(Sanitised.line("a\u{1B}[2Jb\nc\u{202E}d") == "a [2Jb c d")
    #expect(Sanitised.line("abcdef", limit: 3) == "abc...")
    #expect(Sanitised.text("a\u{7}\nb") == "a \nb")
  }
}
