import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import HostSystem
@testable import PackageProvider

extension JobRun {
  /// Asks for an abort by somebody whose name does not matter.
  func requestStop() async -> StopAnswer {
    await requestStop(.abort(by: Requester(uid: 1000, user: "ops")), at: Timestamp(milliseconds: 0))
  }
}

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `Who asked for a stop` {
  private static let time = Timestamp(milliseconds: 1_763_932_838_123)
  private static let ops = Requester(uid: 1000, user: "ops")

  @Test(arguments: [
    StopRequest.abort(by: ops), .suspend(by: ops),
    .abort(by: Requester(uid: .max, user: "of two  words")),
    .suspend(by: Requester(uid: 5, user: "\u{301}e")),
  ]) func `stands in a line, and is read from it`(request: StopRequest) {
    let record = StopRecord(request, at: Self.time)
    #expect(StopRecord(line: record.line) == record)
    #expect(record.line.utf8.count == 96)
    let plan = JobPlan(requests: [], steps: [])
    var decision = StopDecision(
      calls: [], sequence: WorkSequence(of: plan), plan: plan,
      names: PlanNames(plan, native: "amd64"))
    decision.answer = .after(step: 3)
    decision.permittedNames = ["p1"]
    let text = decision.text(for: record)
    #expect(StopDecision.answer(recordedIn: text) == .after(step: 3))
    #expect(StopDecision.record(in: text) == record)
    #expect(text.hasSuffix("\np1\n"))
  }

  @Test(arguments: [
    ("a\nb\u{1B}[31m", "ab[31m"),
    (String(repeating: "é", count: 40), String(repeating: "é", count: 24)),
  ]) func `is one line whatever the name is`(name: String, kept: String) {
    let line = StopRecord(.abort(by: Requester(uid: .max, user: name)), at: Self.time).line
    #expect(line.utf8.count == 96)
    #expect(StopRecord(line: line)?.request.requester.user == kept)
  }

  @Test(arguments: ["", "p1", "# after 3", "# abort x 5 ops", "# halt 0 5 ops", "# abort 0 5"])
  func `is not told by any other line`(line: String) {
    #expect(StopRecord(line: line) == nil)
    #expect(StopDecision.record(in: "# after 3\n\(line)\n") == nil)
  }

  @Test func `is known of the work: the first, and an abort before a request to go on later`()
    async throws
  {
    let scene = try await WorkScene([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ])
    let work = try await scene.job(.install, ["q2"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    #expect(await observer.run.pendingStop() == PendingStop.none)
    let other = Requester(uid: 7, user: "a-longer-name")
    let asked: [(StopRequest, StopRequest)] = [
      (.suspend(by: Self.ops), .suspend(by: Self.ops)),
      (.suspend(by: Requester(uid: 0, user: "root")), .suspend(by: Self.ops)),
      (.abort(by: other), .abort(by: other)), (.abort(by: Self.ops), .abort(by: other)),
      (.suspend(by: Self.ops), .abort(by: other)),
    ]
    for (request, standing) in asked {
      #expect(await observer.run.requestStop(request, at: Self.time) == .after(step: 0))
      let stop = await AptRun(folder: work.folder, plan: work.plan).pendingStop()
      #expect(stop == .requested(StopRecord(standing, at: Self.time), .after(step: 0)))
    }
    try scene.release("p1")
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    #expect(try await scene.repository.state(of: "p1") == "installed 1.0")
    #expect(try await scene.repository.state(of: "q2") == "absent")
    let last = StopRecord(.abort(by: other), at: Self.time)
    #expect(
      await observer.run.pendingStop() == .requested(last, .after(step: 0)),
      "for whoever follows it")
  }

  @Test func `an abort of work that has stopped to be held is answered as the hold was`()
    async throws
  {
    let folder = try TestFolder()
    let job = JobFolder(path: folder.path)
    let plan = JobPlan(requests: [], steps: [])
    let run = AptRun(folder: job, plan: plan)
    let hold = StopRecord(.suspend(by: Self.ops), at: Self.time)
    #expect(job.create(.stop, "# after 0\n\(hold.line)\np1\n"))
    #expect(job.write(WorkEnd(exitStatus: 0, stoppedAtBoundary: true), to: .exit))
    let abort = StopRequest.abort(by: Requester(uid: 7, user: "other"))
    #expect(await run.previewStop() == .after(step: 0))
    #expect(await run.requestStop(abort, at: Self.time) == .after(step: 0))
    #expect(
      await run.pendingStop() == .requested(StopRecord(abort, at: Self.time), .after(step: 0)))
    // What came to its end all the same was not stopped, and nobody is promised that it was.
    let text = job.text(of: .stop)
    #expect(job.write(WorkEnd(exitStatus: 0, stoppedAtBoundary: false), to: .exit))
    #expect(await run.requestStop(.abort(by: Self.ops), at: Self.time) == .over)
    #expect(job.text(of: .stop) == text)
    // Taken back before it had an effect, and on to the end.
    #expect(job.write(ProcessIdentity(boot: "another", pid: 1, started: 1), to: .started))
    #expect(await run.pendingStop() == .over)
    job.remove(.stop)
    #expect(await run.pendingStop() == PendingStop.none)
  }

  @Test func `takes its place where an older worker's request does not tell who asked`()
    async throws
  {
    let folder = try TestFolder()
    let job = JobFolder(path: folder.path)
    let run = AptRun(folder: job, plan: JobPlan(requests: [], steps: []))
    #expect(job.create(.stop, "# after 2\np1\np1:all\n"))
    #expect(await run.pendingStop() == .requested(nil, .after(step: 2)))
    let request = StopRequest.abort(by: Self.ops)
    #expect(await run.requestStop(request, at: Self.time) == .after(step: 2))
    let record = StopRecord(request, at: Self.time)
    #expect(await run.pendingStop() == .requested(record, .after(step: 2)))
    #expect(job.text(of: .stop) == "# after 2\n\(record.line)\np1\np1:all\n")
  }
}
