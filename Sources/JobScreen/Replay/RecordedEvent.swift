import InstallJobs

/// A durable event of a job as a replay keeps it: small, in its place, with what is known from then
/// on of the whole job.
struct RecordedEvent: Sendable {
  // Updates are what there is most of.
  private indirect enum Change: Sendable {
    case update(Int, UpdateStatus)
    case other(JobEvent.Payload)
  }

  /// When it counts: never before the one before it, though the clock may have been set back.
  let at: Timestamp
  /// Share of the whole job that was done, 0...100, never falling; nil where it was not noted so far.
  private(set) var percent: Double?
  /// Bytes of the log that had been read; nil where it was not noted so far.
  private(set) var logLength: Int64?
  /// When the log was read so far.
  private(set) var logRead: Timestamp?
  /// The index in the plan of the package that is worked on from here on; nil while none is.
  private(set) var step: Int?
  /// What an abort would have been answered from here on; nil where it was not noted so far.
  private(set) var abortPreview: AbortDisposition?
  /// When it happened, by the engine's clock.
  private let happened: Timestamp
  private let change: Change

  /// An event in its place.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - before: The one before it; nil for the first.
  ///   - plan: The packages of the job's plan.
  init(_ event: JobEvent, after before: RecordedEvent?, plan: [UpdateStatus]) {
    at = max(before?.at ?? event.at, event.at)
    happened = event.at
    if case .update(let index, var status) = event.payload {
      // One copy of what the plan says, however often it is told.
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

  // The engine's own rule: it stores no event for each step that it goes to.
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

  /// Brings the job to where it stood after the event.
  func apply(to job: inout JobSnapshot) {
    let payload: JobEvent.Payload =
      switch change {
      case .update(let index, let status): .update(index: index, status: status)
      case .other(let payload): payload
      }
    job.apply(JobEvent(seq: 0, at: happened, job: job.id, payload: payload))
  }

  /// Whether the job was submitted.
  var isSubmission: Bool { if case .other(.submitted) = change { true } else { false } }
  /// Whether the job was over.
  var isEnd: Bool { if case .other(.completed) = change { true } else { false } }

  /// Whether it is worth going to, whatever it does to the job's state.
  var isTurn: Bool {
    switch change {
    case .update(_, let status): status.resultCode == .failed
    case .other(.abortRequested), .other(.abortWithdrawn), .other(.completed): true
    case .other: false
    }
  }
}
