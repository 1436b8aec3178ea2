import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `A worker that is asked to stop` {
  private static let chain = [
    PackageFixture.held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    PackageFixture("q3", fields: ["Pre-Depends": "q2"]),
  ]

  @Test func `B16: stops a download at once and keeps what has arrived`() async throws {
    let scene = try await WorkScene([
      PackageFixture("large", files: [.init("usr/share/large/file", "large", size: 1 << 20)])
    ])
    let server = try HeldServer(scene.repository.path)
    defer { server.close() }
    try TestFolder.write(
      "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n",
      to: scene.root.path("etc/apt/sources.list"))
    try await scene.repository.refresh()
    let work = try await scene.job(.install, ["large"])
    let observer = try scene.start(work)
    #expect(await observer.until { if case .downloaded(_, 1...) = $0 { true } else { false } })
    #expect(await observer.run.requestStop() == .atOnce)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    let partial = work.folder.path(.archives) + "/partial/large_1.0_all.deb"
    #expect(TestFolder.size(of: partial) > 0)
    #expect(try await scene.repository.state(of: "large") == "absent")
    #expect(!observer.reports.contains(.stage(.installing)))
    server.release()
  }

  @Test func `B17: an abort while a package is unpacked lets it be configured`() async throws {
    var first = PackageFixture.held("p1")
    first.scripts[.preinst] = first.scripts.removeValue(forKey: .postinst)
    let scene = try await WorkScene([first] + Self.chain.dropFirst())
    let work = try await scene.job(.install, ["q3"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .unpacking))
    #expect(await observer.run.requestStop() == .after(step: 0))
    try scene.release("p1")
    #expect(await observer.end()?.stoppedAtBoundary == true)
    #expect(try await scene.repository.state(of: "p1") == "installed 1.0")
    #expect(try await scene.repository.state(of: "q2") == "absent")
    #expect(try await scene.repository.audit().isEmpty)
    let log = try #require(TestFolder.text(of: work.folder.path(.log)))
    #expect(log.contains("\nfettle: stopped here as requested; the rest was not begun\n"))
  }

  @Test func `apt's history has what was done before a stop, and no error`() async throws {
    let scene = try await WorkScene(Self.chain)
    let work = try await scene.job(.install, ["q3"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    #expect(await observer.run.requestStop() == .after(step: 0))
    try scene.release("p1")
    #expect(await observer.end()?.stoppedAtBoundary == true)
    let history = try #require(TestFolder.text(of: scene.root.path("var/log/apt/history.log")))
    #expect(history.contains("Start-Date: ") && history.contains("\nEnd-Date: "))
    #expect(history.contains("\nInstall: p1:") && !history.contains("q2:"))
    #expect(!history.contains("Error:"))
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test func `apt's terminal log has what dpkg and scripts printed, also of work that was stopped`()
    async throws
  {
    let scene = try await WorkScene(Self.chain)
    let work = try await scene.job(.install, ["q3"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    #expect(await observer.run.requestStop() == .after(step: 0))
    try scene.release("p1")
    #expect(await observer.end()?.stoppedAtBoundary == true)
    let path = scene.root.path("var/log/apt/term.log")
    let first = try #require(TestFolder.text(of: path))
    #expect(first.hasPrefix("\nLog started: ") && first.contains("\nSetting up p1 (1.0) ...\n"))
    #expect(first.split(separator: "\n").last?.hasPrefix("Log ended: ") == true)
    for word in ["fettle:", "E: ", "Reading package lists", "q2"] { #expect(!first.contains(word)) }
    // The next entry stands behind the first, which stays as it is.
    let next = try scene.start(try await scene.job(.install, ["q3"]))
    #expect(await next.end()?.exitStatus == 0)
    let both = try #require(TestFolder.text(of: path))
    #expect(both.hasPrefix(first) && both.contains("\nSetting up q3 (1.0) ...\nLog ended: "))
    let history = try #require(TestFolder.text(of: scene.root.path("var/log/apt/history.log")))
    #expect(history.contains("\nInstall: q2:") && !history.contains("Error:"))
  }

  @Test func `B18: the last step is not stopped`() async throws {
    let scene = try await WorkScene([.held("only")])
    let work = try await scene.job(.install, ["only"])
    let observer = try scene.start(work)
    #expect(await observer.until("only", .configuring))
    #expect(await observer.run.requestStop() == .finalStep(0))
    #expect(!TestFolder.exists(work.folder.path(.stop)))
    #expect(await observer.run.withdrawStop() == false)
    try scene.release("only")
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(try await scene.repository.state(of: "only") == "installed 1.0")
  }

  @Test func `a request that is taken back in time changes nothing`() async throws {
    let scene = try await WorkScene(Self.chain)
    let work = try await scene.job(.install, ["q3"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    #expect(await observer.run.requestStop() == .after(step: 0))
    #expect(await observer.run.withdrawStop())
    #expect(await observer.run.withdrawStop() == false)
    try scene.release("p1")
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(try await scene.repository.state(of: "q3") == "installed 1.0")
    #expect(await observer.run.withdrawStop() == false)
  }

  @Test func `a package that fails before the boundary does not move it`() async throws {
    var failing = PackageFixture.held("a1")
    failing.scripts[.postinst, default: ""] += "\nexit 3\n"
    let scene = try await WorkScene([failing, PackageFixture("b2"), PackageFixture("c3")])
    let work = try await scene.job(.install, ["a1", "b2", "c3"])
    let observer = try scene.start(work)
    #expect(await observer.until("a1", .configuring))
    #expect(await observer.run.requestStop() == .after(step: 0))
    try scene.release("a1")
    #expect(await observer.end() != nil)
    #expect(try await scene.repository.state(of: "a1") == "half-configured 1.0")
    #expect(try await scene.repository.state(of: "b2") == "absent")
    #expect(try await scene.repository.state(of: "c3") == "absent")
  }

  @Test func `B17: triggers that wait at the boundary are run`() async throws {
    var first = PackageFixture.held("p1")
    first.files.append(.init("usr/share/watched/p1", "p1\n"))
    let scene = try await WorkScene([
      first, PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
      PackageFixture("watcher", triggers: "interest-await /usr/share/watched\n"),
    ])
    try await scene.repository.apt("install", "watcher").expectSuccess("install")
    let work = try await scene.job(.install, ["q2"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    #expect(await observer.run.requestStop() == .after(step: 0))
    try scene.release("p1")
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    #expect(try await scene.repository.state(of: "p1") == "installed 1.0")
    #expect(try await scene.repository.state(of: "q2") == "absent")
    #expect(observer.phases(of: "p1").last == .done)
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test(arguments: [0, 9, 16, 20, 25, 31, 35, 40, 44, 60])
  func `B17: whenever it is asked, the answer is kept exactly`(moment: Int) async throws {
    let names = ["k0", "k1", "k2", "k3", "k4"]
    let scene = try await WorkScene(names.map { PackageFixture($0) })
    let work = try await scene.job(.install, names)
    let observer = try scene.start(work)
    _ = await observer.until { _ in observer.reports.count >= moment }
    let answer = await observer.run.requestStop()
    let end = await observer.end()
    let last: Int
    switch answer {
    case .atOnce: last = -1
    case .after(let step): last = step
    case .finalStep, .over, .impossible: last = names.count - 1
    }
    #expect(end?.exitStatus == 0)
    #expect(end?.stoppedAtBoundary == (last < names.count - 1))
    for (step, planned) in work.plan.steps.enumerated() {
      let state = try await scene.repository.state(of: planned.name)
      #expect(state == (step <= last ? "installed 1.0" : "absent"))
    }
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test func `a stop that cannot be written down is not promised`() async throws {
    let scene = try await WorkScene([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ])
    let work = try await scene.job(.install, ["q2"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    // In the way of the file, and not to be seen by the gate; and no room was set aside.
    #expect(unsafe symlink("/nonexistent/stop", work.folder.path(.stop)) == 0)
    #expect(unsafe unlink(work.folder.path(.stopRoom)) == 0)
    guard case .impossible = await observer.run.requestStop() else {
      Issue.record("the stop was answered as if it would happen")
      return
    }
    try scene.release("p1")
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(try await scene.repository.state(of: "q2") == "installed 1.0")
  }

  @Test func `a removal in one call is its own last step`() async throws {
    var held = PackageFixture("alpha")
    held.scripts[.prerm] = PackageFixture.held("alpha").scripts[.postinst]
    let scene = try await WorkScene([held, PackageFixture("beta")])
    try await scene.repository.apt("install", "alpha", "beta").expectSuccess("install")
    let work = try await scene.job(.remove, ["alpha", "beta"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .removing))
    let answer = await observer.run.requestStop()
    #expect(answer == .finalStep(1))
    try scene.release("alpha")
    #expect(await observer.end()?.exitStatus == 0)
    #expect(observer.phases(of: "beta") == [.removing, .done])
    #expect(try await scene.repository.state(of: "beta").hasPrefix("installed") == false)
  }

  @Test func `a wait for the lock names the holder, and ends when it is free`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let lock = try HeldLock(scene.root.frontendLock)
    let observer = try scene.start(work)
    #expect(await observer.until { $0.holder?.pid == getpid() })
    #expect(await observer.run.previewStop() == .atOnce)
    lock.release()
    #expect(await observer.end()?.exitStatus == 0)
    #expect(try await scene.repository.state(of: "delta") == "installed 1.0")
  }

  @Test func `a dpkg whose front end was killed is waited for, too`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let lock = try HeldLock(scene.root.databaseLock)
    let observer = try scene.start(work)
    #expect(await observer.until { $0.holder?.pid == getpid() })
    #expect(!observer.reports.contains(.stage(.installing)))
    lock.release()
    #expect(await observer.end()?.exitStatus == 0)
    #expect(try await scene.repository.state(of: "delta") == "installed 1.0")
  }

  @Test func `the wait for it is bounded with the other one`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    var options = InstallationOptions()
    options.lockSeconds = 0.05
    let work = try await scene.job(.install, ["delta"], options: options)
    let lock = try HeldLock(scene.root.databaseLock)
    #expect(try await scene.start(work).end()?.error?.code == .busy)
    lock.release()
  }

  @Test func `a wait for the lock is given up at once`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let lock = try HeldLock(scene.root.frontendLock)
    let observer = try scene.start(work)
    #expect(await observer.until { $0.holder != nil })
    #expect(await observer.run.requestStop() == .atOnce)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    lock.release()
    #expect(try await scene.repository.state(of: "delta") == "absent")
  }

  @Test func `a wait for the lock that runs out of time says who holds it`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    var options = InstallationOptions()
    options.lockSeconds = 0.05
    let work = try await scene.job(.install, ["delta"], options: options)
    let lock = try HeldLock(scene.root.frontendLock)
    let end = try await scene.start(work).end()
    #expect(end?.error?.code == .busy)
    #expect(end?.error?.message.contains("\(getpid())") == true)
    lock.release()
  }
}

extension WorkReport {
  fileprivate var holder: LockHolder? {
    if case .stage(.waitingForLock(let holder)) = self { holder } else { nil }
  }
}

/// The frontend lock, held by the test process.
private final class HeldLock {
  private let file: Int32

  init(_ path: String) throws {
    if !TestFolder.exists(path) { try TestFolder.write("", to: path, mode: 0o640) }
    file = unsafe open(path, O_RDWR | O_CLOEXEC)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    guard unsafe fcntl(file, F_SETLK, &lock) == 0 else { throw FixtureError("cannot lock") }
  }

  func release() { close(file) }
}
