import InstallJobs
import PackageTools
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The gate before dpkg` {
  @Test func `a call is written down and becomes dpkg`() async throws {
    let gate = try Gate()
    // There is no such archive, so dpkg itself refuses.
    let run = try await gate.run("--unpack", "--auto-deconfigure", "/nowhere/p1_1.0_all.deb")
    #expect(run.status == 2)
    #expect(run.errors.contains("dpkg"))
    #expect(gate.text(.calls) == "unpack\tp1_1.0_all.deb\n")
  }

  @Test func `a call at a boundary is held back while a stop is asked for`() async throws {
    let gate = try Gate()
    try gate.write("# after 0\np1\np1:all\n", to: .stop)
    let run = try await gate.run("--unpack", "/nowhere/q2_1.0_all.deb")
    #expect(run.status == 75)
    #expect(gate.text(.stopped) == "unpack\tq2_1.0_all.deb\n")
    #expect(gate.text(.calls) == nil)
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

  @Test func `nothing is held back while a package is merely unpacked`() async throws {
    let gate = try Gate()
    try gate.write("# after 0\n", to: .stop)
    try TestFolder.write(
      "Package: a\nStatus: install ok unpacked\n\n", to: gate.folder.path("dpkg/status"))
    #expect(try await gate.run("--unpack", "/nowhere/q2_1.0_all.deb").status != 75)
    #expect(
      try await gate.run("--unpack", "/nowhere/q2_1.0_all.deb", halfStates: "1").status == 75)
  }

  @Test func `a folder of archives is written down by its archives`() async throws {
    let gate = try Gate()
    let folder = gate.folder.path("apt-dpkg-install-x")
    try TestFolder.makeFolder(folder)
    for name in ["0-a_1_all.deb", "1-b_1_all.deb"] {
      try TestFolder.write("", to: folder + "/" + name)
    }
    _ = try await gate.run("--unpack", "--recursive", folder)
    #expect(gate.text(.calls) == "unpack\ta_1_all.deb\tb_1_all.deb\n")
  }

  @Test func `a promised archive is let through under the number that apt gave its link`()
    async throws
  {
    let gate = try Gate()
    try gate.write("# after 0\n7-b_1_all.deb\n", to: .stop)
    let folder = gate.folder.path("apt-dpkg-install-x")
    try TestFolder.makeFolder(folder)
    try TestFolder.write("", to: folder + "/10-7-b_1_all.deb")
    #expect(try await gate.run("--unpack", "--recursive", folder).status != 75)
    #expect(gate.text(.calls) == "unpack\t7-b_1_all.deb\n")
    #expect(gate.text(.stopped) == nil)
  }

  @Test func `arguments are data`() async throws {
    let gate = try Gate()
    let mark = gate.folder.path("mark")
    _ = try await gate.run(
      "--unpack", "/x/$(touch \(mark))_1_all.deb", "/x/`touch \(mark)`", "/x/a\nb_1_all.deb",
      "/x/a\tb.deb", "*", "/x/%s_1_all.deb", "/x/ -n ")
    #expect(!TestFolder.exists(mark))
    #expect(gate.text(.calls)?.split(separator: "\n").count == 1)
    #expect(gate.text(.calls)?.contains("\t*\t%s_1_all.deb\t -n \n") == true)
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
  }

  func run(_ arguments: String..., halfStates: String = "0") async throws -> ToolOutput {
    var environment = ToolOutput.plain
    environment["FETTLE_ADMIN"] = folder.path("dpkg")
    environment["FETTLE_HALF"] = halfStates
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
