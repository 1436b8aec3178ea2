import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `A mirror that fails` {
  /// What a fault must be called, and a word of the next step.
  private static let expected: [FaultyMirror.Fault: (InstallationError.Code, String)] = [
    .cut: (.downloadFailed, "answers"), .changed: (.hashMismatch, "index"),
    .longer: (.hashMismatch, "index"), .shorter: (.hashMismatch, "index"),
    .missing: (.downloadFailed, "index"), .broken: (.downloadFailed, "answers"),
    .circular: (.downloadFailed, "sources"), .silent: (.downloadFailed, "answers"),
    .garbage: (.downloadFailed, "answers"),
  ]

  /// Points the root at a mirror; what does not answer is waited for a second.
  private func use(_ mirror: FaultyMirror, _ engine: RealEngine) async throws {
    try TestFolder.write(mirror.source, to: engine.root + "/etc/apt/sources.list")
    try TestFolder.write(
      "Acquire::http::Timeout \"1\";\nAcquire::Retries \"1\";\n",
      to: engine.root + "/etc/apt/apt.conf.d/50patience")
    try await engine.repository.refresh()
  }

  @Test func `each fault is a failed job with its name and next step, and the queue goes on`()
    async throws
  {
    let faults = FaultyMirror.Fault.allCases
    let fixtures = faults.map { PackageFixture($0.rawValue) } + [PackageFixture("whole")]
    try await RealEngine.run(fixtures) { engine in
      let mirror = try FaultyMirror(
        engine.repository.path,
        faults: Dictionary(uniqueKeysWithValues: faults.map { ($0.rawValue, $0) }))
      defer { mirror.close() }
      try await use(mirror, engine)
      var jobs: [InstallationJob] = []
      for fault in faults { jobs.append(try await engine.begin(fault.rawValue)) }
      let last = try await engine.begin("whole")
      for (fault, job) in zip(faults, jobs) {
        let result = try await job.result
        let error = try #require(result.error, "\(fault)")
        let (code, step) = try #require(Self.expected[fault])
        #expect(result.code == .failed && error.code == code, "\(fault): \(error)")
        #expect(error.update == fault.rawValue, "\(fault): \(error)")
        #expect(error.hint?.contains(step) == true, "\(fault): \(error)")
        let text = error.message + (error.detail ?? "") + (error.hint ?? "")
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(fault)")
        #expect(try await engine.state(fault.rawValue) == "absent", "\(fault)")
      }
      #expect(try await last.result.code == .succeeded)
      #expect(try await engine.repository.audit().isEmpty)
      // The same requests succeed once the mirror is whole again, whatever has been kept of it.
      mirror.mend()
      for fault in faults {
        #expect(try await engine.install(fault.rawValue).code == .succeeded, "\(fault)")
      }
    }
  }

  @Test func `an upgrade of everything goes on without the archive that a mirror lacks`()
    async throws
  {
    let names = ["alpha", "beta", "lacking"]
    try await RealEngine.run(names.map { PackageFixture($0) }) { engine in
      for name in names { #expect(try await engine.install(name).code == .succeeded) }
      try await engine.repository.publish(names.map { PackageFixture($0, "2.0") })
      let mirror = try FaultyMirror(engine.repository.path, faults: ["lacking": .missing])
      defer { mirror.close() }
      try await use(mirror, engine)
      let installer = try engine.session.makeInstaller()
      let failed = try await installer.upgrade([])
      #expect(failed.error?.update == "lacking", "\(failed)")
      #expect(
        failed.error?.hint?.contains("'fettle upgrade --exclude lacking'") == true, "\(failed)")
      #expect(try await engine.state("alpha") == "installed 1.0")
      var options = InstallationOptions()
      options.planning.excluded = ["lacking"]
      let done = try await installer.upgrade([], options: options)
      #expect(done.code == .succeeded, "\(done)")
      #expect(try await engine.state("beta") == "installed 2.0")
      #expect(try await engine.state("lacking") == "installed 1.0")
      let single = try await installer.upgrade([Update("lacking")])
      #expect(single.error?.hint?.contains("--exclude") == false, "\(single)")
    }
  }

  @Test func `a folder of this machine is a source like others`()
    async throws
  {
    try await RealEngine.run([PackageFixture("alpha"), PackageFixture("beta")]) { engine in
      try TestFolder.write(
        "deb [trusted=yes] file:\(engine.repository.path) ./\n",
        to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let alpha = try await engine.begin("alpha")
      let result = try await alpha.result
      #expect(result.code == .succeeded, "\(result)")
      #expect(await alpha.progress.downloadedBytes > 0)
      #expect(try await engine.state("alpha") == "installed 1.0")
    }
  }

  @Test func `a mirror that is down is a failed job that may be tried again`() async throws {
    try await RealEngine.run([PackageFixture("delta"), PackageFixture("known")]) { engine in
      let mirror = try FaultyMirror(engine.repository.path, faults: [:])
      try await use(mirror, engine)
      #expect(try await engine.install("known").code == .succeeded)
      mirror.close()
      let first = try await engine.begin("delta")
      let removal = try await engine.session.makeInstaller().begin(
        JobRequest(.remove, [Update("known")]))
      let result = try await first.result
      #expect(result.code == .failed && result.error?.code == .downloadFailed)
      #expect(result.error?.class == .transient && result.error?.hint != nil)
      #expect(try await removal.result.code == .succeeded)
      #expect(try await engine.state("known") != "installed 1.0")
    }
  }
}
