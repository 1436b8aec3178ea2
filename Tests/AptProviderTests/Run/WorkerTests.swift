import AptProvider
import Glibc
import HostSystem
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `A worker on a private root` {
  @Test func `installs with dependencies, one package after the other`() async throws {
    let scene = try await WorkScene()
    let work = try await scene.job(.install, ["q3", "omega"])
    let begin = Timestamp.now
    let observer = try scene.start(work)
    let end = await observer.end()
    #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    let time = try #require(observer.endedAt)
    #expect(begin <= time && time <= .now)
    for name in ["p1", "q2", "q3", "alpha", "omega"] {
      #expect(try await scene.repository.state(of: name).hasPrefix("installed"))
      #expect(
        observer.phases(of: name) == [
          .downloading, .downloaded, .unpacking, .unpacked, .configuring, .done,
        ])
    }
    #expect(observer.failures.isEmpty)
    #expect(try await scene.repository.audit().isEmpty)
    #expect(observer.reports.contains(.stage(.downloading)))
    #expect(observer.reports.contains(.stage(.installing)))
  }

  @Test func `apt's own history names the job and who asked for it`() async throws {
    let scene = try await WorkScene([PackageFixture("alpha")])
    var work = try await scene.job(.install, ["alpha"], number: 7)
    // A user that every Debian machine has: apt names no users that the machine does not know.
    work.requester = 1
    try scene.prepare(work)
    let end = await (try scene.start(work)).end()
    #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    let history = try #require(TestFolder.text(of: scene.root.path("var/log/apt/history.log")))
    #expect(history.contains("Fettle::Job=7 "), "\(history)")
    #expect(history.contains("Requested-By: daemon (1)"), "\(history)")
  }

  @Test func `B17: an abort in a script stops after the named package`() async throws {
    let scene = try await WorkScene([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
      PackageFixture("q3", fields: ["Pre-Depends": "q2"]),
    ])
    let work = try await scene.job(.install, ["q3"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    let preview = await observer.run.previewStop()
    #expect(preview == .after(step: 0))
    let answer = await observer.run.requestStop()
    #expect(answer == .after(step: 0))
    #expect(work.plan.steps[0].name == "p1")
    let again = await observer.run.requestStop()
    #expect(again == answer)
    try scene.release("p1")
    let end = await observer.end()
    #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    #expect(try await scene.repository.state(of: "p1") == "installed 1.0")
    #expect(try await scene.repository.state(of: "q2") == "absent")
    #expect(try await scene.repository.state(of: "q3") == "absent")
    #expect(try await scene.repository.audit().isEmpty)
    #expect(await observer.run.requestStop() == answer, "also when it has stopped for it")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a private root is never worked on as root`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let provider = AptProvider(root: scene.root, workerExecutable: WorkScene.executable)
    let error = await #expect(throws: InstallationError.self) {
      _ = try await provider.start(work)
    }
    #expect(error?.code == .notPermitted)
    #expect(!TestFolder.exists(work.folder.path(.started)))
  }

  @Test(.enabled(if: geteuid() != 0))
  func `the provider starts work and follows it`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let provider = AptProvider(root: scene.root, workerExecutable: WorkScene.executable)
    let observer = WorkObserver(try await provider.start(work), plan: work.plan)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    let again = WorkObserver(await provider.follow(work, from: [:]), plan: work.plan)
    #expect(await again.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
  }

  @Test func `a worker that cannot be started is an error with a next step`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let launch = WorkerLaunch(executable: "/nonexistent/fettled")
    let error = #expect(throws: InstallationError.self) {
      _ = try launch.start(in: work.folder, plan: work.plan)
    }
    #expect(error?.hint != nil)
  }

  @Test func `work is begun once`() async throws {
    let scene = try await WorkScene([.held("alpha")])
    let work = try await scene.job(.install, ["alpha"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .configuring))
    let second = try await TestUser.run([WorkScene.executable, "work", work.folder.path])
    #expect(second.status == 1)
    let error = #expect(throws: InstallationError.self) {
      try JobPreparation(of: work, on: scene.root).write()
    }
    #expect(error != nil)
    try scene.release("alpha")
    #expect(await observer.end()?.exitStatus == 0)
  }

  @Test func `a folder that an engine died over while it made it ready is made ready by the next`()
    async throws
  {
    let beta = PackageFixture("beta", fields: ["Depends": "alpha"])
    let scene = try await WorkScene([.held("alpha"), beta])
    let work = try await scene.job(.install, ["beta"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .configuring))
    let asked = StopRequest.suspend(by: Requester(uid: 1, user: "ops"))
    _ = await observer.run.requestStop(asked, at: Timestamp.now)
    try scene.release("alpha")
    #expect(await observer.end()?.stoppedAtBoundary == true)
    for entry in [JobFolder.Entry.stop, .stopped, .calls, .started] {
      unsafe unlink(work.folder.path(entry))
    }

    var rest = work
    rest.finishedSteps = [0]
    try scene.prepare(rest)
    #expect(!TestFolder.exists(work.folder.path(.exit)))
    #expect(await WorkObserver(try scene.start(rest).run, plan: rest.plan).end()?.exitStatus == 0)
    #expect(try await scene.repository.state(of: "beta") == "installed 1.0")
  }
}
