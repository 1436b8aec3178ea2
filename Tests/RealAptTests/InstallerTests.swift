import Glibc
import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Installing with apt and dpkg` {
  @Test
  func `A9, C5: begin returns while the script runs, and all is shown as done at the end only`()
    async throws
  {
    try await RealEngine.run([.held("alpha"), PackageFixture("beta")]) { engine in
      let job = try await engine.begin("beta", "alpha")
      try await engine.untilHeld("alpha")
      #expect(await !job.isCompleted)
      #expect(await job.progress.overallFraction < 1)
      try await eventually { await job.progress.state == .installing }
      try engine.release("alpha")
      let result = try await job.result
      #expect(result.code == .succeeded && result.exitStatus == 0)
      #expect(await job.progress.overallFraction == 1)
      #expect(try await engine.state("alpha") == "installed 1.0")
      #expect(job.updates.map(\.name) == ["beta", "alpha"])
    }
  }

  @Test func `C1, C3, C4, C6: what a real run shows never falls and stays in range`() async throws {
    try await RealEngine.run { engine in
      let seen = Locked<[InstallationProgress]>([])
      let job = try await engine.session.makeInstaller().beginInstallation(
        of: ["q3", "alpha", "beta"].map { Update($0) },
        onProgress: { _, progress in seen.change { $0.append(progress) } })
      #expect(try await job.result.code == .succeeded)
      // Waits until the callback has returned.
      try await job.cleanUp()
      let values = seen.value
      #expect(!values.isEmpty)
      for (old, new) in zip(values, values.dropFirst()) {
        #expect(new.overallFraction >= old.overallFraction)
        if new.currentItem == old.currentItem {
          #expect(new.currentFraction >= old.currentFraction)
        }
      }
      #expect(values.allSatisfy { ($0.currentIndex ?? 0) < 3 && ($0.currentIndex ?? 0) >= 0 })
      #expect(values.last?.updateResults.map(\.code) == [.succeeded, .succeeded, .succeeded])
    }
  }

  @Test func `A7, A43, R14: what a search found and the index has lost is refused by name`()
    async throws
  {
    try await RealEngine.run { engine in
      #expect(try await engine.install("alpha=1.0", "beta").code == .succeeded)
      let updates = try await engine.session.upgradableUpdates()
      #expect(updates.map(\.name) == ["alpha"])
      #expect(updates.first?.fromVersion == "1.0" && updates.first?.toVersion == "2.0")
      let found = try updates.map { try Update(parsing: "\($0.name)=\($0.toVersion ?? "")") }
      try await engine.repository.publish([PackageFixture("alpha"), PackageFixture("beta")])
      let jobs = try await engine.session.jobs().count
      let error = await #expect(throws: InstallationError.self) {
        try await engine.session.makeInstaller().beginInstallation(of: found)
      }
      #expect(error?.code == .notApplicable && error?.update == "alpha")
      #expect(try await engine.session.jobs().count == jobs)
      #expect(try await engine.state("alpha") == "installed 1.0")
    }
  }

  @Test func `A15, A29, C2: a lock that somebody holds is named, waited for and bounded`()
    async throws
  {
    try await RealEngine.run { engine in
      let path = engine.root + "/var/lib/dpkg/lock-frontend"
      let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      try #require(file >= 0)
      defer { close(file) }
      unsafe chmod(path, 0o666)
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      try #require(unsafe fcntl(file, F_SETLK, &lock) == 0)
      let installer = try engine.session.makeInstaller()
      guard case .foreign(let holder) = try await installer.activity else {
        Issue.record("nobody is said to hold the lock")
        return
      }
      #expect(holder.pid == getpid())
      var options = InstallationOptions()
      options.lockSeconds = 1
      let bounded = try await engine.install("delta", options: options)
      #expect(bounded.code == .failed && bounded.error?.code == .busy)
      let job = try await engine.begin("delta")
      try await eventually("the wait for the lock", within: .seconds(240)) {
        await job.progress.state == .waitingForLock
      }
      #expect(await job.progress.waitingFor?.holder?.pid == getpid())
      #expect(await job.progress.currentIndex == nil)
      lock.l_type = Int16(F_UNLCK)
      _ = unsafe fcntl(file, F_SETLK, &lock)
      #expect(try await job.result.code == .succeeded)
      #expect(try await !installer.isBusy)
    }
  }

  @Test func `A22, A24, A31: a removal keeps the configuration, a purge takes it, later too`()
    async throws
  {
    try await RealEngine.run { engine in
      let installer = try engine.session.makeInstaller()
      _ = try await engine.install("conf=1.0")
      #expect(try await installer.uninstall([Update("conf")]).code == .succeeded)
      #expect(try await engine.state("conf") == "config-files 1.0")
      #expect(engine.text("etc/conf.ini") == "version = 1.0\n")
      var purge = InstallationOptions()
      purge.purgesConfiguration = true
      #expect(try await installer.uninstall([Update("conf")], options: purge).code == .succeeded)
      #expect(engine.text("etc/conf.ini") == nil)
      _ = try await engine.install("conf=1.0")
      #expect(try await installer.uninstall([Update("conf")], options: purge).code == .succeeded)
      #expect(engine.text("etc/conf.ini") == nil)
      #expect(try await engine.state("conf") == "absent")
    }
  }

  @Test func `A27, A28: commit configures what is unpacked, a second one has nothing to do`()
    async throws
  {
    try await RealEngine.run { engine in
      try await engine.repository.dpkg("--unpack", engine.repository.archive("alpha"))
        .expectSuccess("dpkg")
      #expect(try await engine.state("alpha") == "unpacked 1.0")
      let installer = try engine.session.makeInstaller()
      try await installer.commit()
      #expect(try await engine.state("alpha") == "installed 1.0")
      #expect(try await engine.repository.audit().isEmpty)
      let error = await #expect(throws: InstallationError.self) { try await installer.commit() }
      #expect(error?.code == .nothingToCommit)
      #expect(try await engine.state("alpha") == "installed 1.0")
      #expect(try await engine.session.jobs().count == 1)
    }
  }

  @Test func `A30, A32, D16: force installs again, and not without a source`() async throws {
    let counting = PackageFixture(
      "count", scripts: [.postinst: "echo run >> \"$DPKG_ROOT/count\""])
    try await RealEngine.run([counting]) { engine in
      _ = try await engine.install("count")
      let again = try await engine.install("count")
      #expect(again.code == .succeeded && again["count"]?.note == .alreadyInstalled)
      #expect(engine.text("count") == "run\n")
      var options = InstallationOptions()
      options.isForced = true
      #expect(try await engine.install("count", options: options).code == .succeeded)
      #expect(engine.text("count") == "run\nrun\n")
      try await engine.repository.publish([PackageFixture("something-else")])
      let error = await #expect(throws: InstallationError.self) {
        try await engine.install("count", options: options)
      }
      #expect(error?.code == .sourceUnavailable)
      #expect(engine.text("count") == "run\nrun\n")
    }
  }

  @Test func `A33: an edited configuration file stays`() async throws {
    try await RealEngine.run { engine in
      _ = try await engine.install("conf=1.0")
      try TestFolder.write("mine\n", to: engine.root + "/etc/conf.ini")
      #expect(try await engine.install("conf").code == .succeeded)
      #expect(engine.text("etc/conf.ini") == "mine\n")
      #expect(engine.text("etc/conf.ini.dpkg-dist") == "version = 2.0\n")
    }
  }

  @Test func `A5: a session's proxy that nobody answers at is named`() async throws {
    try await RealEngine.run([PackageFixture("delta")]) { engine in
      let server = try HeldServer(engine.repository.path)
      defer { server.close() }
      server.release()
      try TestFolder.write(
        "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n",
        to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      var proxied = engine.session
      proxied.proxy = "http://127.0.0.1:9"
      let failed = try await proxied.makeInstaller().install([Update("delta")])
      #expect(failed.code == .failed && failed.error?.code == .downloadFailed)
      let said = (failed.error?.message ?? "") + (failed.error?.detail ?? "")
      #expect(said.contains("127.0.0.1:9") || said.contains("127.0.0.1 9"), "\(said)")
      #expect(try await engine.install("delta").code == .succeeded)
    }
  }
}
