import InstallJobs
import Testing

@testable import fettle

@Suite struct `The words of jobs --state` {
  private static func job(_ state: JobState, _ waitsFor: WaitReason? = nil) -> JobSnapshot {
    var job = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, [Update("a")]),
      plan: JobPlan(requests: [], steps: []), requestedBy: Requester(uid: 0, user: "root"),
      provider: "apt", submittedAt: Timestamp(milliseconds: 0))
    job.state = state
    job.waitingFor = waitsFor
    return job
  }

  private static var hold: WaitReason {
    var reason = WaitReason(.paused, "held by root")
    reason.by = Requester(uid: 0, user: "root")
    return reason
  }

  @Test(arguments: [
    "queued", "paused", "waiting", "wait lock", "next", "not yet", "running", "download", "unpack",
    "configure", "remove", "triggers", "verify", "install", "upgrade", "asking", "needs answer",
    "stopping", "abort asked", "done", "with errors", "succeeded with errors", "failed", "aborted",
    "interrupted", "waitingForLock", "succeededWithErrors",
  ])
  func `every word that is printed is understood`(_ word: String) throws {
    #expect(try JobStateFilter(word).states?.isEmpty == false)
  }

  @Test func `waiting is whatever waits: in the queue, held, for the lock`() throws {
    let waiting = try JobStateFilter("waiting")
    for job in [
      Self.job(.queued), Self.job(.queued, Self.hold), Self.job(.waitingForLock),
      Self.job(.suspended),
    ] {
      #expect(waiting.states?.contains(job.state) == true && waiting.matches(job))
    }
    #expect(waiting.states?.contains(.installing) == false)
    let held = try JobStateFilter("paused")
    #expect(held.matches(Self.job(.queued, Self.hold)) && !held.matches(Self.job(.queued)))
    #expect(try JobStateFilter("held, waiting").matches(Self.job(.queued)))
  }

  @Test func `a word that is none is answered with those that are printed`() {
    let error = #expect(throws: (any Error).self) { _ = try JobStateFilter("asleep") }
    let words = "\(error.map { "\($0)" } ?? "")"
    #expect(words.contains("paused, waiting (queued, paused or for the lock), running"))
    #expect(!words.contains("waitingForLock"))
  }
}
