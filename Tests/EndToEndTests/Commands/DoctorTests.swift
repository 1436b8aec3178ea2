import Glibc
import Support
import Testing

/// `fettle doctor`, with an engine and without one.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Looking after a machine` {
  private static let subjects = [
    "engine", "rights", "root", "sources", "index", "space", "space", "packages", "lock", "journal",
    "restart",
  ]

  @Test func `a sound machine is one with an engine and without, in the same shape`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    let served = try await engine.fettle("doctor", "--json")
    #expect(served.status == 0, "\(served)")
    #expect(try served.json["verdict"] == "sound", "\(served.output)")
    #expect(try served.json["root"] == .string(engine.root))
    #expect(try served.json.subjects == Self.subjects)
    let text = try await engine.fettle("doctor")
    #expect(text.status == 0)
    #expect(text.output.contains("files to fetch are listed, not contacted"), "\(text)")
    #expect(text.output.hasSuffix("nothing stands in the way of a job\n"), "\(text)")
    try await engine.stop()
    let alone = try await engine.fettle(
      "doctor", "--root", engine.root, "--state", engine.state, "--json")
    #expect(alone.status == 0, "\(alone)")
    #expect(try alone.json["verdict"] == "attention")
    #expect(try alone.json["root"] == .string(engine.root))
    #expect(try alone.json.subjects == Self.subjects)
    let missing = try #require(try alone.json.finding("engine"))
    #expect(missing["message"]?.string?.contains("no engine") == true, "\(missing)")
    #expect(missing["hint"]?.string?.contains("fettle engine --root") == true)
    #expect(try alone.json.finding("journal")?["message"]?.string?.contains("is sound") == true)
  }

  @Test func `what is half done is explained and mended, and then all is well`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.repository.dpkg("--unpack", engine.repository.archive("alpha"))
      .expectSuccess("dpkg")
    let found = try await engine.fettle("doctor")
    #expect(found.status == 1)
    for words in [
      "FAULT", "alpha 1.0 is unpacked and was never configured",
      "do: 'fettle doctor --repair' configures it", "1 thing to put right first",
    ] {
      #expect(found.output.contains(words), "\(words) in \(found.output)")
    }
    #expect(try await engine.repository.state(of: "alpha") == "unpacked 1.0")
    let repair = try await engine.fettle("doctor", "--repair")
    #expect(repair.status == 0, "\(repair)")
    #expect(repair.output.hasPrefix("job 1\n"))
    #expect(try await engine.repository.state(of: "alpha") == "installed 1.0")
    #expect(try await engine.job(1)["operation"] == "repair")
    #expect(try await engine.fettle("doctor").status == 0)
  }

  @Test func `a file list that dpkg cannot read is found, and its hint mends it`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("one"), PackageFixture("two")])
    try await engine.fettle("install", "one", "--wait")
    let list = engine.root + "/var/lib/dpkg/info/one.list"
    try TestFolder.write("/.\n/opt", to: list)
    let found = try await engine.fettle("doctor")
    #expect(found.status == 1, "\(found)")
    #expect(
      found.output.contains("dpkg cannot work: files list file for package 'one'"), "\(found)")
    #expect(found.output.contains("'rm \(list)', then 'fettle reinstall one'"), "\(found)")
    #expect(try await engine.fettle("install", "two", "--wait").status == 1)
    let repair = try await engine.fettle("doctor", "--repair")
    #expect(repair.errors.contains("still: dpkg cannot work"), "\(repair)")
    TestFolder.remove(list)
    #expect(try await engine.fettle("reinstall", "one", "--wait").status == 0)
    #expect(try await engine.fettle("doctor").status == 0)
    #expect(try await engine.fettle("install", "two", "--wait").status == 0)
  }

  @Test func `an override for a user that is gone is found, and its hint mends it`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("one")])
    try TestFolder.write(
      "nobodyhere root 755 /opt/x\n", to: engine.root + "/var/lib/dpkg/statoverride")
    let found = try await engine.fettle("doctor")
    let command = "dpkg-statoverride --admindir=\(engine.root)/var/lib/dpkg --remove /opt/x"
    #expect(found.status == 1 && found.output.contains(command), "\(found)")
    let mending = try await engine.repository.run(
      command.split(separator: " ").map {
        $0 == "dpkg-statoverride" ? "/usr/bin/" + $0 : String($0)
      })
    #expect(mending.status == 0, "\(mending)")
    #expect(try await engine.fettle("doctor").status == 0)
  }

  /// What a power cut leaves of an index: zeros, and a section that is none.
  static let damages = [String(repeating: "\0", count: 3000), "Version: 1\n\n"]

  @Test(arguments: damages)
  func `a damaged index is no proof that a package is not there, and an update mends it`(
    damage: String
  ) async throws {
    let engine = try await EngineUnderTest([])
    try await engine.repository.publish(
      [PackageFixture("one"), PackageFixture("present")], suite: "stable")
    try await engine.fettle("install", "present", "--wait")
    let lists = engine.root + "/var/lib/apt/lists"
    let name = try #require(TestFolder.names(in: lists).first { $0.hasSuffix("stable_._Packages") })
    let whole = try #require(TestFolder.text(of: lists + "/" + name))
    try TestFolder.write(damage + (damage.hasPrefix("V") ? whole : ""), to: lists + "/" + name)
    for command in [["install", "one"], ["updates"], ["upgrade"], ["search", "nothing"]] {
      let refused = try await engine.fettle(command)
      #expect(refused.status == 7 && refused.errors.contains("index of"), "\(refused)")
    }
    let found = try await engine.fettle("doctor")
    #expect(found.status == 1 && found.output.contains("FAULT      index"), "\(found)")
    #expect(try await engine.fettle("update").status == 0)
    #expect(TestFolder.text(of: lists + "/" + name) == whole)
    #expect(try await engine.fettle("doctor").status == 0)
    #expect(try await engine.fettle("install", "one", "--wait").status == 0)
  }

  @Test func `a repair that removes needs consent, by the option that the refusal names`()
    async throws
  {
    let engine = try await EngineUnderTest([
      PackageFixture("vendor", fields: ["Depends": "nowhere"])
    ])
    try await engine.repository.dpkg("--unpack", engine.repository.archive("vendor"))
      .expectSuccess("dpkg")
    let refused = try await engine.fettle("doctor", "--repair")
    #expect(refused.status == 7 && refused.errors.contains("--allow-removals"), "\(refused)")
    #expect(try await engine.fettle("doctor", "--allow-removals").status == 64)
    let plan = try await engine.fettle("doctor", "--repair", "--plan")
    #expect(plan.status == 0 && plan.output.contains("remove"), "\(plan)")
    #expect(try await engine.repository.state(of: "vendor") == "unpacked 1.0")
    let repair = try await engine.fettle("doctor", "--repair", "--allow-removals")
    #expect(repair.status == 0 && repair.output.contains("1 package changed"), "\(repair)")
    let shown = try await engine.fettle("show", "1")
    #expect(shown.output.contains("succeeded: vendor removed\n"), "\(shown)")
    #expect(try await engine.repository.state(of: "vendor") != "unpacked 1.0")
  }

  @Test func `a repair that failed is named, not advised once more`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture(
        "flaky", scripts: [.postinst: "test -e \"$DPKG_ROOT/go\" || exit 3"])
    ])
    #expect(try await engine.fettle("install", "flaky", "--wait").status == 1)
    let before = try await engine.fettle("doctor").output
    #expect(before.contains("do: 'fettle doctor --repair' configures it"), "\(before)")
    #expect(try await engine.fettle("doctor", "--repair").status == 1)
    let after = try await engine.fettle("doctor").output
    #expect(after.contains("the last repair, job 2, failed: "), "\(after)")
    #expect(after.contains("'fettle log 2 --update flaky' shows why"), "\(after)")
    #expect(!after.contains("'fettle doctor --repair' configures it"), "\(after)")
    // What is advised can be done, either way.
    try TestFolder.write("", to: engine.root + "/go")
    #expect(try await engine.fettle("doctor", "--repair").status == 0)
    #expect(try await engine.fettle("doctor").status == 0)
  }

  @Test func `a package that cannot be repaired can be taken away as advised`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture("flaky", scripts: [.postinst: "exit 3"])
    ])
    #expect(try await engine.fettle("install", "flaky", "--wait").status == 1)
    #expect(try await engine.fettle("doctor", "--repair").status == 1)
    #expect(try await engine.fettle("doctor").output.contains("'fettle purge flaky'"))
    #expect(try await engine.fettle("purge", "flaky", "--wait").status == 0)
    #expect(try await engine.fettle("doctor").status == 0)
  }

  @Test func `a removal that failed is named, not advised once more without its script`()
    async throws
  {
    let engine = try await EngineUnderTest([
      PackageFixture("flaky", scripts: [.postinst: "exit 3", .postrm: "exit 2"])
    ])
    #expect(try await engine.fettle("install", "flaky", "--wait").status == 1)
    #expect(try await engine.fettle("doctor", "--repair").status == 1)
    #expect(try await engine.fettle("purge", "flaky", "--wait").status == 1)
    let after = try await engine.fettle("doctor").output
    #expect(after.contains("its removal, job 3, failed: post-removal script"), "\(after)")
    #expect(after.contains("'fettle log 3 --update flaky' shows why"), "\(after)")
    // What is advised can be done.
    try TestFolder.write(
      "#!/bin/sh\nexit 0\n", to: engine.root + "/var/lib/dpkg/info/flaky.postrm")
    #expect(try await engine.fettle("purge", "flaky", "--wait").status == 0)
    #expect(try await engine.fettle("doctor").status == 0)
  }

  @Test func `an engine that cannot make folders for its jobs says so`() async throws {
    let engine = try await EngineUnderTest()
    let jobs = engine.state + "/jobs"
    unsafe chmod(jobs, 0o500)
    let failed = try await engine.fettle("install", "alpha", "--wait")
    #expect(failed.status == 1)
    #expect(try await engine.job(1)["error"]?["message"]?.string?.contains("Permission") == true)
    let found = try await engine.fettle("doctor")
    #expect(found.status == 1)
    #expect(
      found.output.contains("no engine can keep its state in \(engine.state): jobs: Permission"),
      "\(found)")
    unsafe chmod(jobs, 0o700)
    #expect(try await engine.fettle("doctor").status == 0)
  }

  @Test func `without an engine half done work is found, and nothing is repaired but by hand`()
    async throws
  {
    let engine = try await EngineUnderTest()
    try await engine.stop()
    try await engine.repository.dpkg("--unpack", engine.repository.archive("alpha"))
      .expectSuccess("dpkg")
    let found = try await engine.fettle("doctor", "--root", engine.root, "--json")
    #expect(found.status == 1)
    let finding = try #require(try found.json.finding("packages"))
    #expect(finding["package"] == "alpha" && finding["verdict"] == "fault")
    #expect(finding["hint"]?.string?.contains("'fettle root repair \(engine.root)'") == true)
    let refused = try await engine.fettle("doctor", "--repair", "--root", engine.root)
    #expect(refused.status == 5)
    #expect(refused.errors.contains("fettle engine --root \(engine.root)"), "\(refused)")
    #expect(refused.errors.contains("fettle root repair \(engine.root)"), "\(refused)")
    #expect(try await engine.repository.state(of: "alpha") == "unpacked 1.0")
    #expect(try await engine.fettle("root", "repair", engine.root).status == 0)
    #expect(try await engine.fettle("doctor", "--root", engine.root).status == 0)
  }

  @Test func `root check and root repair tell of what cannot be configured`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.stop()
    try await engine.repository.dpkg("--unpack", engine.repository.archive("alpha"))
      .expectSuccess("dpkg")
    let status = engine.root + "/var/lib/dpkg/status"
    let text = try #require(TestFolder.text(of: status))
    try TestFolder.write(
      text.replacing("install ok unpacked", with: "install reinstreq half-installed"), to: status)
    let check = try await engine.fettle("root", "check", engine.root)
    #expect(check.status == 0 && check.output.contains(" is a sound package root: "))
    #expect(check.output.contains("\nalpha 1.0 is half installed: "), "\(check)")
    let hint = "\n  hint: 'fettle doctor --repair' unpacks it again"
    #expect(check.output.contains(hint), "\(check)")
    let repair = try await engine.fettle("root", "repair", engine.root)
    #expect(repair.status == 1, "\(repair)")
    #expect(repair.errors.contains("is not mended: alpha 1.0 is half installed"), "\(repair)")
    try await engine.start()
    #expect(try await engine.fettle("doctor", "--repair").status == 0)
    let whole = try await engine.fettle("root", "check", engine.root)
    #expect(!whole.output.contains("alpha"), "\(whole)")
  }

  @Test func `who works is named, and what is half done meanwhile is no fault`() async throws {
    let engine = try await EngineUnderTest([.held("slow")])
    async let work = engine.repository.apt("install", "slow")
    try await engine.waitUntilHeld("slow")
    let found = try await engine.fettle("doctor", "--json")
    #expect(found.status == 0, "\(found)")
    let lock = try #require(try found.json.finding("lock"))
    #expect(lock["verdict"] == "attention" && lock["holder"]?["command"] == "apt-get")
    #expect(try found.json.finding("packages")?["verdict"] == "attention")
    let status = try await engine.fettle("status", "--json").json
    #expect(status["lock"] == lock["holder"])
    try engine.release("slow")
    try await work.expectSuccess("apt-get")
    #expect(try await engine.fettle("doctor", "--json").json["verdict"] == "sound")
  }

  @Test func `what a job is not at stays a fault while it works`() async throws {
    let engine = try await EngineUnderTest([
      .held("slow"), PackageFixture("flaky", scripts: [.postinst: "exit 3"]),
    ])
    #expect(try await engine.fettle("install", "flaky", "--wait").status == 1)
    try await engine.fettle("install", "slow")
    try await engine.waitUntilHeld("slow")
    let found = try await engine.fettle("doctor", "--json")
    let job = try await engine.job(2)
    #expect(found.status == 1, "\(found) \(job)")
    let packages = try #require(try found.json["findings"]).elements.filter {
      $0["subject"] == "packages"
    }
    #expect(packages.map { $0["package"] } == ["flaky", nil], "\(packages)")
    #expect(packages.map { $0["verdict"] } == ["fault", "attention"], "\(packages)")
    let own = "1 of 2 packages is in the middle of something while job 2 works"
    #expect(packages.last?["message"]?.string?.contains(own) == true, "\(packages)")
    try engine.release("slow")
    try await engine.wait(for: 2, "completed")
  }

  @Test func `a damaged journal is a fault, and stays as it is`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.stop()
    let journal = engine.state + "/journal.sqlite"
    let file = unsafe open(journal, O_RDWR | O_CLOEXEC)
    try #require(file >= 0)
    // The second page, whatever table it belongs to.
    let junk = [UInt8](repeating: 0xA5, count: 4096)
    #expect(unsafe pwrite(file, junk, junk.count, 4096) == junk.count)
    var before = stat()
    unsafe fstat(file, &before)
    let found = try await engine.fettle(
      "doctor", "--root", engine.root, "--state", engine.state, "--json")
    #expect(found.status == 1, "\(found)")
    let finding = try #require(try found.json.finding("journal"))
    #expect(finding["verdict"] == "fault")
    #expect(finding["message"]?.string?.contains("damaged") == true, "\(finding)")
    var after = stat()
    unsafe fstat(file, &after)
    close(file)
    #expect(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec && after.st_size == before.st_size)
  }

  @Test func `an engine that was named and is not there is a fault, and no other root is told of`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    try await engine.stop()
    for words in [["--socket", engine.socket], []] {
      let found = try await engine.fettle(["doctor"] + words)
      #expect(found.status == 1, "\(found)")
      #expect(found.output.contains("FAULT      engine    no engine answers at"), "\(found)")
      #expect(found.output.hasSuffix("\n1 thing to put right first\n"), "\(found)")
      #expect(!found.output.contains("lock"), "\(found)")
    }
    let both = try await engine.fettle(
      "doctor", "--socket", engine.socket, "--root", engine.root, "--json")
    #expect(both.status == 1, "\(both)")
    #expect(try both.json.finding("engine")?["verdict"] == "fault")
    #expect(try both.json.finding("root")?["verdict"] == "sound")
  }

  @Test func `a state folder that cannot be written to is a fault`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.stop()
    unsafe chmod(engine.state, 0o500)
    for state in [engine.state, engine.state + "/deeper", engine.root + "/etc/apt/sources.list"] {
      let found = try await engine.fettle("doctor", "--root", engine.root, "--state", state)
      #expect(found.status == 1, "\(found)")
      #expect(found.output.contains("no engine can keep its state in \(state)"), "\(found)")
    }
    unsafe chmod(engine.state, 0o700)
    // The folder alone does not make an engine's state.
    for (name, mode) in [("journal.sqlite", 0o400 as mode_t), ("jobs", 0o500)] {
      let path = engine.state + "/" + name
      unsafe chmod(path, mode)
      let found = try await engine.fettle("doctor", "--root", engine.root, "--state", engine.state)
      #expect(found.status == 1, "\(found)")
      #expect(
        found.output.contains(
          "no engine can keep its state in \(engine.state): \(name): Permission"),
        "\(found)")
      unsafe chmod(path, 0o700)
    }
  }

  @Test func `a worker whose engine is gone is known as one`() async throws {
    let engine = try await EngineUnderTest([.held("slow")])
    try await engine.fettle("install", "slow")
    try await engine.waitUntilHeld("slow")
    try await engine.kill()
    let found = try await engine.fettle(
      "doctor", "--root", engine.root, "--state", engine.state, "--json")
    let lock = try #require(try found.json.finding("lock"))
    #expect(lock["verdict"] == "attention" && lock["holder"]?["command"] == "fettled", "\(lock)")
    #expect(lock["message"]?.string?.hasPrefix("a worker of fettle's (pid ") == true, "\(lock)")
    #expect(lock["message"]?.string?.contains("for job 1 of ") == true, "\(lock)")
    #expect(lock["hint"]?.string?.contains("'--state \(engine.state)'") == true, "\(lock)")
    try engine.release("slow")
    try await engine.start()
    try await engine.wait(for: 1, "completed")
    #expect(try await engine.job(1)["resultCode"] == 2)
  }

  @Test func `a repair by hand while somebody works is busy, and nothing is wrong`() async throws {
    let engine = try await EngineUnderTest([.held("slow")])
    try await engine.fettle("install", "slow")
    try await engine.waitUntilHeld("slow")
    let job = try await engine.fettle("root", "repair", engine.root)
    #expect(job.status == 8 && job.errors.contains("job 1 works on it"), "\(job)")
    #expect(!job.errors.contains("--audit"), "\(job)")
    let check = try await engine.fettle("root", "check", engine.root)
    #expect(check.output.contains("whether its packages are whole cannot be told"), "\(check)")
    try engine.release("slow")
    try await engine.wait(for: 1, "completed")
    let (foreign, end) = try await engine.foreignHolder("holder")
    let busy = try await engine.fettle("root", "repair", engine.root)
    let words = "holder (pid \(foreign.pid)) holds the package lock"
    #expect(busy.status == 8 && busy.errors.contains(words), "\(busy)")
    try TestFolder.write("", to: end)
    #expect(try await foreign.status() == 0)
    #expect(try await engine.fettle("root", "repair", engine.root).status == 0)
  }

  @Test func `a socket's path that leads to no engine is told by what is wrong with it`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    let nothing = try await engine.fettle("jobs", "--socket", "")
    #expect(nothing.status == 5 && nothing.errors.contains("the path is empty"), "\(nothing)")
    let file = try await engine.fettle("jobs", "--socket", "/etc/passwd")
    #expect(file.status == 5 && file.errors.contains("it is not a socket"), "\(file)")
    #expect(!file.errors.contains("group"), "\(file)")
  }

  @Test func `a restart that is needed, sources and index that are not there`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "kernelish", "--wait")
    let restart = try await engine.fettle("doctor", "--json")
    #expect(restart.status == 0)
    let finding = try #require(try restart.json.finding("restart"))
    #expect(finding["message"]?.string?.contains("kernelish") == true)
    let sources = engine.root + "/etc/apt/sources.list"
    try TestFolder.write("deb nonsense\n", to: sources)
    let wrong = try await engine.fettle("doctor")
    #expect(wrong.status == 1 && wrong.output.contains("Malformed entry"), "\(wrong)")
    try TestFolder.write("", to: sources)
    let none = try await engine.fettle("doctor")
    #expect(none.status == 0 && none.output.contains("no package source"), "\(none)")
    try TestFolder.write("deb [trusted=yes] copy:/nonexistent/new ./\n", to: sources)
    let stale = try await engine.fettle("doctor")
    #expect(stale.status == 1 && stale.output.contains("no package index"), "\(stale)")
    #expect(stale.output.contains("fettle root update"))
  }

  @Test func `what cannot be done is refused or found, with the status of the contract`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    let nowhere = try await engine.fettle("doctor", "--root", "/nonexistent", "--json")
    #expect(nowhere.status == 1)
    #expect(try nowhere.json.finding("root")?["verdict"] == "fault")
    #expect(try await engine.fettle("doctor", "--repair", "--read-only").status == 64)
    #expect(try await engine.fettle("doctor", "--root", "").status == 64)
    let other = try await engine.fettle("doctor", "--repair", "--root", "/nonexistent")
    #expect(other.status == 7 && other.errors.contains(engine.root), "\(other)")
    #expect(try await engine.fettle("jobs", "--all", "--json").output == "[]\n")
    let looking = try await engine.fettle("doctor", "--read-only", "--json")
    #expect(try looking.json.finding("rights")?["verdict"] == "attention")
  }
}

extension JSONValue {
  /// What the findings of a checkup are about, in their order.
  fileprivate var subjects: [String?] {
    self["findings"]?.elements.map { $0["subject"]?.string } ?? []
  }

  /// The first finding about a subject.
  fileprivate func finding(_ subject: String) -> JSONValue? {
    self["findings"]?.elements.first { $0["subject"]?.string == subject }
  }
}
