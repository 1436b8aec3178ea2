import InstallJobs
import Testing

@testable import Bench

@Suite struct `The record of events` {
  private static func event(
    _ seq: Int, _ payload: JobEvent.Payload = .engine(EngineNotice(.started, ""))
  ) -> JobEvent {
    JobEvent(seq: seq, at: Timestamp(milliseconds: 0), job: JobID(1), payload: payload)
  }

  private static func update(_ seq: Int, _ phase: UpdatePhase) -> JobEvent {
    let planned = PlannedUpdate(
      name: "a", architecture: "all", action: .install, toVersion: "1.0", requested: true)
    return event(seq, .update(index: 0, status: UpdateStatus(planned, phase: phase)))
  }

  private static let completed = JobEvent.Payload.completed(
    JobOutcome(
      state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
      requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [], updates: []))

  private func record(_ events: [JobEvent]) -> EventRecord {
    var record = EventRecord()
    for event in events { record.apply(event) }
    return record
  }

  @Test func `events one after the other are neither lost nor doubled`() {
    let record = record([
      Self.event(1), Self.update(2, .unpacking), Self.update(3, .configuring),
      Self.event(3, .log(offset: 0, text: "repeats the last number")),
      Self.event(4, Self.completed),
    ])
    #expect(record.lost == 0 && record.doubled == 0)
    #expect(record.reached == 4 && record.events.count == 4)
    #expect(record.outcome(of: JobID(1))?.resultCode == .succeeded)
    #expect(record.outcome(of: JobID(2)) == nil)
  }

  @Test func `skipped numbers are lost, each of them`() {
    #expect(record([Self.event(1), Self.event(4)]).lost == 2)
    #expect(record([Self.event(2)]).lost == 1, "the first is number 1")
  }

  @Test func `a number that comes again is doubled`() {
    #expect(record([Self.event(1), Self.event(2), Self.event(2)]).doubled == 1)
  }

  @Test func `what was said comes again under a new number: doubled`() {
    #expect(record([Self.update(1, .unpacking), Self.update(2, .unpacking)]).doubled == 1)
    #expect(record([Self.event(1, Self.completed), Self.event(2, Self.completed)]).doubled == 1)
  }

  @Test func `what the journal has otherwise than it was seen counts`() {
    let seen = [Self.event(1), Self.update(2, .unpacking)]
    #expect(EventRecord.differences(seen, seen) == 0)
    #expect(EventRecord.differences(seen, seen + [Self.event(3)]) == 1)
    #expect(EventRecord.differences(seen, [Self.event(1), Self.update(2, .configuring)]) == 2)
  }
}
