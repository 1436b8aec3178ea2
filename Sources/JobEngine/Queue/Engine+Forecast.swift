import InstallJobs
import PackageProvider

// Forecasts of the queue, and checks of a working job whose present stage advances with time alone.
// Forecasts are computed on request: progress of the working job publishes no new figures of the
// queue, and clients compute these themselves.
extension Engine {
  /// Whether archives of waiting jobs are fetched while another job is at work.
  nonisolated var fetchesAhead: Bool { provider.fetchesAhead }

  /// The forecast of the queue; nil when the start of the next job is unknown.
  func forecast(at time: Timestamp) -> QueueForecast? {
    guard queue.pause == nil else { return nil }
    guard let running = queue.running else { return QueueForecast(fetchesAhead: fetchesAhead) }
    return live[running]?.machine.forecast(at: time, fetchesAhead: fetchesAhead)
  }

  /// The expected start and end of a waiting job; nil when unknown.
  func times(of id: JobID, at time: Timestamp) -> QueueForecast.Times? {
    forecast(at: time).flatMap { queue.times(of: id, by: $0, at: time, isOver: isOver) }
  }

  /// The expected start and end of every waiting job for which they are known.
  func times(at time: Timestamp) -> [JobID: QueueForecast.Times] {
    forecast(at: time).map { queue.times(by: $0, at: time, isOver: isOver) } ?? [:]
  }

  /// The expected duration of a plan's work; nil when unknown.
  func expectedWork(
    on plan: JobPlan, _ request: JobRequest, by learned: LearnedCosts
  ) -> ExpectedWork? {
    if request.options.isDownloadOnly { return learned.expectedTransfers(of: plan) }
    // A plan without steps takes no time, except for a repair, whose duration is unknown.
    guard plan.steps.isEmpty else { return learned.expectedWork(on: plan) }
    return request.operation == .repair
      ? nil : ExpectedWork(downloadSeconds: 0, packageSeconds: 0, spreadSeconds: 0)
  }

  // MARK: Scheduled checks

  /// A scheduled check of a working job.
  struct ScheduledCheck {
    var due: Timestamp
    var timer: Task<Void, Never>
  }

  /// Schedules the next check of a job whose displayed values change with time alone.
  ///
  /// A scheduled check that is due no later is kept.
  func scheduleCheck(at id: JobID, _ time: Timestamp) {
    guard let job = live[id], let pause = job.machine.nextLapse(at: time) else { return }
    let due = time.advanced(bySeconds: pause)
    if let known = job.scheduledCheck,
      (-Self.slack...pause).contains(known.due.seconds(since: time))
    {
      return
    }
    job.scheduledCheck?.timer.cancel()
    let (clock, now) = (settings.clock, settings.now)
    let timer = Task { [weak self] in
      guard let gone = try? await clock.sleep(seconds: pause, beside: now) else { return }
      await self?.runScheduledCheck(
        of: id, due: due, isClockSound: abs(gone.shown - gone.passed) < Self.slack)
    }
    live[id]?.scheduledCheck = ScheduledCheck(due: due, timer: timer)
  }

  private func runScheduledCheck(of id: JobID, due: Timestamp, isClockSound: Bool) {
    // Another check was scheduled instead.
    guard live[id]?.scheduledCheck?.due == due else { return }
    live[id]?.scheduledCheck = nil
    _ = try? dispatch(.lapse(isClockSound: isClockSound), to: id)
  }

  /// Maximum difference, in seconds, between the change of the machine's clock and the elapsed
  /// time.
  ///
  /// A greater difference means that the clock was set.
  ///
  /// A late check is no sign of a set clock: the machine may have been busy or stopped.
  private static let slack = 5.0
}

extension Clock where Duration == Swift.Duration {
  /// Sleeps, and returns the seconds that passed and the seconds by which the machine's clock
  /// moved.
  fileprivate func sleep(
    seconds: Double, beside shown: @Sendable () -> Timestamp
  ) async throws -> (passed: Double, shown: Double) {
    let (begin, shownAtBegin) = (now, shown())
    try await sleep(
      until: begin.advanced(by: .milliseconds(Int64(seconds * 1000))), tolerance: nil)
    let passed = begin.duration(to: now) / .seconds(1)
    return (passed, shown().seconds(since: shownAtBegin))
  }
}

extension JobSnapshot {
  /// Sets the expected start and end; nil clears them.
  mutating func apply(_ times: QueueForecast.Times?) {
    startsInSeconds = times?.start.inTenths
    endsInSeconds = times?.end?.inTenths
    etaSpreadSeconds = times?.spread?.inTenths
  }
}

extension JobMachine {
  /// The forecast for the jobs queued behind this job, which has its turn; nil when this job's end
  /// is unknown.
  func forecast(at time: Timestamp, fetchesAhead: Bool) -> QueueForecast? {
    guard let left = secondsLeft(at: time) else { return nil }
    var forecast = QueueForecast(workLeft: left, fetchesAhead: fetchesAhead)
    forecast.spread = etaSpreadSeconds ?? snapshot.expected?.spreadSeconds
    // Computed as clients compute it, from the published byte counts.
    if snapshot.state == .downloading { forecast.downloadLeft = QueueLoad(snapshot).downloads }
    return forecast
  }

  private func secondsLeft(at time: Timestamp) -> Double? {
    // The end of an overdue stage is unknown.
    guard overdue(at: time) == nil else { return nil }
    return switch state {
    case .starting: snapshot.startedAt == nil ? snapshot.expected?.seconds : nil
    case .working(_, .proceed): etaSeconds(at: time) ?? snapshot.expectedLeft(at: time)
    case .working(_, .abort(let step)): step.map { secondsUntil($0) } ?? 0
    case .verifying: etaSeconds(at: time) ?? 0
    case .queued, .ended: 0
    case .paused, .suspended, .working(_, .suspend): nil
    }
  }
}
