import InstallJobs
import Support
import Testing

/// Every half state of the stop matrix is offered an action, and mended by a repair job (row D21).
@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Repairing a package database` {
  private func isMended(_ engine: RealEngine) async throws {
    let result = try await engine.repair()
    #expect(result.code == .succeeded, "\(String(describing: result.error))")
    #expect(try await engine.repository.audit().isEmpty)
    let error = await #expect(throws: InstallationError.self) {
      try await engine.session.makeInstaller().commit()
    }
    #expect(error?.code == .nothingToCommit)
  }

  @Test func `D21, E6: what TERM left unpacked is configured`() async throws {
    try await RealEngine.run { engine in
      try await engine.repository.dpkg(
        "--unpack", engine.repository.archive("alpha"), engine.repository.archive("beta")
      )
      .expectSuccess("dpkg")
      try await isMended(engine)
      #expect(try await engine.state("alpha") == "installed 1.0")
    }
  }

  @Test func `D21, E7, E16: a broken unpack is installed again`() async throws {
    try await RealEngine.run { engine in
      _ = try await engine.install("delta")
      let path = engine.root + "/var/lib/dpkg/status"
      let text = try #require(TestFolder.text(of: path))
      try TestFolder.write(
        text.replacing("install ok installed", with: "install reinstreq half-installed"), to: path)
      #expect(try await !engine.repository.audit().isEmpty)
      try await isMended(engine)
      #expect(try await engine.state("delta") == "installed 1.0")
    }
  }

  @Test(arguments: [false, true])
  func `D21, E7: a broken unpack is installed again, what it needs is configured`(
    isNoted: Bool
  ) async throws {
    let fixtures = [
      PackageFixture("anchor"), PackageFixture("buoy", fields: ["Depends": "anchor"]),
    ]
    try await RealEngine.run(fixtures) { engine in
      try await engine.repository.dpkg(
        "--unpack", engine.repository.archive("anchor"), engine.repository.archive("buoy")
      )
      .expectSuccess("dpkg")
      let path = engine.root + "/var/lib/dpkg/status"
      let text = try #require(TestFolder.text(of: path))
      let parts = text.split(separator: "\n\n").map { part in
        part.contains("Package: buoy\n")
          ? String(part).replacing("install ok unpacked", with: "install reinstreq half-installed")
          : String(part)
      }
      // What dpkg noted last, and had no time to take into the file that apt reads.
      let notes = isNoted ? parts.filter { $0.contains(/Package: (anchor|buoy)\n/) } : []
      let rest = parts.filter { !notes.contains($0) }
      for (number, note) in notes.enumerated() {
        try TestFolder.write(note + "\n", to: engine.root + "/var/lib/dpkg/updates/000\(number)")
      }
      try TestFolder.write(rest.map { $0 + "\n" }.joined(separator: "\n"), to: path)
      #expect(try await engine.state("anchor") == "unpacked 1.0")
      #expect(try await engine.state("buoy") == "half-installed 1.0")
      try await isMended(engine)
      #expect(try await engine.state("anchor") == "installed 1.0")
      #expect(try await engine.state("buoy") == "installed 1.0")
    }
  }

  @Test func `D21: a removal that was cut off, noted beside the status file, is settled`()
    async throws
  {
    try await RealEngine.run([PackageFixture("anchor"), PackageFixture("buoy")]) { engine in
      _ = try await engine.install("anchor", "buoy")
      let path = engine.root + "/var/lib/dpkg/status"
      let text = try #require(TestFolder.text(of: path))
      let note = try #require(
        text.split(separator: "\n\n").first { $0.contains("Package: anchor\n") })
      // apt takes it for installed until a dpkg has taken its notes in.
      try TestFolder.write(
        note.replacing("install ok installed", with: "deinstall ok half-configured") + "\n",
        to: engine.root + "/var/lib/dpkg/updates/0000")
      #expect(try await engine.state("anchor") == "half-configured 1.0")
      try await isMended(engine)
      let state = try await engine.state("anchor")
      #expect(["installed 1.0", "config-files 1.0", "absent"].contains(state), "\(state)")
    }
  }

  @Test func `D21, E8, E17: a failing script is offered an action, and mended once it can be`()
    async throws
  {
    let failing = PackageFixture(
      "bad", scripts: [.postinst: "[ -e \"$DPKG_ROOT/mended\" ] || exit 3"])
    try await RealEngine.run([failing]) { engine in
      let result = try await engine.install("bad")
      #expect(result.code == .failed && !result.repairs.isEmpty)
      #expect(try await engine.state("bad") == "half-configured 1.0")
      try TestFolder.write("", to: engine.root + "/mended")
      try await isMended(engine)
      #expect(try await engine.state("bad") == "installed 1.0")
    }
  }

  @Test func `D21, E9, E17: a neighbour of a file conflict is not left half done`() async throws {
    try await RealEngine.run { engine in
      _ = try await engine.install("alpha=1.0")
      let result = try await engine.install("beta", "fc")
      if try await !engine.repository.audit().isEmpty {
        #expect(!result.repairs.isEmpty)
        try await isMended(engine)
      }
      #expect(try await engine.state("beta") == "installed 1.0")
      let conflict = try await engine.state("fc")
      #expect(conflict == "absent" || conflict.hasPrefix("not-installed"), "\(conflict)")
    }
  }

  @Test func `D21, E10: a package stopped at a configuration question keeps the old file`()
    async throws
  {
    try await RealEngine.run { engine in
      _ = try await engine.install("conf=1.0")
      try TestFolder.write("mine\n", to: engine.root + "/etc/conf.ini")
      // dpkg asks, hears nothing, and leaves the package unpacked.
      let asked = try await engine.repository.dpkg(
        "-i", engine.repository.archive("conf", "2.0"))
      #expect(asked.status != 0)
      #expect(try await engine.state("conf") == "unpacked 2.0")
      try await isMended(engine)
      #expect(try await engine.state("conf") == "installed 2.0")
      #expect(engine.text("etc/conf.ini") == "mine\n")
    }
  }

  @Test func `D21: what a killed dpkg noted of a package that is gone is taken in`() async throws {
    try await RealEngine.run { engine in
      _ = try await engine.install("delta")
      try await engine.repository.dpkg("--purge", "delta").expectSuccess("dpkg")
      // Its last note, which dpkg takes into the database when it ends in peace.
      try TestFolder.write(
        "Package: delta\nStatus: unknown ok not-installed\nPriority: optional\n",
        to: engine.root + "/var/lib/dpkg/updates/0000")
      let found = try await engine.checkup().findings.first { $0.verdict == .fault }
      #expect(found?.package == "delta" && found?.repair == .finishConfiguration)
      #expect(found?.message.hasPrefix("dpkg was interrupted at work on delta") == true)
      let error = await #expect(throws: InstallationError.self) {
        _ = try await engine.install("alpha")
      }
      #expect(error?.message.contains("left in the middle of work on delta") == true)
      #expect(try await engine.repair().code == .succeeded)
      #expect(try await engine.install("alpha").code == .succeeded)
    }
  }
}
