import InstallJobs
import PackageProvider

// What is foreseen of the queue, and the looks at a job at work whose present stage moves by time
// alone. Both are told when somebody asks or something moves: no figure of the queue is sent for the
// progress of the job at work, whoever shows it adds that up.
extension Engine {
  /// Whether archives of jobs that wait are fetched while another one works.
  nonisolated var fetchesAhead: Bool { provider.fetchesAhead }

  /// What the queue can be foreseen by; nil where nobody knows when the next job begins.
  func forecast(at time: Timestamp) -> QueueForecast? {
    guard queue.pause == nil else { return nil }
    guard let running = queue.running else { return QueueForecast(fetchesAhead: fetchesAhead) }
    return live[running]?.machine.forecast(at: time, fetchesAhead: fetchesAhead)
  }

  /// When a job that waits begins and ends; nil where that is not known.
  func times(of id: JobID, at time: Timestamp) -> QueueForecast.Times? {
    forecast(at: time).flatMap { queue.times(of: id, by: $0, at: time, isOver: isOver) }
  }

  /// The same of all.
  func times(at time: Timestamp) -> [JobID: QueueForecast.Times] {
    forecast(at: time).map { queue.times(by: $0, at: time, isOver: isOver) } ?? [:]
  }

  /// What the work on a plan is expected to take; nil where that is not known.
  func expectedWork(
    on plan: JobPlan, _ request: JobRequest, by learned: LearnedCosts
  ) -> ExpectedWork? {
    if request.options.isDownloadOnly { return learned.expectedTransfers(of: plan) }
    // There is nothing to do and nothing to learn from it; a repair has work without steps.
    guard plan.steps.isEmpty else { return learned.expectedWork(on: plan) }
    return request.operation == .repair
      ? nil : ExpectedWork(downloadSeconds: 0, packageSeconds: 0, spreadSeconds: 0)
  }

  // MARK: Time that goes by

  /// A check of a job at work at a time.
  struct ScheduledCheck {
    var due: Timestamp
    var timer: Task<Void, Never>
  }

  /// Arranges the next look at a job if time alone changes what is shown of it; one that comes no
  /// later is kept.
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
    // Another one was arranged instead.
    guard live[id]?.scheduledCheck?.due == due else { return }
    live[id]?.scheduledCheck = nil
    _ = try? feed(.lapse(isClockSound: isClockSound), to: id)
  }

  /// Seconds by which the machine's clock may differ from the time that passed without being set.
  ///
  /// That a check comes late says nothing: the machine may have been busy, or stopped.
  private static let slack = 5.0
}

extension Clock where Duration == Swift.Duration {
  /// Sleeps, and tells how many seconds passed and how many the machine's clock has moved meanwhile.
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
  /// Takes when it begins and ends; nil where that is not known.
  mutating func apply(_ times: QueueForecast.Times?) {
    startsInSeconds = times?.start.inTenths
    endsInSeconds = times?.end?.inTenths
    etaSpreadSeconds = times?.spread?.inTenths
  }
}

extension JobMachine {
  /// What the job, which has its turn, leaves for those behind it; nil where nobody knows when it is
  /// over.
  func forecast(at time: Timestamp, fetchesAhead: Bool) -> QueueForecast? {
    guard let left = secondsLeft(at: time) else { return nil }
    var forecast = QueueForecast(workLeft: left, fetchesAhead: fetchesAhead)
    forecast.spread = etaSpreadSeconds ?? snapshot.expected?.spreadSeconds
    // As clients add it up, by the bytes that they are told of.
    if snapshot.state == .downloading { forecast.downloadLeft = QueueLoad(snapshot).downloads }
    return forecast
  }

  private func secondsLeft(at time: Timestamp) -> Double? {
    // When what takes too long will end, nobody knows.
    guard overdue(at: time) == nil else { return nil }
    return switch state {
    case .starting: snapshot.startedAt == nil ? snapshot.expected?.seconds : nil
    case .working(_, .goOn): etaSeconds(at: time) ?? snapshot.expectedLeft(at: time)
    case .working(_, .abort(let step)): step.map { secondsUntil($0) } ?? 0
    case .verifying: etaSeconds(at: time) ?? 0
    case .queued, .ended: 0
    case .held, .suspended, .working(_, .suspend): nil
    }
  }
}
