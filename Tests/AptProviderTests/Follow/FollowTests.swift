import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Following work` {
  @Test func `P19: work outlives the process that started it and is followed to its end`()
    async throws
  {
    let scene = try await WorkScene([.held("alpha"), PackageFixture("beta")])
    let work = try await scene.job(.install, ["alpha", "beta"])
    // A stand-in for the engine: it starts the worker as the engine does and is killed.
    let engine = try Bystander(
      ["/bin/sh", "-c", #"/usr/bin/setsid "$@" & wait"#, "sh"] + TestUser.prefix + [
        WorkScene.executable, "work", work.folder.path,
      ])
    try await eventually("the worker") { TestFolder.exists(work.folder.path(.started)) }
    let first = WorkObserver(AptRun(folder: work.folder, plan: work.plan), plan: work.plan)
    #expect(await first.until("alpha", .configuring))
    let offsets = first.offsets
    engine.kill()
    let second = WorkObserver(
      AptRun(folder: work.folder, plan: work.plan, from: offsets), plan: work.plan)
    try scene.release("alpha")
    #expect(await second.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(second.phases(of: "alpha") == [.done])
    #expect(second.phases(of: "beta") == [.unpacking, .unpacked, .configuring, .done])
    #expect(try await scene.repository.state(of: "beta") == "installed 1.0")
  }

  @Test func `work whose worker is killed is reported lost when its tools have ended`()
    async throws
  {
    let scene = try await WorkScene([.held("alpha")])
    let work = try await scene.job(.install, ["alpha"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .configuring))
    let pid = try #require(workerNumber(work))
    #expect(getsid(pid) == pid)
    kill(pid, SIGKILL)
    // The tools go on, which is told; only with their end is the work lost.
    #expect(await observer.until { $0 == .abandoned })
    try scene.release("alpha")
    #expect(await observer.end() == nil)
    #expect(observer.reports.last == .lost)
    #expect(observer.phases(of: "alpha").last == .done)
    #expect(try await scene.repository.state(of: "alpha") == "installed 1.0")
    let later = WorkObserver(AptRun(folder: work.folder, plan: work.plan), plan: work.plan)
    #expect(await later.end() == nil)
    #expect(later.reports.last == .lost)
  }

  @Test(arguments: ["lock-frontend", "lock"])
  func `work whose worker is gone is not judged while somebody holds a lock of the database`(
    lock: String
  ) async throws {
    let (scene, work) = try await abandonedWork()
    let keeper = try await LockKeeper(scene.root.adminDirectory + "/" + lock)
    let clock = ManualClock()
    let isOver = Locked(false)
    let following = Task {
      let run = AptRun(folder: work.folder, plan: work.plan, clock: clock)
      for await _ in run.batches {}
      withExtendedLifetime(run) { isOver.change { $0 = true } }
    }
    try await clock.waitForSleepers(1)
    #expect(!isOver.value)
    // Heard of at once: no look at the clock is needed.
    keeper.end()
    await following.value
  }

  @Test func `a lock that is let go without a sign is noticed at the next look`() async throws {
    let (scene, work) = try await abandonedWork()
    let keeper = try await LockKeeper(scene.root.adminDirectory + "/lock")
    let clock = ManualClock()
    let isOver = Locked(false)
    let following = Task {
      let run = AptRun(folder: work.folder, plan: work.plan, clock: clock)
      for await _ in run.batches {}
      withExtendedLifetime(run) { isOver.change { $0 = true } }
    }
    try await clock.waitForSleepers(1)
    try await keeper.letGo()
    await clock.advance { isOver.value }
    await following.value
    keeper.end()
  }

  @Test func `however often a lock is looked at, one look is ahead`() async throws {
    let (scene, work) = try await abandonedWork()
    let keeper = try await LockKeeper(scene.root.adminDirectory + "/lock")
    let clock = ManualClock()
    let following = Task {
      let run = AptRun(folder: work.folder, plan: work.plan, clock: clock)
      for await _ in run.batches {}
      withExtendedLifetime(run) {}
    }
    try await clock.waitForSleepers(1)
    for number in 0..<5 {
      let begun = clock.sleepsBegun
      try TestFolder.write("", to: scene.root.adminDirectory + "/closed-\(number)")
      try await eventually("another look") { clock.sleepsBegun > begun }
    }
    #expect(clock.sleeperCount <= 1)
    keeper.end()
    await following.value
    try await eventually("no look ahead", within: .seconds(20)) { clock.sleeperCount == 0 }
  }

  @Test func `work without a worker cannot be asked to stop, and says why`() async throws {
    let (scene, work) = try await abandonedWork()
    let run = AptRun(folder: work.folder, plan: work.plan)
    for answer in [await run.previewStop(), await run.requestStop(), await run.requestStop()] {
      guard case .impossible(let reason) = answer else {
        Issue.record("\(answer)")
        continue
      }
      #expect(reason.contains("worker"))
    }
    #expect(!TestFolder.exists(work.folder.path(.stop)))
    withExtendedLifetime(scene) {}
  }

  @Test func `nobody can stop what goes on without its worker, and no stop is promised`()
    async throws
  {
    let scene = try await WorkScene([.held("alpha"), PackageFixture("beta")])
    let work = try await scene.job(.install, ["alpha", "beta"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .configuring))
    kill(try #require(workerNumber(work)), SIGKILL)
    #expect(await observer.until { $0 == .abandoned })
    for answer in [await observer.run.previewStop(), await observer.run.requestStop()] {
      guard case .impossible(let reason) = answer else {
        Issue.record("\(answer)")
        continue
      }
      #expect(reason.hasPrefix("its worker is gone"))
    }
    #expect(!TestFolder.exists(work.folder.path(.stop)))
    try scene.release("alpha")
    #expect(await observer.end() == nil)
  }

  /// Work whose worker was killed and whose tools have ended.
  private func abandonedWork() async throws -> (WorkScene, JobWork) {
    let scene = try await WorkScene([.held("alpha")])
    let work = try await scene.job(.install, ["alpha"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .configuring))
    kill(try #require(workerNumber(work)), SIGKILL)
    try scene.release("alpha")
    #expect(await observer.end() == nil)
    return (scene, work)
  }

  @Test func `work that was never begun is lost, and a late worker refuses`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let work = try await scene.job(.install, ["delta"])
    let observer = WorkObserver(AptRun(folder: work.folder, plan: work.plan), plan: work.plan)
    #expect(await observer.end() == nil)
    #expect(observer.reports == [.lost])
    let late = try await TestUser.run([WorkScene.executable, "work", work.folder.path])
    #expect(late.status == 1)
    #expect(try await scene.repository.state(of: "delta") == "absent")
  }

  @Test func `work that has ended is read from the beginning again, the same`() async throws {
    let scene = try await WorkScene()
    let work = try await scene.job(.install, ["q3"])
    let first = try scene.start(work)
    let end = await first.end()
    let second = WorkObserver(AptRun(folder: work.folder, plan: work.plan), plan: work.plan)
    #expect(await second.end() == end)
    for step in work.plan.steps {
      #expect(
        second.phases(of: step.name).suffix(4) == first.phases(of: step.name).suffix(4))
    }
    let third = WorkObserver(
      AptRun(folder: work.folder, plan: work.plan, from: second.offsets), plan: work.plan)
    #expect(await third.end() == end)
    #expect(third.reports.count == 1)
  }

  @Test func `B28: a job that was stopped goes on with the rest`() async throws {
    let scene = try await WorkScene([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ])
    var work = try await scene.job(.install, ["q2"])
    let first = try scene.start(work)
    #expect(await first.until("p1", .configuring))
    #expect(await first.run.requestStop() == .after(step: 0))
    try scene.release("p1")
    #expect(await first.end()?.stoppedAtBoundary == true)
    work.finishedSteps = [0]
    try scene.prepare(work)
    let second = try scene.start(work)
    #expect(await second.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(second.phases(of: "p1").allSatisfy { $0 <= .downloaded })
    #expect(try await scene.repository.state(of: "q2") == "installed 1.0")
  }

  @Test func `the position of a process in its archive is the share that is unpacked`() throws {
    let folder = try TestFolder()
    let path = folder.path("large_1_all.deb")
    try TestFolder.write([UInt8](repeating: 7, count: 1000), to: path)
    let gauge = UnpackGauge(process: getpid())
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    lseek(file, 250, SEEK_SET)
    #expect(gauge.share() == 0.25)
    close(file)
    #expect(UnpackGauge(process: 0).share() == nil)
  }

  private func workerNumber(_ work: JobWork) -> Int32? {
    let text = TestFolder.text(of: work.folder.path(.started)) ?? ""
    guard let field = text.split(separator: "\"pid\":").last else { return nil }
    return Int32(field.prefix { $0.isNumber })
  }
}

/// A process that a test starts in order to kill it.
private final class Bystander {
  private let pid: pid_t

  init(_ command: [String]) throws {
    var pid: pid_t = 0
    var arguments = unsafe command.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { while let argument = unsafe arguments.popLast() { unsafe free(argument) } }
    let error = unsafe posix_spawn(&pid, command[0], nil, nil, arguments, environ)
    guard error == 0 else { throw FixtureError("cannot start \(command[0])") }
    self.pid = pid
  }

  func kill() {
    Glibc.kill(pid, SIGKILL)
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
  }
}

/// A process that holds a lock as dpkg does; no process of the job.
private final class LockKeeper {
  private let process: Bystander
  private let folder: TestFolder

  /// Returns once the lock is held.
  init(_ path: String) async throws {
    folder = try TestFolder()
    // A file says when each of its two acts is done.
    let program = #"""
      use Fcntl; open(my $f, "+>>", $ARGV[0]) or die;
      sub act { fcntl($f, F_SETLKW, pack("s s x4 q q l x4", $_[0], 0, 0, 0, 0)) or die;
        open(my $r, ">", "$ARGV[1]/$_[1]") or die; close $r }
      my $test = getppid; act(F_WRLCK, "held");
      while (getppid == $test) { select(undef, undef, undef, 0.01); next unless -e "$ARGV[1]/go";
        unlink("$ARGV[1]/go"); act(F_UNLCK, "free") }
      """#
    process = try Bystander(["/usr/bin/perl", "-e", program, path, folder.path])
    try await appears("held")
  }

  /// Lets go of the lock and keeps its file open.
  func letGo() async throws {
    try TestFolder.write("", to: folder.path("go"))
    try await appears("free")
  }

  func end() { process.kill() }

  private func appears(_ name: String) async throws {
    try await eventually("the lock \(name)") { TestFolder.exists(self.folder.path(name)) }
  }
}
