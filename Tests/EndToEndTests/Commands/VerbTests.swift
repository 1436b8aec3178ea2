import Support
import Testing

@Suite(.timeLimit(.minutes(5)), .endsOrAborts)
struct `What an administrator does with apt every day` {
  private static let desktop = [
    PackageFixture("desktop", fields: ["Depends": "panel"]), PackageFixture("panel"),
    PackageFixture("intruder", fields: ["Conflicts": "panel"]),
  ]

  @Test func `an install that removes others needs consent, and changes nothing without it`()
    async throws
  {
    let engine = try await EngineUnderTest(Self.desktop)
    #expect(try await engine.fettle("install", "desktop", "--wait").status == 0)
    let plan = try await engine.fettle("plan", "install", "intruder")
    #expect(plan.status == 0 && plan.output.contains("not asked for"), "\(plan)")
    let refused = try await engine.fettle("install", "intruder", "--wait")
    #expect(refused.status == 7 && refused.errors.contains("--allow-removals"), "\(refused)")
    #expect(refused.errors.contains("desktop, panel would be removed"), "\(refused)")
    #expect(try await engine.repository.state(of: "panel") == "installed 1.0")
    let done = try await engine.fettle("install", "intruder", "--wait", "--allow-removals")
    #expect(done.status == 0, "\(done)")
    let shown = try await engine.fettle("show", "2")
    #expect(shown.output.contains("intruder installed; desktop, panel removed, too"), "\(shown)")
    #expect(try await engine.repository.state(of: "panel") != "installed 1.0")
    #expect(try await engine.repository.state(of: "intruder") == "installed 1.0")
  }

  @Test func `a removal takes what needs the package along only with consent`() async throws {
    let engine = try await EngineUnderTest(Self.desktop)
    try await engine.fettle("install", "desktop", "--wait")
    let refused = try await engine.fettle("remove", "panel", "--wait")
    #expect(refused.status == 7 && refused.errors.contains("desktop needs it"), "\(refused)")
    #expect(try await engine.repository.state(of: "panel") == "installed 1.0")
    let done = try await engine.fettle("remove", "panel", "--wait", "--allow-removals")
    #expect(done.status == 0, "\(done)")
    #expect(try await engine.repository.state(of: "desktop") != "installed 1.0")
  }

  @Test(arguments: ["full-upgrade", "dist-upgrade"])
  func `a full upgrade installs and removes what it must`(verb: String) async throws {
    let engine = try await EngineUnderTest([
      PackageFixture("prog", fields: ["Depends": "libold1"]), PackageFixture("libold1"),
      PackageFixture("easy"),
    ])
    try await engine.fettle("install", "prog", "easy", "--wait")
    try await engine.repository.publish([
      PackageFixture("prog", "2.0", fields: ["Depends": "libnew2"]),
      PackageFixture("libnew2", fields: ["Conflicts": "libold1"]), PackageFixture("easy", "2.0"),
    ])
    let refused = try await engine.fettle(verb, "--wait")
    #expect(
      refused.status == 7 && refused.errors.contains("libold1 would be removed"), "\(refused)")
    #expect(try await engine.repository.state(of: "easy") == "installed 1.0")
    let done = try await engine.fettle(verb, "--wait", "--allow-removals")
    #expect(done.status == 0, "\(done)")
    for name in ["prog", "easy"] {
      #expect(try await engine.repository.state(of: name) == "installed 2.0")
    }
    #expect(try await engine.repository.state(of: "libold1") != "installed 1.0")
  }

  @Test func `what nothing needs any more is removed by autoremove, and by it alone`() async throws
  {
    let engine = try await EngineUnderTest([
      PackageFixture("tool", fields: ["Depends": "libdep"]), PackageFixture("libdep"),
      PackageFixture("third"),
    ])
    try await engine.fettle("install", "tool", "--wait")
    // A setting of the machine must not add removals that nobody asked for.
    try TestFolder.write(
      "APT::Get::AutomaticRemove \"true\";\n",
      to: engine.repository.root + "/etc/apt/apt.conf.d/50auto")
    #expect(try await engine.fettle("remove", "tool", "--wait").status == 0)
    #expect(try await engine.fettle("install", "third", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "libdep") == "installed 1.0")
    let done = try await engine.fettle("autoremove", "--follow")
    #expect(done.status == 0 && done.output.contains("libdep removed"), "\(done)")
    #expect(try await engine.repository.state(of: "libdep") != "installed 1.0")
    #expect(try await engine.repository.state(of: "third") == "installed 1.0")
    try await engine.fettle("install", "tool", "--wait")
    #expect(try await engine.fettle("remove", "tool", "--autoremove", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "libdep") != "installed 1.0")
  }

  @Test func `held packages stay, and apt sees the same mark`() async throws {
    let engine = try await EngineUnderTest([PackageFixture("h"), PackageFixture("other")])
    try await engine.fettle("install", "h", "other", "--wait")
    #expect(try await engine.fettle("hold", "h").output == "h: held\n")
    #expect(try await engine.repository.run(["/usr/bin/apt-mark", "showhold"]).output == "h\n")
    // Of another size: apt takes an index of the same size and second for the one that it has read.
    try await engine.repository.publish([
      PackageFixture("h", "2.0.1"), PackageFixture("other", "2.0.1"),
    ])
    #expect(try await engine.fettle("upgrade", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "h") == "installed 1.0")
    let refused = try await engine.fettle("install", "h=2.0.1")
    #expect(refused.status == 7 && refused.errors.contains("'fettle unhold h'"), "\(refused)")
    #expect(try await engine.fettle("unhold", "h").status == 0)
    #expect(try await engine.fettle("upgrade", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "h") == "installed 2.0.1")
    let unknown = try await engine.fettle("hold", "absent")
    #expect(unknown.status == 7 && unknown.errors.contains("it is not installed"), "\(unknown)")
  }

  @Test func `a dependency that is asked for by name becomes manual, and a look changes no mark`()
    async throws
  {
    let engine = try await EngineUnderTest([
      PackageFixture("tool", fields: ["Depends": "libdep"]), PackageFixture("libdep"),
    ])
    func automatic() async throws -> String {
      try await engine.repository.run(["/usr/bin/apt-mark", "showauto"]).output
    }
    try await engine.fettle("install", "tool", "--wait")
    #expect(try await automatic() == "libdep\n")
    let plan = try await engine.fettle("plan", "install", "libdep")
    #expect(plan.output.contains("it will be marked as manual"), "\(plan)")
    try await engine.fettle("plan", "install", "libdep=1.0")
    #expect(try await automatic() == "libdep\n")
    #expect(try await engine.fettle("install", "libdep", "--wait").status == 0)
    #expect(try await automatic() == "")
    #expect(try await engine.fettle("mark", "auto", "libdep").status == 0)
    #expect(try await automatic() == "libdep\n")
  }

  @Test func `recommended packages come along or stay out as the request says`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture("collector", fields: ["Recommends": "extra"]), PackageFixture("extra"),
    ])
    let without = try await engine.fettle(
      "install", "collector", "--no-install-recommends", "--wait")
    #expect(without.status == 0, "\(without)")
    #expect(try await engine.repository.state(of: "extra") != "installed 1.0")
    try await engine.fettle("remove", "collector", "--wait")
    let with = try await engine.fettle("install", "collector", "--install-recommends", "--wait")
    #expect(with.status == 0, "\(with)")
    #expect(try await engine.repository.state(of: "extra") == "installed 1.0")
  }

  @Test func `names with underscores and capitals are packages like others`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture("my_exporter"), PackageFixture("wants", fields: ["Depends": "my_exporter"]),
    ])
    let plan = try await engine.fettle("plan", "install", "Wants")
    #expect(plan.status == 0 && plan.output.contains("my_exporter"), "\(plan)")
    #expect(try await engine.fettle("install", "Wants", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "my_exporter") == "installed 1.0")
    let shown = try await engine.fettle("show", "1")
    #expect(shown.output.contains("my_exporter"), "\(shown)")
    #expect(try await engine.fettle("remove", "my_exporter", "wants", "--wait").status == 0)
  }

  @Test func `packages are found, listed and described`() async throws {
    let engine = try await EngineUnderTest([
      PackageFixture("alpha", fields: ["Depends": "beta"]), PackageFixture("beta"),
    ])
    try await engine.fettle("install", "beta", "--wait")
    #expect(try await engine.fettle("search", "alph").output.contains("alpha"))
    #expect(try await engine.fettle("list", "--installed").output.contains("beta"))
    #expect(try await !engine.fettle("list", "--installed").output.contains("alpha"))
    let info = try await engine.fettle("info", "alpha")
    #expect(info.output.contains("depends") && info.output.contains("beta"), "\(info)")
    let policy = try await engine.fettle("policy", "beta")
    #expect(policy.output.contains("installed: 1.0"), "\(policy)")
    #expect(try await engine.fettle("policy", "beta", "--json").json["updates"] != nil)
    let unknown = try await engine.fettle("info", "nowhere")
    #expect(unknown.status == 7 && unknown.errors.contains("'fettle search'"), "\(unknown)")
    #expect(try await engine.fettle("search", "nothing-like-this").output == "no package matches\n")
    #expect(try await engine.fettle("update").status == 0)
  }

  @Test func `a version with a star is the newest that matches, a virtual name its only provider`()
    async throws
  {
    let engine = try await EngineUnderTest([
      PackageFixture("docky", "5:20.10.17~3"), PackageFixture("docky", "5:24.0.1"),
      PackageFixture("elpa-yaml", fields: ["Provides": "yaml-mode"]),
      PackageFixture("exim", fields: ["Provides": "mta"]),
      PackageFixture("postfix", fields: ["Provides": "mta"]),
    ])
    #expect(try await engine.fettle("install", "docky=5:20.10*", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "docky") == "installed 5:20.10.17~3")
    let none = try await engine.fettle("install", "docky=6*")
    #expect(none.status == 7 && none.errors.contains("on offer: 5:24.0.1, 5:20.10"), "\(none)")
    let virtual = try await engine.fettle("install", "yaml-mode", "--follow")
    #expect(virtual.status == 0 && virtual.output.contains("elpa-yaml installed"), "\(virtual)")
    let several = try await engine.fettle("install", "mta")
    #expect(several.status == 7 && several.errors.contains("exim, postfix"), "\(several)")
  }

  @Test func `a list of automatic packages that cannot be read is an error, not an empty one`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("alpha")])
    try await engine.fettle("install", "alpha", "--wait")
    let list = engine.repository.root + "/var/lib/apt/extended_states"
    TestFolder.remove(list)
    try TestFolder.makeFolder(list)
    let refused = try await engine.fettle("plan", "remove", "alpha")
    #expect(refused.status == 7 && refused.errors.contains("cannot be read"), "\(refused)")
    #expect(refused.errors.contains(list), "\(refused)")
  }

  private static let names = ["plain", "both", "only"]

  /// An engine with three packages of 1.0: `plain` has a new version, `only` a security update, and
  /// `both` has both.
  private func withSecurity() async throws -> EngineUnderTest {
    let engine = try await EngineUnderTest([])
    let old = Self.names.map { PackageFixture($0) }
    try await engine.repository.publish(old, suite: "stable")
    try await engine.fettle(["install"] + Self.names + ["--wait"])
    #expect(try await engine.fettle("mark", "auto", "plain", "both").status == 0)
    try await engine.repository.publish(
      ["plain", "both"].map { PackageFixture($0, "2.0") } + [PackageFixture("only")],
      suite: "stable")
    return engine
  }

  private func publishSecurity(_ engine: EngineUnderTest) async throws {
    try await engine.repository.publish(
      [PackageFixture("both", "1.1"), PackageFixture("only", "1.1")], suite: "stable-security")
  }

  @Test(arguments: ["upgrade", "full-upgrade"])
  func `security updates alone go no further than these, and leave marks alone`(verb: String)
    async throws
  {
    let engine = try await withSecurity()
    let without = try await engine.fettle(verb, "--security", "--wait")
    #expect(
      without.status == 7 && without.errors.contains("no source of \(engine.root) provides them"),
      "\(without)")
    try await publishSecurity(engine)
    let plan = try await engine.fettle(verb, "--security", "--plan")
    #expect(plan.output.contains("no security update is newer: plain\n"), "\(plan)")
    #expect(try await engine.fettle(verb, "--security", "--wait").status == 0)
    let states = try await state(engine)
    #expect(states == ["installed 1.0", "installed 1.1", "installed 1.1"])
    let marks = TestFolder.text(of: engine.root + "/var/lib/apt/extended_states") ?? ""
    #expect(marks.split(separator: "Auto-Installed: 1").count == 3, "\(marks)")
  }

  private func state(_ engine: EngineUnderTest) async throws -> [String] {
    var states: [String] = []
    for name in Self.names { states.append(try await engine.repository.state(of: name)) }
    return states
  }

  @Test func `what is excluded stays, with its mark`() async throws {
    let engine = try await withSecurity()
    let unknown = try await engine.fettle("upgrade", "--exclude", "nothing*", "--wait")
    #expect(unknown.status == 7 && unknown.errors.contains("no installed package"), "\(unknown)")
    let named = try await engine.fettle("upgrade", "both", "--exclude", "plain")
    #expect(named.status == 64, "\(named)")
    #expect(try await state(engine).allSatisfy { $0 == "installed 1.0" })
    let done = try await engine.fettle("upgrade", "--exclude", "pl*", "--wait")
    #expect(done.status == 0, "\(done)")
    #expect(try await state(engine) == ["installed 1.0", "installed 2.0", "installed 1.0"])
    let marks = TestFolder.text(of: engine.root + "/var/lib/apt/extended_states") ?? ""
    #expect(marks.contains("Package: plain"), "\(marks)")
  }

  @Test func `a package can be had from a release`() async throws {
    let engine = try await withSecurity()
    try await publishSecurity(engine)
    let unknown = try await engine.fettle("install", "both/sid", "--wait")
    #expect(unknown.status == 7 && unknown.errors.contains("stable, stable-security"), "\(unknown)")
    let removal = try await engine.fettle("remove", "both/stable", "--wait")
    #expect(removal.status == 7, "\(removal)")
    #expect(try await engine.fettle("install", "both/test-security", "--wait").status == 0)
    #expect(try await state(engine) == ["installed 1.0", "installed 1.1", "installed 1.0"])
    #expect(try await engine.fettle("install", "both/stable", "--wait").status == 0)
    #expect(try await engine.repository.state(of: "both") == "installed 2.0")
    let back = try await engine.fettle("install", "both/stable-security", "--wait")
    #expect(back.status == 7 && back.errors.contains("--allow-downgrades both=1.1"), "\(back)")
    let down = try await engine.fettle(
      "install", "both/stable-security", "--allow-downgrades", "--wait")
    #expect(down.status == 0, "\(down)")
    #expect(try await engine.repository.state(of: "both") == "installed 1.1")
  }

  @Test func `a pattern is all packages that match, and for a removal those installed`()
    async throws
  {
    let engine = try await EngineUnderTest(
      ["lib-a", "lib-b", "lib-c", "other"].map { PackageFixture($0) })
    try await engine.fettle("install", "lib-c", "other", "--wait")
    let none = try await engine.fettle("install", "nothing*", "--wait")
    #expect(none.status == 7 && none.errors.contains("no package matches"), "\(none)")
    #expect(try await engine.fettle("install", "lib-[ab]", "--wait").status == 7)
    #expect(try await engine.fettle("install", "lib-?", "--wait").status == 0)
    for name in ["lib-a", "lib-b"] {
      #expect(try await engine.repository.state(of: name) == "installed 1.0")
    }
    #expect(try await engine.fettle("remove", "lib-a", "--wait").status == 0)
    let plan = try await engine.fettle("remove", "lib*", "--dry-run")
    #expect(plan.status == 0 && plan.output.contains("2 packages, 2 of them removed"), "\(plan)")
    let list = try await engine.fettle("list", "lib*", "--installed")
    #expect(list.output.contains("lib-b") && !list.output.contains("other"), "\(list)")
  }

  @Test(arguments: [
    ("lib-a-", "'fettle remove lib-a'"), ("server^", "'fettle search task-'"), ("lib-a+", ""),
  ])
  func `forms of apt that are none here say what to do`(text: String, hint: String) async throws {
    let engine = try await EngineUnderTest([PackageFixture("lib-a")])
    let refused = try await engine.fettle("install", text, "--wait")
    #expect(refused.status == 7 && refused.errors.contains(hint), "\(refused)")
  }

  @Test func `a hook that fails after the work is on record, and the packages are there`()
    async throws
  {
    let engine = try await EngineUnderTest([PackageFixture("one")])
    try TestFolder.write(
      "DPkg::Post-Invoke { \"echo no snapshot >&2; false\"; };\n",
      to: engine.root + "/etc/apt/apt.conf.d/50hook")
    let done = try await engine.fettle("install", "one", "--follow")
    #expect(done.status == 3, "\(done)")
    #expect(done.output.contains("one installed; a hook of apt on this machine failed"), "\(done)")
    #expect(try await engine.repository.state(of: "one") == "installed 1.0")
    let shown = try await engine.fettle("show", "1")
    #expect(shown.output.contains("DPkg::Post-Invoke"), "\(shown)")
    let history = try await engine.fettle("history")
    #expect(history.output.contains("with errors"), "\(history)")
  }
}
