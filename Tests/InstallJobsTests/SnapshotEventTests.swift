import InstallJobs
import Testing

@Suite struct `A snapshot under events` {
  private var job = `The JSON of jobs and events`.job

  private func event(_ payload: JobEvent.Payload, job: JobID = JobID(12)) -> JobEvent {
    JobEvent(seq: 1, at: Timestamp(milliseconds: 9000), job: job, payload: payload)
  }

  @Test func `events of another job change nothing`() {
    var copy = job
    copy.apply(event(.cleanedUp(by: job.requestedBy), job: JobID(13)))
    #expect(copy == job)
  }

  @Test func `B11: an old snapshot stays as it was`() {
    let old = job
    var new = old
    new.apply(event(.state(JobStateChange(.installing, abortPreview: .alreadyCompleted))))
    #expect(old.state == .queued && new.state == .installing && new.startedAt != nil)
  }

  @Test
  func `C5: what a peer sends beyond the range leaves every update a result and shares in range`() {
    var copy = job
    copy.apply(
      event(
        .completed(
          JobOutcome(
            state: .completed, resultCode: .failed, percentComplete: 1e306, error: nil,
            requiresReboot: false, rebootReasons: [], exitStatus: 1, repairs: [], updates: []))))
    #expect(copy.updates.count == job.updates.count)
    let progress = InstallationProgress(copy)
    #expect((0...1).contains(progress.overallFraction))
    #expect(progress.updateResults.count == job.updates.count)
  }

  @Test func `a package's status reaches the plan and what was asked for`() {
    var copy = job
    var status = copy.updates[0]
    status.phase = .configuring
    copy.apply(event(.update(index: 1, status: status)))
    #expect(copy.updates[0].phase == .configuring && copy.plan?[1].phase == .configuring)
    #expect(copy.plan?[0].phase == .pending)
  }

  @Test(arguments: [JobState.suspended, .waitingForLock, .installing])
  func `what was going on ends with its state, an estimate with the work`(_ state: JobState) {
    var copy = job
    copy.apply(event(.state(JobStateChange(.downloading, abortPreview: .alreadyCompleted))))
    (copy.activity, copy.etaSeconds) = ("triggers of man-db", 30)
    copy.apply(event(.state(JobStateChange(.downloading, abortPreview: .alreadyCompleted))))
    #expect(copy.activity == "triggers of man-db" && copy.etaSeconds == 30)
    copy.apply(event(.state(JobStateChange(state, abortPreview: .alreadyCompleted))))
    #expect(copy.activity == nil)
    #expect(copy.etaSeconds == (state == .installing ? 30 : nil))
  }

  @Test(arguments: [99, -5, 1_000_000_000])
  func `an index outside the plan changes nothing`(index: Int) {
    var copy = job
    var status = job.updates[0]
    copy.apply(event(.update(index: index, status: status)))
    #expect(copy == job)
    status.phase = .unpacking
    copy.apply(event(.update(index: index, status: status)))
    #expect(copy == job)
  }

  /// The job in a state, with a package in a phase told after that.
  private func told(_ phase: UpdatePhase, in state: JobState) -> JobSnapshot {
    var copy = job
    copy.apply(event(.state(JobStateChange(state, abortPreview: .alreadyCompleted))))
    copy.lastActivityAt = nil
    var status = copy.updates[0]
    status.phase = phase
    copy.apply(event(.update(index: 1, status: status)))
    return copy
  }

  @Test func `a package's phase says that it is worked on, and is a sign of life`() {
    for phase in [UpdatePhase.downloading, .unpacking, .unpacked, .configuring] {
      let copy = told(phase, in: phase == .downloading ? .downloading : .installing)
      #expect(copy.currentStepIndex == 1 && copy.currentUpdateIndex == 0, "\(phase)")
      #expect(copy.lastActivityAt == Timestamp(milliseconds: 9000))
    }
    for phase in [UpdatePhase.downloaded, .done] {
      #expect(told(phase, in: .installing).currentStepIndex == nil)
    }
  }

  @Test func `C2: at the lock no package is worked on, also where the job is told to stop there`() {
    #expect(told(.downloading, in: .waitingForLock).currentStepIndex == nil)
    #expect(told(.downloading, in: .stopping).currentStepIndex == nil)
    #expect(told(.configuring, in: .stopping).currentStepIndex == 1)
  }

  @Test func `an event for a snapshot with more updates than steps changes nothing in them`() {
    var loose = job
    loose.updateSteps = []
    let step = JobProgressTick.Step(index: 1, percentComplete: 60, downloadedBytes: 5)
    let tick = JobProgressTick(
      percentComplete: 50, currentUpdateIndex: nil, currentStepIndex: nil, downloadedBytes: 0,
      bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
      abortPreview: .alreadyCompleted, steps: [step])
    var status = loose.updates[0]
    status.phase = .configuring
    let updates = loose.updates
    loose.apply(event(.progress(tick)))
    loose.apply(event(.update(index: 1, status: status)))
    #expect(loose.updates == updates)
  }

  @Test func `C4: percentages that fall are ignored`() {
    var copy = job
    for percent in [10.0, 40, 25, 41] {
      copy.apply(event(.progress(tick(percent))))
    }
    copy.apply(event(.progress(tick(3))))
    #expect(copy.percentComplete == 41)
    #expect(copy.plan?[0].percentComplete == 41)
  }

  private func tick(_ percent: Double) -> JobProgressTick {
    JobProgressTick(
      percentComplete: percent, currentUpdateIndex: 0, currentStepIndex: 0, downloadedBytes: 0,
      bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
      abortPreview: .accepted(stopsAfter: nil),
      steps: [JobProgressTick.Step(index: 0, percentComplete: percent, downloadedBytes: 0)])
  }

  @Test func `C7: an index outside the updates throws`() throws {
    let progress = InstallationProgress(job)
    #expect(try progress.updateResult(at: 0).name == "beta")
    for index in [-1, 1] {
      let error = #expect(throws: InstallationError.self) {
        try progress.updateResult(at: index)
      }
      #expect(error?.code == .invalidIndex)
    }
  }
}
