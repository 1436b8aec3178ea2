import InstallJobs
import PackageTools
import Testing

@testable import JobEngine

@Suite struct `How long it takes until a job stops` {
  private let ops = JobMachineFixture.ops

  /// A job of three alike packages without archives: a second of the clock for each input.
  private func working() throws -> JobMachineFixture {
    var job = JobMachineFixture(archives: false)
    try job.feed(.begin)
    try job.feed(.started)
    return job
  }

  private func seconds(_ disposition: AbortDisposition?) -> Double? {
    if case .accepted(_, let seconds)? = disposition { seconds } else { nil }
  }

  @Test func `C24: nothing is foreseen in the first three seconds and below two per cent`() throws {
    var job = try working()
    try job.report(.phase(step: 0, .unpacking))
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "p1"))
    for _ in 0..<5 { try job.report(.alive) }
    // Long at work, and nothing of it is done.
    #expect(job.snapshot.etaSeconds == nil)
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "p1"))
  }

  @Test func `C24: what is left of the package is foreseen at the job's own pace`() throws {
    var job = try working()
    try job.install(0)
    try job.report(.phase(step: 1, .unpacking))
    // 1 of 3 packages in 3 s: 3 s more for the second.
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "q2", etaSeconds: 3))
    try job.report(.fraction(step: 1, 1), .phase(step: 1, .unpacked))
    let later = try #require(seconds(job.snapshot.abortPreview))
    #expect(later <= 3 && later >= 1)
    let whole = try #require(job.snapshot.etaSeconds)
    #expect(later < whole)
  }

  @Test func `B17, B20: the answer says how long, and a repetition how long it still is`() throws {
    var job = try working()
    try job.install(0)
    try job.report(.phase(step: 1, .unpacking))
    try job.feed(.abort(by: ops))
    let actions = try job.feed(.abortAnswered(.after(step: 1), by: ops))
    let first = try #require(job.snapshot.abort?.disposition)
    #expect(first.stopsAfter == "q2" && seconds(first) == 5)
    #expect(actions.contains(.answer(first)))
    try job.report(.phase(step: 1, .unpacked))
    try job.report(.phase(step: 1, .configuring), .fraction(step: 1, 0.9))
    guard case .answer(let again)? = try job.feed(.abort(by: ops)).last else {
      Issue.record("the repetition is not answered")
      return
    }
    #expect(again.stopsAfter == "q2")
    #expect(try #require(seconds(again)) < 5)
    // What was promised first stays on record.
    #expect(job.snapshot.abort?.disposition == first)
  }

  @Test func `C21: nothing is foreseen while the work gives no sign of life`() throws {
    var job = try working()
    try job.install(0)
    try job.report(.phase(step: 1, .unpacking))
    try job.feed(.silence(nil))
    #expect(job.snapshot.abortPreview == .accepted(stopsAfter: "q2"))
    try job.report(.alive)
    #expect(seconds(job.snapshot.abortPreview) != nil)
  }

  @Test func `seconds that pass make no durable events`() throws {
    var job = try working()
    try job.install(0)
    try job.report(.phase(step: 1, .unpacking))
    let before = seconds(job.snapshot.abortPreview)
    job.log = []
    for _ in 0..<10 { try job.report(.alive) }
    #expect(seconds(job.snapshot.abortPreview) != before)
    #expect(
      !job.log.contains { if case .record = $0 { true } else { false } })
  }

  @Test func `B28: the time for which a job was held is not its pace`() throws {
    var job = try working()
    try job.install(0)
    try job.feed(.suspend(by: ops))
    try job.feed(.suspendAnswered(.atOnce, by: ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    let worked = try #require(job.snapshot.lastActivityAt)
    job.second += 10_000
    try job.feed(.resume)
    try job.feed(.started)
    try job.report(.phase(step: 1, .unpacking))
    let foreseen = try #require(seconds(job.snapshot.abortPreview))
    #expect(foreseen < 20, "\(worked)")
  }
}
