import InstallJobs
import JobText

/// The queue: places, start conditions and forecasts.
extension JobStore {
  /// The job's position among the jobs that can start, from 1.
  ///
  /// Nil if the job is not queued, is paused, or waits for a time or another job. Computed here
  /// because the engine's figure is as old as the job's snapshot.
  func queuePlace(of job: JobSnapshot) -> Int? {
    guard job.state == .queued, !ineligible.isIneligible(job, isOver: ending),
      let index = queue.index(of: .queue(job))
    else { return nil }
    let first = queue.lowerBound(JobOrder.Place(section: 1, rank: .min, id: .min))
    return index - first - ineligible.order.lowerBound(.queue(job)) + 1
  }

  /// The start condition that a queued job waits for; nil for none.
  func ownWait(of job: JobSnapshot) -> StartCondition? {
    ineligible.ownWait(of: job, isOver: ending)
  }

  /// The time, by the engine's clock, at which the next scheduled job becomes eligible; nil for
  /// none.
  var nextStart: Timestamp? { ineligible.nextStart }

  /// Updates a queued job's load in the forecast of the queue; ineligible jobs have none.
  mutating func updateOutlook(_ id: JobID) {
    guard let job = self[id]?.job, job.state == .queued else { return }
    if ineligible.isIneligible(job, isOver: ending) {
      outlook.remove(.queue(job))
    } else {
      outlook.set(QueueLoad(job), at: .queue(job))
    }
  }

  /// When a queued job starts and ends; nil if unknown or if the job cannot start yet.
  func times(of job: JobSnapshot, by forecast: QueueForecast) -> QueueForecast.Times? {
    guard job.state == .queued, !ineligible.isIneligible(job, isOver: ending) else { return nil }
    return forecast.times(of: QueueLoad(job), behind: outlook.load(before: .queue(job)))
  }

  /// The forecast for queued jobs behind the job at work; nil if the end of that job is unknown.
  ///
  /// - Parameters:
  ///   - job: The job at work; nil if there is none.
  ///   - time: The time by the engine's clock.
  ///   - fetchesAhead: Whether archives of queued jobs are fetched meanwhile.
  /// - Returns: The forecast that gives the times of queued jobs.
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

  /// Seconds until all pending work ends.
  ///
  /// Nil if an end is unknown or overdue, or if any job waits for a lock or an answer, is paused,
  /// is stopping or cannot start yet; also with more than 16 jobs at work.
  ///
  /// - Parameters:
  ///   - time: The time by the engine's clock.
  ///   - forecast: The forecast behind the job at work; nil if unknown.
  /// - Returns: The seconds.
  func overallEta(at time: Timestamp?, by forecast: QueueForecast?) -> Double? {
    let waiting: [JobMark] = [.paused, .waiting, .asking, .abortAsked, .stopping]
    let count = tally[.running]
    guard waiting.allSatisfy({ tally[$0] == 0 }) else { return nil }
    guard tally[.queued] == 0 else {
      guard count <= 1, ineligible.order.count == 0 else { return nil }
      return forecast?.times(of: QueueLoad(), behind: outlook.load).map(\.start)
    }
    guard (1...16).contains(count) else { return nil }
    let ends = promisesAtWork(most: count)
    guard ends.count == count, ends.allSatisfy({ $0.lateness(at: time) == nil }) else { return nil }
    return ends.map(\.remaining).max()
  }

  private func secondsLeft(of job: JobSnapshot, at time: Timestamp?) -> Double? {
    guard !job.isStalled, !job.isPaused, job.overdue == nil else { return nil }
    let promise = promise(of: job.id)
    switch job.state {
    case .downloading, .installing:
      guard let promise else { return time.flatMap { job.expectedLeft(at: $0) } }
      // An overdue job has no known end.
      return promise.lateness(at: time) == nil ? promise.remaining : nil
    case .stopping:
      guard let stop = StopPromise(job), stop.lateness(at: time) == nil else { return nil }
      return max(0, stop.end.seconds(since: stop.seenAt))
    case .finalizing: return promise?.remaining ?? 0
    case .queued, .completed, .interrupted: return 0
    case .waitingForLock, .waitingForInput, .suspended: return nil
    }
  }

  /// The move that explains a job's current place: to the first or last place of the waiting jobs,
  /// otherwise to its priority.
  func place(of id: JobID, _ priority: Int) -> QueueMove {
    guard let job = self[id]?.job, let index = queue.index(of: .queue(job)) else {
      return .priority(priority)
    }
    let first = queue.lowerBound(JobOrder.Place(section: 1, rank: .min, id: .min))
    let end = queue.lowerBound(JobOrder.Place(section: 2, rank: .min, id: .min))
    return index == first ? .first : index == end - 1 ? .last : .priority(priority)
  }

  /// The number of the first job at work; nil if there is none.
  var firstAtWork: JobID? { jobAtWork?.id }

  /// The first job at work; nil if there is none.
  var jobAtWork: JobSnapshot? {
    guard queue.count > 0, let job = self[queue[0]]?.job else { return nil }
    return job.state.isFinal || job.state == .queued ? nil : job
  }
}
