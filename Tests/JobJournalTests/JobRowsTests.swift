import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

@Suite struct `A job in the journal` {
  let scratch: JournalScratch
  let journal: Journal

  init() throws {
    scratch = try JournalScratch()
    journal = try scratch.open()
  }

  @Test(arguments: [1, 3, 1000])
  func `is at every moment what replaying its events makes of it`(batch: Int) throws {
    let fixture = JobFixture(["alpha", "beta", "gamma"], installed: ["delta"])
    var expected = try fixture.submit(to: journal).snapshot
    let id = expected.id
    var late = expected.updates[0]
    late.note = .keptConfiguration
    let drafts =
      expected.life() + [
        EventDraft(id, .update(index: expected.updateSteps[0] ?? 0, status: late)),
        EventDraft(id, .update(index: 999, status: late)),
        EventDraft(id, .cleanedUp(by: Requester(uid: 0, user: "root"))),
      ]
    for start in stride(from: 0, to: drafts.count, by: batch) {
      let part = Array(drafts[start..<min(start + batch, drafts.count)])
      let events = try journal.append(part, at: .noon(Double(start)))
      expected = expected.replaying(events)
      #expect(try journal.job(id, withPlan: true) == expected)
      #expect(try journal.job(id, withPlan: false) == expected.withoutPlan)
    }
    #expect(expected.isCleanedUp)
    #expect(expected.updates[0].note == .keptConfiguration)
    try journal.close()
    #expect(try scratch.open().job(id, withPlan: true) == expected)
  }

  @Test func `keeps request and plan as they were submitted`() throws {
    let fixture = JobFixture(["alpha"], token: "t", installed: ["delta"])
    let id = try fixture.submit(to: journal).snapshot.id
    #expect(try journal.request(of: id) == fixture.request)
    #expect(try journal.plan(of: id) == fixture.plan)
  }

  @Test func `that does not exist is an error by name everywhere`() throws {
    let id = JobID(4)
    #expect(code { try journal.job(id, withPlan: true) } == .unknownJob)
    #expect(code { try journal.plan(of: id) } == .unknownJob)
    #expect(code { try journal.request(of: id) } == .unknownJob)
    #expect(code { try journal.offsets(of: id) } == .unknownJob)
    #expect(try journal.job(token: "none") == nil)
  }

  @Test func `is made once for one token`() throws {
    let first = try JobFixture(["alpha"], token: "nightly").submit(to: journal)
    _ = try journal.append(Array(first.snapshot.life().prefix(2)), at: .noon())
    let current = try journal.job(first.snapshot.id, withPlan: true)
    for _ in 0..<2 {
      let again = try JobFixture(["beta"], token: "nightly").submit(to: journal, at: .noon(60))
      #expect(again.snapshot == current)
      #expect(again.event == nil)
    }
    #expect(try journal.job(token: "nightly") == current)
    #expect(try journal.count() == 1)
    #expect(journal.lastSeq == 3)
    #expect(try JobFixture(["alpha"], token: "weekly").submit(to: journal).snapshot.id == JobID(2))
    #expect(try JobFixture(["alpha"]).submit(to: journal).snapshot.id == JobID(3))
    #expect(try JobFixture(["alpha"]).submit(to: journal).snapshot.id == JobID(4))
  }

  @Test func `is made with others in one transaction, in their order`() throws {
    let proposals = ["a", nil, "a", "b", nil].map { token in
      let fixture = JobFixture(token: token)
      return JobProposal(
        fixture.request, plan: fixture.plan, requestedBy: fixture.requester, provider: "simulated")
    }
    let made = try journal.submit(proposals, at: .noon())
    #expect(made.map(\.snapshot.id.rawValue) == [1, 2, 1, 3, 4])
    #expect(made.map { $0.event?.seq } == [1, 2, nil, 3, 4])
    #expect(made[2].snapshot == made[0].snapshot)
    #expect(try journal.submit(Array(proposals.prefix(1)), at: .noon()).map(\.event) == [nil])
    #expect(try journal.submit([], at: .noon()) == [])
    #expect(try journal.events(after: 0, limit: 9) == made.compactMap(\.event))
    #expect(try journal.liveJobs().map(\.id.rawValue) == [1, 2, 3, 4])
  }

  @Test func `B30: jobs are listed by state, in order, in windows, cleaned up ones on demand`()
    throws
  {
    for _ in 1...6 { try JobFixture().submit(to: journal) }
    let root = Requester(uid: 0, user: "root")
    for number in [1, 2, 3] {
      let job = try journal.job(JobID(number), withPlan: true)
      _ = try journal.append(job.life(), at: .noon(Double(number)))
    }
    _ = try journal.append([EventDraft(JobID(2), .cleanedUp(by: root))], at: .noon(20))
    let running = JobStateChange(.installing, abortPreview: .accepted(stopsAfter: nil))
    _ = try journal.append([EventDraft(JobID(4), .state(running))], at: .noon(21))
    func numbers(_ jobs: [JobSnapshot]) -> [Int] { jobs.map(\.id.rawValue) }
    #expect(numbers(try journal.jobs()) == [1, 3, 4, 5, 6])
    #expect(numbers(try journal.jobs(includingCleanedUp: true)) == [1, 2, 3, 4, 5, 6])
    #expect(numbers(try journal.jobs(in: [.queued])) == [5, 6])
    #expect(numbers(try journal.jobs(in: [.queued, .installing])) == [4, 5, 6])
    #expect(numbers(try journal.jobs(in: [])) == [])
    #expect(
      numbers(try journal.jobs(in: [.completed], includingCleanedUp: true, newestFirst: true))
        == [3, 2, 1])
    #expect(numbers(try journal.jobs(newestFirst: true, limit: 2)) == [6, 5])
    #expect(numbers(try journal.jobs(limit: 2, offset: 1)) == [3, 4])
    #expect(numbers(try journal.jobs(limit: 2, offset: 9)) == [])
    #expect(numbers(try journal.jobs(limit: 0)) == [])
    #expect(code { try journal.jobs(limit: 1, offset: -1) } == .invalidIndex)
    #expect(try journal.count() == 5)
    #expect(try journal.count(in: [.completed], includingCleanedUp: true) == 3)
    #expect(try journal.jobs().allSatisfy { $0.plan == nil && $0.updates.count == 1 })
    let live = try journal.liveJobs()
    #expect(numbers(live) == [4, 5, 6])
    #expect(live.allSatisfy { $0.plan?.count == 2 })
    #expect(try journal.liveJobs(withPlans: false).allSatisfy { $0.plan == nil })
  }

  @Test func `may have a plan of 2000 packages`() throws {
    let fixture = JobFixture((0..<1000).map { "p\($0)" })
    let submission = try fixture.submit(to: journal)
    var expected = submission.snapshot
    #expect(expected.planCount == 2000)
    let drafts = expected.life()
    var events: [JobEvent] = []
    for start in stride(from: 0, to: drafts.count, by: 250) {
      events += try journal.append(
        Array(drafts[start..<min(start + 250, drafts.count)]), at: .noon(Double(start)))
    }
    expected = expected.replaying(events)
    #expect(try journal.job(expected.id, withPlan: true) == expected)
    #expect(try journal.history(HistoryFilter(package: "libp999"), limit: 9).count == 1)
  }

  @Test func `remembers offsets by job and file`() throws {
    let first = try JobFixture().submit(to: journal).snapshot.id
    let second = try JobFixture().submit(to: journal).snapshot.id
    let seq = journal.lastSeq
    #expect(try journal.append([], offsets: [first: ["log": 5, "status": 9]], at: .noon()) == [])
    #expect(
      try journal.append([], offsets: [first: ["log": 50], second: ["log": 1]], at: .noon()) == [])
    #expect(try journal.offsets(of: first) == ["log": 50, "status": 9])
    #expect(try journal.offsets(of: second) == ["log": 1])
    #expect(journal.lastSeq == seq)
  }

  @Test func `is right again after more jobs moved than are kept in memory`() throws {
    var expected: [JobSnapshot] = []
    for _ in 0..<70 { expected.append(try JobFixture().submit(to: journal).snapshot) }
    for step in 0..<3 {
      for index in expected.indices {
        let events = try journal.append([expected[index].life()[step]], at: .noon(Double(step)))
        expected[index] = expected[index].replaying(events)
      }
    }
    #expect(try journal.liveJobs() == expected)
  }
}
