import InstallJobs
import JobJournal
import Support
import Testing

@testable import JobEngine

@Suite struct `The record of acts` {
  private let stranger = Requester(uid: 7, user: "stranger")

  @Test func `A40: refusals without end are counted, acts and other users are not touched`()
    async throws
  {
    let clock = ManualClock()
    let (fixture, _) = try await EngineFixture.byHand {
      $0.clock = clock
      $0.now = { Timestamp(milliseconds: 0).advanced(bySeconds: clock.now.offset.seconds) }
    }
    func refuse(_ requester: Requester, _ outcome: String = "notPermitted") async throws {
      try await fixture.engine.audit(
        "abort", on: nil, by: requester, pid: 1, command: "x", outcome: outcome)
    }
    for _ in 0..<(AuditLimit.most + 40) { try await refuse(stranger) }
    try await refuse(stranger, AuditEntry.permitted)
    try await refuse(EngineFixture.ops)
    var entries = try fixture.journal.auditEntries(limit: 1_000)
    #expect(entries.count == AuditLimit.most + 2)
    #expect(entries.prefix(2).map(\.requester) == [EngineFixture.ops, stranger])
    await clock.advance {
      (try? fixture.journal.auditEntries(limit: 1).first?.act) == "audit"
    }
    entries = try fixture.journal.auditEntries(limit: 1_000)
    #expect(entries.count == AuditLimit.most + 3)
    #expect(entries.first?.outcome == "40 more suppressed")
    #expect(entries.first?.requester == stranger)
    try await refuse(stranger)
    #expect(try fixture.journal.auditEntries(limit: 1).first?.outcome == "notPermitted")
  }

  @Test func `what is left out is told even when the clock was set`() {
    var limit = AuditLimit()
    let start = Timestamp(milliseconds: 1_000_000)
    for _ in 0..<AuditLimit.most { #expect(limit.take(7, at: start) == .init(isRecorded: true)) }
    #expect(limit.take(7, at: start) == .init(isRecorded: false, opensCount: true))
    #expect(limit.take(7, at: start) == .init(isRecorded: false))
    let earlier = start.advanced(bySeconds: -1)
    #expect(limit.take(7, at: earlier) == .init(isRecorded: true, leftOut: 2))
    #expect(limit.end(7) == 0)
  }
}
