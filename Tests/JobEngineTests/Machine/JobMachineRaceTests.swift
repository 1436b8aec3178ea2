import InstallJobs
import PackageProvider
import Testing

@testable import JobEngine

/// Answers that are heard after what they are about has happened.
@Suite struct `Requests that race with the work` {
  private let ops = JobMachineFixture.ops

  @Test func `B17: work that stopped before its answer was heard is an accepted abort`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.feed(.abort(by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .finalizing)
    let actions = try job.feed(.abortAnswered(.after(step: 0), by: ops))
    #expect(actions == [.answer(.accepted(stopsAfter: "p1"))])
    #expect(job.log.contains(.verify))
    try job.verified(installed: [0])
    #expect(job.snapshot.resultCode == .aborted && job.completions == 1)
  }

  @Test func `B17, B29: a stop that the dead engine asked for without a record is an abort`() throws
  {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.feed(.abort(by: ops))
    job.machine = JobMachine(recovering: job.snapshot, plan: job.machine.plan)
    try job.end(installed: [0], exitStatus: 100, stopped: true)
    #expect(!job.states.contains(.suspended))
    #expect(job.snapshot.resultCode == .aborted && job.completions == 1)
    #expect(job.snapshot.abort?.disposition == .accepted(stopsAfter: "p1"))
    #expect(job.snapshot.plan?.map(\.resultCode) == [.succeeded, .notStarted, .notStarted])
  }

  @Test func `B28, B29: a pause on record outlives the engine that asked for it`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    job.machine = JobMachine(recovering: job.snapshot, plan: job.machine.plan)
    #expect(job.machine.state == .working(.installing, .suspend(after: 0)))
    try job.report(.ended(WorkEnd(exitStatus: 100, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .suspended && job.snapshot.abort == nil)
  }

  @Test func `B28: work that stopped before the pause was answered is paused`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.suspend(by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .suspended)
    #expect(try job.feed(.suspendAnswered(.atOnce, by: ops)).isEmpty)
  }

  @Test func `B18: work that ended by itself before the answer refuses the abort`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.abort(by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    let actions = try job.feed(.abortAnswered(.over, by: ops))
    guard case .answer(.refused(let reason)) = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(reason.code == .verifying && job.snapshot.abort == nil)
  }

  @Test func `a request taken back in time is off the record though the work ended meanwhile`()
    throws
  {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 0), by: ops))
    try job.feed(.withdrawAbort(by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    try job.feed(.withdrawAnswered(true, by: ops))
    #expect(job.snapshot.abort == nil)
    try job.verified(installed: [0, 1, 2])
    #expect(job.snapshot.resultCode == .succeeded)
  }

  @Test func `B28: a pause that an abort overtook is refused, not silently dropped`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.suspend(by: ops))
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 0), by: ops))
    let actions = try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    guard case .refuse = actions.first else {
      Issue.record("\(actions)")
      return
    }
  }

  @Test func `B28: what a resumed job had done counts though it cannot start again`() throws {
    var job = JobMachineFixture(requested: ["p1", "q3"])
    try job.startInstalling()
    try job.install(0)
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    try job.feed(.resume)
    let error = InstallationError(.planOutOfDate, "the index moved")
    #expect(try job.feed(.startFailed(error)).contains(.verify))
    try job.verified(installed: [0])
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    #expect(job.snapshot.error?.code == .planOutOfDate)
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .notStarted])
  }

  @Test func `D3: without the marker of before only the plan's packages are reasons`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    for step in 0..<3 { try job.install(step) }
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    let findings = (0..<3).map { _ in
      Verification.Finding(
        isAsPlanned: true, isUntouched: false, state: "installed", version: "1.0")
    }
    try job.feed(
      .verified(
        Verification(findings: findings), before: nil,
        after: RebootMarker(isSet: true, packages: ["linux-image", "q2"])))
    #expect(job.snapshot.requiresReboot && job.snapshot.rebootReasons == ["q2"])
  }
}

@Suite struct `Work that was left out without a word` {
  @Test func `A32, B23: a reinstallation that dpkg never began is no success`() throws {
    var fixture = JobMachineFixture()
    let plan = JobPlan(
      requests: [JobPlan.Request(update: Update("p1"), step: 0)],
      steps: [
        PlannedUpdate(
          name: "p1", architecture: "all", action: .reinstall, fromVersion: "1.0",
          toVersion: "1.0", requested: true)
      ])
    let snapshot = JobSnapshot(
      id: JobID(1), request: JobRequest(.reinstall, [Update("p1")]), plan: plan,
      requestedBy: JobMachineFixture.ops, provider: "test",
      submittedAt: Timestamp(milliseconds: 0))
    fixture.machine = JobMachine(snapshot, plan: plan)
    try fixture.startInstalling()
    try fixture.end(installed: [0])
    #expect(fixture.snapshot.resultCode == .failed)
    #expect(fixture.snapshot.error?.code == .notVerified)
    #expect(fixture.snapshot.updates.map(\.resultCode) == [.notStarted])
  }
}
