import HostSystem
import InstallJobs
import JobEngine
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Sessions and installers` {
  @Test func `A1, A42: default options of one installer are not another's`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let first = try fixture.installer()
    let second = try fixture.installer()
    var options = await first.defaultOptions
    options.priority = 7
    await first.setDefaultOptions(options)
    #expect(await second.defaultOptions.priority == 0)
  }

  @Test func `A2, A20: an installer needs no session, and answers while it waits for a result`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = UpdateInstaller(backend: fixture.backend)
    let installing = Task { try await installer.install(["p1", "p2", "p3"].map { Update($0) }) }
    let run = try #require(await work.next())
    #expect(try await installer.activity == .job(JobID(1)))
    run.performAllSteps()
    let result = try await installing.value
    #expect(result.code == .succeeded && result.updateResults.count == 3)
  }

  @Test func `D21: a repair of a machine on which nothing is broken succeeds`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let job = try await fixture.installer().begin(JobRequest(.repair, []))
    #expect(try await job.result.code == .succeeded)
    #expect(try fixture.journal.job(job.id, withPlan: false).percentComplete == 100)
  }

  @Test func `A3, A36, Y9: the client's name stands in the journal, unknown when unset`()
    async throws
  {
    let fixture = try await EngineFixture.playing(.instant(2))
    let acme = try UpdateSession(backend: fixture.backend, clientName: "acme").makeInstaller()
    let named = try await acme.beginInstallation(of: [Update("p1")])
    let plain = UpdateInstaller(backend: fixture.backend)
    let unnamed = try await plain.beginInstallation(of: [Update("p2")])
    _ = try await (named.result, unnamed.result)
    #expect(try fixture.journal.job(named.id, withPlan: false).options.clientName == "acme")
    #expect(try fixture.journal.job(unnamed.id, withPlan: false).options.clientName == "unknown")
  }

  @Test func `A4: a read-only session makes no installer`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let session = UpdateSession(backend: fixture.backend, clientName: "eye", isReadOnly: true)
    let error = #expect(throws: InstallationError.self) { try session.makeInstaller() }
    #expect(error?.code == .notPermitted)
    #expect(try await session.jobs().isEmpty)
  }

  @Test func `A5: the session's proxy is frozen with its jobs`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    var session = fixture.session
    session.proxy = "http://127.0.0.1:9"
    let job = try await session.makeInstaller().beginInstallation(of: [Update("p1")])
    #expect(job.options.proxy == "http://127.0.0.1:9")
    #expect(await work.next()?.work.request.options.proxy == "http://127.0.0.1:9")
    #expect(try await fixture.installer().defaultOptions.proxy == nil)
  }

  @Test func `A7: updates with a newer version in the index are listed`() async throws {
    let scenario = Scenario(
      name: "upgrade",
      packages: [SimulatedPackage("alpha", "2.0").modified { $0.installed = "1.0" }])
    let fixture = try await EngineFixture.playing(scenario)
    let updates = try await fixture.session.upgradableUpdates()
    #expect(updates.map(\.name) == ["alpha"])
    #expect(updates.first?.fromVersion == "1.0" && updates.first?.toVersion == "2.0")
  }

  @Test func `A8, L1: updates keep the order of the request`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p2"), Update("p1")])
    #expect(job.updates == [Update("p2"), Update("p1")])
  }

  @Test func `A9, B21: begin returns before the work has moved, an abort too`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    #expect(await !job.isCompleted)
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    #expect(try await job.requestAbort().stopsAfter == "p1")
    #expect(await !job.isCompleted, "the step is still running")
  }

  @Test func `A10: each package is shown at work, to a closure and to a reader`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let (told, read) = (Recorder<String>(), Recorder<String>())
    let names = ["p1", "p2", "p3"]
    let job = try await fixture.installer().beginInstallation(
      of: names.map { Update($0) },
      onProgress: { _, progress in
        if progress.state == .installing { told.note(progress.currentItem ?? "") }
      })
    let reading = Task {
      for try await progress in job.progressUpdates where progress.state == .installing {
        read.note(progress.currentItem ?? "")
      }
    }
    let run = try #require(await work.next())
    run.download()
    for (step, name) in names.enumerated() {
      run.beginStep(step)
      try await eventually { told.values.contains(name) && read.values.contains(name) }
      run.finishStep(step)
    }
    run.end()
    #expect(try await job.result.code == .succeeded)
    try await reading.value
  }

  @Test func `A10, A11: without callbacks a job goes the same way`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    await work.next()?.performAllSteps()
    let result = try await job.result
    #expect(result.code == .succeeded && result.updateResults.count == 2)
    #expect(try fixture.journal.job(job.id, withPlan: false).percentComplete == 100)
  }

  @Test func `A11, A18: completion is called once, with the result that others have waited for`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let completed = Recorder<InstallationResult>()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")],
      onCompletion: { job in
        guard await job.isCompleted, let result = try? await job.result else { return }
        completed.note(result)
      })
    let waiting = Task { try await job.result }
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.state == .installing }
    #expect(completed.values.isEmpty)
    run.finishStep(0)
    run.end()
    let result = try await waiting.value
    #expect(result.code == .succeeded)
    try await job.cleanUp()
    #expect(completed.values == [result])
  }

  private final class Ticket: Sendable {}

  @Test func `A12, R9: userInfo is handed to both callbacks untouched`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let ticket = Ticket()
    let seen = Recorder<Bool>()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")], userInfo: ticket,
      onProgress: { job, _ in seen.note(job.userInfo as? Ticket === ticket) },
      onCompletion: { job in seen.note(job.userInfo as? Ticket === ticket) })
    try await job.cleanUp()
    #expect(seen.values.count >= 2 && seen.values.allSatisfy(\.self))
  }

  @Test func `A13: an empty list throws and leaves no entry`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.installer().beginInstallation(of: [])
    }
    #expect(error?.code == .noUpdates)
    #expect(try await fixture.session.jobs().isEmpty)
  }

  @Test func `A14, B12, N1: a second job waits in place 1, or fails with the first's number`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    let first = try await installer.beginInstallation(of: [Update("p1")])
    let second = try await installer.beginInstallation(of: [Update("p2")])
    let waiting = await second.progress
    #expect(waiting.state == .queued && waiting.queuePosition == 1)
    #expect(waiting.waitingFor?.job == first.id)
    #expect(waiting.currentIndex == nil && waiting.currentItem == nil)
    #expect(waiting.overallFraction == 0 && waiting.downloadedBytes == 0)
    var options = InstallationOptions()
    options.whenBusy = .fail
    let error = await #expect(throws: InstallationError.self) {
      try await installer.beginInstallation(of: [Update("p3")], options: options)
    }
    #expect(error?.code == .busy && error?.message.contains("job \(first.id)") == true)
    await work.next()?.performAllSteps()
    await work.next()?.performAllSteps()
    #expect(try await first.result.code == .succeeded)
    #expect(try await second.result.code == .succeeded)
  }

  @Test func `a request that must not wait is refused by no job whose time has not come`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    var later = InstallationOptions()
    later.earliestStart = Timestamp.now.advanced(bySeconds: 86_400)
    let first = try await installer.beginInstallation(of: [Update("p1")], options: later)
    var following = InstallationOptions()
    following.after = first.id
    _ = try await installer.beginInstallation(of: [Update("p2")], options: following)
    var options = InstallationOptions()
    options.whenBusy = .fail
    let job = try await installer.beginInstallation(of: [Update("p3")], options: options)
    await work.next()?.performAllSteps()
    #expect(try await job.result.code == .succeeded)
  }

  @Test func `A16, A38: a pending restart blocks only where the policy is strict`() async throws {
    let scenario = Scenario(
      name: "kernel",
      packages: [
        SimulatedPackage("kernel").instant.modified { $0.requiresReboot = true },
        SimulatedPackage("alpha").instant,
      ])
    for strict in [true, false] {
      let fixture = try await EngineFixture.playing(scenario) { $0.requiresRebootFirst = strict }
      let installer = try fixture.installer()
      #expect(try await !installer.requiresRebootBeforeInstallation)
      #expect(try await installer.install([Update("kernel")]).requiresReboot)
      #expect(try await installer.requiresRebootBeforeInstallation == strict)
      guard strict else {
        #expect(try await installer.install([Update("alpha")]).code == .succeeded)
        continue
      }
      let error = await #expect(throws: InstallationError.self) {
        try await installer.install([Update("alpha")])
      }
      #expect(error?.code == .rebootRequiredFirst)
      #expect(error?.message.contains("kernel") == true)
      var options = InstallationOptions()
      options.ignoresPendingReboot = true
      #expect(try await installer.install([Update("alpha")], options: options).code == .succeeded)
    }
  }

  @Test func `A17: an exclusive update is refused in company`() async throws {
    let scenario = Scenario(
      name: "exclusive",
      packages: [
        SimulatedPackage("libc6").instant.modified { $0.isExclusive = true },
        SimulatedPackage("alpha").instant,
      ])
    let fixture = try await EngineFixture.playing(scenario)
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.installer().install([Update("libc6"), Update("alpha")])
    }
    #expect(error?.code == .exclusiveConflict)
    #expect(try await fixture.session.jobs().isEmpty)
    #expect(try await fixture.installer().install([Update("libc6")]).code == .succeeded)
  }

  @Test func `A19, R2, R13: any number of tasks await one result`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let results = try await withThrowingTaskGroup(of: InstallationResult.self) { group in
      for _ in 0..<20 { group.addTask { try await job.result } }
      await work.next()?.performAllSteps()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 20 && Set(results).count == 1)
    #expect(results.first?.code == .succeeded)
  }

  @Test func `A21: cancelling the task that installs asks for an abort and still gets a result`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    let task = Task { try await installer.install(["p1", "p2", "p3"].map { Update($0) }) }
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { try await fixture.session.job(JobID(1)).progress.currentItem == "p1" }
    task.cancel()
    try await eventually { run.isStopping }
    run.finishStep(0)
    run.end(exitStatus: 100, stopped: true)
    let result = try await task.value
    #expect(result.code == .aborted)
    #expect(result.updateResults.map(\.code) == [.succeeded, .notStarted, .notStarted])
  }

  @Test func `A22, A23, A24: a removal is a job of its own kind, and calls back as others do`()
    async throws
  {
    let scenario = Scenario(
      name: "removal",
      packages: [SimulatedPackage("alpha").instant.modified { $0.installed = "1.0" }])
    let fixture = try await EngineFixture.playing(scenario)
    let ticket = Ticket()
    let (progress, completed) = (Recorder<Bool>(), Recorder<Bool>())
    let job = try await fixture.installer().beginUninstallation(
      of: [Update("alpha")], userInfo: ticket,
      onProgress: { job, _ in progress.note(job.userInfo as? Ticket === ticket) },
      onCompletion: { job in completed.note(job.userInfo as? Ticket === ticket) })
    #expect(job.kind == .uninstallation)
    #expect(try await job.result.code == .succeeded)
    try await job.cleanUp()
    #expect(fixture.provider.database["alpha:amd64"].version == nil)
    #expect(completed.values == [true])
    #expect(!progress.values.isEmpty && progress.values.allSatisfy(\.self))
  }

  @Test func `A25: what must not be removed is refused`() async throws {
    let scenario = Scenario(
      name: "essential",
      packages: [
        SimulatedPackage("ess").modified {
          $0.installed = "1.0"
          $0.isEssential = true
        }
      ])
    let fixture = try await EngineFixture.playing(scenario)
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.installer().uninstall([Update("ess")])
    }
    #expect(error?.code == .notUninstallable)
    #expect(fixture.provider.database["ess:amd64"].version == "1.0")
  }

  @Test func `A29: busy while a job runs or somebody holds the lock`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    #expect(try await !installer.isBusy)
    let job = try await installer.beginInstallation(of: [Update("p1")])
    #expect(try await installer.activity == .job(job.id))
    await work.next()?.performAllSteps()
    _ = try await job.result
    #expect(try await !installer.isBusy)

    var held = Scenario.instant(1)
    held.lock = Scenario.Lock(LockHolder(pid: 4321, command: "apt-get"), seconds: 60)
    let other = try await EngineFixture.playing(held).installer()
    #expect(try await other.activity == .foreign(LockHolder(pid: 4321, command: "apt-get")))
  }

  @Test func `A42: changing the options after begin changes no job`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    var options = InstallationOptions()
    options.comment = "before"
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")], options: options)
    options.comment = "after"
    #expect(job.options.comment == "before")
    #expect(try fixture.journal.job(job.id, withPlan: false).options.comment == "before")
  }

  @Test func `A43, R14: what the index does not have is refused before anything`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let error = await #expect(throws: InstallationError.self) {
      try await fixture.installer().install([Update("nosuch")])
    }
    #expect(error?.code == .notApplicable && error?.message.contains("nosuch") == true)
    #expect(try await fixture.session.jobs().isEmpty)
  }

  @Test func `N7: a plan that the index has left behind is not carried out`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let installer = try fixture.installer()
    let first = try await installer.beginInstallation(of: [Update("p1")])
    let second = try await installer.beginInstallation(of: [Update("p2")])
    let run = try #require(await work.next())
    fixture.provider.changeIndex()
    run.performAllSteps()
    #expect(try await first.result.code == .succeeded)
    let result = try await second.result
    #expect(result.code == .failed && result.error?.code == .planOutOfDate)
    #expect(result.updateResults.map(\.code) == [.notStarted])
  }
}
