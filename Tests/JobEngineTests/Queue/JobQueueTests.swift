import InstallJobs
import Testing

@testable import JobEngine

@Suite struct `The order in which jobs get their turn` {
  private let now = Timestamp(milliseconds: 1000)

  private func queue(_ priorities: [Int]) -> JobQueue {
    var queue = JobQueue()
    for (index, priority) in priorities.enumerated() {
      queue.insert(JobQueue.Entry(id: JobID(index + 1), priority: priority))
    }
    return queue
  }

  private func order(_ queue: JobQueue) -> [Int] { queue.entries.map(\.id.rawValue) }

  private func next(_ queue: JobQueue) -> Int? {
    queue.next(at: now) { _ in false }?.id.rawValue
  }

  @Test func `one that is paused keeps its place and is passed, until it is resumed`() {
    var queue = queue([0, 0, 0])
    queue.setPaused(JobID(1), true)
    #expect(order(queue) == [1, 2, 3])
    #expect(next(queue) == 2)
    #expect(queue.reason(for: JobID(2), at: now) { _ in false } == nil)
    #expect(queue.reason(for: JobID(3), at: now) { _ in false }?.job == JobID(2))
    queue.setPaused(JobID(1), false)
    #expect(next(queue) == 1)
    for id in 1...3 { queue.setPaused(JobID(id), true) }
    #expect(next(queue) == nil)
  }

  @Test func `places count only jobs that could begin, each as its list has it`() {
    var queue = queue([0, 0])
    queue.insert(JobQueue.Entry(id: JobID(3), priority: 9, notBefore: now.advanced(bySeconds: 60)))
    queue.insert(JobQueue.Entry(id: JobID(4), priority: 8, after: JobID(1)))
    queue.insert(JobQueue.Entry(id: JobID(5), priority: 7, isPaused: true))
    #expect(order(queue) == [3, 4, 5, 1, 2])
    #expect(queue.positions(at: now) { _ in false } == [JobID(1): 1, JobID(2): 2])
    #expect(queue.position(of: JobID(3), at: now) { _ in false } == nil)
    #expect(queue.position(of: JobID(2), at: now) { _ in false } == 2)
    #expect(queue.reason(for: JobID(2), at: now) { _ in false }?.job == JobID(1))
    let later = now.advanced(bySeconds: 61)
    #expect(queue.positions(at: later) { _ in true }.count == 4)
    #expect(queue.position(of: JobID(1), at: later) { _ in true } == 3)
  }

  @Test func `before a new job go those that could begin by then, in the order of their turns`() {
    var queue = queue([0, 0, 0])
    queue.setRunning(JobID(1))
    queue.setPaused(JobID(3), true)
    queue.insert(JobQueue.Entry(id: JobID(4), priority: 9, after: JobID(5)))
    queue.insert(JobQueue.Entry(id: JobID(5), priority: 8, after: JobID(1)))
    queue.insert(JobQueue.Entry(id: JobID(6), priority: 7, after: JobID(3)))
    queue.insert(JobQueue.Entry(id: JobID(7), priority: 6, notBefore: now.advanced(bySeconds: 60)))
    queue.insert(JobQueue.Entry(id: JobID(8), priority: -1))
    queue.insert(JobQueue.Entry(id: JobID(9), priority: 5, after: JobID(7)))
    func ahead(_ change: (inout InstallationOptions) -> Void = { _ in }) -> [Int] {
      var options = InstallationOptions()
      change(&options)
      return queue.ahead(of: options, at: now) { $0.rawValue > 99 }.map(\.rawValue)
    }
    #expect(ahead() == [1, 5, 4, 2])
    #expect(ahead { $0.priority = 10 } == [1])
    #expect(ahead { $0.after = JobID(8) } == [1, 5, 4, 2, 8])
    #expect(ahead { $0.after = JobID(3) } == [1, 5, 4, 2, 3])
    #expect(ahead { $0.earliestStart = now.advanced(bySeconds: 61) } == [1, 5, 4, 7, 9, 2, 8])
    #expect(ahead { $0.earliestStart = now } == [1, 5, 4, 2])
  }

  @Test func `a pause keeps every job, and of several causes the first is told`() {
    var queue = queue([0])
    let ops = Requester(uid: 1000, user: "ops")
    queue.pause(QueuePause(.index, since: now))
    #expect(next(queue) == nil)
    #expect(
      queue.reason(for: JobID(1), at: now) { _ in false }?.message
        == "the package index is being fetched")
    queue.pause(QueuePause(.request, by: ops, since: now))
    queue.pause(QueuePause(.journal, since: now, detail: "the disk is full"))
    // What is shown of the job at work is not how things stand, whatever somebody asked for.
    #expect(queue.pause?.message == "nothing can be recorded: the disk is full")
    #expect(queue.requestedPause?.by == ops)
    queue.resume(.journal)
    let reason = queue.reason(for: JobID(1), at: now) { _ in false }
    #expect(reason?.message == "queue paused by ops")
    #expect(reason?.cause == .request && reason?.by == ops && reason?.since == now)
    queue.resume(.request)
    #expect(next(queue) == nil)
    queue.resume(.index)
    #expect(next(queue) == 1)
  }

  @Test(arguments: [
    // Priorities of jobs 1, 2, …; which job; where; the priority it gets; the order then.
    ([0, 0, 0], 3, QueueMove.first, 1, [3, 1, 2]),
    ([0, 0, 0], 1, .first, 0, [1, 2, 3]),
    ([0, 5, 5], 3, .first, 6, [3, 2, 1]),
    ([0, 5], 1, .first, 5, [1, 2]),
    ([0, 0, 0], 1, .last, -1, [2, 3, 1]),
    ([0, 0, 0], 3, .last, 0, [1, 2, 3]),
    ([3, 0, -2], 1, .last, -3, [2, 3, 1]),
    ([0, 0, 0], 2, .priority(7), 7, [2, 1, 3]),
    ([9], 1, .first, 9, [1]),
    ([100, 0], 2, .priority(100), 100, [1, 2]),
  ])
  func `a move gives the priority that brings the job there`(
    priorities: [Int], job: Int, place: QueueMove, priority: Int, order: [Int]
  ) throws {
    var queue = queue(priorities)
    #expect(try queue.priority(bringing: JobID(job), to: place) == priority)
    queue.move(JobID(job), to: priority)
    #expect(self.order(queue) == order)
  }

  @Test func `where no priority is left the refusal names the job in the way`() {
    let full = queue([100, 0])
    let error = #expect(throws: InstallationError.self) {
      _ = try full.priority(bringing: JobID(2), to: .first)
    }
    #expect(error?.code == .invalidState)
    #expect(
      error?.message
        == "job 2 cannot go before job 1, which has the highest priority there is, 100")
    let low = queue([0, -100])
    #expect(throws: InstallationError.self) {
      _ = try low.priority(bringing: JobID(1), to: .priority(101))
    }
    #expect(throws: Never.self) { _ = try low.priority(bringing: JobID(2), to: .last) }
  }

  @Test func `a paused job that is moved stays paused`() {
    var queue = queue([0, 0])
    queue.setPaused(JobID(2), true)
    queue.move(JobID(2), to: 5)
    #expect(order(queue) == [2, 1])
    #expect(next(queue) == 1)
  }

  @Test func `jobs that wait for the end of a paused one are dormant, others are not`() {
    var queue = JobQueue()
    queue.insert(JobQueue.Entry(id: JobID(1), priority: 0, isPaused: true))
    queue.insert(JobQueue.Entry(id: JobID(2), priority: 0, after: JobID(1)))
    queue.insert(JobQueue.Entry(id: JobID(3), priority: 0, after: JobID(2)))
    #expect(queue.isDormant)
    queue.insert(JobQueue.Entry(id: JobID(4), priority: 0, after: JobID(9)))
    #expect(!queue.isDormant)
    queue.remove(JobID(4))
    queue.setPaused(JobID(1), false)
    #expect(!queue.isDormant)
  }
}
