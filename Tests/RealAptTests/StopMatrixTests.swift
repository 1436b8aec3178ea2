import InstallJobs
import JobClient
import Support
import Testing

/// One way to cut a foreign apt or dpkg off (stop matrix F7, experiments E4 to E10), and what it
/// leaves.
struct StopRow: Sendable, CustomTestStringConvertible {
  /// Which row it is.
  var id: String
  /// Packages on offer; `fragile` is the one that is hit.
  var fixtures: [PackageFixture]
  /// What is installed before.
  var before: [String] = []
  /// What apt-get is asked for, its options first.
  var arguments: [String]
  /// What is done before apt-get is begun, as shell text.
  var prepare: String?
  /// What is done instead of calling apt-get.
  var shell: String?
  /// The program that reads archives for dpkg; nil for its own.
  var reader: String?
  /// What a package is left as, by name, beside those that stay whole.
  var left: [String: String]
  /// What is said of `fragile`; nil where nothing is half done.
  var sentence: String?
  /// What it is after the repair.
  var mended = ["fragile": "installed 1.0"]

  var testDescription: String { id }
}

extension StopRow {
  /// Only until the file `mended` is there: whoever runs the script, and who runs that.
  private static func once(_ text: String) -> String {
    """
    [ ! -e "$DPKG_ROOT/mended" ] || exit 0
    dpkg=$PPID
    apt=$(cut -d' ' -f4 /proc/$dpkg/stat)
    \(text)
    """
  }

  private static func fragile(
    _ script: PackageFixture.Script, _ text: String, fields: KeyValuePairs<String, String> = [:]
  ) -> PackageFixture {
    PackageFixture("fragile", fields: fields, scripts: [script: once(text)])
  }

  /// A script that outlives apt and then says something.
  private static func afterApt(_ signal: String) -> String {
    "kill -\(signal) $apt; while kill -0 $apt 2>/dev/null; do sleep 0.01; done; echo a; echo b"
  }

  /// A reader of archives that hands over half of one and then has its reader, or apt, hit.
  private static func half(_ signal: String, _ target: String) -> String {
    """
    case " $* " in *' --fsys-tarfile '*) ;; *) exec /usr/bin/dpkg-deb "$@" ;; esac
    dpkg=$PPID
    apt=$(cut -d' ' -f4 /proc/$dpkg/stat)
    whole=$(mktemp)
    /usr/bin/dpkg-deb "$@" >"$whole"
    head -c 200000 "$whole"
    kill -\(signal) $\(target)
    while kill -0 $\(target) 2>/dev/null; do sleep 0.01; done
    tail -c +200001 "$whole"
    """
  }

  private static let large = PackageFixture(
    "fragile", files: [.init("usr/share/fragile/file", "", size: 400_000)])
  private static let halfConfigured = "fragile 1.0 is half configured"
  private static let halfInstalled = "is half installed: dpkg was stopped"

  /// Rows after which nothing is half done.
  static let harmless = [
    StopRow(
      id: "F7.1, E3: INT to apt in a script, only configuring is left",
      fixtures: [fragile(.postinst, "kill -INT $apt")], arguments: ["fragile"],
      left: ["fragile": "installed 1.0"]),
    StopRow(
      id: "E4: INT to apt in a script, further packages are left",
      fixtures: [
        fragile(.postinst, "kill -INT $apt"),
        PackageFixture("q2", fields: ["Pre-Depends": "fragile"]),
      ], arguments: ["q2"], left: ["fragile": "installed 1.0", "q2": "absent"]),
    StopRow(
      id: "F7.3: HUP to apt and dpkg in a script",
      fixtures: [fragile(.postinst, "kill -HUP $apt $dpkg")], arguments: ["fragile"],
      left: ["fragile": "installed 1.0"]),
    StopRow(
      id: "F7.4: INT to dpkg in a script",
      fixtures: [fragile(.postinst, "kill -INT $dpkg")], arguments: ["fragile"],
      left: ["fragile": "installed 1.0"]),
  ]

  /// Rows after which something is.
  static let harmful = [
    StopRow(
      id: "F7.2: INT to apt in an unpack, further packages are left",
      fixtures: [
        fragile(.preinst, "kill -INT $apt"), PackageFixture("lib"),
        PackageFixture("q2", fields: ["Pre-Depends": "lib", "Depends": "fragile"]),
      ], arguments: ["q2"],
      left: ["fragile": "unpacked 1.0", "lib": "installed 1.0", "q2": "absent"],
      sentence: "fragile 1.0 is unpacked and was never configured"),
    StopRow(
      id: "F7.5: TERM to dpkg in a script",
      fixtures: [fragile(.postinst, "kill -TERM $dpkg")], arguments: ["fragile"],
      left: ["fragile": "half-configured 1.0"], sentence: halfConfigured),
    StopRow(
      id: "F7.6, E6: TERM to apt in a script, with a terminal",
      fixtures: [fragile(.postinst, afterApt("TERM"))],
      arguments: ["-o", "DPkg::Use-Pty=1", "fragile"],
      left: ["fragile": "half-configured 1.0"], sentence: halfConfigured),
    StopRow(
      id: "F7.6: KILL to apt in a script, with a terminal",
      fixtures: [fragile(.postinst, afterApt("KILL"))],
      arguments: ["-o", "DPkg::Use-Pty=1", "fragile"],
      left: ["fragile": "half-configured 1.0"], sentence: halfConfigured),
    StopRow(
      id: "F7.7, E6: TERM to apt in a script, without a terminal",
      fixtures: [fragile(.postinst, afterApt("TERM"))], arguments: ["fragile"],
      left: ["fragile": "half-configured 1.0"], sentence: halfConfigured),
    StopRow(
      id: "F7.8: INT to dpkg in an unpack", fixtures: [large], arguments: ["fragile"],
      reader: half("INT", "dpkg"), left: ["fragile": "half-installed 1.0"],
      sentence: halfInstalled),
    StopRow(
      id: "F7.8, E7: TERM to dpkg in an unpack", fixtures: [large], arguments: ["fragile"],
      reader: half("TERM", "dpkg"), left: ["fragile": "half-installed 1.0"],
      sentence: halfInstalled),
    StopRow(
      id: "F7.8: KILL to dpkg in an unpack", fixtures: [large], arguments: ["fragile"],
      reader: half("KILL", "dpkg"), left: ["fragile": "half-installed 1.0"],
      sentence: halfInstalled),
    StopRow(
      id: "F7.8: TERM to apt in an unpack", fixtures: [large], arguments: ["fragile"],
      reader: half("TERM", "apt"), left: ["fragile": "half-installed 1.0"],
      sentence: halfInstalled),
    StopRow(
      id: "F7.8: TERM to dpkg in the unpack of an upgrade",
      fixtures: [large, PackageFixture("fragile", "0.5")], before: ["fragile=0.5"],
      arguments: ["fragile"], reader: half("TERM", "dpkg"), left: ["fragile": "half-installed 0.5"],
      // The version that the database names is what is made whole.
      sentence: halfInstalled, mended: ["fragile": "installed 0.5"]),
    StopRow(
      id: "F7.8: TERM to dpkg in an unpack, after what needs it was unpacked",
      fixtures: [large, PackageFixture("user", fields: ["Depends": "fragile"])], arguments: [],
      shell: "$dpkg --unpack $archives/user_1.0_all.deb; PATH=$readers:$PATH"
        + " $dpkg --unpack $archives/fragile_1.0_all.deb",
      reader: half("TERM", "dpkg"),
      left: ["fragile": "half-installed 1.0", "user": "unpacked 1.0"], sentence: halfInstalled,
      mended: ["fragile": "installed 1.0", "user": "installed 1.0"]),
    StopRow(
      id: "E5: INT to the whole group in a script",
      fixtures: [fragile(.postinst, "kill -INT 0; sleep 9"), PackageFixture("beta")],
      arguments: ["fragile", "beta"], left: ["fragile": "half-configured 1.0"],
      sentence: halfConfigured),
    StopRow(
      id: "E8: a script that fails",
      fixtures: [fragile(.postinst, "exit 3"), PackageFixture("beta")],
      arguments: ["fragile", "beta"],
      left: ["fragile": "half-configured 1.0", "beta": "installed 1.0"], sentence: halfConfigured),
    StopRow(
      id: "E9: an unpack that fails leaves its neighbour unpacked",
      fixtures: [
        PackageFixture("owner", files: [.init("usr/share/owned", "mine")]),
        PackageFixture("thief", files: [.init("usr/share/owned", "yours")]),
        PackageFixture("fragile"),
      ], before: ["owner"], arguments: ["fragile", "thief"],
      left: ["fragile": "unpacked 1.0", "thief": "absent"],
      sentence: "fragile 1.0 is unpacked and was never configured"),
    StopRow(
      id: "F7.2: an unpack without what it depends on",
      fixtures: [PackageFixture("fragile", fields: ["Depends": "lib"]), PackageFixture("lib")],
      arguments: [], shell: "$dpkg --unpack $archives/fragile_1.0_all.deb",
      left: ["fragile": "unpacked 1.0", "lib": "absent"],
      sentence: "fragile 1.0 is unpacked and was never configured",
      mended: ["fragile": "installed 1.0", "lib": "installed 1.0"]),
    StopRow(
      id: "F7.9: the reader of dpkg's status closes",
      fixtures: [
        fragile(
          .preinst, ": >$DPKG_ROOT/begun; while [ ! -e $DPKG_ROOT/gone ]; do sleep 0.01; done")
      ],
      arguments: [],
      shell: "{ $dpkg --status-fd 5 -i $archives/fragile_1.0_all.deb 5>&1 >/dev/null; } |"
        + " { while [ ! -e $root/begun ]; do sleep 0.01; done; exec <&-; : >$root/gone; }",
      left: ["fragile": "half-installed 1.0"], sentence: halfInstalled),
    StopRow(
      id: "E10: a question about a configuration file that nobody answers",
      fixtures: [
        PackageFixture(
          "fragile", "0.5", files: [.init("etc/fragile.ini", "0.5\n")],
          conffiles: ["/etc/fragile.ini"]),
        PackageFixture(
          "fragile", files: [.init("etc/fragile.ini", "1.0\n")], conffiles: ["/etc/fragile.ini"]),
      ], before: ["fragile=0.5"], arguments: ["fragile"],
      prepare: "echo mine >$root/etc/fragile.ini", left: ["fragile": "unpacked 1.0"],
      sentence: "fragile 1.0 is unpacked and was never configured"),
  ]
}

/// Every row of the stop matrix: seen before the next job, explained, mended by a repair job.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `A foreign apt that was cut off`
{
  @Test(arguments: StopRow.harmless) func `leaves nothing half done`(row: StopRow) async throws {
    try await RealEngine.run(row.fixtures) { engine in
      try await row.injure(engine)
      try await row.expect(row.left, in: engine)
      let checkup = try await engine.checkup()
      #expect(checkup.verdict == .sound, "\(checkup.findings)")
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test(arguments: StopRow.harmful) func `is seen, explained and mended`(row: StopRow) async throws
  {
    try await RealEngine.run(row.fixtures + [PackageFixture("other")]) { engine in
      try await row.injure(engine)
      try await row.expect(row.left, in: engine)
      let checkup = try await engine.checkup()
      let finding = checkup.findings.first { $0.package == "fragile" && $0.verdict == .fault }
      #expect(finding?.message.contains(row.sentence ?? "-") == true, "\(checkup.findings)")
      #expect(finding?.hint?.contains("fettle doctor --repair") == true)
      // Seen before another job begins: it is refused, or its plan says so.
      do {
        let plan = try await engine.plan("other")
        #expect(plan.warnings.contains { $0.message.contains("fragile") }, "\(plan.warnings)")
      } catch let error as InstallationError {
        #expect(error.message.contains("fragile") && error.hint?.contains("doctor") == true)
      }
      try TestFolder.write("", to: engine.root + "/mended")
      let result = try await engine.repair()
      #expect(result.code == .succeeded, "\(String(describing: result.error))")
      try await row.expect(row.mended, in: engine)
      let after = try await engine.checkup()
      // The configuration file of its own that the repair kept is shown, and no fault.
      let others = after.findings.filter { $0.subject != .conffiles }
      #expect(others.allSatisfy { $0.verdict == .sound }, "\(after.findings)")
      #expect(!after.findings.contains { $0.verdict == .fault })
      #expect(try await engine.repository.audit().isEmpty)
      #expect(try await engine.install("other").code == .succeeded)
    }
  }

  @Test func `E16: a repair needs no source while the job that failed keeps the archive`()
    async throws
  {
    let script = "[ -e \"$DPKG_ROOT/mended\" ] || kill -KILL $PPID"
    try await RealEngine.run([PackageFixture("fragile", scripts: [.preinst: script])]) { engine in
      let job = try await engine.begin("fragile")
      #expect(try await job.result.code != .succeeded)
      #expect(try await engine.state("fragile") == "half-installed 1.0")
      TestFolder.remove(engine.repository.archive("fragile"))
      try TestFolder.write("", to: engine.root + "/mended")
      let result = try await engine.repair()
      #expect(result.code == .succeeded, "\(String(describing: result.error))")
      #expect(try await engine.state("fragile") == "installed 1.0")
      #expect(try await engine.checkup().verdict == .sound)
    }
  }

  @Test func `archives stay until the job is cleaned up, whatever became of it`() async throws {
    let failing = PackageFixture("fragile", scripts: [.postinst: "exit 3"])
    try await RealEngine.run([failing, PackageFixture("other")]) { engine in
      func archives(_ job: InstallationJob) -> [String] {
        let state = engine.repository.folder.path("state")
        return TestFolder.names(in: "\(state)/jobs/\(job.id)/archives").filter {
          $0.hasSuffix(".deb")
        }
      }
      let whole = try await engine.begin("other")
      #expect(try await whole.result.code == .succeeded)
      #expect(archives(whole) == ["other_1.0_all.deb"])
      let failed = try await engine.begin("fragile")
      #expect(try await failed.result.code == .failed)
      #expect(archives(failed) == ["fragile_1.0_all.deb"])
      try await whole.cleanUp()
      #expect(archives(whole).isEmpty && archives(failed).count == 1)
    }
  }
}

extension StopRow {
  /// Checks what packages are left as; what dpkg has only heard of is absent.
  func expect(_ states: [String: String], in engine: RealEngine) async throws {
    for (name, state) in states {
      let found = try await engine.state(name)
      #expect((found.hasPrefix("not-installed") ? "absent" : found) == state, "\(name): \(found)")
    }
  }

  /// Runs apt-get as the test user, in a session of its own, and lets it be hit.
  func injure(_ engine: RealEngine) async throws {
    let repository = engine.repository
    for name in before {
      try await repository.apt("install", name).expectSuccess("apt-get")
    }
    func run(_ text: String) async throws -> ToolOutput {
      let options = "--force-script-chrootless --force-not-root --log=\(engine.root)/dpkg.log"
      let names =
        "root=\(engine.root) archives=\(repository.path) readers=\(repository.folder.path("bin"))"
      let dpkg = "dpkg='/usr/bin/dpkg --root=\(engine.root) \(options)'"
      return try await repository.run(
        ["/usr/bin/setsid", "-w", "/bin/sh", "-c", "\(names) \(dpkg); \(text)"])
    }
    if let prepare { try await run(prepare).expectSuccess("the preparation") }
    var apt = "apt-get -q -y"
    if let reader {
      let folder = repository.folder.path("bin")
      try TestFolder.makeFolder(folder)
      try TestFolder.write("#!/bin/sh\n\(reader)\n", to: folder + "/dpkg-deb", mode: 0o755)
      apt += " -o DPkg::Path=\(folder):/usr/sbin:/usr/bin:/sbin:/bin"
    }
    // Whatever it ends with, what is left is what counts.
    _ = try await run(shell ?? "\(apt) install \(arguments.joined(separator: " "))")
    try await eventually("the end of dpkg", within: .seconds(60)) {
      try await engine.session.status().lock == nil
    }
  }
}

extension RealEngine {
  /// What the engine finds.
  func checkup() async throws -> Checkup {
    let connection = try await EngineConnection.connect(to: socket, clientName: "test")
    return try await EngineBackend(connection).checkup()
  }

  /// The plan for an installation.
  func plan(_ name: String) async throws -> JobPlan {
    let connection = try await EngineConnection.connect(to: socket, clientName: "test")
    return try await EngineBackend(connection).plan(JobRequest(.install, [Update(name)]))
  }
}
