import InstallJobs

/// Places in the queue.
extension JobStore {
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

  /// What a job that waits adds to the queue, and what is before it.
  mutating func foresee(_ id: JobID) {
    guard let job = self[id]?.job, job.state == .queued else { return }
    if passed.isPassed(job, isOver: ending) {
      outlook.remove(.queue(job))
    } else {
      outlook.set(QueueLoad(job), at: .queue(job))
    }
  }

  /// When a job that waits has its turn and is over; nil where that is not known, and for one that
  /// others pass.
  func times(of job: JobSnapshot, by forecast: QueueForecast) -> QueueForecast.Times? {
    guard job.state == .queued, !passed.isPassed(job, isOver: ending) else { return nil }
    return forecast.times(of: QueueLoad(job), behind: outlook.load(before: .queue(job)))
  }

  /// What the job at work leaves for those behind it; nil where nobody knows when it is over.
  ///
  /// - Parameters:
  ///   - job: The job; nil where none works.
  ///   - time: The time by the engine's clock.
  ///   - fetchesAhead: Whether archives of jobs that wait are fetched meanwhile.
  /// - Returns: What a job that waits is told its times by.
  func forecast(
    behind job: JobSnapshot?, at time: Timestamp?, fetchesAhead: Bool
  ) -> QueueForecast? {
    guard let job else { return QueueForecast(fetchesAhead: fetchesAhead) }
    guard let left = secondsLeft(of: job, at: time) else { return nil }
    var forecast = QueueForecast(workLeft: left, fetchesAhead: fetchesAhead)
    forecast.spread = job.etaSpreadSeconds ?? job.expected?.spreadSeconds
    if job.state == .downloading { forecast.downloadLeft = QueueLoad(job).downloads }
    return forecast
  }

  /// Seconds until all is over that has to run; nil unless the first jobs at work promise an end and
  /// nothing waits in a lock, for an answer or because it is held, and all is known of what waits for
  /// its turn.
  ///
  /// - Parameters:
  ///   - time: The time by the engine's clock.
  ///   - forecast: What the job at work leaves; nil where that is not known.
  /// - Returns: The seconds.
  func overallEta(at time: Timestamp?, by forecast: QueueForecast?) -> Double? {
    let waiting: [JobMark] = [.held, .waiting, .asking, .abortAsked, .stopping]
    let count = tally[.running]
    guard waiting.allSatisfy({ tally[$0] == 0 }) else { return nil }
    guard tally[.queued] == 0 else {
      guard count <= 1, passed.order.count == 0 else { return nil }
      return forecast?.times(of: QueueLoad(), behind: outlook.load).map(\.start)
    }
    guard (1...16).contains(count) else { return nil }
    let ends = promisesAtWork(most: count)
    guard ends.count == count, ends.allSatisfy({ $0.lateness(at: time) == nil }) else { return nil }
    return ends.map(\.remaining).max()
  }

  private func secondsLeft(of job: JobSnapshot, at time: Timestamp?) -> Double? {
    guard !job.isStalled, !job.isHeld, job.overdue == nil else { return nil }
    let promise = promise(of: job.id)
    switch job.state {
    case .downloading, .installing:
      guard let promise else { return time.flatMap { job.expectedLeft(at: $0) } }
      // It should be over, and nobody knows when it will be.
      return promise.lateness(at: time) == nil ? promise.remaining : nil
    case .stopping:
      guard let stop = StopPromise(job), stop.lateness(at: time) == nil else { return nil }
      return max(0, stop.end.seconds(since: stop.seenAt))
    case .finalizing: return promise?.remaining ?? 0
    case .queued, .completed, .interrupted: return 0
    case .waitingForLock, .waitingForInput, .suspended: return nil
    }
  }

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
  var firstAtWork: JobID? { jobAtWork?.id }

  /// The same with what is known of it.
  var jobAtWork: JobSnapshot? {
    guard queue.count > 0, let job = self[queue[0]]?.job else { return nil }
    return job.state.isFinal || job.state == .queued ? nil : job
  }
}
