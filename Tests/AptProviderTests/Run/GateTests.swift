import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `The gate before dpkg` {
  @Test func `an archive is written down before dpkg looks into it`() async throws {
    let gate = try Gate()
    let run = try await gate.run("--unpack", "--auto-deconfigure", try gate.archive("p1_1.0_all"))
    // It is no archive, so dpkg itself refuses.
    #expect(run.status == 1)
    #expect(run.errors.contains("dpkg"))
    #expect(gate.text(.calls) == "unpack\tp1_1.0_all.deb\n")
  }

  @Test func `an archive is held back while a stop is asked for`() async throws {
    let gate = try Gate()
    try gate.write("# after 0\np1\np1:all\n", to: .stop)
    let run = try await gate.run("--unpack", try gate.archive("q2_1.0_all"))
    #expect(run.status == 1)
    #expect(run.errors.contains("dpkg-split returned error exit status 75"))
    #expect(gate.text(.stopped) == "unpack\tq2_1.0_all.deb\n")
    #expect(gate.text(.calls) == nil)
  }

  @Test func `dpkg goes no further than the first archive that fails`() async throws {
    let gate = try Gate()
    _ = try await gate.run("--unpack", try gate.archive("a_1_all"), try gate.archive("b_1_all"))
    #expect(gate.text(.calls) == "unpack\ta_1_all.deb\n")
  }

  @Test(arguments: ["--remove", "--purge"])
  func `removals are held back too`(operation: String) async throws {
    let gate = try Gate()
    try gate.write("# at once\n", to: .stop)
    #expect(try await gate.run(operation, "q2:all").status == 75)
  }

  @Test func `configuring is never held back`() async throws {
    let gate = try Gate()
    try gate.write("# at once\n", to: .stop)
    let run = try await gate.run("--configure", "q2:all")
    #expect(run.status != 75)
    #expect(gate.text(.calls) == "configure\tq2:all\n")
    #expect(gate.text(.stopped) == nil)
  }

  @Test func `a package that was promised is let through`() async throws {
    let gate = try Gate()
    try gate.write("# after 0\np1\np1:all\n", to: .stop)
    #expect(try await gate.run("--remove", "x", "p1:all").status != 75)
    #expect(gate.text(.calls) == "remove\tx\tp1:all\n")
  }

  @Test func `an archive goes by its name without the number that apt gave its link`()
    async throws
  {
    let gate = try Gate()
    try gate.write("# after 0\n7-b_1_all.deb\n", to: .stop)
    _ = try gate.archive("10-7-b_1_all", in: "apt-dpkg-install-x")
    let run = try await gate.run("--unpack", "--recursive", gate.folder.path("apt-dpkg-install-x"))
    #expect(run.status == 1)
    #expect(gate.text(.calls) == "unpack\t7-b_1_all.deb\n")
    #expect(gate.text(.stopped) == nil)
  }

  @Test func `what a group was configured with is not configured again`() async throws {
    let gate = try Gate()
    try gate.write("x\tq2:all\n", to: .groups)
    try TestFolder.write(
      "Package: q2\nStatus: install ok installed\nVersion: 1.0\nArchitecture: all\n"
        + "Maintainer: x\nDescription: x\n\n", to: gate.folder.path("dpkg/status"))
    #expect(try await gate.run("--configure", "q2:all").status == 0)
    #expect(gate.text(.calls) == nil)
    _ = try await gate.run("--configure", "p1:all", "q2:all")
    #expect(gate.text(.calls) == "configure\tp1:all\n")
  }

  @Test func `arguments are data`() async throws {
    let gate = try Gate()
    let mark = gate.folder.path("mark")
    _ = try await gate.run(
      "--remove", "/x/$(touch \(mark))_1_all.deb", "/x/`touch \(mark)`", "/x/a\nb_1_all.deb",
      "/x/a\tb.deb", "*", "/x/%s_1_all.deb", "/x/ -n ")
    #expect(!TestFolder.exists(mark))
    #expect(gate.text(.calls)?.split(separator: "\n").count == 1)
    #expect(gate.text(.calls)?.contains("\t*\t%s_1_all.deb\t -n \n") == true)
    for name in ["$(touch mark)_1_all", "`touch mark`", "a b", "*", "%s"] {
      _ = try await gate.run("--unpack", try gate.archive(name))
      #expect(gate.text(.calls)?.hasSuffix("\nunpack\t\(name).deb\n") == true)
    }
    #expect(!TestFolder.exists(mark))
  }

  @Test func `where the gate's lock cannot be had nothing is begun, and it is said why`()
    async throws
  {
    let gate = try Gate()
    let archive = try gate.archive("a_1_all")
    // Not even its owner may write to it.
    try TestFolder.makeFolder(gate.folder.path("gate"))
    let split = try await TestUser.run(
      ["/bin/sh", gate.folder.path("front/dpkg-split"), "-Qao", "/dev/null", archive],
      environment: ToolOutput.plain)
    #expect(split.status == 74)
    #expect(split.errors.contains("a_1_all.deb is not unpacked, because gate cannot be written"))
    #expect(try await gate.run("--configure", "p1:all").status == 75)
    #expect(gate.text(.calls) == nil)
  }

  @Test func `a question to dpkg is no call`() async throws {
    let gate = try Gate()
    #expect(try await gate.run("--version").status == 0)
    #expect(gate.text(.calls) == nil)
  }
}

/// The gate script in a job folder, with a database of its own.
private struct Gate {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    for name in ["dpkg/info", "dpkg/updates", "dpkg/triggers"] {
      try TestFolder.makeFolder(folder.path(name))
    }
    try TestFolder.write("", to: folder.path("dpkg/status"))
    try TestFolder.write(JobPreparation.gateScript, to: folder.path("dpkg-gate.sh"))
    try TestFolder.makeFolder(folder.path("front"))
    try TestFolder.write(
      JobPreparation.archiveGateScript, to: folder.path("front/dpkg-split"), mode: 0o755)
  }

  /// An empty file with the name of an archive.
  func archive(_ name: String, in place: String = "archives") throws -> String {
    try TestFolder.makeFolder(folder.path(place))
    let path = folder.path("\(place)/\(name).deb")
    try TestFolder.write("", to: path)
    return path
  }

  func run(_ arguments: String...) async throws -> ToolOutput {
    var environment = ToolOutput.plain
    environment["FETTLE_ADMIN"] = folder.path("dpkg")
    return try await TestUser.run(
      [
        "/bin/sh", folder.path("dpkg-gate.sh"), "--admindir=" + folder.path("dpkg"),
        "--force-not-root", "--log=/dev/null",
      ] + arguments, environment: environment)
  }

  func text(_ entry: JobFolder.Entry) -> String? {
    TestFolder.text(of: folder.path(entry.rawValue))
  }

  func write(_ text: String, to entry: JobFolder.Entry) throws {
    try TestFolder.write(text, to: folder.path(entry.rawValue))
  }
}
