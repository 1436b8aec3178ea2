import InstallJobs
import PackageProvider
import Testing

@testable import JobEngine

@Suite struct `Holding and moving one job` {
  private let ops = JobMachineFixture.ops

  @Test func `B28: one that waits is paused in its place, says by whom, and resumes`() throws {
    var job = JobMachineFixture()
    try job.feed(.suspend(by: ops))
    #expect(job.machine.state == .paused)
    #expect(job.snapshot.state == .queued)
    #expect(job.snapshot.startedAt == nil && job.snapshot.resultCode == .notStarted)
    #expect(job.snapshot.waitingFor?.message == "paused by ops")
    #expect(job.snapshot.waitingFor?.isJobPause == true)
    #expect(job.snapshot.waitingFor?.since == Timestamp(milliseconds: 1000))
    #expect(throws: JobMachine.InvalidTransition.self) { try job.feed(.begin) }
    #expect(try job.feed(.suspend(by: ops)).isEmpty)
    try job.feed(.resume)
    #expect(job.machine.state == .queued && job.snapshot.waitingFor == nil)
    try job.startInstalling()
    #expect(job.snapshot.state == .installing)
  }

  @Test func `B15: one that is paused while it waits leaves the queue at once when aborted`() throws
  {
    var job = JobMachineFixture()
    try job.feed(.suspend(by: ops))
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: nil))
    let actions = try job.feed(.abort(by: ops))
    #expect(actions.contains(.answer(.accepted(stopsAfter: nil))))
    #expect(job.snapshot.resultCode == .aborted && job.snapshot.waitingFor == nil)
  }

  @Test func `B28: one that is paused while it fetches does not speak of packages between`() throws
  {
    var job = JobMachineFixture()
    try job.feed(.begin)
    try job.feed(.started)
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.atOnce, by: ops))
    #expect(job.snapshot.state == .downloading)
    #expect(job.snapshot.waitingFor?.message == "will pause at once, requested by ops")
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .suspended)
    #expect(job.snapshot.waitingFor?.message == "paused by ops, no package was begun")
  }

  @Test func `B28: one that works says after which package it will pause`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    #expect(job.snapshot.waitingFor?.message == "will pause after p1, requested by ops")
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    #expect(job.snapshot.waitingFor?.message == "paused by ops between two packages")
  }

  @Test
  func `B28: what cannot be paused any more says why, and what will pause cannot be resumed yet`()
    throws
  {
    var job = JobMachineFixture(steps: ["p1", "q2"])
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    #expect(try job.feed(.resume) == [.cancelStop(by: ops)])
    let early = try job.feed(.withdrawAnswered(false, by: ops))
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    try job.feed(.resume)
    try job.feed(.started)
    try job.feed(.suspend(by: ops))
    let late = try job.feed(.suspendAnswered(.finalStep(1), by: ops))
    let messages = (early + late).compactMap { action in
      if case .refuse(let error) = action { error.message } else { nil }
    }
    #expect(
      messages == [
        "job 1 has not paused yet, and its pause cannot be cancelled any more",
        "job 1 cannot be paused: q2 is the last step and is already running",
      ])
  }

  @Test func `B28: a pause is cancelled in time, and by whoever comes late the job resumes`() throws
  {
    var job = JobMachineFixture(steps: ["p1", "q2"])
    try job.startInstalling()
    try job.report(.phase(step: 0, .unpacking))
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    #expect(job.snapshot.waitingFor?.isJobPause == true)
    try job.feed(.resume)
    try job.feed(.withdrawAnswered(true, by: ops))
    #expect(job.snapshot.state == .installing && job.snapshot.waitingFor == nil)
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    try job.feed(.resume)
    // It stopped before that was heard.
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .suspended)
    let late = try job.feed(.withdrawAnswered(false, by: ops))
    #expect(late.last == .startWork(finishedSteps: [0]))
  }

  @Test func `B28: a job that goes on is at its packages, not at a download`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.feed(.suspend(by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    try job.feed(.resume)
    try job.feed(.started)
    try job.report(.stage(.downloading))
    #expect(job.snapshot.state == .installing)
    // Whatever is answered now, it is not that nothing was begun.
    #expect(
      AbortDisposition.accepted(stopsAfter: nil) == job.snapshot.abortPreview
        || job.snapshot.abortPreview.stopsAfter != nil)
    #expect(!job.snapshot.isUntouched)
  }

  @Test func `B28: the work may stop before its answer is heard, and it is known who asked`() throws
  {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.feed(.suspend(by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    #expect(job.snapshot.state == .suspended)
    #expect(job.snapshot.waitingFor?.by == ops)
  }

  @Test(arguments: [false, true])
  func `B29: the next engine knows that it is paused, where and by whom`(hasBegun: Bool) throws {
    var job = JobMachineFixture()
    if hasBegun {
      try job.startInstalling()
      try job.report(.phase(step: 0, .unpacking))
    }
    try job.feed(.suspend(by: ops))
    if hasBegun {
      try job.feed(.suspendAnswered(.after(step: 0), by: ops))
      try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    }
    let found = JobMachine(recovering: job.snapshot, plan: job.machine.plan)
    #expect(found.state == (hasBegun ? .suspended : .paused))
    #expect(found.pausedReason == job.snapshot.waitingFor)
  }

  @Test func `a move counts while the job waits, and is refused by name once it has begun`()
    throws
  {
    var job = JobMachineFixture()
    try job.feed(.prioritize(5, by: ops))
    #expect(job.snapshot.options.priority == 5 && job.snapshot.state == .queued)
    #expect(try job.feed(.prioritize(5, by: ops)).isEmpty)
    try job.feed(.suspend(by: ops))
    try job.feed(.prioritize(-2, by: ops))
    #expect(job.snapshot.options.priority == -2)
    #expect(job.snapshot.waitingFor?.isJobPause == true)
    try job.feed(.resume)
    try job.startInstalling()
    guard case .refuse(let error)? = try job.feed(.prioritize(9, by: ops)).first else {
      Issue.record("a job that has begun was moved")
      return
    }
    #expect(error.code == .invalidState)
    #expect(error.message.hasPrefix("job 1 has begun"))
    #expect(job.snapshot.options.priority == -2)
  }

  @Test
  func `B28: work quicker than its answer is paused by who asked last, not by who did before`()
    throws
  {
    let alice = Requester(uid: 1001, user: "alice")
    let stop = WorkReport.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    for isAnswered in [true, false] {
      var job = JobMachineFixture()
      try job.startInstalling()
      try job.install(0)
      try job.feed(.suspend(by: alice))
      try job.report(stop)
      #expect(job.snapshot.waitingFor?.by == alice)
      if isAnswered { try job.feed(.suspendAnswered(.after(step: 0), by: alice)) }
      try job.feed(.resume)
      try job.feed(.started)
      try job.feed(.suspend(by: ops))
      try job.report(stop)
      #expect(job.snapshot.waitingFor?.by == ops)
    }
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.feed(.suspend(by: alice))
    try job.feed(.suspend(by: ops))
    try job.report(stop)
    #expect(job.snapshot.waitingFor?.by == ops)
  }

  @Test func `what an older engine says of its index is no pause of a job`() throws {
    let snapshot = JobMachineFixture().snapshot
    var old = snapshot
    old.waitingFor = WaitReason(.paused, "the package index is being fetched")
    #expect(old.waitingFor?.isJobPause == false)
    #expect(JobMachine(recovering: old, plan: JobMachineFixture().machine.plan).state == .queued)
  }
}
