import GRDB
import InstallJobs
import Testing

@testable import JobJournal

@Suite struct `Old jobs` {
  private static let day = 86_400.0

  /// A journal with jobs that ended one a day, all of them cleaned up but the numbers in `uncleaned`.
  private func journal(
    of count: Int, uncleaned: Set<Int> = [], in scratch: JournalScratch
  ) throws -> Journal {
    let journal = try scratch.open()
    for number in 1...count {
      let time = Timestamp.noon(Double(number) * Self.day)
      let job = try JobFixture(["p\(number)"]).submit(to: journal, at: time).snapshot
      _ = try journal.append(job.life(), at: time)
      guard !uncleaned.contains(number) else { continue }
      let cleaner = Requester(uid: 0, user: "root")
      _ = try journal.append([EventDraft(job.id, .cleanedUp(by: cleaner))], at: time)
    }
    return journal
  }

  private func removeAll(
    _ journal: Journal, _ retention: JournalRetention, day: Double
  ) throws -> [Int] {
    var removed: [Int] = []
    for _ in 0..<1000 {
      let step = try journal.removeOld(retention, at: .noon(day * Self.day)) { $0 }
      removed += step.removed
      if !step.hasMore { break }
    }
    return removed
  }

  private func history(_ journal: Journal) throws -> [Int] {
    try journal.history(limit: 99).map(\.id.rawValue)
  }

  @Test func `go with their age, and what stays has no gap`() throws {
    let scratch = try JournalScratch()
    let journal = try journal(of: 10, in: scratch)
    let last = journal.lastSeq
    #expect(try removeAll(journal, JournalRetention(days: 4), day: 10.5) == [1, 2, 3, 4, 5, 6])
    #expect(try history(journal) == [10, 9, 8, 7])
    let kept = try journal.keptAfter()
    let events = try journal.events(after: kept, limit: 10_000)
    #expect(events.map(\.seq) == Array(kept + 1...last))
    #expect(events.first?.job == JobID(7))
    #expect(code { try journal.events(after: kept - 1, limit: 1) } == .invalidArgument)
    #expect(code { try journal.events(after: 0, limit: 1) } == .invalidArgument)
    #expect(try journal.events(after: 0, limit: 1, of: JobID(8)).count == 1)
    #expect(code { try journal.job(JobID(3), withPlan: false) } == .unknownJob)
    try journal.verify()
    try journal.close()
    // Numbers are never given again.
    let again = try scratch.open()
    #expect(again.lastSeq == last)
    #expect(try JobFixture().submit(to: again).snapshot.id == JobID(11))
    #expect(try again.keptAfter() == kept)
  }

  @Test func `go by their number and by the size of the journal`() throws {
    let scratch = try JournalScratch()
    let journal = try journal(of: 8, in: scratch)
    #expect(try removeAll(journal, JournalRetention(jobs: 5), day: 8.5) == [1, 2, 3])
    #expect(try removeAll(journal, JournalRetention(jobs: 5), day: 8.5) == [])
    #expect(
      try removeAll(journal, JournalRetention(megabytes: 0), day: 8.5) == [4, 5, 6, 7, 8])
    #expect(try history(journal) == [])
  }

  @Test func `stay with their events while they are not cleaned up, and keep no others`() throws {
    let scratch = try JournalScratch()
    let journal = try journal(of: 5, uncleaned: [2], in: scratch)
    let live = try JobFixture(["live"]).submit(to: journal, at: .noon(5 * Self.day)).snapshot
    let recorded = try journal.events(after: 0, limit: 99, of: JobID(2))
    for retention in [
      JournalRetention(days: 1), JournalRetention(days: 1, jobs: 0),
      JournalRetention(days: 1, megabytes: 0),
    ] {
      let removed = try removeAll(journal, retention, day: 100)
      #expect(removed == (retention == JournalRetention(days: 1) ? [1, 3, 4, 5] : []))
    }
    #expect(try history(journal) == [2])
    #expect(try journal.liveJobs().map(\.id) == [live.id])
    #expect(try journal.job(JobID(2), withPlan: true).plan?.count == 2)
    #expect(try journal.events(after: 0, limit: 99, of: JobID(2)) == recorded)
    #expect(try journal.events(after: 0, limit: 9, of: live.id).count == 1)
    let kept = try journal.keptAfter()
    #expect(try kept >= (#require(recorded.last)).seq)
    #expect(
      try journal.events(after: kept, limit: 99).map(\.seq) == Array(kept + 1...journal.lastSeq))
    // From then on it goes as the others do.
    let cleaner = Requester(uid: 0, user: "root")
    _ = try journal.append(
      [EventDraft(JobID(2), .cleanedUp(by: cleaner))], at: .noon(100 * Self.day))
    _ = try journal.append(live.life(), at: .noon(100 * Self.day))
    _ = try journal.append(
      [EventDraft(live.id, .cleanedUp(by: cleaner))], at: .noon(100 * Self.day))
    #expect(try removeAll(journal, JournalRetention(days: 1), day: 200) == [2, live.id.rawValue])
    #expect(try journal.keptAfter() == journal.lastSeq)
    try journal.verify()
  }

  @Test func `go after their folders, and stay while those cannot be removed`() throws {
    let scratch = try JournalScratch()
    let journal = try journal(of: 3, in: scratch)
    let step = try journal.removeOld(JournalRetention(days: 1), at: .noon(100 * Self.day)) { jobs in
      #expect(jobs == [1, 2, 3])
      #expect((try? history(journal)) == [3, 2, 1])
      return [1, 3]
    }
    #expect(step.removed == [1, 3])
    #expect(try history(journal) == [2])
    #expect(try removeAll(journal, JournalRetention(days: 1), day: 100) == [2])
  }

  @Test func `are removed a few at a time`() throws {
    let scratch = try JournalScratch()
    let journal = try journal(of: 50, in: scratch)
    let step = try journal.removeOld(JournalRetention(days: 1), at: .noon(100 * Self.day)) { $0 }
    #expect(step.hasMore && step.removed.count <= 20)
    #expect(
      try removeAll(journal, JournalRetention(days: 1), day: 100).count
        == 50 - step.removed.count)
  }

  @Test func `give their room back to the file system`() throws {
    let scratch = try JournalScratch()
    let journal = try journal(of: 60, in: scratch)
    func pages(_ name: String) throws -> Int {
      try journal.read { try Int.fetchOne($0, sql: "PRAGMA \(name)") ?? 0 }
    }
    // Text that fills pages.
    try journal.write { db, _, _ in
      try db.execute(
        sql: "UPDATE plans SET plan = CAST(plan || printf('%100000s', ' ') AS BLOB)")
    }
    let before = try pages("page_count")
    #expect(try removeAll(journal, JournalRetention(days: 1), day: 100).count == 60)
    #expect(try pages("page_count") < before / 2)
    #expect(try pages("freelist_count") <= 512)
    try journal.verify()
  }

  @Test func `keep no password of a proxy once they are cleaned up`() throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    var fixture = JobFixture()
    fixture.request.options.proxy = "http://user:s3cr/3t@proxy:3128"
    let job = try fixture.submit(to: journal).snapshot
    _ = try journal.append(job.life(), at: .noon())
    #expect(try journal.request(of: job.id).options.proxy == fixture.request.options.proxy)
    let cleaner = Requester(uid: 0, user: "root")
    _ = try journal.append([EventDraft(job.id, .cleanedUp(by: cleaner))], at: .noon())
    #expect(try journal.request(of: job.id).options.proxy == "http://***@proxy:3128")
  }

  @Test(arguments: [
    #"{"form": "of later", "options": {"proxy": "http://user:s3cret@proxy:3128"}}"#,
    #"{"options": {"proxy": "http://user:s3cret@proxy:3128""#,
  ])
  func `keep no password of a request that cannot be read either`(stored: String) throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    let job = try JobFixture().submit(to: journal).snapshot
    _ = try journal.append(job.life(), at: .noon())
    try journal.write { db, _, _ in
      try db.execute(sql: "UPDATE plans SET request = CAST(? AS BLOB)", arguments: [stored])
    }
    let cleaner = Requester(uid: 0, user: "root")
    _ = try journal.append([EventDraft(job.id, .cleanedUp(by: cleaner))], at: .noon())
    let kept = try journal.read {
      try String.fetchOne($0, sql: "SELECT CAST(request AS TEXT) FROM plans")
    }
    let text = try #require(kept)
    #expect(!text.contains("s3cret"))
    #expect(text.contains("of later") == stored.contains("of later"))
  }
}
