import InstallJobs

/// Places in the queue.
extension JobBook {
  /// The job's place among those that can start, from 1; nil when it is not one of them: it does not
  /// wait in the queue, is held, or waits for a time or a job of its own.
  ///
  /// Counted here because the engine's figure is as old as the job's snapshot.
  func queuePlace(of job: JobSnapshot) -> Int? {
    guard job.state == .queued, !passed.isPassed(job, isOver: ending),
      let index = queue.index(of: .queue(job))
    else { return nil }
    let first = queue.lowerBound(JobOrder.Place(section: 1, rank: .min, id: .min))
    return index - first - passed.order.lowerBound(.queue(job)) + 1
  }

  /// What a job in the queue waits for by its own wish.
  func ownWait(of job: JobSnapshot) -> OwnWait? { passed.ownWait(of: job, isOver: ending) }

  /// When the time of the next job that waits for it comes, by the engine's clock; nil for none.
  var nextStart: Timestamp? { passed.nextStart }

  /// The move that brings a job to where it is: the first or the last that waits, else by its
  /// priority.
  func place(of id: JobID, _ priority: Int) -> QueueMove {
    guard let job = self[id]?.job, let index = queue.index(of: .queue(job)) else {
      return .priority(priority)
    }
    let first = queue.lowerBound(JobOrder.Place(section: 1, rank: .min, id: .min))
    let end = queue.lowerBound(JobOrder.Place(section: 2, rank: .min, id: .min))
    return index == first ? .first : index == end - 1 ? .last : .priority(priority)
  }

  /// The first job that is at work.
  var firstAtWork: JobID? {
    guard queue.count > 0 else { return nil }
    let id = queue[0]
    guard let job = self[id]?.job, !job.state.isFinal, job.state != .queued else { return nil }
    return id
  }
}
