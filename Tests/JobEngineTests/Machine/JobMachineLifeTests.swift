import InstallJobs
import PackageProvider
import Testing

@testable import JobEngine

@Suite struct `The life of a job` {
  @Test func `C22: the states come in order and the end is verified`() throws {
    var job = JobMachineFixture()
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.downloaded(step: 0, bytes: 500), .phase(step: 0, .downloaded))
    try job.report(.stage(.waitingForLock(LockHolder(pid: 42, command: "apt-get"))))
    #expect(job.snapshot.waitingFor?.holder == LockHolder(pid: 42, command: "apt-get"))
    try job.report(.stage(.installing))
    for step in 0..<3 { try job.install(step) }
    try job.end(installed: [0, 1, 2])
    var states: [JobState] = []
    for state in job.states where state != states.last { states.append(state) }
    #expect(states == [.downloading, .waitingForLock, .installing, .finalizing])
    #expect(job.snapshot.state == .completed && job.snapshot.resultCode == .succeeded)
    #expect(job.completions == 1)
  }

  @Test func `B12: a job that waits has done nothing`() {
    let job = JobMachineFixture()
    #expect(job.snapshot.state == .queued && job.snapshot.percentComplete == 0)
    #expect(job.snapshot.currentUpdateIndex == nil)
  }

  @Test func `C2: no update is current in the queue, at the lock and in verification`() throws {
    var job = JobMachineFixture()
    #expect(job.snapshot.state == .queued && job.snapshot.currentUpdateIndex == nil)
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    #expect(job.snapshot.currentUpdateIndex == 0)
    try job.report(.stage(.waitingForLock(nil)))
    #expect(job.snapshot.currentUpdateIndex == nil)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    #expect(job.snapshot.state == .finalizing && job.snapshot.currentUpdateIndex == nil)
  }

  @Test func `C1: work on a dependency counts for the update that needs it`() throws {
    var job = JobMachineFixture(steps: ["a", "b", "c"], requested: ["c", "b"])
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    #expect(job.snapshot.currentStepIndex == 0)
    #expect(job.snapshot.currentUpdateIndex == 1, "a comes before b, which is updates[1]")
    try job.report(.phase(step: 2, .unpacking))
    #expect(job.snapshot.currentUpdateIndex == 0)
  }

  @Test func `B3, C4, C5: completed and 100 are shown after verification, not before`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    for step in 0..<3 { try job.install(step) }
    #expect(job.snapshot.percentComplete <= 99)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    #expect(job.snapshot.percentComplete <= 99 && !job.snapshot.state.isFinal)
    try job.verified(installed: [0, 1, 2])
    #expect(job.snapshot.percentComplete == 100 && job.snapshot.state.isFinal)
  }

  @Test func `C5: a job that failed never shows 100`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    for step in 0..<3 { try job.install(step) }
    try job.end(installed: [0, 1], half: [2: "half-configured"])
    #expect(job.snapshot.percentComplete < 100)
  }

  @Test func `C3, P6: a step that verification contradicts is failed, its bar does not fall`()
    throws
  {
    var job = JobMachineFixture()
    try job.startInstalling()
    for step in 0..<3 { try job.install(step) }
    #expect(job.snapshot.plan?[2].percentComplete == 100)
    try job.end(installed: [0, 1], half: [2: "half-configured"])
    #expect(job.snapshot.plan?[2].percentComplete == 100)
    #expect(job.snapshot.plan?[2].resultCode == .failed && job.snapshot.percentComplete < 100)
  }

  @Test func `C3, C4: reports that go back change nothing`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .configuring))
    let before = job.snapshot
    try job.report(.phase(step: 0, .unpacking), .phase(step: 0, .configuring))
    #expect(job.snapshot.plan?[0] == before.plan?[0])
    #expect(job.snapshot.percentComplete >= before.percentComplete)
  }

  @Test func `C6: results during the run`() throws {
    var job = JobMachineFixture(steps: ["alpha", "beta"], requested: ["alpha", "beta"])
    try job.startInstalling()
    try job.install(0)
    try job.report(.phase(step: 1, .unpacking))
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .inProgress])
  }

  @Test func `C21: silence is flagged and cleared by any sign of life`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.silence(nil))
    #expect(job.snapshot.isStalled)
    #expect(try job.feed(.silence(nil)).isEmpty, "flagged once")
    let cause = StallCause(.script, "postinst of p1 runs sleep (pid 7)", pid: 7, command: "sleep")
    #expect(try !job.feed(.silence(cause)).isEmpty, "another cause is told")
    #expect(job.snapshot.stall == cause)
    #expect(try job.feed(.silence(cause)).isEmpty)
    try job.report(.alive)
    #expect(!job.snapshot.isStalled && job.snapshot.stall == nil)
  }

  @Test func `D16: a job with nothing to do succeeds without a step`() throws {
    let plan = JobPlan(
      requests: [
        JobPlan.Request(
          update: Update("alpha"), step: nil, note: .alreadyInstalled, foundVersion: "1.0")
      ], steps: [])
    let snapshot = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, [Update("alpha")]), plan: plan,
      requestedBy: JobMachineFixture.ops, provider: "test",
      submittedAt: Timestamp(milliseconds: 0))
    var job = JobMachineFixture()
    job.machine = JobMachine(snapshot, plan: plan)
    #expect(try job.feed(.begin).contains(.verify))
    // Somebody else is at work on another package meanwhile.
    try job.verified(installed: [], audit: "The following packages are only half configured: x")
    #expect(job.snapshot.resultCode == .succeeded && job.snapshot.percentComplete == 100)
    #expect(job.snapshot.updates[0].note == .alreadyInstalled)
    #expect(job.snapshot.updates[0].resultCode == .succeeded)
  }

  @Test(arguments: [
    (UpdateNote.alreadyInstalled, "is not now"), (.notInstalled, "is there now"),
  ])
  func `D16, D17: what the database contradicts at the end has failed`(
    note: UpdateNote, words: String
  ) throws {
    let plan = JobPlan(
      requests: [
        JobPlan.Request(update: Update("alpha"), step: nil, note: note, foundVersion: "1.0")
      ], steps: [])
    let snapshot = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, [Update("alpha")]), plan: plan,
      requestedBy: JobMachineFixture.ops, provider: "test",
      submittedAt: Timestamp(milliseconds: 0))
    var job = JobMachineFixture()
    job.machine = JobMachine(snapshot, plan: plan)
    try job.feed(.begin)
    let none = RebootMarker(isSet: false)
    try job.feed(
      .verified(Verification(findings: [], contradicted: [0]), before: none, after: none))
    #expect(job.snapshot.resultCode == .failed)
    #expect(job.snapshot.percentComplete < 100)
    #expect(job.snapshot.error?.code == .planOutOfDate)
    #expect(job.snapshot.error?.message.contains(words) == true)
    #expect(job.snapshot.updates[0].resultCode == .failed)
  }

  @Test func `D21: a repair works without a step, for dpkg may have noted what is gone`() throws {
    var job = JobMachineFixture(.repair, steps: [], requested: [])
    #expect(try job.feed(.begin) == [.startWork(finishedSteps: [])])
    try job.feed(.started)
    try job.feed(.reports([.stage(.installing)], preview: .finalStep(0)))
    guard case .refused = job.machine.abortPreview else {
      Issue.record("dpkg is at work and cannot be stopped: \(job.machine.abortPreview)")
      return
    }
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    try job.verified(installed: [])
    #expect(job.snapshot.resultCode == .succeeded && job.snapshot.percentComplete == 100)
  }

  @Test func `a provider that refuses to start leaves everything not started`() throws {
    var job = JobMachineFixture()
    try job.feed(.ahead("its archives are there", fetched: 700))
    try job.feed(.begin)
    let error = InstallationError(.planOutOfDate, "the index has moved")
    #expect(try job.feed(.startFailed(error)).contains(.leaveQueue))
    // A clean up frees them, and says so also after a restart.
    let stored = job.log.compactMap { action -> Int64? in
      guard case .record(.state(let change)) = action else { return nil }
      return change.downloadedBytes
    }
    #expect(stored == [700])
    #expect(job.snapshot.resultCode == .failed && job.snapshot.error == error)
    #expect(job.snapshot.plan?.allSatisfy { $0.resultCode == .notStarted } == true)
  }

  @Test func `an input without a place is an error by name and changes nothing`() throws {
    var job = JobMachineFixture()
    let before = job.snapshot
    #expect(throws: JobMachine.InvalidTransition.self) { try job.feed(.started) }
    #expect(job.snapshot == before)
  }

  @Test func `reports after the end change nothing`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    for step in 0..<3 { try job.install(step) }
    try job.end(installed: [0, 1, 2])
    let before = job.snapshot
    #expect(try job.feed(.reports([.phase(step: 0, .unpacking), .lost])).isEmpty)
    #expect(job.snapshot == before)
  }
}
