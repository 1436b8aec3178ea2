import InstallJobs
import JobText

/// The journal's record of an ended job: the state of the job at any moment.
///
/// The record contains only what was stored at the time. Between two events the job stays as after
/// the first of them.
struct Recording: Sendable {
  struct Checkpoint: Sendable {
    let count: Int
    let job: JobSnapshot
  }

  /// The request that it answers.
  let request: RecordingRequest
  /// The engine's final snapshot of the job, with its plan.
  let job: JobSnapshot
  /// Length in bytes of the available log.
  let logLength: Int64
  /// The time of the first event: the job's submission, if that is still stored.
  let begin: Timestamp
  /// The time at which the job ended; later events count from then on.
  let end: Timestamp
  /// The time at which the job's work began; ``begin`` if it never did.
  let workBegin: Timestamp
  /// The moments that keys jump to: a new state, the next package, a failure, an abort.
  let marks: [Timestamp]
  /// Whether the record includes the job's submission.
  private let hasBegin: Bool
  /// Whether the record includes the job's end.
  private let hasEnd: Bool
  /// Number of events that could not be read.
  let leftOut: Int
  /// Whether the engine has more events than were read.
  let isCut: Bool
  /// Whether the progress of the whole job was recorded.
  let hasPercent: Bool
  /// Whether the growth of the log was recorded.
  let hasLogTimes: Bool

  private let first: JobSnapshot
  private let events: [RecordedEvent]
  private(set) var checkpoints: [Checkpoint] = []

  /// The highest number of package statuses in all checkpoints together: some 12 MB.
  private static let room = 40_000

  /// The recording of an ended job; nil if there are no events.
  init?(_ arrived: ArrivingRecording) {
    guard let job = arrived.job, let earliest = arrived.events.first, let last = arrived.events.last
    else { return nil }
    request = arrived.request
    self.job = job
    logLength = min(max(0, arrived.logLength), 1 << 62)
    events = arrived.events
    let over = events.first(where: \.isEnd)
    (hasBegin, hasEnd) = (earliest.isSubmission, over != nil)
    (leftOut, isCut) = (arrived.leftOut, arrived.isCut)
    begin = earliest.at
    end = over?.at ?? last.at
    hasPercent = last.percent != nil
    hasLogTimes = last.logLength != nil
    first = job.unbegun
    var passing = first
    var (marks, started): ([Timestamp], Timestamp?) = ([], nil)
    let spacing = Self.spacing(events.count, of: job)
    for (index, event) in events.enumerated() {
      if index % spacing == 0 { checkpoints.append(Checkpoint(count: index, job: passing)) }
      let (state, step) = (passing.state, index > 0 ? events[index - 1].step : nil)
      event.apply(to: &passing)
      if started == nil, passing.startedAt != nil { started = event.at }
      let isMark = passing.state != state || event.step != step || event.isTurn
      let at = min(event.at, end)
      if isMark, marks.last ?? begin < at { marks.append(at) }
    }
    self.marks = marks
    workBegin = min(started ?? begin, end)
  }

  private static func spacing(_ count: Int, of job: JobSnapshot) -> Int {
    let size = (job.plan?.count ?? 0) + job.updates.count
    let most = min(64, max(1, room / max(1, size)))
    return max(256, count / most + 1)
  }

  // MARK: Lookup

  /// Number of events up to and including a moment; all events at the end.
  func count(at moment: Timestamp) -> Int {
    guard moment < end else { return events.count }
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if events[middle].at <= moment { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The job after a number of events.
  ///
  /// - Parameters:
  ///   - count: The number of events.
  ///   - known: The job after some number of events; used if that number lies between the last
  ///     checkpoint and `count`. Nil if there is none.
  /// - Returns: The job, with the events applied by the same rule as live events.
  func job(after count: Int, known: (count: Int, job: JobSnapshot)? = nil) -> JobSnapshot {
    let index = checkpoints.lastIndex { $0.count <= count }
    var (reached, job) = index.map { (checkpoints[$0].count, checkpoints[$0].job) } ?? (0, first)
    if let known, known.count >= reached, known.count <= count { (reached, job) = known }
    for event in events[reached..<count] { event.apply(to: &job) }
    return job
  }

  /// Progress of the whole job after a number of events, 0...100; nil if not recorded.
  func percent(after count: Int) -> Double? { count > 0 ? events[count - 1].percent : nil }

  /// The answer that an abort would have had after a number of events; nil if not recorded.
  func abortPreview(after count: Int) -> AbortDisposition? {
    count > 0 ? events[count - 1].abortPreview : nil
  }

  /// Length in bytes of the log after a number of events, and the time at which it was read.
  ///
  /// At the end, or if not recorded, the whole length and nil.
  func log(after count: Int) -> (length: Int64, read: Timestamp?) {
    guard hasLogTimes, count < events.count else { return (logLength, nil) }
    guard count > 0, let length = events[count - 1].logLength else { return (0, begin) }
    return (min(length, logLength), events[count - 1].logRead)
  }

  /// The time of the next event; nil after the last one.
  func next(after count: Int) -> Timestamp? {
    events.indices.contains(count) ? min(events[count].at, end) : nil
  }

  /// The gaps of the record as phrases for users; empty for a complete record.
  func gaps(timeOffset: Int) -> [String] {
    var gaps: [String] = []
    if isCut {
      gaps.append("only its first \(Figures.count(events.count, "event")) are shown")
    }
    if !hasBegin || !hasEnd {
      let from = Figures.time(begin, offset: timeOffset)
      gaps.append(
        "what is kept begins at \(from) and ends at \(Figures.time(end, offset: timeOffset))")
    }
    if leftOut > 0 {
      gaps.append("\(Figures.count(leftOut, "event")) left out that could not be read")
    }
    if !hasPercent { gaps.append("the job's percentage was not recorded") }
    if !hasLogTimes { gaps.append("when the log was written was not recorded: all of it is shown") }
    return gaps
  }
}

extension JobSnapshot {
  /// The job as it was before its first event.
  fileprivate var unbegun: JobSnapshot {
    var job = self
    (job.state, job.resultCode) = (.queued, .notStarted)
    (job.startedAt, job.endedAt, job.lastActivityAt) = (nil, nil, nil)
    job.percentComplete = 0
    (job.currentUpdateIndex, job.currentStepIndex, job.queuePosition) = (nil, nil, nil)
    (job.waitingFor, job.abort, job.error, job.afterReboot) = (nil, nil, nil, nil)
    job.abortPreview = .accepted(stopsAfter: nil)
    (job.requiresReboot, job.rebootReasons) = (false, [])
    job.downloadedBytes = 0
    (job.bytesPerSecond, job.etaSeconds, job.activity) = (nil, nil, nil)
    (job.isStalled, job.stall, job.exitStatus) = (false, nil, nil)
    (job.repairs, job.isCleanedUp) = ([], false)
    job.plan = plan?.map { UpdateStatus($0.planned) }
    job.updates = updates.map { UpdateStatus($0.planned) }
    return job
  }
}
