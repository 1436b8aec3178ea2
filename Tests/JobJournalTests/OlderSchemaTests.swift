import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

@Suite struct `A journal of an older engine` {
  /// Makes the journal of an engine that knew no paused queue: what it holds, and the file without
  /// what the third migration adds.
  private func putSecondSchema(_ scratch: JournalScratch) throws -> [JobSnapshot] {
    let journal = try scratch.open()
    let over = try JobFixture().submit(to: journal).snapshot
    _ = try journal.append(over.life(), at: .noon(5))
    let live = try JobFixture(["beta"]).submit(to: journal, at: .noon(6)).snapshot
    let change = JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "beta"))
    _ = try journal.append([EventDraft(live.id, .state(change))], at: .noon(7))
    let jobs = try [over.id, live.id].map { try journal.job($0, withPlan: true) }
    try journal.close()
    let file = try DatabaseQueue(path: scratch.path)
    try file.write { db in
      try db.execute(
        sql: """
          DROP TABLE queue;
          DELETE FROM grdb_migrations WHERE identifier = '3';
          PRAGMA user_version = 2;
          """)
    }
    // Without a write-ahead file, as an engine leaves it that ends in order.
    _ = try file.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try file.close()
    return jobs
  }

  @Test func `is taken with its jobs, and its queue can be paused from then on`() throws {
    let scratch = try JournalScratch()
    let jobs = try putSecondSchema(scratch)
    #expect(try scratch.contents()["journal.sqlite"]?[63] == 2)
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
}
