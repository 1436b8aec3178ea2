internal import InstallJobs

/// Progress of several jobs for a client that announced the capability `ticks`: the notification
/// `ticks` with the parameters `[subscription, [tick, …]]`, written without spaces and in this
/// order.
///
/// Ticks, ten times a second, are nearly all of the traffic. Arrays are read without comparing
/// names.
enum TicksMessage {
  private static let envelope = TupleEnvelope(method)
  /// The value of `method`.
  static let method = "ticks"

  /// The message with the events.
  ///
  /// Throws for an event that is not progress of a job.
  static func message(subscription: Int, _ events: [JobEvent]) throws -> [UInt8] {
    try envelope.message(subscription: subscription) { try $0.list(events) { try $0.tick($1) } }
  }

  /// The events in a message; nil for a message of another method.
  ///
  /// A message that cannot be read is treated as an unknown event: a newer engine may use other
  /// words, and the next tick repeats its content.
  static func read(_ message: [UInt8]) -> WireNotification? {
    var events: [JobEvent] = []
    do {
      let subscription = try envelope.read(message) { parameters in
        events = try parameters.list { try $0.tick() } ?? []
      }
      return subscription.map { .ticks(subscription: $0, events) }
    } catch {
      return .unknown
    }
  }
}

// A tick as an array: `[seq, at, job, percent, …]`. The order of the elements is the capability
// `ticks`; later versions only append.

extension TupleWriter {
  fileprivate mutating func tick(_ event: JobEvent) throws {
    guard case .progress(let tick) = event.payload, let job = event.job else {
      throw WireFault.notRequest("only progress of a job is a tick")
    }
    tuple { row in
      row.number(event.seq)
      row.number(event.at.milliseconds)
      row.number(job.rawValue)
      row.number(tick.percentComplete)
      row.number(tick.currentUpdateIndex)
      row.number(tick.currentStepIndex)
      row.number(tick.downloadedBytes)
      row.number(tick.bytesPerSecond)
      row.number(tick.etaSeconds)
      row.number(tick.lastActivityAt?.milliseconds)
      row.disposition(tick.abortPreview)
      row.list(tick.steps) { row, step in
        row.tuple {
          $0.number(step.index)
          $0.number(step.percentComplete)
          $0.number(step.downloadedBytes)
        }
      }
      row.text(tick.activity)
      row.flag(tick.isStalled)
      row.text(tick.stall?.kind.rawValue)
      row.text(tick.stall?.message)
      row.number(tick.stall?.pid.map(Int.init))
      row.text(tick.stall?.command)
      row.number(tick.etaSpreadSeconds)
      row.overdue(tick.overdue)
    }
  }
}

extension TupleReader {
  fileprivate mutating func tick() throws -> JobEvent {
    var event: JobEvent?
    try tuple { row in
      let seq = try row.known(try row.integer())
      let at = try row.known(try row.time())
      let job = JobID(try row.known(try row.integer()))
      var tick = JobProgressTick(
        percentComplete: try row.known(try row.real()), currentUpdateIndex: try row.integer(),
        currentStepIndex: try row.integer(), downloadedBytes: try row.number() ?? 0,
        bytesPerSecond: try row.real(), etaSeconds: try row.real(),
        lastActivityAt: try row.time(), isStalled: false, abortPreview: try row.disposition(),
        steps: [])
      tick.steps = try row.list { try $0.step() } ?? []
      tick.activity = try row.text()
      tick.isStalled = try row.flag()
      tick.stall = try row.stall()
      tick.etaSpreadSeconds = try row.real()
      tick.overdue = try row.overdue()
      event = JobEvent(seq: seq, at: at, job: job, payload: .progress(tick))
    }
    return try known(event)
  }

  /// Reads the cause of a stall; nil if it is absent or of a kind that only a newer engine knows.
  private mutating func stall() throws -> StallCause? {
    let kind = try text()
    let message = try text()
    let pid: Int? = try integer()
    let command = try text()
    guard let kind = kind.flatMap(StallCause.Kind.init), let message else { return nil }
    return StallCause(kind, message, pid: pid.flatMap(Int32.init(exactly:)), command: command)
  }

  private mutating func step() throws -> JobProgressTick.Step {
    var step: JobProgressTick.Step?
    try tuple { row in
      step = JobProgressTick.Step(
        index: try row.known(try row.integer()), percentComplete: try row.known(try row.real()),
        downloadedBytes: try row.number() ?? 0)
    }
    return try known(step)
  }
}
