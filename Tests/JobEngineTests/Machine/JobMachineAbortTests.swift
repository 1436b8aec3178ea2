import InstallJobs
import PackageProvider
import Testing

@testable import JobEngine

@Suite struct `Aborting a job` {
  private let ops = JobMachineFixture.ops

  /// What the caller is answered.
  private func answer(in actions: [JobMachine.Action]) -> AbortDisposition? {
    for case .answer(let disposition) in actions { return disposition }
    return nil
  }

  @Test func `B15: in the queue it stops at once and nothing was started`() throws {
    var job = JobMachineFixture()
    let actions = try job.feed(.abort(by: ops))
    #expect(actions.contains(.answer(.accepted(stopsAfter: nil))))
    #expect(!actions.contains(.startWork(finishedSteps: [])))
    #expect(job.snapshot.resultCode == .aborted && job.completions == 1)
    #expect(job.snapshot.updates.allSatisfy { $0.resultCode == .notStarted })
  }

  @Test func `B16, B21: in the download the answer does not wait for the work to end`() throws {
    var job = JobMachineFixture()
    try job.feed(.begin)
    try job.feed(.started)
    #expect(try job.feed(.abort(by: ops)) == [.askStop(.abort(by: ops))])
    let actions = try job.feed(.abortAnswered(.atOnce, by: ops))
    #expect(actions.contains(.answer(.accepted(stopsAfter: nil))))
    #expect(job.snapshot.state == .stopping && job.completions == 0)
    try job.end(installed: [], stopped: true)
    #expect(job.snapshot.resultCode == .aborted)
  }

  @Test func `B22: a request that cannot be written promises nothing and says why`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.abort(by: ops))
    let actions = try job.feed(.abortAnswered(.impossible("the disk is full"), by: ops))
    let refusal = AbortRefusal(.undeliverable, "the disk is full")
    #expect(actions.contains(.answer(.refused(reason: refusal))))
    #expect(job.snapshot.state == .installing)
  }

  @Test func `B17, D8, D13: between steps the named one is the last`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "p1"))
    try job.feed(.abort(by: ops))
    let actions = try job.feed(.abortAnswered(.after(step: 0), by: ops))
    #expect(answer(in: actions)?.stopsAfter == "p1")
    try job.install(0)
    try job.end(installed: [0], exitStatus: 100, stopped: true)
    #expect(job.snapshot.resultCode == .aborted)
    #expect(job.snapshot.plan?.map(\.resultCode) == [.succeeded, .notStarted, .notStarted])
    #expect(job.snapshot.plan?[1].note == .notReached)
  }

  @Test func `B18, B22: while the result is verified it is refused, and leaves no record`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    guard case .refused(let reason)? = answer(in: try job.feed(.abort(by: ops))) else {
      Issue.record("it is not refused")
      return
    }
    #expect(reason.code == .verifying)
    #expect(job.snapshot.abort == nil)
  }

  @Test func `B18, B22: in the last step it is refused with a reason and goes on`() throws {
    var job = JobMachineFixture(steps: ["alpha"])
    try job.startInstalling()
    try job.report(.phase(step: 0, .configuring))
    #expect(job.snapshot.abortPreview == .refused(reason: .finalStep("alpha")))
    try job.feed(.abort(by: ops))
    let actions = try job.feed(.abortAnswered(.finalStep(0), by: ops))
    #expect(actions.contains(.answer(.refused(reason: .finalStep("alpha")))))
    #expect(job.snapshot.abort == nil && job.snapshot.state == .installing)
    try job.install(0)
    try job.end(installed: [0])
    #expect(job.snapshot.resultCode == .succeeded)
  }

  @Test func `B22: a refusal names what runs, not what failed or comes last`() throws {
    var job = JobMachineFixture(steps: ["bad", "p1", "q2"])
    try job.startInstalling()
    let begun = job
    for step in 0..<3 { try job.report(.phase(step: step, .unpacked)) }
    let failure = InstallationError(.packageFailed, "it failed", class: .needsHuman)
    try job.report(.phase(step: 0, .configuring), .failed(step: 0, failure))
    func refusal(_ job: JobMachineFixture) throws -> String? {
      var copy = job
      try copy.feed(.abort(by: ops))
      let actions = try copy.feed(.abortAnswered(.finalStep(0), by: ops))
      guard case .refused(let reason) = answer(in: actions) else { return nil }
      #expect(reason.code == .finalStep)
      return reason.message
    }
    // Nothing was heard of any package yet.
    #expect(
      try refusal(begun) == "dpkg has all that is left at once, none of it can be left out")
    try job.report(.phase(step: 1, .configuring))
    #expect(try refusal(job) == "p1 is running, and what comes after it cannot be left out")
    try job.report(.phase(step: 1, .done), .phase(step: 2, .configuring))
    #expect(try refusal(job) == "q2 is the last step and is already running")
  }

  @Test func `B19: after the end there is nothing to abort`() throws {
    var job = JobMachineFixture(steps: ["alpha"])
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0])
    #expect(try job.feed(.abort(by: ops)) == [.answer(.alreadyCompleted)])
    #expect(job.snapshot.resultCode == .succeeded)
  }

  @Test func `the record says when it was asked for and when the work had answered`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 1, .unpacking))
    try job.feed(.abort(by: ops))
    let asked = Timestamp(milliseconds: job.second * 1000)
    try job.report(.phase(step: 1, .configuring))
    try job.feed(.abortAnswered(.after(step: 1), by: ops))
    let answered = Timestamp(milliseconds: job.second * 1000)
    #expect(job.snapshot.abort?.requestedAt == asked && asked < answered)
    #expect(job.snapshot.abort?.acknowledgedAt == answered)
    try job.feed(.withdrawAbort(by: ops))
    try job.feed(.withdrawAnswered(true, by: ops))
    try job.feed(.abort(by: ops))
    let again = Timestamp(milliseconds: job.second * 1000)
    try job.feed(.abortAnswered(.after(step: 1), by: ops))
    #expect(job.snapshot.abort?.requestedAt == again)
  }

  @Test func `B15: a job that waits answers at the moment it is asked`() throws {
    var job = JobMachineFixture()
    try job.feed(.abort(by: ops))
    let time = Timestamp(milliseconds: job.second * 1000)
    #expect(job.snapshot.abort?.requestedAt == time)
    #expect(job.snapshot.abort?.acknowledgedAt == time && job.snapshot.endedAt == time)
  }

  @Test func `B20: an abort asked for again leaves on record who asked first and when`()
    throws
  {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 1, .unpacking))
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 1), by: ops))
    let first = try #require(job.snapshot.abort)
    let cron = Requester(uid: 0, user: "cron")
    try job.feed(.abort(by: cron))
    #expect(job.snapshot.abort == first && first.requestedBy == ops)
    try job.feed(.withdrawAbort(by: cron))
    try job.feed(.withdrawAnswered(true, by: cron))
    try job.feed(.abort(by: cron))
    try job.feed(.abortAnswered(.after(step: 1), by: cron))
    #expect(job.snapshot.abort?.requestedBy == cron)
  }

  @Test func `B20: twice gives the same answer and two entries`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 1, .unpacking))
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 1), by: ops))
    let again = try job.feed(.abort(by: ops))
    #expect(answer(in: again)?.stopsAfter == "q2")
    let entries = job.log.count {
      if case .record(.abortRequested) = $0 { true } else { false }
    }
    #expect(entries == 2)
  }

  @Test func `B20: who asks beside or after another is answered the same to the end`()
    throws
  {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.report(.phase(step: 1, .unpacking))
    let cron = Requester(uid: 0, user: "cron")
    try job.feed(.abort(by: ops))
    try job.feed(.abort(by: cron))
    let first = try job.feed(.abortAnswered(.after(step: 1), by: ops))
    try job.install(1)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    let second = try job.feed(.abortAnswered(.over, by: cron))
    #expect(answer(in: first)?.stopsAfter == "q2")
    #expect(answer(in: second)?.stopsAfter == "q2")
    #expect(job.snapshot.abort?.requestedBy == ops)
    let third = try job.feed(.abort(by: cron))
    #expect(answer(in: third)?.stopsAfter == "q2")
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "q2"))
  }

  @Test func `B23, N12: apt's exit status 0 is no success when packages are missing`() throws {
    var job = JobMachineFixture(requested: ["p1", "q2", "q3"])
    try job.startInstalling()
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 0), by: ops))
    try job.install(0)
    try job.end(installed: [0], exitStatus: 0)
    #expect(job.snapshot.resultCode == .aborted)
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .notStarted, .notStarted])
  }

  @Test func `an abort that the natural end overtakes is no abort`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.abort(by: ops))
    for step in 0..<3 { try job.install(step) }
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    let late = try job.feed(.abortAnswered(.over, by: ops))
    #expect(
      late.contains { if case .answer(.refused) = $0 { true } else { false } })
    try job.verified(installed: [0, 1, 2])
    #expect(job.snapshot.resultCode == .succeeded && job.completions == 1)
  }

  @Test func `an accepted abort with nothing left undone is a success`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 2), by: ops))
    for step in 0..<3 { try job.install(step) }
    try job.end(installed: [0, 1, 2])
    #expect(job.snapshot.resultCode == .succeeded)
  }

  @Test func `an abort is withdrawn while the work allows it`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 0), by: ops))
    #expect(try job.feed(.withdrawAbort(by: ops)) == [.cancelStop(by: ops)])
    try job.feed(.withdrawAnswered(true, by: ops))
    #expect(job.snapshot.state == .installing && job.snapshot.abort == nil)
    for step in 0..<3 { try job.install(step) }
    try job.end(installed: [0, 1, 2])
    #expect(job.snapshot.resultCode == .succeeded)
  }

  @Test func `a withdrawal that comes too late is refused`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.atOnce, by: ops))
    try job.feed(.withdrawAbort(by: ops))
    let actions = try job.feed(.withdrawAnswered(false, by: ops))
    #expect(actions.contains { if case .refuse = $0 { true } else { false } })
    #expect(job.snapshot.state == .stopping)
  }

  @Test func `C24: the preview is what the request is answered`() throws {
    var job = JobMachineFixture(steps: ["a", "b"])
    for (step, answer) in [(0, StopAnswer.after(step: 0)), (1, .finalStep(1))] {
      if step == 0 { try job.startInstalling() }
      try job.report(.phase(step: step, .unpacking))
      var copy = job
      let preview = copy.snapshot.abortPreview
      try copy.feed(.abort(by: ops))
      let given = self.answer(in: try copy.feed(.abortAnswered(answer, by: ops)))
      // A second later less of the way is left.
      #expect(given?.word == preview.word && given?.stopsAfter == preview.stopsAfter)
      try job.install(step)
    }
  }

  @Test func `B28: a job is suspended after the running step and resumed with the rest`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    #expect(try job.feed(.suspend(by: ops)) == [.askStop(.suspend(by: ops))])
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    #expect(job.snapshot.state == .installing)
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 100, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .suspended && job.completions == 0)
    #expect(try job.feed(.resume).last == .startWork(finishedSteps: [0]))
    try job.feed(.started)
    try job.report(.stage(.installing))
    for step in 1..<3 { try job.install(step) }
    try job.end(installed: [0, 1, 2])
    #expect(job.snapshot.resultCode == .succeeded)
  }

  @Test func `B28: what is not suspended cannot be resumed`() throws {
    var job = JobMachineFixture()
    let actions = try job.feed(.resume)
    guard case .refuse(let error) = actions.first else {
      Issue.record("resume was not refused")
      return
    }
    #expect(error.code == .cannotResume)
  }

  @Test func `an abort of a suspended job ends it with what was done`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 100, stoppedAtBoundary: true)))
    #expect(try job.feed(.abort(by: ops)).contains(.verify))
    try job.verified(installed: [0])
    #expect(job.snapshot.resultCode == .aborted)
    #expect(job.snapshot.plan?[0].resultCode == .succeeded)
  }
}
