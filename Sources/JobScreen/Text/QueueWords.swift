package import InstallJobs

/// What is said of a queue that is paused, of one that goes on, and of jobs that are held or moved in
/// it; not yet sanitised.
package enum QueueWords: Sendable {
  /// What became of the queue after it was paused: `queue paused; job 12 goes on to its end, 4 queued`.
  ///
  /// - Parameters:
  ///   - standing: The engine's answer.
  ///   - now: The present, for a queue that was paused before.
  /// - Returns: One line.
  package static func paused(_ standing: QueueStatus, now: Timestamp? = nil) -> String {
    let before = standing.hasChanged ? nil : standing.queue.pause
    let what = before.map { pausedAlready($0, now: now) } ?? "queue paused"
    return "\(what); \(working(standing)), \(standing.queue.waitingWords)"
  }

  /// What became of the queue that goes on: `queue goes on; 4 queued`.
  package static func resumed(_ standing: QueueStatus) -> String {
    let queue = standing.queue
    let left = queue.pause.map { "; \($0.message)" } ?? ""
    guard let job = standing.runningJob else {
      return "queue goes on; \(queue.waitingWords)" + left
    }
    let state = standing.runningState == .suspended ? "is held" : "is at work"
    return "queue goes on; job \(job) \(state), \(queue.waitingWords)" + left
  }

  /// The answer to a pause of a queue that is paused: `the queue is paused already, by root since
  /// 10:02:31`.
  ///
  /// - Parameters:
  ///   - pause: What somebody asked for before.
  ///   - offset: Seconds east of UTC for the time of day.
  ///   - now: The present, to tell the age instead of the time.
  /// - Returns: The sentence.
  static func pausedAlready(
    _ pause: QueuePause, offset: Int = 0, now: Timestamp? = nil
  ) -> String {
    let words = sentence(pause, offset: offset, now: now)
    guard pause.cause == .request else { return "the queue is paused already; besides, \(words)" }
    return "the queue is paused already, \(words.dropFirst("queue paused ".count))"
  }

  /// Who was asked to let jobs go first: `asked unattended-upgr (pid 812) to yield: …`.
  package static func asked(_ holder: LockHolder) -> String {
    "asked \(holder.command ?? "a process") (pid \(holder.pid)) to yield: it ends after the set of"
      + " packages that it is at, then jobs begin"
  }

  private static func working(_ standing: QueueStatus) -> String {
    guard let job = standing.runningJob else { return "no job is at work" }
    return standing.runningState == .suspended
      ? "job \(job) is held" : "job \(job) goes on to its end"
  }

  /// Where a job stands after it was moved: `job 12 is 2nd of 5 in the queue, priority 1`.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - jobs: All that wait; those that could not begin are not counted.
  /// - Returns: One line.
  package static func moved(_ job: JobSnapshot, among jobs: [JobSnapshot]) -> String {
    let priority = "priority \(job.options.priority)"
    guard let place = job.queuePosition else { return "job \(job.id) has \(priority)" }
    let all = max(place, jobs.count(where: \.hasPlaceInQueue))
    return "job \(job.id) is \(JobTable.ordinal(place)) of \(all) in the queue, \(priority)"
  }

  /// The place that a job was given: `moved first`.
  static func moved(_ place: QueueMove) -> String { "moved " + self.place(place) }

  /// The place that a job is given: `first`, `last`, `to priority 3`.
  static func place(_ place: QueueMove) -> String {
    switch place {
    case .first: "first"
    case .last: "last"
    case .priority(let priority): "to priority \(priority)"
    }
  }

  /// Why no further job begins, and since when.
  ///
  /// - Parameters:
  ///   - pause: What keeps the queue.
  ///   - offset: Seconds east of UTC for the time of day.
  ///   - now: The present, to tell the age instead of the time.
  /// - Returns: `queue paused by root 3m ago`, or `queue paused by root since 14:02:31`.
  static func sentence(_ pause: QueuePause, offset: Int = 0, now: Timestamp? = nil) -> String {
    sentence(WaitReason(pause), offset: offset, now: now)
  }

  /// The same behind a word for the queue: `paused by root 3m ago`.
  static func state(_ pause: QueuePause, now: Timestamp?) -> String {
    let words = sentence(pause, now: now)
    return pause.cause == .request ? String(words.dropFirst("queue ".count)) : words
  }

  /// The same of a job that is held, or whose queue is.
  static func sentence(_ reason: WaitReason, offset: Int, now: Timestamp?) -> String {
    guard let since = reason.since else { return reason.message }
    guard let now else {
      return "\(reason.message) since \(Figures.time(since, offset: offset))"
    }
    let age = Figures.elapsed(max(0, now.seconds(since: since)))
    // Somebody did it then; what the engine itself has to lasts.
    return reason.cause == nil || reason.cause == .request
      ? "\(reason.message) \(age) ago" : "\(reason.message) (for \(age))"
  }
}
