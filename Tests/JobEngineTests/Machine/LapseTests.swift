import InstallJobs
import JobJournal
import PackageProvider
import Support
import Testing

@testable import JobEngine

extension LearnedCosts {
  /// What jobs cost where each of these stages took so long three times; the others were never seen.
  static func known(
    _ packages: [String: (unpack: Double, configure: Double)], connect: Double? = nil,
    prepare: Double? = nil, conclude: Double? = nil
  ) -> LearnedCosts {
    let now = Timestamp(milliseconds: 0)
    func samples(_ stage: CostStage, _ package: String, _ seconds: Double?) -> [DurationSample] {
      guard let seconds else { return [] }
      return (1...3).map { _ in
        DurationSample(
          at: now, package: package, version: "1.0", stage: stage.rawValue, seconds: seconds,
          bytes: 0, host: "m")
      }
    }
    let machine =
      samples(.connect, "", connect) + samples(.prepare, "", prepare)
      + samples(.conclude, "", conclude)
    return LearnedCosts(
      ofPackages: packages.flatMap { name, cost in
        samples(.unpack, name, cost.unpack) + samples(.configure, name, cost.configure)
      }, on: LearnedCosts(ofMachine: machine, at: now), at: now)
  }
}

/// A stage that was learned goes on although nothing is reported of it.
@Suite struct `A job that only time moves` {
  private let ops = JobMachineFixture.ops

  /// One package of 40 seconds to unpack and 60 to configure; second 0 of the work is now.
  private func job(
    _ learned: LearnedCosts = .known(["a": (40, 60)]), archives: Bool = false
  ) throws -> JobMachineFixture {
    var job = JobMachineFixture(steps: ["a"], archives: archives)
    job.machine.setLearnedCosts(by: learned)
    try job.feed(.begin)
    try job.feed(.started)
    return job
  }

  private func pass(
    _ seconds: Int64, in job: inout JobMachineFixture, isClockSound: Bool = true
  ) throws -> [JobMachine.Action] {
    job.second += seconds - 1
    return try job.feed(.lapse(isClockSound: isClockSound))
  }

  private func percents(_ job: JobMachineFixture) -> (Double, Double) {
    (job.snapshot.percentComplete, job.snapshot.plan?[0].percentComplete ?? 0)
  }

  @Test func `P6: a learned stage moves up to nearly its end, and waits there for a word of it`()
    throws
  {
    var job = try job()
    try job.report(.phase(step: 0, .unpacking))
    #expect(percents(job).1 == 0)
    #expect(try !pass(20, in: &job).isEmpty)
    // Half of 40 of 100 seconds.
    #expect(abs(percents(job).1 - 20) < 1)
    #expect(abs(percents(job).0 - 20) < 1)
    _ = try pass(100, in: &job)
    #expect(abs(percents(job).1 - 38) < 0.01)
    let capped = percents(job)
    _ = try pass(1000, in: &job)
    #expect(percents(job) == capped)
    try job.report(.phase(step: 0, .unpacked))
    #expect(abs(percents(job).1 - 40) < 0.01)
    try job.report(.phase(step: 0, .configuring))
    _ = try pass(5000, in: &job)
    #expect(percents(job).1 < 98 && percents(job).1 > 96)
    try job.report(.phase(step: 0, .done))
    #expect(percents(job).1 == 100 && percents(job).0 < 100)
  }

  @Test func `N5: what was not learned does not move, and nothing is woken for it`() throws {
    var job = try job(LearnedCosts())
    try job.report(.phase(step: 0, .unpacking))
    #expect(job.machine.nextLapse(at: Timestamp(milliseconds: job.second * 1000)) == nil)
    let before = percents(job)
    #expect(try pass(100, in: &job).isEmpty)
    #expect(percents(job) == before)
    #expect(job.snapshot.overdue == nil)
  }

  @Test func `what measures itself is not moved by time`() throws {
    var job = try job()
    try job.report(.phase(step: 0, .unpacking), .fraction(step: 0, 0.1))
    let before = percents(job)
    _ = try pass(30, in: &job)
    #expect(percents(job) == before)
    try job.report(.phase(step: 0, .unpacked), .phase(step: 0, .configuring))
    _ = try pass(30, in: &job)
    // The next stage does not measure itself.
    #expect(percents(job).1 > 60)
  }

  @Test(arguments: ["lock", "stalled", "held", "clock"])
  func `while a job cannot go on, or for how long is not known, nothing moves`(_ what: String)
    throws
  {
    var job = try job()
    try job.report(.phase(step: 0, .unpacking))
    _ = try pass(10, in: &job)
    switch what {
    case "lock": try job.report(.stage(.waitingForLock(nil)))
    case "stalled": try job.feed(.silence(nil))
    case "held":
      try job.feed(.suspend(by: ops))
      try job.feed(.suspendAnswered(.atOnce, by: ops))
      try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    default: _ = try pass(1, in: &job, isClockSound: false)
    }
    let before = percents(job)
    #expect(try pass(500, in: &job).isEmpty)
    #expect(percents(job) == before)
    #expect(job.snapshot.overdue == nil)
    #expect(job.machine.nextLapse(at: Timestamp(milliseconds: job.second * 1000)) == nil)
  }

  @Test func `an engine that is started again has the bar where the time has brought it`() throws {
    var job = try job()
    try job.report(.phase(step: 0, .unpacking))
    _ = try pass(20, in: &job)
    let before = percents(job)
    // Ticks are not stored: the journal knows of the beginning only.
    var stored = job.snapshot
    stored.percentComplete = 0
    stored.plan?[0].percentComplete = 0
    job.machine = JobMachine(
      recovering: stored, plan: job.machine.plan, learned: .known(["a": (40, 60)]))
    #expect(percents(job).1 == 0)
    job.machine.catchUp(to: Timestamp(milliseconds: job.second * 1000))
    #expect(abs(percents(job).1 - before.1) < 1 && abs(percents(job).0 - before.0) < 1)
    _ = try pass(10, in: &job)
    #expect(percents(job).1 > before.1)
  }

  @Test func `time alone is no sign of life, nor what people ask for`() throws {
    var job = try job()
    try job.report(.phase(step: 0, .unpacking))
    let sign = job.snapshot.lastActivityAt
    _ = try pass(10, in: &job)
    #expect(job.snapshot.lastActivityAt == sign)
    let ops = Requester(uid: 1000, user: "ops")
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.after(step: 0), by: ops))
    try job.feed(.abort(by: ops))
    try job.feed(.abortAnswered(.after(step: 0), by: ops))
    #expect(job.snapshot.state == .stopping && job.snapshot.lastActivityAt == sign)
    try job.feed(.withdrawAbort(by: ops))
    try job.feed(.withdrawAnswered(true, by: ops))
    #expect(job.snapshot.state == .installing && job.snapshot.lastActivityAt == sign)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    #expect(job.snapshot.lastActivityAt != sign)
  }

  @Test func `what comes before the first package and after the last moves, too`() throws {
    var job = try job(
      .known(["a": (5, 5)], connect: 10, prepare: 20, conclude: 60), archives: true)
    _ = try pass(5, in: &job)
    #expect(abs(job.snapshot.percentComplete - 5) < 1)
    try job.report(.downloaded(step: 0, bytes: 1000), .phase(step: 0, .downloaded))
    #expect(abs(job.snapshot.percentComplete - 10) < 1)
    try job.report(.stage(.installing))
    let begun = job.snapshot.percentComplete
    _ = try pass(10, in: &job)
    #expect(abs(job.snapshot.percentComplete - begun - 10) < 1)
    try job.install(0)
    let installed = job.snapshot.percentComplete
    _ = try pass(30, in: &job)
    #expect(abs(job.snapshot.percentComplete - installed - 30) < 2)
    #expect(abs((job.snapshot.etaSeconds ?? 0) - 30) < 2)
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: false)))
    _ = try pass(1000, in: &job)
    #expect(job.snapshot.state == .finalizing)
    #expect((95..<99).contains(job.snapshot.percentComplete))
    try job.verified(installed: [0])
    #expect(job.snapshot.percentComplete == 100)
  }

  @Test func `packages that wait for triggers belong to what comes after the last one`() throws {
    var job = try job(.known(["a": (5, 5)], conclude: 40))
    try job.report(.phase(step: 0, .unpacking), .phase(step: 0, .unpacked))
    try job.report(.phase(step: 0, .configuring), .phase(step: 0, .triggers))
    let before = job.snapshot.percentComplete
    _ = try pass(20, in: &job)
    #expect(abs(job.snapshot.percentComplete - before - 40) < 3)
  }

  @Test func `a stage that takes three times as long and ten seconds more is overdue`() throws {
    var job = try job(.known(["a": (5, 60)]))
    try job.report(.phase(step: 0, .unpacking))
    _ = try pass(15, in: &job)
    #expect(job.snapshot.overdue == nil)
    let told = try pass(2, in: &job)
    #expect(told.count == 1)
    let overdue = try #require(job.snapshot.overdue)
    #expect(overdue.stage == .unpack && overdue.update == "a" && overdue.usualSeconds == 5)
    // Since the work began: the stage has the time from one report to the next.
    #expect(overdue.since <= Timestamp(milliseconds: 3000))
    // It is told once, and nobody is woken for it again.
    #expect(job.machine.nextLapse(at: Timestamp(milliseconds: job.second * 1000)) == nil)
    #expect(try pass(60, in: &job).isEmpty)
    try job.report(.phase(step: 0, .unpacked))
    #expect(job.snapshot.overdue == nil)
    try job.report(.phase(step: 0, .configuring))
    _ = try pass(170, in: &job)
    #expect(job.snapshot.overdue == nil)
  }

  @Test func `one is woken a hundred times for a stage, and not at all for a short one`() throws {
    func pause(_ seconds: Double) throws -> Double? {
      var job = try job(.known(["a": (seconds, 1)]))
      try job.report(.phase(step: 0, .unpacking))
      return job.machine.nextLapse(at: Timestamp(milliseconds: job.second * 1000))
    }
    #expect(try pause(40) == 1)
    #expect(try pause(500) == 5)
    #expect(try pause(100_000) == 10)
    // Only to see whether it is overdue.
    #expect(try #require(try pause(0.1)) > 9)
  }

  @Test func `N5: the end is told with how far it may be off, where all that is left was learned`()
    throws
  {
    var job = try job(.known(["a": (40, 60)], conclude: 10))
    try job.report(.phase(step: 0, .unpacking))
    _ = try pass(10, in: &job)
    // A twentieth of each at least: twice the root of 2² + 3² + 0.5².
    let spread = try #require(job.snapshot.etaSpreadSeconds)
    #expect((6.5...8.5).contains(spread))
    try job.report(.phase(step: 0, .unpacked), .phase(step: 0, .configuring))
    try job.report(.phase(step: 0, .done))
    #expect(try #require(job.snapshot.etaSpreadSeconds) <= 1)
    var other = try self.job(.known(["a": (40, 60)]))
    try other.report(.phase(step: 0, .unpacking))
    _ = try pass(10, in: &other)
    #expect(other.snapshot.etaSeconds != nil && other.snapshot.etaSpreadSeconds == nil)
  }
}
