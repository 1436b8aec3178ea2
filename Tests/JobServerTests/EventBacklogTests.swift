import InstallJobs
import Testing

@testable import JobServer

@Suite struct `What waits for a slow reader` {
  private static func durable(_ seq: Int, job: Int = 1) -> JobEvent {
    JobEvent(
      seq: seq, at: Timestamp(milliseconds: Int64(seq)), job: JobID(job),
      payload: .abortWithdrawn(by: Requester(uid: 0, user: "root")))
  }

  private static func tick(
    _ seq: Int, job: Int = 1, percent: Double, steps: [(Int, Double)]
  ) -> JobEvent {
    JobEvent(
      seq: seq, at: Timestamp(milliseconds: 0), job: JobID(job),
      payload: .progress(
        JobProgressTick(
          percentComplete: percent, currentUpdateIndex: nil, currentStepIndex: nil,
          downloadedBytes: 0, bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil,
          isStalled: false, abortPreview: .alreadyCompleted,
          steps: steps.map {
            .init(index: $0.0, percentComplete: $0.1, downloadedBytes: 0)
          })))
  }

  private func drain(_ backlog: inout EventBacklog, journal: [JobEvent] = []) -> [JobEvent] {
    var events: [JobEvent] = []
    while true {
      switch backlog.next() {
      case .send(let event): events.append(event)
      case .fetch(let seq):
        guard backlog.appendFetched(Array(journal.dropFirst(seq).prefix(7))) else { return events }
      case .idle: return events
      }
    }
  }

  private static func notice(_ seq: Int, _ notice: EngineNotice) -> JobEvent {
    JobEvent(seq: seq, at: Timestamp(milliseconds: 0), job: nil, payload: .engine(notice))
  }

  @Test func `who follows one job hears of the queue's pause where that is wanted`() {
    let since = Timestamp(milliseconds: 0)
    let root = Requester(uid: 0, user: "root")
    let events = [
      Self.notice(1, EngineNotice(paused: QueuePause(.request, by: root, since: since))),
      Self.notice(1, EngineNotice(paused: QueuePause(.index, since: since))),
      Self.notice(2, EngineNotice(resumedBy: root)),
      Self.notice(3, EngineNotice(.stopping, "the engine stops")),
    ]
    var deaf = EventBacklog(after: 0, newest: 0, jobs: [JobID(1)])
    var hearing = EventBacklog(after: 0, newest: 0, jobs: [JobID(1)], wantsQueue: true)
    for event in events {
      deaf.push(event)
      hearing.push(event)
    }
    #expect(drain(&deaf).isEmpty)
    #expect(drain(&hearing) == Array(events.prefix(3)))
  }

  @Test func `the last that was told and not stored reaches a reader that was behind`() {
    let since = Timestamp(milliseconds: 0)
    let journal = (1...9).map { Self.durable($0) }
    var backlog = EventBacklog(after: 0, newest: 9, jobs: nil)
    backlog.push(Self.notice(9, EngineNotice(paused: QueuePause(.index, since: since))))
    let over = Self.notice(9, EngineNotice(over: .index))
    backlog.push(over)
    #expect(drain(&backlog, journal: journal) == journal + [over])
  }

  @Test func `what was told and not stored is not told after what outdates it`() {
    let since = Timestamp(milliseconds: 0)
    let root = Requester(uid: 0, user: "root")
    let fetching = Self.notice(1, EngineNotice(paused: QueuePause(.index, since: since)))
    let stored = Self.notice(2, EngineNotice(resumedBy: root))
    let journal = [Self.durable(1), stored] + (3...9).map { Self.durable($0) }
    // The reader was behind when it was told.
    var behind = EventBacklog(after: 0, newest: 1, jobs: nil)
    for event in [fetching, stored] { behind.push(event) }
    #expect(drain(&behind, journal: Array(journal.prefix(2))) == Array(journal.prefix(2)))
    // It falls behind later, by too much or by a hole.
    var late = EventBacklog(after: 0, newest: 0, jobs: nil, weightLimit: 5)
    for event in [journal[0], fetching] + journal.dropFirst() { late.push(event) }
    #expect(drain(&late, journal: journal) == journal)
    var torn = EventBacklog(after: 0, newest: 0, jobs: nil)
    let hole = Self.notice(3, EngineNotice(resumedBy: root))
    for event in [journal[0], fetching, hole] { torn.push(event) }
    let whole = [journal[0], Self.durable(2), hole]
    #expect(drain(&torn, journal: whole) == whole)
  }

  @Test func `events go out in the order in which they came`() {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: nil)
    let events = (1...5).map { Self.durable($0) }
    for event in events { backlog.push(event) }
    let sent = drain(&backlog)
    #expect(sent == events)
  }

  @Test func `progress of several jobs comes off together, up to the next event of another kind`() {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: nil)
    let first = Self.tick(0, job: 1, percent: 1, steps: [])
    let second = Self.tick(0, job: 2, percent: 1, steps: [])
    backlog.push(first)
    backlog.push(second)
    backlog.push(Self.durable(1))
    backlog.push(Self.tick(1, job: 3, percent: 1, steps: []))
    #expect(backlog.next() == .send(first))
    #expect(backlog.nextTick() == second)
    #expect(backlog.nextTick() == nil)
    #expect(backlog.next() == .send(Self.durable(1)))
  }

  @Test(arguments: [(100, 10), (5000, 10), (11, 10), (1, 10)])
  func `a reader that falls behind loses no durable event, and memory stays bounded`(
    count: Int, limit: Int
  ) {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: nil, weightLimit: limit)
    let journal = (1...count).map { Self.durable($0) }
    var sent: [JobEvent] = []
    for event in journal {
      backlog.push(event)
      backlog.push(Self.tick(event.seq, percent: 1, steps: [(event.seq, 1)]))
      #expect(backlog.count <= limit)
      // It takes one in a while.
      if event.seq.isMultiple(of: 9), case .send(let taken) = backlog.next() { sent.append(taken) }
    }
    sent += drain(&backlog, journal: journal)
    #expect(sent.filter(\.payload.isDurable) == journal)
  }

  @Test func `events that come while the journal is read are neither lost nor doubled`() {
    var backlog = EventBacklog(after: 0, newest: 3, jobs: nil)
    let journal = (1...6).map { Self.durable($0) }
    let step = backlog.next()
    #expect(step == .fetch(after: 0))
    backlog.push(journal[3])
    var took = backlog.appendFetched(Array(journal[..<3]))
    #expect(took)
    backlog.push(journal[4])
    var events: [JobEvent] = []
    while case .send(let event) = backlog.next() { events.append(event) }
    backlog.push(journal[4])
    took = backlog.appendFetched(Array(journal[3...4]))
    #expect(took)
    backlog.push(journal[4])
    backlog.push(journal[5])
    events += drain(&backlog, journal: journal)
    #expect(events == journal)
  }

  @Test func `a hole in the engine's stream is filled from the journal`() {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: nil)
    let journal = (1...6).map { Self.durable($0) }
    backlog.push(journal[0])
    backlog.push(journal[4])
    backlog.push(journal[5])
    let sent = drain(&backlog, journal: journal)
    #expect(sent == journal)
  }

  @Test func `a journal that lacks what the engine told of is noticed`() {
    var backlog = EventBacklog(after: 0, newest: 2, jobs: nil)
    let step = backlog.next()
    #expect(step == .fetch(after: 0))
    var took = backlog.appendFetched([])
    #expect(!took)
    took = backlog.appendFetched([Self.durable(2)])
    #expect(!took)
  }

  @Test func `one tick a job waits, with the packages of those it replaces, behind later events`() {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: nil)
    backlog.push(Self.tick(0, percent: 10, steps: [(0, 50), (1, 5)]))
    backlog.push(Self.tick(0, job: 2, percent: 3, steps: []))
    backlog.push(Self.durable(1))
    backlog.push(Self.tick(1, percent: 20, steps: [(1, 30)]))
    let sent = drain(&backlog)
    #expect(
      sent == [
        Self.tick(0, job: 2, percent: 3, steps: []), Self.durable(1),
        Self.tick(1, percent: 20, steps: [(0, 50), (1, 30)]),
      ])
  }

  @Test func `a log beyond the bound is left out, which its offsets show`() {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: nil)
    let text = String(repeating: "x", count: 64 << 10)
    for number in 0..<20 {
      backlog.push(
        JobEvent(
          seq: 0, at: Timestamp(milliseconds: 0), job: JobID(1),
          payload: .log(offset: Int64(number * text.count), text: text)))
    }
    #expect(backlog.count == 4)
    let sent = drain(&backlog)
    #expect(sent.count == 4)
  }

  @Test func `a reader of one job gets that job's events only, also after falling behind`() {
    var backlog = EventBacklog(after: 0, newest: 0, jobs: [JobID(2)], weightLimit: 4)
    let journal = (1...40).map { Self.durable($0, job: $0.isMultiple(of: 3) ? 2 : 1) }
    for event in journal { backlog.push(event) }
    let sent = drain(&backlog, journal: journal)
    #expect(sent == journal.filter { $0.job == JobID(2) })
  }
}
