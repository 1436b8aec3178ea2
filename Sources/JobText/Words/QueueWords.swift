package import InstallJobs

/// The words about a paused or running queue, and about paused or moved jobs; not yet sanitised
/// unless stated otherwise.
package enum QueueWords: Sendable {
  /// The result of pausing the queue: `queue paused; job 12 runs to its end, 4 queued`.
  ///
  /// - Parameters:
  ///   - standing: The engine's reply.
  ///   - now: The current time, for the age of an earlier pause.
  /// - Returns: One line.
  package static func paused(_ standing: QueueStatus, now: Timestamp? = nil) -> String {
    let before = standing.hasChanged ? nil : standing.queue.pause
    let what = before.map { pausedAlready($0, now: now) } ?? "queue paused"
    return "\(what); \(working(standing)), \(standing.queue.waitingWords)"
  }

  /// The result of resuming the queue: `queue resumed; 4 queued`.
  package static func resumed(_ standing: QueueStatus) -> String {
    let queue = standing.queue
    let left = queue.pause.map { "; \($0.message)" } ?? ""
    guard let job = standing.runningJob else {
      return "queue resumed; \(queue.waitingWords)" + left
    }
    let state = standing.runningState == .suspended ? "is paused" : "is at work"
    return "queue resumed; job \(job) \(state), \(queue.waitingWords)" + left
  }

  /// The reply to a pause of a paused queue: `the queue is paused already, by root since 10:02:31`.
  ///
  /// - Parameters:
  ///   - pause: The earlier pause.
  ///   - offset: Seconds east of UTC for the time of day.
  ///   - now: The current time, to print the age in place of the time.
  /// - Returns: The sentence.
  package static func pausedAlready(
    _ pause: QueuePause, offset: Int = 0, now: Timestamp? = nil
  ) -> String {
    let words = sentence(pause, offset: offset, now: now)
    guard pause.cause == .request else { return "the queue is paused already; besides, \(words)" }
    return "the queue is paused already, \(words.dropFirst("queue paused ".count))"
  }

  /// The result of asking the lock holder to yield: `asked unattended-upgr (pid 812) to yield: …`.
  package static func yieldRequested(_ holder: LockHolder) -> String {
    "asked \(holder.command ?? "a process") (pid \(holder.pid)) to yield: it ends after the set of"
      + " packages that it is at, then jobs begin"
  }

  private static func working(_ standing: QueueStatus) -> String {
    guard let job = standing.runningJob else { return "no job is at work" }
    return standing.runningState == .suspended
      ? "job \(job) is paused" : "job \(job) runs to its end"
  }

  /// The queue position of a moved job: `job 12 is 2nd of 5 in the queue, priority 1`.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - jobs: All queued jobs; jobs that cannot start yet are not counted.
  /// - Returns: One line.
  package static func moved(_ job: JobSnapshot, among jobs: [JobSnapshot]) -> String {
    let priority = "priority \(job.options.priority)"
    guard let place = job.queuePosition else { return "job \(job.id) has \(priority)" }
    let all = max(place, jobs.count(where: \.hasPlaceInQueue))
    return "job \(job.id) is \(JobTable.ordinal(place)) of \(all) in the queue, \(priority)"
  }

  /// The result of a move: `moved first`.
  package static func moved(_ place: QueueMove) -> String { "moved " + self.place(place) }

  /// The target of a move: `first`, `last`, `to priority 3`.
  package static func place(_ place: QueueMove) -> String {
    switch place {
    case .first: "first"
    case .last: "last"
    case .priority(let priority): "to priority \(priority)"
    }
  }

  /// Why no further job begins, and since when.
  ///
  /// - Parameters:
  ///   - pause: The pause of the queue.
  ///   - offset: Seconds east of UTC for the time of day.
  ///   - now: The current time, to print the age in place of the time.
  /// - Returns: `queue paused by root 3m ago`, or `queue paused by root since 14:02:31`.
  package static func sentence(_ pause: QueuePause, offset: Int = 0, now: Timestamp? = nil)
    -> String
  {
    sentence(WaitReason(pause), offset: offset, now: now)
  }

  /// The sentence without the word for the queue: `paused by root 3m ago`.
  package static func state(_ pause: QueuePause, now: Timestamp?) -> String {
    let words = sentence(pause, now: now)
    return pause.cause == .request ? String(words.dropFirst("queue ".count)) : words
  }

  /// Why a job waits, and since when.
  package static func sentence(_ reason: WaitReason, offset: Int, now: Timestamp?) -> String {
    guard let since = reason.since else { return reason.message }
    guard let now else {
      return "\(reason.message) since \(Figures.time(since, offset: offset))"
    }
    let age = Figures.elapsed(max(0, now.seconds(since: since)))
    // A request is an event in the past; a cause that the engine found itself still lasts.
    return reason.cause == nil || reason.cause == .request
      ? "\(reason.message) \(age) ago" : "\(reason.message) (for \(age))"
  }
}
