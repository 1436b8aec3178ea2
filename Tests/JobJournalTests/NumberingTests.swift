import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

private func notice(_ text: String) -> EventDraft {
  EventDraft(nil, .engine(EngineNotice(.started, text)))
}

@Suite struct `Numbers of durable events` {
  let scratch: JournalScratch

  init() throws { scratch = try JournalScratch() }

  @Test func `grow by one over the whole engine and across restarts`() throws {
    var published: [JobEvent] = []
    var epochs = Set<String>()
    for round in 0..<3 {
      let journal = try scratch.open()
      #expect(journal.lastSeq == published.count)
      epochs.insert(journal.epoch)
      published += try journal.append([notice("\(round)"), notice("again")], at: .noon())
      let submission = try JobFixture().submit(to: journal)
      #expect(submission.snapshot.id == JobID(round + 1))
      published.append(try #require(submission.event))
      published += try journal.append(submission.snapshot.life(), at: .noon(1))
      try journal.close()
    }
    #expect(published.map(\.seq) == Array(1...published.count))
    #expect(epochs.count == 1)
    #expect(try scratch.open().events(after: 0, limit: .max) == published)
  }

  @Test func `differ in epoch between two journals`() throws {
    let other = try JournalScratch()
    let epoch = try scratch.open().epoch
    #expect(epoch.utf8.count == 32)
    #expect(epoch.allSatisfy { $0.isHexDigit })
    #expect(try other.open().epoch != epoch)
  }

  @Test func `have no gap when many threads write at once`() async throws {
    let journal = try scratch.open()
    let numbers = try await withThrowingTaskGroup(of: [Int].self) { group in
      for task in 0..<8 {
        group.addTask { @concurrent in
          try (0..<10).flatMap { round in
            try journal.append([notice("\(task)"), notice("\(round)")], at: .noon()).map(\.seq)
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(numbers.sorted() == Array(1...160))
    #expect(journal.lastSeq == 160)
  }

  // Every transaction stores four events and an offset, so what is left must be whole transactions.
  @Test(arguments: [0, 1, 4_095, 20_000, 60_000])
  func `have no gap after a power cut that loses bytes of the last writes`(lost: Int) throws {
    let journal = try scratch.open()
    let submission = try JobFixture(["alpha", "beta"]).submit(to: journal)
    let id = submission.snapshot.id
    var published = [try #require(submission.event)]
    for round in 1...20 {
      let drafts = submission.snapshot.life().dropFirst().prefix(4)
      published += try journal.append(
        Array(drafts), offsets: [id: ["status": Int64(round * 100)]], at: .noon(Double(round)))
    }
    let after = try scratch.openAfterCrash(losing: lost)
    let count = after.lastSeq
    let rounds = (count - 1) / 4
    #expect(lost == 0 ? count == published.count : count < published.count)
    #expect((count - 1).isMultiple(of: 4))
    #expect(try after.events(after: 0, limit: .max) == Array(published.prefix(count)))
    #expect(try after.offsets(of: id) == (rounds == 0 ? [:] : ["status": Int64(rounds * 100)]))
    #expect(
      try after.job(id, withPlan: true)
        == submission.snapshot.replaying(Array(published.prefix(count))))
    let next = try after.append([notice("on")], at: .noon())
    #expect(next.map(\.seq) == [count + 1])
    #expect(after.epoch == journal.epoch)
  }

  @Test func `are read in windows, and a number beyond the end is an error`() throws {
    let journal = try scratch.open()
    let all = try journal.append((0..<10).map { notice("\($0)") }, at: .noon())
    #expect(try journal.events(after: 3, limit: 2) == Array(all[3..<5]))
    #expect(try journal.events(after: 10, limit: 5) == [])
    #expect(try journal.events(after: 0, limit: 0) == [])
    #expect(code { try journal.events(after: 11, limit: 5) } == .invalidArgument)
    #expect(code { try journal.events(after: -1, limit: 5) } == .invalidArgument)
    #expect(code { try journal.events(after: 0, limit: -1) } == .invalidArgument)
  }

  @Test func `of one job are read alone`() throws {
    let journal = try scratch.open()
    let first = try JobFixture().submit(to: journal)
    let second = try JobFixture().submit(to: journal)
    _ = try journal.append([notice("between")], at: .noon())
    let moved = try journal.append(second.snapshot.life(), at: .noon())
    #expect(
      try journal.events(after: 0, limit: .max, of: second.snapshot.id)
        == [try #require(second.event)] + moved)
    #expect(try journal.events(after: 0, limit: .max, of: first.snapshot.id) == [first.event])
  }
}

@Suite struct `An append that fails` {
  let scratch: JournalScratch
  let journal: Journal
  let job: JobSnapshot

  init() throws {
    scratch = try JournalScratch()
    journal = try scratch.open()
    job = try JobFixture(["alpha", "beta"]).submit(to: journal).snapshot
    _ = try journal.append(
      Array(job.life().prefix(3)), offsets: [job.id: ["status": 7]], at: .noon())
  }

  private func refusal(
    _ drafts: [EventDraft], _ offsets: [JobID: [String: Int64]] = [:]
  ) throws -> InstallationError.Code? {
    let before = try journal.job(job.id, withPlan: true)
    let seq = journal.lastSeq
    let result = code {
      try journal.append(Array(job.life().dropFirst(3)) + drafts, offsets: offsets, at: .noon(9))
    }
    #expect(journal.lastSeq == seq)
    #expect(try journal.events(after: 0, limit: .max).count == seq)
    #expect(try journal.job(job.id, withPlan: true) == before)
    #expect(try journal.offsets(of: job.id) == ["status": 7])
    // What is kept in memory must not have moved on either.
    let drafts = Array(job.life().dropFirst(3))
    let events = try journal.append(drafts, at: .noon(10))
    #expect(events.map(\.seq) == Array(seq + 1...seq + drafts.count))
    #expect(try journal.job(job.id, withPlan: true) == before.replaying(events))
    return result
  }

  @Test func `for an unknown job changes nothing`() throws {
    let stranger = EventDraft(JobID(99), .cleanedUp(by: Requester(uid: 0, user: "root")))
    #expect(try refusal([stranger], [job.id: ["status": 100]]) == .unknownJob)
  }

  @Test func `for an offset of an unknown job changes nothing`() throws {
    #expect(try refusal([], [job.id: ["status": 9], JobID(99): ["log": 1]]) == .unknownJob)
  }

  @Test func `for a negative offset changes nothing`() throws {
    #expect(try refusal([], [job.id: ["status": -1, "log": 5]]) == .internal)
  }

  @Test func `for a value without a stored form changes nothing`() throws {
    var status = job.updates[0]
    status.percentComplete = .nan
    #expect(try refusal([EventDraft(job.id, .update(index: 0, status: status))]) == .internal)
  }

  @Test func `for a result that leaves updates out changes nothing`() throws {
    #expect(try refusal([EventDraft(job.id, job.end(.failed, updates: []))]) == .internal)
  }

  @Test func `for an event that is not durable changes nothing`() throws {
    #expect(try refusal([EventDraft(job.id, .log(offset: 0, text: "hello"))]) == .internal)
    #expect(
      code { try journal.append([EventDraft(job.id, .submitted(job))], at: .noon()) } == .internal)
  }
}
