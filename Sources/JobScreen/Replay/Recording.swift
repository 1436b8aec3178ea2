import InstallJobs

/// What the journal has of a job that is over: how the job stood at any moment of its life.
///
/// Everything in it was noted when it happened. What was not noted is not made up: between two
/// events the job stands as the first of them left it.
struct Recording: Sendable {
  private struct Checkpoint: Sendable {
    let count: Int
    let job: JobSnapshot
  }

  /// What asked for it.
  let request: RecordingRequest
  /// The job as the engine tells it now, with its plan.
  let job: JobSnapshot
  /// Bytes of the job's log that can be had.
  let logLength: Int64
  /// When the first event happened: the job was submitted, where that is kept.
  let begin: Timestamp
  /// When the job was over; what became of it later counts from then on.
  let end: Timestamp
  /// When its work began; the beginning where it never did.
  let workBegin: Timestamp
  /// Moments worth going to: another state, the next package, a failure, an abort.
  let marks: [Timestamp]
  /// Whether what is kept begins with the job's acceptance.
  private let hasBegin: Bool
  /// Whether what was read comes to the job's end.
  private let hasEnd: Bool
  /// How many events between them could not be read.
  let leftOut: Int
  /// Whether the engine has more events than were read.
  let isCut: Bool
  /// Whether the percentage of the whole job was noted.
  let hasPercent: Bool
  /// Whether it was noted how far the log was.
  let hasLogTimes: Bool

  private let first: JobSnapshot
  private let events: [RecordedEvent]
  private var checkpoints: [Checkpoint] = []

  /// Statuses of packages that all checkpoints together hold at most: some 12 MB.
  private static let room = 40_000

  /// The recording of a job that is over; nil where nothing is recorded.
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

  /// Whether all of it is there, from the job's acceptance to its end.
  var isWhole: Bool { hasBegin && hasEnd && leftOut == 0 && !isCut }

  // MARK: Looking

  /// How many events have to be gone through from the last checkpoint to ``job(after:known:)``.
  func distance(to count: Int) -> Int {
    count - (checkpoints.last { $0.count <= count }?.count ?? 0)
  }

  /// How many events have happened at a moment; all of them at the end.
  func count(at moment: Timestamp) -> Int {
    guard moment < end else { return events.count }
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if events[middle].at <= moment { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The job after so many events.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - known: The job after some of them, from which it is no longer way than from the last
  ///     checkpoint; nil where none is at hand.
  /// - Returns: The job, as the one rule makes it of these events.
  func job(after count: Int, known: (count: Int, job: JobSnapshot)? = nil) -> JobSnapshot {
    let index = checkpoints.lastIndex { $0.count <= count }
    var (reached, job) = index.map { (checkpoints[$0].count, checkpoints[$0].job) } ?? (0, first)
    if let known, known.count >= reached, known.count <= count { (reached, job) = known }
    for event in events[reached..<count] { event.apply(to: &job) }
    return job
  }

  /// Share of the whole job that was done after so many events; nil where it was not noted.
  func percent(after count: Int) -> Double? { count > 0 ? events[count - 1].percent : nil }

  /// What an abort would have been answered after so many events; nil where it was not noted.
  func abortPreview(after count: Int) -> AbortDisposition? {
    count > 0 ? events[count - 1].abortPreview : nil
  }

  /// How much of the log had been read after so many events, and when; all of it where that was not
  /// noted, and at the end.
  func log(after count: Int) -> (length: Int64, read: Timestamp?) {
    guard hasLogTimes, count < events.count else { return (logLength, nil) }
    guard count > 0, let length = events[count - 1].logLength else { return (0, begin) }
    return (min(length, logLength), events[count - 1].logRead)
  }

  /// When the next event happens; nil behind the last one.
  func next(after count: Int) -> Timestamp? {
    events.indices.contains(count) ? min(events[count].at, end) : nil
  }

  /// What is not in it, for people; empty where nothing is worth a word.
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
  /// The job as it was before anything happened to it.
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
