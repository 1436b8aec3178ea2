package import InstallJobs

/// The words about a job: single words and single lines, the same in every place.
///
/// The texts are not sanitised and may hold control characters from packages and clients. Drawing
/// sanitises them; plain output must do so itself.
package struct JobWords: Sendable {
  /// Seconds after which an unanswered abort is shown as not acknowledged.
  package static let abortAnswerTimeout = 5

  /// The job that the words are about.
  package let job: JobSnapshot
  /// The state that the words are about.
  package let mark: JobMark
  /// Whether an abort was requested from here and is not answered.
  package let isAbortAsked: Bool
  /// The package at work as it was last reported, for a job without a plan.
  private let lastReport: UpdateStatus?
  /// Queue position, from 1.
  package var queuePlace: Int?
  /// The time or the other job for which this job waits by its own options.
  package var ownWait: StartCondition?
  /// The expected end of a running job.
  package var promise: JobPromise?
  /// The forecast start and end of a queued job.
  package var times: QueueForecast.Times?
  /// The time by the engine's clock; nil if it is unknown, and where no time counts up.
  package var time: Timestamp?
  /// Seconds since this monitor requested an abort that the engine has not answered.
  package var abortAge: Int?
  /// Whether the engine is not connected: the last known state may be out of date.
  package var isOutdated = false
  /// Whether the words are about a moment in the past, as in a replay.
  package var isPast = false
  /// When the engine was last heard from, by the local clock.
  package var knownAt: Timestamp?
  /// The running job.
  package var atWork: JobID?
  /// Why no further job begins; nil if the queue is not paused, or each job names the reason
  /// itself.
  package var queuePause: QueuePause?
  /// The current time, to print ages in place of times of day; for output that is printed once.
  package var now: Timestamp?

  /// The words from the job's snapshot and, in a monitor, from what was requested there.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - isAbortAsked: Whether an abort was requested from here and is not answered.
  ///   - isCleaning: Whether a clean-up was requested from here and is not finished.
  ///   - lastReport: The last report on the package at work, for a job without a plan.
  ///   - queuePlace: Queue position, from 1; nil if it is unknown or the job has none.
  package init(
    _ job: JobSnapshot, isAbortAsked: Bool = false, isCleaning: Bool = false,
    lastReport: UpdateStatus? = nil, queuePlace: Int? = nil
  ) {
    self.job = job
    self.isAbortAsked = isAbortAsked
    self.lastReport = lastReport
    self.queuePlace = queuePlace
    mark = JobMark(job, isAbortAsked: isAbortAsked, isCleaning: isCleaning)
    promise = JobPromise(job)
    times = QueueForecast.Times(job)
    ownWait = job.isPaused ? nil : job.startCondition
  }

  /// The state in about twelve letters at most: `unpack`, `queued #2`, `wait lock`.
  ///
  /// An unanswered abort takes more: `not acknowledged 7s`.
  package var phase: String {
    if let age = abortAge, age > 0 {
      return (isUnacknowledged ? "not acknowledged " : "abort asked ")
        + Figures.duration(Double(age))
    }
    return switch mark {
    case .paused: "paused"
    case .queued: queued
    case .waiting: "wait lock"
    case .running: running
    case .asking: "needs answer"
    case .abortAsked: "abort asked"
    case .stopping: "stopping"
    case .aborted: "aborted"
    case .cleaning: "cleaning up"
    case .done: "done"
    case .warned: "with errors"
    case .failed: "failed"
    case .interrupted: "interrupted"
    }
  }

  /// Whether the engine has not answered an abort within ``abortAnswerTimeout``.
  package var isUnacknowledged: Bool { abortAge ?? 0 >= Self.abortAnswerTimeout }

  private var queued: String {
    switch ownWait {
    case .time: "not yet"
    case .job(let after): "after \(after)"
    case nil: queuePlace.map { "queued #\($0)" } ?? "queued"
    }
  }

  private var running: String {
    switch job.state {
    case .downloading: "download"
    case .finalizing: "verify"
    default: current?.phase.work ?? job.verb
    }
  }

  /// The package at work; nil if it is unknown or there is none.
  package var current: UpdateStatus? {
    guard !job.state.isFinal, job.state != .finalizing, let step = job.currentStepIndex else {
      return nil
    }
    if let plan = job.plan, plan.indices.contains(step) { return plan[step] }
    if let position = job.updateSteps.firstIndex(of: step), job.updates.indices.contains(position) {
      return job.updates[position]
    }
    return lastReport
  }

  /// The activity while no package of the plan is at work.
  package func activity(offset: Int) -> String {
    if let activity = job.activity { return activity }
    switch job.state {
    case .downloading: return Figures.bytes(job.downloadedBytes, of: job.totalDownloadBytes)
    case .finalizing where job.options.isDownloadOnly: return "the archives are checked"
    case .finalizing: return "the package database is asked for the result"
    default: return safePoint(offset: offset)
    }
  }

  /// The number of the package at work in the plan: `21/34`; nil if there is none.
  package var step: String? {
    // The last fetched package is not yet being installed.
    if job.state == .installing, current?.phase == .downloaded { return nil }
    guard !job.state.isFinal, let step = job.currentStepIndex, job.planCount > 0 else { return nil }
    return "\(step < job.planCount ? max(0, step) + 1 : job.planCount)/\(job.planCount)"
  }

  /// The end of the row: time left, lateness or duration; empty if none applies.
  package var tail: String { tails[0] }

  /// The variants of ``tail``, longest first, for narrow places: `+20s late`, `late 20s`, `late`.
  package var tails: [String] {
    if job.state.isFinal {
      return [job.workedSeconds.map { Figures.duration($0) } ?? ""]
    }
    // A forecast for the whole job does not apply to a job that is to stop.
    if isAbortAsked { return [""] }
    if job.isStopping { return stop?.tails(at: time) ?? [""] }
    if job.state == .queued {
      return [times?.end.map { "~" + Figures.forecast($0) } ?? ""]
    }
    guard let promise else { return [""] }
    if let seconds = promise.lateness(at: time) {
      let late = Figures.duration(Double(seconds))
      return ["+\(late) late", "late \(late)", "late"]
    }
    return [(job.state == .downloading ? "" : "~") + Figures.duration(promise.remaining)]
  }

  /// Whether the promised end, or the promised stop, has passed.
  package var isLate: Bool {
    guard !job.state.isFinal else { return false }
    return (job.isStopping ? stop?.lateness(at: time) : promise?.lateness(at: time)) != nil
  }

  /// The longest of ``tails`` that fits, else the shortest.
  package func tail(columns: Int) -> String {
    tails.first { $0.count <= columns } ?? tails.last ?? ""
  }

  /// How long the job has been running: `elapsed 2m06s`; nil before its start and after its end.
  package var elapsed: String? {
    guard !job.state.isFinal, let time, let start = job.startedAt else { return nil }
    return "elapsed \(Figures.elapsed(time.seconds(since: start)))"
  }

  /// The download rate; empty if the job is not downloading.
  package var speed: String {
    guard job.state == .downloading, let rate = job.bytesPerSecond, rate > 0 else { return "" }
    return Figures.rate(rate)
  }

  /// How an ended job ended, in a sentence; nil for a job that has not ended.
  package var ending: String? { JobEnding(job)?.sentence }
}
