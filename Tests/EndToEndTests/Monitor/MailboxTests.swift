import Canvas
import InstallJobs
import Monitor
import Testing

@testable import fettle

@Suite struct `What the monitor hears` {
  static let now = Timestamp(milliseconds: 1_767_268_800_000)

  @Test(arguments: [
    MonitorEvent.clock(now), .tick, .key(.down), .link(.stale(seconds: 5)), .notice("theme"),
  ])
  func `the clock, a bar's pulse and the terminal are no signs of life of an engine`(
    _ event: MonitorEvent
  ) {
    #expect(!event.isHeard)
  }

  @Test(arguments: [
    MonitorEvent.snapshotEnd(seq: 1), .abortAnswer(JobID(1), .alreadyCompleted),
    .event(JobEvent(seq: 1, at: now, job: nil, payload: .engine(EngineNotice(.started, "up")))),
  ])
  func `what the engine tells is a sign of its life`(_ event: MonitorEvent) {
    #expect(event.isHeard)
  }

  @Test func `a moment that has passed is waited for no longer`() {
    let time = MonotonicTime()
    #expect(time.duration(until: Timestamp(milliseconds: 0)) == .zero)
    #expect(time.duration(until: time.now.advanced(bySeconds: 60)) > .seconds(1))
  }
}
