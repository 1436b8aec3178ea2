import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

@Suite struct `The history` {
  let scratch: JournalScratch
  let journal: Journal

  init() throws {
    scratch = try JournalScratch()
    journal = try scratch.open()
  }

  private func finish(
    _ fixture: JobFixture, as code: OperationResultCode = .succeeded, at second: Double
  ) throws -> JobID {
    let job = try fixture.submit(to: journal).snapshot
    _ = try journal.append(job.life(ending: code), at: .noon(second))
    return job.id
  }

  private func numbers(
    _ filter: HistoryFilter = HistoryFilter(), after: JobID? = nil, limit: Int = .max,
    offset: Int = 0
  ) throws -> [Int] {
    try journal.history(filter, after: after, limit: limit, offset: offset).map(\.id.rawValue)
  }

  @Test func `Y1: of a fresh journal counts nothing, later it counts ended jobs only`() throws {
    #expect(try numbers() == [])
    try JobFixture().submit(to: journal)
    #expect(try numbers().isEmpty)
    _ = try finish(JobFixture(), at: 1)
    #expect(try numbers().count == 1)
  }

  @Test func `Y2: comes in windows, the last ended first`() throws {
    let jobs = try (1...5).map { _ in try JobFixture().submit(to: journal).snapshot }
    for (second, index) in [3, 0, 4, 1, 2].enumerated() {
      _ = try journal.append(jobs[index].life(), at: .noon(Double(second)))
    }
    #expect(try numbers() == [3, 2, 5, 1, 4])
    #expect(try numbers(limit: 2, offset: 1) == [2, 5])
    #expect(try numbers(limit: 2, offset: 4) == [4])
    #expect(try numbers(limit: 2, offset: 5) == [])
    #expect(try numbers(limit: 0) == [])
    #expect(code { try journal.history(limit: 5, offset: -1) } == .invalidIndex)
    #expect(code { try journal.history(limit: -1) } == .invalidIndex)
  }

  @Test func `Y3: is filtered by package, user, time and result`() throws {
    var other = JobFixture(["beta"])
    other.requester = Requester(uid: 1001, user: "eve'; DROP TABLE jobs; --")
    #expect(try finish(JobFixture(["alpha"]), at: 1) == JobID(1))
    #expect(try finish(other, as: .failed, at: 2) == JobID(2))
    #expect(
      try finish(JobFixture(["gamma"], installed: ["alpha"]), as: .aborted, at: 3) == JobID(3))
    #expect(try finish(JobFixture(["beta", "alpha"]), at: 4) == JobID(4))
    let rows: [(HistoryFilter, [Int])] = [
      (HistoryFilter(), [4, 3, 2, 1]),
      (HistoryFilter(package: "alpha"), [4, 3, 1]),
      (HistoryFilter(package: "libbeta"), [4, 2]),
      (HistoryFilter(package: "alph"), []),
      (HistoryFilter(package: "%"), []),
      (HistoryFilter(user: other.requester.user), [2]),
      (HistoryFilter(user: "ada"), [4, 3, 1]),
      (HistoryFilter(since: .noon(3)), [4, 3]),
      (HistoryFilter(since: nil, until: .noon(3)), [2, 1]),
      (HistoryFilter(since: .noon(2), until: .noon(4)), [3, 2]),
      (HistoryFilter(results: [.failed, .aborted]), [3, 2]),
      (HistoryFilter(results: []), []),
      (HistoryFilter(package: "alpha", user: "ada", since: .noon(2), results: [.succeeded]), [4]),
    ]
    for (filter, expected) in rows {
      #expect(try numbers(filter) == expected, "\(filter)")
      // A page begins behind a job whether the filter has it or not, and the count is the whole's.
      for after in 1...4 {
        #expect(try numbers(filter, after: JobID(after)) == expected.filter { $0 < after })
      }
    }
  }

  @Test(arguments: OperationResultCode.allCases)
  func `D14: a result code is kept as its number`(code: OperationResultCode) throws {
    let job = try JobFixture().submit(to: journal).snapshot
    _ = try journal.append([EventDraft(job.id, job.end(code))], at: .noon())
    #expect(try journal.job(job.id, withPlan: false).resultCode == code)
    if let result = HistoryResult.allCases.first(where: { $0.code == code }) {
      #expect(
        try journal.history(HistoryFilter(results: [result]), limit: 9).map(\.id) == [job.id])
    }
    let stored = try journal.read { try Int.fetchOne($0, sql: "SELECT result FROM jobs") }
    #expect(stored == code.rawValue)
  }

  @Test func `D14: a stored result code that nobody knows is an error, not a state`() throws {
    let id = try finish(JobFixture(), at: 1)
    try journal.write { db, _, _ in
      try db.execute(
        sql: """
          UPDATE jobs SET snapshot =
            CAST(replace(CAST(snapshot AS TEXT), '"resultCode":2', '"resultCode":6') AS BLOB)
          """)
    }
    #expect(code { try journal.job(id, withPlan: false) } == .journal)
    #expect(code { try journal.history(limit: 1) } == .journal)
  }

  @Test func `Y3: interrupted jobs are an ending of their own, whatever their result code`() throws
  {
    let job = try JobFixture().submit(to: journal).snapshot
    let outcome = JobOutcome(
      state: .interrupted, resultCode: .failed, percentComplete: 10, error: nil,
      requiresReboot: false, rebootReasons: [], exitStatus: nil, repairs: [], updates: job.updates)
    _ = try journal.append([EventDraft(job.id, .completed(outcome))], at: .noon())
    #expect(try numbers(HistoryFilter(results: [.interrupted])) == [1])
    #expect(try numbers(HistoryFilter(results: [.interrupted, .succeeded])) == [1])
    #expect(try numbers(HistoryFilter(results: [.failed])) == [])
  }

  @Test func `Y2: a page goes on behind a job, also when more have ended meanwhile`() throws {
    let jobs = try (1...6).map { _ in try JobFixture().submit(to: journal).snapshot }
    for job in jobs[..<4] { _ = try journal.append(job.life(), at: .noon()) }
    #expect(try numbers(limit: 2) == [4, 3])
    for job in jobs[4...] { _ = try journal.append(job.life(), at: .noon(9)) }
    #expect(try numbers(after: JobID(3), limit: 2) == [2, 1])
    #expect(code { try journal.history(after: JobID(77), limit: 1) } == .unknownJob)
  }

  // Without an index each of these would look at every job that ever was.
  @Test(arguments: [
    "SELECT id FROM jobs WHERE isFinal = 1 ORDER BY endedAt DESC, id DESC LIMIT 1 OFFSET 1",
    "SELECT id FROM jobs WHERE isFinal = 1 AND user = 'a' ORDER BY endedAt DESC, id DESC LIMIT 1",
    "SELECT id FROM jobs WHERE isFinal = 1 AND result IN (4) ORDER BY endedAt DESC, id DESC LIMIT 1",
    "SELECT id FROM jobs WHERE isFinal = 1 AND (endedAt, id) < (5, 5) ORDER BY endedAt DESC,"
      + " id DESC LIMIT 1",
    "SELECT id FROM jobs WHERE isFinal = 0 ORDER BY id",
    "SELECT id FROM jobs WHERE TRUE AND isCleanedUp = 0 ORDER BY id ASC LIMIT 1 OFFSET 0",
    "SELECT id FROM jobs WHERE TRUE AND state IN ('queued') ORDER BY id DESC LIMIT 1 OFFSET 0",
    "SELECT id FROM jobs WHERE retryOf = 1 AND id > 1 ORDER BY id DESC LIMIT 1",
    "SELECT event FROM events WHERE job = 1 AND seq > 5 ORDER BY seq LIMIT 1",
    "SELECT seconds FROM durations WHERE stage = 's' ORDER BY id DESC LIMIT 1",
    "SELECT seconds FROM durations WHERE stage = 's' AND package = 'p' ORDER BY id DESC LIMIT 1",
  ])
  func `is read through indexes without sorting`(sql: String) throws {
    let plan = try journal.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
    }
    #expect(plan.allSatisfy { $0.contains("INDEX") || $0.contains("PRIMARY KEY") }, "\(plan)")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }
}
