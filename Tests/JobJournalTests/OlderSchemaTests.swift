import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

@Suite struct `A journal of an older engine` {
  /// What the migrations add, from the last one on.
  private static let additions = [
    (6, "ALTER TABLE meta DROP COLUMN keptAfter;"),
    (
      5,
      "DROP INDEX auditOfKind; ALTER TABLE audit DROP COLUMN kind;"
        + "ALTER TABLE audit DROP COLUMN subject; ALTER TABLE audit DROP COLUMN count;"
    ),
    (4, "DROP INDEX jobsRetrying; ALTER TABLE jobs DROP COLUMN retryOf;"),
    (3, "DROP TABLE queue;"),
  ]

  /// Makes the journal of an engine that knew an older schema: the file without what later
  /// migrations add.
  private func put<Content>(
    schema version: Int, in scratch: JournalScratch, _ fill: (Journal) throws -> Content
  ) throws -> Content {
    let journal = try scratch.open()
    let content = try fill(journal)
    try journal.close()
    let file = try DatabaseQueue(path: scratch.path)
    try file.write { db in
      for (number, sql) in Self.additions where number > version {
        try db.execute(
          sql: sql + "DELETE FROM grdb_migrations WHERE identifier = '\(number)';")
      }
      try db.execute(sql: "PRAGMA user_version = \(version)")
    }
    // Without a write-ahead file, as an engine leaves it that ends in order.
    _ = try file.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try file.close()
    #expect(try scratch.contents()["journal.sqlite"]?[63] == UInt8(version))
    return content
  }

  /// A job that is over, and one at work.
  private static func fill(_ journal: Journal) throws -> [JobSnapshot] {
    let over = try JobFixture().submit(to: journal).snapshot
    _ = try journal.append(over.life(), at: .noon(5))
    let live = try JobFixture(["beta"]).submit(to: journal, at: .noon(6)).snapshot
    let change = JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "beta"))
    _ = try journal.append([EventDraft(live.id, .state(change))], at: .noon(7))
    return try [over.id, live.id].map { try journal.job($0, withPlan: true) }
  }

  @Test func `is taken with its jobs, and its queue can be paused from then on`() throws {
    let scratch = try JournalScratch()
    let jobs = try put(schema: 2, in: scratch, Self.fill)
    let pause = QueuePause(.request, by: Requester(uid: 0, user: "root"), since: .noon(9))
    for isFirst in [true, false] {
      let journal = try scratch.open()
      #expect(try jobs.map { try journal.job($0.id, withPlan: true) } == jobs)
      #expect(try journal.liveJobs().map(\.id) == [jobs[1].id])
      #expect(try journal.queuePause() == (isFirst ? nil : pause))
      if isFirst {
        let notice = EngineNotice(paused: pause)
        _ = try journal.append([EventDraft(nil, .engine(notice))], at: .noon(9))
      }
      try journal.verify()
      try journal.close()
      #expect(try scratch.contents()["journal.sqlite"]?[63] == UInt8(JournalSchema.version))
    }
  }

  @Test func `tells which job retries which, and one that cannot be read is no hindrance`() throws {
    let scratch = try JournalScratch()
    try put(schema: 3, in: scratch) { journal in
      for other in [nil, 1, 2, 1, 1] as [Int?] {
        // In words that somebody chose it names nothing.
        var fixture = JobFixture(token: other == nil ? #""retryOf":1"# : nil)
        fixture.request.options.retryOf = other.map { JobID($0) }
        try fixture.submit(to: journal)
      }
      try journal.write { db, _, _ in
        try db.execute(
          sql: """
            UPDATE jobs SET snapshot =
              CAST(replace(CAST(snapshot AS TEXT), '{"', '{{"') AS BLOB) WHERE id = 5
            """)
      }
    }
    for _ in 1...2 {
      let journal = try scratch.open()
      #expect(
        try (1...4).map { try journal.newestRetry(of: JobID($0))?.id }
          == [JobID(4), JobID(3), nil, nil])
      #expect(code { try journal.job(JobID(5), withPlan: false) } == .journal)
      try journal.close()
    }
    let journal = try scratch.open()
    var fixture = JobFixture()
    fixture.request.options.retryOf = JobID(1)
    #expect(try fixture.submit(to: journal).snapshot.id == JobID(6))
    #expect(try journal.newestRetry(of: JobID(1))?.id == JobID(6))
  }

  @Test func `keeps its record of acts, and takes refusals for want of rights for strangers'`()
    throws
  {
    let scratch = try JournalScratch()
    func entry(_ outcome: String) -> AuditEntry {
      AuditEntry(
        at: .noon(), requester: Requester(uid: 7, user: "u"), pid: 1, command: "c", act: "submit",
        job: nil, outcome: outcome)
    }
    try put(schema: 4, in: scratch) { journal in
      for outcome in [AuditEntry.permitted, "busy", "notPermitted"] {
        try journal.audit(entry(outcome))
      }
    }
    let journal = try scratch.open()
    let entries = try journal.auditEntries(limit: 9)
    #expect(entries.map(\.outcome) == ["notPermitted", "busy", AuditEntry.permitted])
    #expect(entries.map(\.kind) == [.stranger, .refusal, .act])
    #expect(entries.allSatisfy { $0.count == 1 && $0.subject == nil })
    var later = entry(AuditEntry.permitted)
    later.subject = AuditSubject(operation: .install, packages: ["hello"])
    let number = try journal.audit(later)
    try journal.setJob(JobID(3), ofAudit: number)
    later.job = JobID(3)
    #expect(try journal.auditEntries(of: JobID(3), limit: 1) == [later])
    try journal.close()
  }
}
