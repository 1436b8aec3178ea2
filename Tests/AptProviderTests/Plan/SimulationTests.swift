import InstallJobs
import Testing

@testable import AptProvider
@testable import HostSystem

@Suite struct `Archives of security updates` {
  @Test(arguments: [
    (["Debian", "Debian-Security"], true), (["Ubuntu"], false), ([], false),
  ])
  func `are known in a simulation by any of the releases`(labels: [String], isSecurity: Bool) {
    let origins = labels.map { PlanReport.Origin(archive: "stable", label: $0) }
    let action = SimulatedAction(verb: .unpack, name: "a-security", origins: origins)
    #expect(action.isSecurity == isSecurity)
    #expect(PlanReport.Origin(archive: "jammy-security", label: "Ubuntu").isSecurity)
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
    ("Inst p1 (1.0 localhost [all])", "Inst p1 all - 1.0"),
    ("Inst alpha [1.0] (2.0 localhost [all])", "Inst alpha all 1.0 2.0"),
    (
      "Inst libc6 [2.36-9] (2.36-9+deb12u10 Debian:12.10/stable, Debian-Security:12/x [amd64]) []",
      "Inst libc6 amd64 2.36-9 2.36-9+deb12u10 breaks"
    ),
    ("Inst twin:i386 (1:1.0 localhost [i386]) [b:amd64 ]", "Inst twin i386 - 1:1.0 breaks"),
    ("Inst loc (1:3-1 local-deb [amd64])", "Inst loc amd64 - 1:3-1"),
    ("Inst beta (1.0 Git (internal):stable [amd64])", "Inst beta amd64 - 1.0"),
    ("Inst beta (1.0 Odd] [name):stable [amd64])", "Inst beta amd64 - 1.0"),
    ("Inst my_exporter (1.0 localhost [amd64])", "Inst my_exporter amd64 - 1.0"),
    ("Conf p1 (1.0 localhost [all])", "Conf p1 all - 1.0"),
    ("Remv app [1.0]", "Remv app - 1.0 -"), ("Remv twin:i386 [1.0]", "Remv twin i386 1.0 -"),
    ("Purg lib [1.0] [app:amd64 ]", "Purg lib - 1.0 - breaks"),
  ])
  func `are read field by field`(line: String, fields: String) throws {
    let action = try #require(try SimulatedLine(line))
    let found = [
      action.verb.rawValue, action.name, action.architecture ?? "-", action.oldVersion ?? "-",
      action.newVersion ?? "-",
    ]
    #expect((found + (action.leavesBroken ? ["breaks"] : [])).joined(separator: " ") == fields)
  }

  @Test(arguments: [
    "", "Inst", "Installed", "NOTE: This is only a simulation!",
    "The following NEW packages will be installed:", "  alpha",
  ])
  func `that name no operation are passed over`(line: String) throws {
    #expect(try SimulatedLine(line) == nil)
  }

  @Test(arguments: [
    "Inst ", "Inst alpha", "Inst alpha 2.0", "Inst alpha (", "Inst alpha ()",
    "Inst a:b:c (1 x [all])",
    "Inst :amd64 (1 x [all])", "Inst alpha (1.0 localhost)", "Conf alpha (1.0 localhost [])",
  ])
  func `of an operation that cannot be read are errors`(line: String) {
    #expect(throws: SimulatedLine.Malformed.self) { try SimulatedLine(line) }
    #expect(WorkSequence.operations(printed: line) == [line])
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

@Suite struct `apt's report and its lines` {
  private static let database = PackageDatabase(
    entries: [
      PackageDatabase.Entry(
        name: "old", architecture: "amd64", version: "1", state: "installed", isHeld: false,
        needsReinstall: false, isEssential: false, installedSize: 1)
    ], nativeArchitecture: "amd64")

  private static func package(_ name: String, _ mode: String, _ version: String) -> String {
    #"{"name":"\#(name)","architecture":"amd64","mode":"\#(mode)","automatic":false,"versions":{"#
      + (mode == "deinstall"
        ? ""
        : #""install":{"id":1,"version":"\#(version)","architecture":"all","pin":500,"origins":[]}"#)
      + "}}"
  }

  private static func plan(
    _ lines: [Substring], _ packages: String...
  ) throws -> [SimulatedAction] {
    let report = try PlanReport(
      lines: #"{"jsonrpc":"2.0","method":"org.debian.apt.hooks.install.package-list","params":{"#
        + #""command":"install","search-terms":[],"unknown-packages":[],"packages":["#
        + packages.joined(separator: ",") + "]}}\n")
    return try SimulatedPlan(lines, report, database).actions
  }

  @Test func `that agree are a plan in the order of the lines`() throws {
    let actions = try Self.plan(
      ["Remv old [1]", "Inst b (2 x [all])", "Inst a (1 x [all])", "Conf a (1 x [all])"],
      Self.package("a", "install", "1"), Self.package("b", "install", "2"),
      Self.package("old", "deinstall", ""))
    #expect(actions.map(\.name) == ["old", "b", "a", "a"])
    #expect(actions.map(\.mode) == [.deinstall, .install, .install, .install])
  }

  @Test func `a package that is installed again is not in the report`() throws {
    #expect(try Self.plan(["Inst old [1] (1 x [amd64])"]).map(\.mode) == [nil])
  }

  @Test(arguments: [
    (["Inst a (1 x [all])"], [] as [String]),
    (["Inst a (1 x [all])"], [package("a", "install", "2")]),
    (["Inst a (1 x [amd64])"], [package("a", "install", "1")]),
    ([], [package("a", "install", "1")]),
    (["Conf a (1 x [all])"], [package("a", "install", "1")]),
    (["Inst a (1 x [all])", "Inst"], [package("a", "deinstall", "")]),
    (["Remv old [1]"], []), (["Inst old [1] (2 x [amd64])"], []), (["Inst a 1"], []),
  ])
  func `that do not agree are an error`(lines: [Substring], packages: [String]) {
    #expect(throws: SimulatedPlan.Misunderstood.self) {
      let report = try PlanReport(
        lines: #"{"method":"x.package-list","params":{"packages":["#
          + packages.joined(separator: ",") + "]}}")
      _ = try SimulatedPlan(lines, report, Self.database)
    }
  }

  @Test(arguments: ["a;b", "$(x)", "\u{1B}[31m", "A", "-o", "a:AMD 64"])
  func `a name that dpkg would not take is an error, though apt reports it`(name: String) {
    #expect(throws: SimulatedPlan.Misunderstood.self) {
      let report = try PlanReport(
        lines: #"{"method":"x.package-list","params":{"packages":[]}}"#)
      _ = try SimulatedPlan(["Conf \(name) (1 x [all])"], report, Self.database)
    }
  }

  @Test func `no report is an error`() throws {
    #expect(throws: SimulatedPlan.Misunderstood.self) {
      _ = try SimulatedPlan([], PlanReport(lines: ""), Self.database)
    }
  }

  @Test(arguments: ["x", "{}", #"{"method":"x.package-list","params":{}}"#])
  func `a report that cannot be read is an error`(text: String) {
    #expect(throws: (any Error).self) { _ = try PlanReport(lines: text) }
  }
}
