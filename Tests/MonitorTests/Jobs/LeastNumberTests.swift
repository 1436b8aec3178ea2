import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct `Numbers that only a peer that wants to harm sends` {
  @Test func `a job with the least number there is has a place in every list`() {
    var job = Scene.job(1, [Scene.planned("new")])
    job.id = JobID(.min)
    #expect(JobTable.jobs([job]).count == JobTable.jobs([Scene.job(1, [])]).count)
    #expect(JobOrder([.queue(job), .history(job)]).count == 2)
    job.state = .completed
    #expect(JobOrder([.queue(job), .history(job)]).count == 2)
  }

  @Test func `the least priority there is stands last in the queue`() {
    let jobs = [(1, Int.min), (2, -100)].map { id, priority in
      JobOrder.Place.queue(Scene.job(id, [Scene.planned("new")], priority: priority))
    }
    #expect(JobOrder(jobs)[1] == JobID(1))
  }

  @Test func `the higher priority goes first, of one the older job`() {
    let jobs = [(4, 0), (2, -5), (3, 7), (1, 7)].map { id, priority in
      JobOrder.Place.queue(Scene.job(id, [Scene.planned("new")], priority: priority))
    }
    let order = JobOrder(jobs)
    #expect((0..<4).map { order[$0].rawValue } == [1, 3, 4, 2])
  }

  @Test(arguments: [-1, 2, 1_000_000_000, Int.min, Int.max])
  func `a package at work that the plan does not have is none`(index: Int) {
    var job = Scene.upgrade
    job.currentStepIndex = index
    job.currentUpdateIndex = index
    var state = Scene.monitor([job])
    _ = state.update(.plan(job.id, []))
    for key in [Key.enter, .character("y"), .character("5"), .character("y"), .character("t")] {
      Scene.press([key], in: &state)
      #expect(state.render(state.size, Golden.looks[0].look).size == state.size)
    }
  }

  @Test func `rates that no line has are summed without an end`() {
    let jobs = (0..<10_000).map { number in
      var job = Scene.job(number, [Scene.planned("new")])
      job.bytesPerSecond = .infinity
      return job
    }
    var state = Scene.monitor(jobs)
    #expect(state.book.tally.bytesPerSecond > 0)
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshotEnd(seq: 1))
    #expect(state.book.tally.bytesPerSecond == 0)
  }
}
