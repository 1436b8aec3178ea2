import GRDB
import HostSystem
import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite struct `The record of acts` {
  private let stranger = Requester(uid: 7, user: "stranger")

  @Test func `refusals without end are counted, acts and other users are not touched`()
    async throws
  {
    let clock = ManualClock()
    let trail = Recorder<AuditEntry>()
    let (fixture, _) = try await EngineFixture.byHand {
      $0.auditTrail = { trail.note($0) }
      $0.clock = clock
      $0.now = { Timestamp(milliseconds: 0).advanced(bySeconds: clock.now.offset.seconds) }
    }
    func refuse(_ requester: Requester, _ outcome: String = "notPermitted") async throws {
      try await fixture.engine.audit(
        AuditedAct(
          "abort", on: nil, by: requester, pid: 1, command: "x", outcome: outcome))
    }
    for _ in 0..<(AuditLimit.most + 40) { try await refuse(stranger) }
    try await refuse(stranger, AuditEntry.permitted)
    try await refuse(EngineFixture.ops)
    var entries = try fixture.journal.auditEntries(limit: 1_000)
    #expect(entries.count == AuditLimit.most + 3)
    let minute = Timestamp(milliseconds: 0).advanced(bySeconds: AuditLimit.window)
    #expect(entries[2].outcome == "more are suppressed until \(minute)", "durable at once")
    #expect(entries.prefix(2).map(\.requester) == [EngineFixture.ops, stranger])
    await clock.advance {
      (try? fixture.journal.auditEntries(limit: 1).first?.outcome) == "40 more suppressed"
    }
    entries = try fixture.journal.auditEntries(limit: 1_000)
    #expect(entries.count == AuditLimit.most + 4)
    #expect(entries.first?.outcome == "40 more suppressed")
    #expect(entries.first?.requester == stranger)
    try await refuse(stranger)
    #expect(try fixture.journal.auditEntries(limit: 1).first?.outcome == "notPermitted")
    #expect(try trail.values == fixture.journal.auditEntries(limit: 1_000).reversed())
  }

  @Test func `what is left out is told even when the clock was set`() {
    var limit = AuditLimit()
    let start = Timestamp(milliseconds: 1_000_000)
    for _ in 0..<AuditLimit.most { #expect(limit.admit(7, at: start) == .init(isRecorded: true)) }
    let first = AuditLimit.Span(start: start)
    #expect(limit.admit(7, at: start) == .init(isRecorded: false, counted: first))
    #expect(limit.admit(7, at: start) == .init(isRecorded: false))
    let earlier = start.advanced(bySeconds: -1)
    #expect(limit.admit(7, at: earlier) == .init(isRecorded: true, leftOut: 2))
    #expect(limit.end(7, startedAt: earlier) == 0)
  }

  @Test func `a window is ended by its own end and by no other's`() {
    var limit = AuditLimit()
    let start = Timestamp(milliseconds: 1_000_000)
    for _ in 0..<(AuditLimit.most + 2) { _ = limit.admit(7, at: start) }
    let next = start.advanced(bySeconds: AuditLimit.window)
    #expect(limit.admit(7, at: next) == .init(isRecorded: true, leftOut: 2))
    #expect(limit.end(7, startedAt: start) == 0)
    for _ in 1..<AuditLimit.most { #expect(limit.admit(7, at: next).isRecorded) }
    #expect(limit.admit(7, at: next).counted == AuditLimit.Span(start: next))
    #expect(limit.end(7, startedAt: next) == 1)
  }

  @Test func `nothing is kept of users whose window is over`() {
    var limit = AuditLimit()
    let start = Timestamp(milliseconds: 1_000_000)
    for uid in 1...100 as ClosedRange<UInt32> { _ = limit.admit(uid, at: start) }
    for _ in 0...AuditLimit.most { _ = limit.admit(200, at: start) }
    _ = limit.admit(7, at: start.advanced(bySeconds: AuditLimit.window))
    #expect(limit.count == 2, "the one with a count that was not asked for, and the new one")
    #expect(limit.end(200, startedAt: start) == 1)
  }

  @Test func `a count comes at the end of its window and survives a fault of the journal`()
    async throws
  {
    let clock = ManualClock()
    let (fixture, _) = try await EngineFixture.byHand {
      $0.clock = clock
      $0.now = { Timestamp(milliseconds: 0).advanced(bySeconds: clock.now.offset.seconds) }
    }
    func refuse(_ times: Int = 1) async throws {
      for _ in 0..<times {
        try await fixture.engine.audit(
          AuditedAct(
            "abort", on: nil, by: stranger, pid: 1, command: "x", outcome: "notPermitted"))
      }
    }
    func counts() throws -> [String] {
      try fixture.journal.auditEntries(limit: 1_000).map(\.outcome)
        .filter { $0.hasSuffix("more suppressed") }
    }
    try await refuse()
    await clock.advance(by: .seconds(40))
    try await refuse(AuditLimit.most + 4)
    let database = try DatabaseQueue(path: fixture.folder.path("journal.sqlite"))
    try await database.write { db in
      try db.execute(
        sql: "CREATE TRIGGER fault BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END")
    }
    try await eventually { clock.untilNextDeadline == .seconds(AuditLimit.window - 40) }
    await clock.advance(by: .seconds(AuditLimit.window - 40))
    try await eventually { clock.untilNextDeadline == .seconds(AuditLimit.window) }
    #expect(try counts().isEmpty)
    try await database.write { db in try db.execute(sql: "DROP TRIGGER fault") }
    await clock.advance { (try? counts()) == ["5 more suppressed"] }
    try await refuse()
    await clock.advance(by: .seconds(30))
    try await refuse(AuditLimit.most)
    try await eventually { clock.untilNextDeadline == .seconds(AuditLimit.window - 30) }
    await clock.advance { (try? counts()) == ["1 more suppressed", "5 more suppressed"] }
    #expect(try counts() == ["1 more suppressed", "5 more suppressed"])
  }

  @Test func `who only stops work does not wait for the record, which has all in their order`()
    async throws
  {
    let clock = ManualClock()
    let (fixture, _) = try await EngineFixture.byHand(.steps(1)) { $0.clock = clock }
    let database = try DatabaseQueue(path: fixture.folder.path("journal.sqlite"))
    try await database.write { db in
      try db.execute(
        sql: "CREATE TRIGGER fault BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END")
    }
    func act(_ name: String, _ outcome: String = AuditEntry.permitted) async throws {
      try await fixture.engine.audit(
        AuditedAct(
          name, on: JobID(1), by: stranger, pid: 1, command: "x", outcome: outcome))
    }
    try await act("abort")
    try await act("abort", "unknownJob")
    try await act("suspend")
    let error = await #expect(throws: InstallationError.self) { try await act("resume") }
    #expect(error?.code == .journal)
    #expect(try fixture.journal.auditEntries(limit: 10).isEmpty)
    try await database.write { db in try db.execute(sql: "DROP TRIGGER fault") }
    try await act("withdraw")
    let rows = try fixture.journal.auditEntries(limit: 10).reversed()
    #expect(
      rows.map { "\($0.act) \($0.outcome)" } == [
        "abort permitted", "abort unknownJob", "suspend permitted", "withdraw permitted",
      ])
    #expect(rows.allSatisfy { $0.requester == stranger })
  }

  @Test func `refusals of a crowd of strangers make few rows, and no user hides another`()
    async throws
  {
    let clock = ManualClock()
    let (fixture, _) = try await EngineFixture.byHand {
      $0.clock = clock
      $0.now = { Timestamp(milliseconds: 0).advanced(bySeconds: clock.now.offset.seconds) }
    }
    func refuse(_ uid: UInt32, _ count: Int = 1) async throws {
      _ = try await fixture.engine.audit(
        AuditedAct(
          "hello", by: Requester(uid: uid, user: "u\(uid)"), pid: 1, command: "x",
          outcome: "notPermitted", isUnprivileged: true, count: count))
    }
    func entries() throws -> [AuditEntry] { try fixture.journal.auditEntries(limit: 10_000) }
    for _ in 0..<1000 { try await refuse(5005) }
    try await refuse(7)
    for uid in 100_000..<101_000 as Range<UInt32> { try await refuse(uid, 2) }
    let rows = try entries()
    #expect(rows.count == UnprivilegedRefusalLimit.most + 1)
    #expect(rows.contains { $0.requester.uid == 7 }, "a quiet one is named beside the loud ones")
    #expect(
      rows.count { $0.requester.uid == 5005 && $0.act == "hello" }
        == UnprivilegedRefusalLimit.mostPerUser)
    #expect(rows.allSatisfy { $0.kind == .stranger })
    await clock.advance { (try? entries().count) == UnprivilegedRefusalLimit.most + 2 }
    let summary = try #require(try entries().first)
    #expect(summary.count == 3001 - rows.reduce(0) { $0 + ($1.act == "hello" ? $1.count : 0) })
    #expect(summary.subject?.users?.first == .init(uid: 5005, count: 997))
    #expect(summary.subject?.users?.count == UnprivilegedRefusalLimit.mostUsers)
  }

  @Test func `what an act was about is read back by filters`() async throws {
    let (fixture, _) = try await EngineFixture.byHand()
    let ops = EngineFixture.ops
    let row = try await fixture.engine.audit(
      AuditedAct(
        "submit", by: ops, pid: 1, command: "fettle", outcome: AuditEntry.permitted,
        subject: AuditSubject(operation: .install, packages: ["hello"])))
    await fixture.engine.setJob(JobID(9), ofAudit: try #require(row))
    _ = try await fixture.engine.audit(
      AuditedAct("submit", by: ops, pid: 1, command: "fettle", outcome: "busy"))
    _ = try await fixture.engine.audit(
      AuditedAct("abort", on: JobID(9), by: stranger, pid: 2, command: "x", outcome: "permitted"))
    func outcomes(_ filter: AuditFilter, before: Int64? = nil) async throws -> [String] {
      try await fixture.engine.audits(filter, before: before, limit: 10)
        .map { "\($0.act) \($0.outcome)" }
    }
    #expect(try await outcomes(AuditFilter()).count == 3)
    #expect(
      try await outcomes(AuditFilter(job: JobID(9))) == ["abort permitted", "submit permitted"])
    #expect(try await outcomes(AuditFilter(user: "stranger")) == ["abort permitted"])
    #expect(try await outcomes(AuditFilter(user: "7")) == ["abort permitted"])
    #expect(try await outcomes(AuditFilter(act: "submit", outcome: "refused")) == ["submit busy"])
    #expect(try await outcomes(AuditFilter(outcome: "busy")) == ["submit busy"])
    #expect(try await outcomes(AuditFilter(since: Timestamp.now.advanced(bySeconds: 60))).isEmpty)
    #expect(try await outcomes(AuditFilter(), before: 2) == ["submit permitted"])
    let first = try await fixture.engine.audits(AuditFilter(), before: 2, limit: 1).first
    #expect(first?.operation == .install && first?.packages == ["hello"] && first?.job == JobID(9))
  }
}
