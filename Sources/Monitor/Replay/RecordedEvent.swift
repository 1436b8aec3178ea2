import InstallJobs
import JobText

/// A durable event in a recording, with the known state of the whole job from this event on.
struct RecordedEvent: Sendable {
  // Package updates are the most frequent events and have a case of their own.
  private indirect enum Change: Sendable {
    case update(Int, UpdateStatus)
    case other(JobEvent.Payload)
  }

  /// The time of the event in the recording; never before the previous event, even if the engine's
  /// clock was set back.
  let at: Timestamp
  /// Progress of the whole job, 0...100, never falling; nil if not recorded so far.
  private(set) var percent: Double?
  /// Length in bytes of the log that had been read; nil if not recorded so far.
  private(set) var logLength: Int64?
  /// The time at which the log had been read that far.
  private(set) var logRead: Timestamp?
  /// The index in the plan of the package worked on from this event on; nil for none.
  private(set) var step: Int?
  /// The answer that an abort would have had from this event on; nil if not recorded so far.
  private(set) var abortPreview: AbortDisposition?
  /// The time of the event by the engine's clock.
  private let happened: Timestamp
  private let change: Change

  /// An event after the previous one.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - before: The previous event; nil for the first one.
  ///   - plan: The packages of the job's plan.
  init(_ event: JobEvent, after before: RecordedEvent?, plan: [UpdateStatus]) {
    at = max(before?.at ?? event.at, event.at)
    happened = event.at
    if case .update(let index, var status) = event.payload {
      // All events share the planned values of the plan, to save memory.
      if plan.indices.contains(index), plan[index].planned == status.planned {
        status.planned = plan[index].planned
      }
      change = .update(index, status)
    } else {
      change = .other(event.payload)
    }
    step = Self.step(after: event.payload, before: before?.step)
    (percent, logLength, logRead) = (before?.percent, before?.logLength, before?.logRead)
    abortPreview = Self.preview(after: event.payload, before: before?.abortPreview)
    guard let standing = event.progressMark else { return }
    abortPreview = standing.abortPreview ?? abortPreview
    percent = max(before?.percent ?? 0, standing.percentComplete.bounded(to: 0...100))
    if let length = standing.logLength.map({ min($0, 1 << 62) }), length > before?.logLength ?? 0 {
      (logLength, logRead) = (length, at)
    }
  }

  // This is the engine's own rule; the engine stores no event for each step.
  private static func step(after payload: JobEvent.Payload, before: Int?) -> Int? {
    switch payload {
    case .state(let change): change.currentStepIndex
    case .update(let index, let status):
      status.phase == .downloading || (status.phase > .downloaded && status.phase < .done)
        ? index : before
    default: before
    }
  }

  private static func preview(
    after payload: JobEvent.Payload, before: AbortDisposition?
  ) -> AbortDisposition? {
    if case .state(let change) = payload { change.abortPreview } else { before }
  }

  /// Changes the job to its state after the event.
  func apply(to job: inout JobSnapshot) {
    let payload: JobEvent.Payload =
      switch change {
      case .update(let index, let status): .update(index: index, status: status)
      case .other(let payload): payload
      }
    job.apply(JobEvent(seq: 0, at: happened, job: job.id, payload: payload))
  }

  /// Whether the event is the job's submission.
  var isSubmission: Bool { if case .other(.submitted) = change { true } else { false } }
  /// Whether the event is the job's completion.
  var isEnd: Bool { if case .other(.completed) = change { true } else { false } }

  /// Whether the event is a mark of its own: a failed package, an abort, its withdrawal, the end.
  var isTurn: Bool {
    switch change {
    case .update(_, let status): status.resultCode == .failed
    case .other(.abortRequested), .other(.abortWithdrawn), .other(.completed): true
    case .other: false
    }
  }
}
