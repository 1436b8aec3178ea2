import InstallJobs
import PackageProvider
import Testing

@testable import JobEngine

@Suite struct `How long it takes until a job stops` {
  private let ops = JobMachineFixture.ops

  /// A job of four alike packages without archives, of which two are installed: each took ten
  /// seconds to unpack and ten to configure.
  private func working() throws -> JobMachineFixture {
    var job = JobMachineFixture(steps: ["p1", "q2", "q3", "q4"], archives: false)
    try job.feed(.begin)
    try job.feed(.started)
    for step in 0..<2 {
      try job.report(.phase(step: step, .unpacking))
      for phase in [UpdatePhase.unpacked, .configuring, .done] {
        if phase != .configuring { job.second += 8 }
        try job.report(.phase(step: step, phase))
      }
    }
    return job
  }

  private func seconds(_ disposition: AbortDisposition?) -> Double? {
    if case .accepted(_, let seconds)? = disposition { seconds } else { nil }
  }

  @Test func `C24: nothing is foreseen before three stages of packages are over`() throws {
    var job = JobMachineFixture(archives: false)
    try job.feed(.begin)
    try job.feed(.started)
    try job.install(0)
    for _ in 0..<5 { try job.report(.alive) }
    try job.report(.phase(step: 1, .unpacking))
    // Long at work, and two stages say nothing of a third.
    #expect(job.snapshot.etaSeconds == nil)
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "q2"))
    try job.report(.phase(step: 1, .unpacked))
    #expect(job.snapshot.etaSeconds != nil)
  }

  @Test func `C24: what is left of the package is foreseen at the job's own pace`() throws {
    var job = try working()
    try job.report(.phase(step: 2, .unpacking))
    // Two of four packages took 40 s: 20 for each of the others, of which one has gone by.
    let first = try #require(seconds(job.snapshot.abortPreview))
    #expect((16...20).contains(first))
    let whole = try #require(job.snapshot.etaSeconds)
    #expect((34...40).contains(whole))
    job.second += 8
    try job.report(.phase(step: 2, .unpacked))
    let later = try #require(seconds(job.snapshot.abortPreview))
    #expect((8...12).contains(later))
  }

  @Test func `C24: a slow download says nothing of how long packages take`() throws {
    var job = JobMachineFixture(steps: ["p1", "q2", "q3", "q4"])
    try job.feed(.begin)
    try job.feed(.started)
    job.second += 1000
    for step in 0..<4 { try job.report(.downloaded(step: step, bytes: 1000)) }
    try job.report(.stage(.installing))
    #expect(job.snapshot.etaSeconds == nil)
    for step in 0..<2 { try job.install(step) }
    let left = try #require(job.snapshot.etaSeconds)
    #expect(left < 10)
  }

  @Test func `B17, B20: the answer says how long, and a repetition how long it still is`() throws {
    var job = try working()
    try job.report(.phase(step: 2, .unpacking))
    try job.feed(.abort(by: ops))
    let actions = try job.feed(.abortAnswered(.after(step: 2), by: ops))
    let first = try #require(job.snapshot.abort?.disposition)
    let promised = try #require(seconds(first))
    #expect(first.stopsAfter == "q3" && (14...20).contains(promised))
    #expect(actions.contains(.answer(first)))
    job.second += 6
    try job.report(.phase(step: 2, .unpacked))
    try job.report(.phase(step: 2, .configuring), .fraction(step: 2, 0.9))
    guard case .answer(let again)? = try job.feed(.abort(by: ops)).last else {
      Issue.record("the repetition is not answered")
      return
    }
    #expect(again.stopsAfter == "q3")
    #expect(try #require(seconds(again)) < promised)
    // What was promised first stays on record.
    #expect(job.snapshot.abort?.disposition == first)
  }

  @Test func `C21: nothing is foreseen while the work gives no sign of life`() throws {
    var job = try working()
    try job.report(.phase(step: 2, .unpacking))
    try job.feed(.silence(nil))
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "q3"))
    #expect(job.snapshot.etaSeconds == nil)
    try job.report(.alive)
    #expect(seconds(job.snapshot.abortPreview) != nil)
  }

  @Test func `seconds that pass make no durable events`() throws {
    var job = try working()
    try job.report(.phase(step: 2, .unpacking))
    let before = seconds(job.snapshot.abortPreview)
    job.log = []
    for _ in 0..<10 { try job.report(.alive) }
    #expect(seconds(job.snapshot.abortPreview) != before)
    #expect(
      !job.log.contains { if case .record = $0 { true } else { false } })
  }

  @Test func `B28: the time for which a job was paused is not its pace`() throws {
    var job = try working()
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.atOnce, by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    job.second += 10_000
    try job.feed(.resume)
    try job.feed(.started)
    try job.report(.phase(step: 2, .unpacking))
    let foreseen = try #require(seconds(job.snapshot.abortPreview))
    #expect(foreseen < 30)
  }

  @Test func `reports that an earlier engine left unread are not the job's pace`() throws {
    let left = try working()
    var found = JobMachine(recovering: left.snapshot, plan: left.machine.plan)
    // Not a stored figure: two of four alike packages.
    #expect((45...55).contains(found.snapshot.percentComplete))
    var second = left.second + 3600
    func report(_ reports: WorkReport...) throws {
      _ = try found.handle(.reports(reports), at: Timestamp(milliseconds: second * 1000))
    }
    // What happened in an hour is read in one rush.
    try report(
      .phase(step: 2, .unpacking), .phase(step: 2, .unpacked), .phase(step: 2, .configuring),
      .phase(step: 2, .done), .phase(step: 3, .unpacking))
    second += 5
    try report(.alive)
    #expect(found.stopwatch.laps.isEmpty && found.snapshot.etaSeconds == nil)
    second += 5
    try report(.phase(step: 3, .unpacked))
    second += 7
    try report(.phase(step: 3, .configuring), .phase(step: 3, .done))
    #expect(found.stopwatch.laps == [Stopwatch.Lap(stage: .configure, step: 3, seconds: 7)])
  }
}
