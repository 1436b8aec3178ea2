internal import InstallJobs

/// An event with progress of a job as an array, `[seq, at, job, percent, …]`: the capability
/// `ticks`.
struct TickEvent: TupleValue {
  private var head: EventHead
  private var tick: JobProgressTick

  /// Nil for an event that is not progress of a job.
  init?(_ event: JobEvent) {
    guard case .progress(let tick) = event.payload, let job = event.job else { return nil }
    head = EventHead(seq: event.seq, at: event.at, job: job)
    self.tick = tick
  }

  private init() {
    head = EventHead()
    tick = JobProgressTick(
      percentComplete: 0, currentUpdateIndex: nil, currentStepIndex: nil, downloadedBytes: 0,
      bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
      abortPreview: .accepted(stopsAfter: nil), steps: [])
  }

  static func blank(after previous: TickEvent?) -> TickEvent { TickEvent() }

  var event: JobEvent {
    JobEvent(seq: head.seq, at: head.at, job: head.job, payload: .progress(tick))
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try head.visit(&fields)
    try tick.visit(&fields)
  }
}

extension JobProgressTick {
  fileprivate mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.real(&percentComplete)
    try fields.integer(&currentUpdateIndex)
    try fields.integer(&currentStepIndex)
    try fields.integer(&downloadedBytes, ifAbsent: 0)
    try fields.real(&bytesPerSecond)
    try fields.real(&etaSeconds)
    try fields.time(&lastActivityAt)
    try fields.tuple(&abortPreview, default: .accepted(stopsAfter: nil))
    try fields.list(&steps)
    try fields.text(&activity)
    try fields.flag(&isStalled)
    try visitStall(&fields)
    try fields.real(&etaSpreadSeconds)
    try fields.tuple(&overdue)
  }

  // A cause of a kind that only a newer engine knows is nil.
  private mutating func visitStall<Fields: TupleFields>(_ fields: inout Fields) throws {
    var (kind, message) = (stall?.kind.rawValue, stall?.message)
    var (pid, command) = (stall?.pid.map(Int.init), stall?.command)
    try fields.text(&kind)
    try fields.text(&message)
    try fields.integer(&pid)
    try fields.text(&command)
    guard Fields.isReading else { return }
    stall = nil
    if let kind = kind.flatMap(StallCause.Kind.init), let message {
      stall = StallCause(kind, message, pid: pid.flatMap(Int32.init(exactly:)), command: command)
    }
  }
}

extension JobProgressTick.Step: TupleValue {
  static func blank(after previous: JobProgressTick.Step?) -> JobProgressTick.Step {
    JobProgressTick.Step(index: 0, percentComplete: 0, downloadedBytes: 0)
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.integer(&index)
    try fields.real(&percentComplete)
    try fields.integer(&downloadedBytes, ifAbsent: 0)
  }
}

/// An event of one package as an array, `[seq, at, job, index, update, …]`: the capability
/// `updates`.
struct UpdateEvent: TupleValue {
  private var head: EventHead
  private var index: Int
  private var status: UpdateStatus?
  private var mark: JobEvent.ProgressMark?

  /// Nil for an event that is not about a package.
  init?(_ event: JobEvent) {
    guard case .update(let index, let status) = event.payload, let job = event.job else {
      return nil
    }
    head = EventHead(seq: event.seq, at: event.at, job: job)
    self.index = index
    self.status = status
    mark = event.progressMark
  }

  private init() {
    head = EventHead()
    index = 0
  }

  static func blank(after previous: UpdateEvent?) -> UpdateEvent { UpdateEvent() }

  /// Nil if the status is absent.
  var event: JobEvent? {
    status.map { status in
      JobEvent(
        seq: head.seq, at: head.at, job: head.job, payload: .update(index: index, status: status),
        progressMark: mark)
    }
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try head.visit(&fields)
    try fields.integer(&index)
    try fields.tuple(&status)
    try fields.tuple(&mark)
  }
}

/// The first fields of every event.
private struct EventHead {
  var seq = 0
  var at = Timestamp(milliseconds: 0)
  var job = JobID(0)

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.integer(&seq)
    try fields.time(&at)
    try fields.job(&job)
  }
}

extension JobEvent.ProgressMark: TupleValue {
  static func blank(after previous: JobEvent.ProgressMark?) -> JobEvent.ProgressMark {
    JobEvent.ProgressMark(percentComplete: 0)
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.real(&percentComplete)
    try fields.integer(&logLength)
    // In other arrays the usual disposition is written as absent. Here absent means that none was
    // recorded.
    var hasPreview = abortPreview != nil
    try fields.flag(&hasPreview)
    guard hasPreview else { return }
    var preview = abortPreview ?? .accepted(stopsAfter: nil)
    try fields.tuple(&preview, default: .accepted(stopsAfter: nil))
    abortPreview = preview
  }
}
