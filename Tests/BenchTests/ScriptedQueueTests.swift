import InstallJobs
import Testing

@testable import Bench

@Suite struct `The queue that is measured on` {
  @Test func `it has as many jobs as asked for, the moving ones at work`() {
    let jobs = ScriptedQueue(count: 50, moving: 8).snapshots
    #expect(jobs.map(\.id.rawValue) == Array(1...50))
    #expect(jobs.prefix(8).allSatisfy { $0.state == .installing || $0.state == .downloading })
    #expect(jobs.dropFirst(8).allSatisfy { $0.state == .queued || $0.state == .completed })
    #expect(ScriptedQueue(count: 0, moving: 8).snapshots.isEmpty)
    #expect(ScriptedQueue(count: 3, moving: 8).moving == 3)
  }

  @Test func `every moving job moves at every beat, and no other one does`() {
    var queue = ScriptedQueue(count: 50, moving: 8)
    var jobs = queue.snapshots
    for beat in 1...ScriptedQueue.beats {
      let events = queue.advance()
      #expect(events.map(\.job?.rawValue) == Array(1...8))
      for event in events {
        guard let index = event.job.map({ $0.rawValue - 1 }) else { continue }
        let before = jobs[index].percentComplete
        jobs[index].apply(event)
        #expect(jobs[index].percentComplete == before + ScriptedQueue.step, "beat \(beat)")
      }
    }
    #expect(jobs.prefix(8).allSatisfy { $0.percentComplete < 100 })
  }

  @Test func `it stands still after its last beat`() {
    var queue = ScriptedQueue(count: 4, moving: 4)
    for _ in 1...ScriptedQueue.beats { _ = queue.advance() }
    #expect(queue.advance().isEmpty)
  }

  @Test func `a job's own snapshot is the list's, with its plan`() throws {
    var queue = ScriptedQueue(count: 9, moving: 4)
    _ = queue.advance()
    for listed in queue.snapshots { #expect(queue.job(listed.id) == listed) }
    #expect(queue.job(JobID(1))?.plan?.count == 4)
    #expect(queue.job(JobID(10)) == nil)
    #expect(queue.job(JobID(0)) == nil)
  }
}
