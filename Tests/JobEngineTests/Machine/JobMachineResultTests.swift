import InstallJobs
import PackageProvider
import Testing

@testable import JobEngine

@Suite struct `The result of a job` {
  private let failure = InstallationError(
    .packageFailed, "bad failed", update: "bad",
    detail: "post-installation script, exit status 3")

  private func run(
    _ names: [String], failing: [Int] = [], installed: Set<Int>, half: [Int: String] = [:]
  ) throws -> JobMachineFixture {
    var job = JobMachineFixture(steps: names, requested: names)
    try job.startInstalling()
    for step in names.indices {
      if failing.contains(step) {
        try job.report(.phase(step: step, .configuring), .failed(step: step, failure))
      } else if installed.contains(step) {
        try job.install(step)
      }
    }
    try job.end(installed: installed, exitStatus: failing.isEmpty ? 0 : 100, half: half)
    return job
  }

  @Test func `D2, D6, D12: one package that fails is the job's failure, in detail`() throws {
    let job = try run(["bad"], failing: [0], installed: [], half: [0: "half-configured"])
    #expect(job.snapshot.resultCode == .failed && job.snapshot.exitStatus == 100)
    #expect(job.snapshot.error?.code == .packageFailed && job.snapshot.error?.update == "bad")
    #expect(job.snapshot.updates[0].error?.detail == "post-installation script, exit status 3")
  }

  @Test func `D11: one of two failing is a success with errors`() throws {
    let job = try run(["alpha", "bad"], failing: [1], installed: [0], half: [1: "half-configured"])
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .failed])
  }

  @Test func `D15: two failing are a failure that names the first`() throws {
    let job = try run(
      ["bad", "worse"], failing: [0, 1], installed: [],
      half: [0: "half-configured", 1: "half-configured"])
    #expect(job.snapshot.resultCode == .failed && job.snapshot.error?.update == "bad")
  }

  @Test func `D5: an unpacked neighbour is never silently a success`() throws {
    let job = try run(["clash", "near"], failing: [0], installed: [], half: [1: "unpacked"])
    #expect(job.snapshot.updates.map(\.resultCode) == [.failed, .failed])
    #expect(job.snapshot.updates[1].error?.code == .notVerified)
  }

  @Test(arguments: [3.0, -600, 100_000])
  func `work that was over before an engine came says when, by no clock that was set`(
    seconds: Double
  ) throws {
    for isRecovered in [true, false] {
      var job = JobMachineFixture(steps: ["one"], requested: ["one"])
      try job.startInstalling()
      try job.install(0)
      let start = try #require(job.snapshot.startedAt)
      var end = WorkEnd(exitStatus: 0, stoppedAtBoundary: false)
      end.at = start.advanced(bySeconds: seconds)
      job.second += 3600
      if isRecovered {
        job.machine = JobMachine(
          recovering: job.snapshot, plan: job.machine.plan,
          at: Timestamp(milliseconds: job.second * 1000))
      }
      try job.report(.ended(end))
      // However long it takes to look, that is not a time that nobody was there.
      job.second += 60
      try job.verified(installed: [0])
      #expect(job.snapshot.resultCode == .succeeded)
      let isTold = isRecovered && seconds == 3
      #expect(job.snapshot.workEndedAt == (isTold ? end.at : nil))
      #expect(job.snapshot.workOverAt == (isTold ? end.at : job.snapshot.endedAt))
      #expect(!isTold || job.snapshot.workedSeconds == 3)
    }
  }

  @Test func `D5: a tool that ended badly before a package is told with its status`() throws {
    var job = JobMachineFixture(steps: ["one", "two"], requested: ["one", "two"])
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0], exitStatus: 137)
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    #expect(job.snapshot.error?.message == "the package tool was ended by SIGKILL before two")
    job = JobMachineFixture(steps: ["one", "two"], requested: ["one", "two"])
    try job.startInstalling()
    try job.end(installed: [0], exitStatus: 0)
    #expect(
      job.snapshot.error?.message == "the package tool left two out and reported no failure")
  }

  @Test func `D5, D10: what the tool called a failure and the database calls installed succeeded`()
    throws
  {
    let job = try run(["odd"], failing: [0], installed: [0])
    #expect(job.snapshot.resultCode == .succeeded && job.snapshot.percentComplete == 100)
  }

  @Test func `a package that only the database calls done has the time of that`() throws {
    let job = try run(["odd"], failing: [0], installed: [0])
    let times = try #require(job.snapshot.plan?.first).phaseTimes
    #expect(times[.done] == Timestamp(milliseconds: job.second * 1000))
  }

  @Test func `D8, D13: what was asked for is there, and the rest of the plan is not: aborted`()
    throws
  {
    var job = JobMachineFixture(steps: ["app", "extra", "more"], requested: ["app"])
    try job.startInstalling()
    try job.install(0)
    try job.feed(.abort(by: JobMachineFixture.ops))
    try job.feed(.abortAnswered(.after(step: 0), by: JobMachineFixture.ops))
    try job.end(installed: [0], stopped: true)
    #expect(job.snapshot.resultCode == .aborted && job.snapshot.percentComplete < 100)
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded])
    #expect(job.snapshot.counts == ResultCounts(succeeded: 1, failed: 0, notStarted: 2))
    // Without an abort the tool has left it out by itself.
    job = JobMachineFixture(steps: ["app", "extra"], requested: ["app"])
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0])
    #expect(job.snapshot.resultCode == .succeededWithErrors && job.snapshot.error != nil)
  }

  @Test func `what others did before the job had the package lock is not its work`() throws {
    var job = JobMachineFixture(steps: ["one", "two"], requested: ["one", "two"])
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.stage(.waitingForLock(LockHolder(pid: 7, command: "apt"))))
    let busy = InstallationError(.busy, "the package lock is held by process 7 (apt)")
    try job.report(.ended(WorkEnd(exitStatus: -1, stoppedAtBoundary: false, error: busy)))
    var verification = Verification(
      findings: [
        .init(isAsPlanned: true, isUntouched: false, state: "installed", version: "1.0"),
        .init(isAsPlanned: false, isUntouched: false, state: "unpacked", version: "1.0"),
      ], audit: " two")
    verification.repairs = [.finishConfiguration]
    try job.feed(
      .verified(
        verification, before: RebootMarker(isSet: false), after: RebootMarker(isSet: false)))
    #expect(job.snapshot.updates.map(\.resultCode) == [.succeeded, .notStarted])
    #expect(job.snapshot.updates.map(\.note) == [.alreadyInstalled, .notReached])
    #expect(job.snapshot.repairs.isEmpty && job.snapshot.error == busy)
  }

  @Test func `what the machine satisfied before the work began is told as there already`() throws {
    var job = JobMachineFixture(steps: ["one", "two"], requested: ["one", "two"])
    try job.feed(.begin)
    try job.feed(.started)
    try job.feed(.satisfied([0]))
    try job.report(.stage(.installing))
    try job.install(1)
    try job.end(installed: [0, 1])
    #expect(job.snapshot.resultCode == .succeeded)
    #expect(job.snapshot.plan?.map(\.note) == [.alreadyInstalled, nil])
  }

  @Test func `A33: a kept configuration file stands in the result, by the job's policy`() throws {
    for policy in [ConffilePolicy.keep, .new] {
      var options = InstallationOptions()
      options.conffiles = policy
      var job = JobMachineFixture(steps: ["conf"], requested: ["conf"], options: options)
      try job.startInstalling()
      try job.report(.phase(step: 0, .unpacked), .phase(step: 0, .configuring))
      try job.report(.conffile(step: 0, path: "/etc/conf.ini"))
      try job.report(.conffile(step: 0, path: "/etc/conf.ini"), .phase(step: 0, .done))
      try job.end(installed: [0])
      let outcome: ConffileChange.Outcome = policy == .keep ? .kept : .replaced
      #expect(
        job.snapshot.updates[0].conffiles == [
          ConffileChange(path: "/etc/conf.ini", outcome: outcome)
        ])
      #expect(job.snapshot.updates[0].note == (policy == .keep ? .keptConfiguration : nil))
      #expect(job.snapshot.resultCode == .succeeded)
    }
  }

  @Test func `a package that stays as it is has not succeeded, and the reason is told`() throws {
    let plan = JobPlan(
      requests: [
        JobPlan.Request(
          update: Update("held"), step: nil, note: .notReached, foundVersion: "1.0",
          reason: "it is held at 1.0"),
        JobPlan.Request(update: Update("one"), step: 0),
      ],
      steps: [
        PlannedUpdate(name: "one", architecture: "all", action: .upgrade, toVersion: "2.0")
      ])
    var job = JobMachineFixture(steps: ["one"])
    job.machine = JobMachine(
      JobSnapshot(
        id: JobID(1), request: JobRequest(.upgrade, [Update("held"), Update("one")]), plan: plan,
        requestedBy: JobMachineFixture.ops, provider: "test",
        submittedAt: Timestamp(milliseconds: 0)), plan: plan)
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0])
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    #expect(job.snapshot.updates.map(\.resultCode) == [.notStarted, .succeeded])
    #expect(job.snapshot.error?.message == "held stays as it is: it is held at 1.0")
  }

  @Test func `D18: every update asked for stands in the result`() throws {
    let job = try run(["bad", "a", "b"], failing: [0], installed: [], half: [0: "half-installed"])
    #expect(job.snapshot.updates.count == 3)
    #expect(job.snapshot.updates[1].resultCode == .notStarted)
    #expect(job.snapshot.updates[1].note == .notReached)
  }

  @Test func `D3, D7: a restart is asked for by the package that wrote the marker`() throws {
    var job = JobMachineFixture(steps: ["a", "kernel"], requested: ["a", "kernel"])
    try job.startInstalling()
    for step in 0..<2 { try job.install(step) }
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    try job.verified(
      installed: [0, 1], before: RebootMarker(isSet: false),
      after: RebootMarker(isSet: true, packages: ["kernel"]))
    #expect(job.snapshot.requiresReboot && job.snapshot.rebootReasons == ["kernel"])
    #expect(job.snapshot.updates.map(\.requiresReboot) == [false, true])
  }

  @Test func `D3: a marker that was there before is not this job's`() throws {
    var job = JobMachineFixture(steps: ["a"])
    try job.startInstalling()
    try job.install(0)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    let marker = RebootMarker(isSet: true, packages: ["kernel"])
    try job.verified(installed: [0], before: marker, after: marker)
    #expect(!job.snapshot.requiresReboot && job.snapshot.rebootReasons.isEmpty)
  }

  @Test func `B29: work that vanished is interrupted, with what the database says`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.report(.phase(step: 1, .configuring), .abandoned)
    #expect(job.snapshot.state == .installing)
    // Also while packages move on and triggers come.
    try job.report(.trigger("man-db"), .phase(step: 2, .unpacking))
    #expect(job.snapshot.activity == "its worker is gone, what still runs is waited for")
    guard case .refused(let reason) = job.snapshot.abortPreview else {
      Issue.record("\(job.snapshot.abortPreview)")
      return
    }
    #expect(reason.code == .undeliverable)
    try job.report(.lost)
    #expect(job.snapshot.state == .finalizing && job.snapshot.activity == nil)
    try job.verified(installed: [0], half: [1: "half-configured"])
    #expect(job.snapshot.state == .interrupted)
    #expect(job.snapshot.error?.code == .interrupted)
    let last = try #require(job.snapshot.interruptedAt)
    #expect(last < job.snapshot.endedAt ?? last && job.snapshot.workedSeconds != nil)
    #expect(job.snapshot.plan?.map(\.resultCode) == [.succeeded, .failed, .notStarted])
  }

  @Test func `B29: work that vanished after it was done is a success`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    for step in 0..<3 { try job.install(step) }
    try job.report(.lost)
    try job.verified(installed: [0, 1, 2])
    #expect(job.snapshot.state == .completed && job.snapshot.resultCode == .succeeded)
  }

  @Test func `a tool that was ended by a signal is said in words`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0], exitStatus: 143)
    #expect(
      job.snapshot.error?.message == "the package tool was ended by SIGTERM before q2")
  }

  @Test(arguments: [true, false])
  func `work that ended with the machine says so, whatever the worker could still write`(
    isLost: Bool
  ) throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.report(.phase(step: 1, .configuring))
    job.machine.wasCutByRestart = true
    try job.report(isLost ? .lost : .ended(WorkEnd(exitStatus: 143, stoppedAtBoundary: false)))
    try job.verified(installed: [0], half: [1: "half-configured"])
    #expect(job.snapshot.error?.code == .interrupted)
    #expect(job.snapshot.error?.message == "the machine shut down while job 1 was at work on q2")
  }

  @Test func `what still runs is named in the error of work that vanished`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.report(.remark("still running, and not waited for: sleep (pid 7)"), .lost)
    try job.verified(installed: [])
    #expect(
      job.snapshot.error?.detail == "still running, and not waited for: sleep (pid 7)")
  }

  @Test func `an audit that is not silent is no plain success`() throws {
    var job = JobMachineFixture(steps: ["a"])
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0], audit: "triggers pending")
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    #expect(job.snapshot.error?.code == .notVerified)
  }

  @Test func `what dpkg says of others is not said to be the job's`() throws {
    let intro = "The following packages are only half configured, probably due to problems\n"
    var job = JobMachineFixture(steps: ["a"])
    try job.startInstalling()
    try job.install(0)
    try job.end(installed: [0], audit: intro + " broken               a game\n other:i386 b\n")
    #expect(job.snapshot.resultCode == .succeededWithErrors)
    let message = try #require(job.snapshot.error?.message)
    #expect(message == "dpkg --audit names broken and 1 more, which this job did not touch")
    // One that stands under several headings is one.
    var again = JobMachineFixture(steps: ["a"])
    try again.startInstalling()
    try again.install(0)
    try again.end(installed: [0], audit: intro + " broken  a game\n\n" + intro + " broken  a\n")
    #expect(
      again.snapshot.error?.message == "dpkg --audit names broken, which this job did not touch")
    var own = JobMachineFixture(steps: ["a"])
    try own.startInstalling()
    try own.install(0)
    try own.end(installed: [0], audit: intro + " broken   a game\n a    its own\n")
    #expect(own.snapshot.error?.message.hasPrefix("dpkg --audit is not silent after job") == true)
  }

  @Test func `what another is at while a job waits is no fault of one that is aborted meanwhile`()
    throws
  {
    var job = JobMachineFixture(steps: ["a"])
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.stage(.waitingForLock(LockHolder(pid: 42, command: "dpkg"))))
    try job.feed(.abort(by: JobMachineFixture.ops))
    try job.feed(.abortAnswered(.atOnce, by: JobMachineFixture.ops))
    try job.end(installed: [], exitStatus: -1, stopped: true, audit: "half:\n slowpoke  a game\n")
    #expect(job.snapshot.resultCode == .aborted)
    #expect(job.snapshot.error == nil)
  }

  @Test func `a failure is told before those that it caused`() throws {
    var job = JobMachineFixture(steps: ["data", "tool"], requested: ["data", "tool"])
    try job.startInstalling()
    for (step, detail) in [
      (0, "dependency problems - leaving unconfigured"),
      (1, "post-installation script, exit status 2"),
    ] {
      let name = job.machine.plan.steps[step].name
      try job.report(
        .phase(step: step, .unpacked),
        .failed(
          step: step,
          InstallationError(
            .packageFailed, "cannot configure \(name)", update: name, detail: detail)))
    }
    try job.end(installed: [], exitStatus: 100, half: [0: "unpacked", 1: "half-configured"])
    #expect(job.snapshot.error?.update == "tool")
  }

  @Test func `a recovered machine is where the journal says`() throws {
    var job = JobMachineFixture()
    try job.startInstalling()
    try job.install(0)
    try job.feed(.abort(by: JobMachineFixture.ops))
    try job.feed(.abortAnswered(.after(step: 1), by: JobMachineFixture.ops))
    job.machine = JobMachine(recovering: job.snapshot, plan: job.machine.plan)
    #expect(job.machine.state == .working(.installing, .abort(after: 1)))
    try job.install(1)
    try job.end(installed: [0, 1], exitStatus: 100, stopped: true)
    #expect(job.snapshot.resultCode == .aborted)
    #expect(job.snapshot.plan?.map(\.resultCode) == [.succeeded, .succeeded, .notStarted])
  }
}
