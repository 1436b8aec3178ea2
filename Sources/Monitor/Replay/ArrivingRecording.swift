import InstallJobs

/// A requested recording while it arrives.
struct ArrivingRecording: Sendable {
  /// The request that it answers.
  let request: RecordingRequest
  /// The screens at the time of the request; the replay opens only if they are still shown.
  let screens: [Screen]
  /// The initial speed, in seconds of the recording for each second here.
  let speed: Int
  /// The ended job with its plan; nil before it arrives.
  private(set) var job: JobSnapshot?
  /// Length of the job's log in bytes.
  private(set) var logLength: Int64 = 0
  /// The events that have arrived.
  private(set) var events: [RecordedEvent] = []
  /// Number of events that could not be read.
  private(set) var leftOut = 0
  /// Whether the engine has more events than were read.
  private(set) var isCut = false
  // The sequence number of the last event; nil before the first one.
  private var lastSeq: Int?

  init(_ request: RecordingRequest, from screens: [Screen], speed: Int = 1) {
    self.request = request
    self.screens = screens
    self.speed = speed
  }

  /// Applies the job; its events follow.
  mutating func begin(_ job: JobSnapshot, logLength: Int64) {
    self.job = job
    self.logLength = logLength
    (events, leftOut, isCut, lastSeq) = ([], 0, false, nil)
  }

  /// Appends events, in order; `leftOut` is the number of unreadable ones among them.
  ///
  /// Events that are not durable, of another job, or not later than the last event are ignored.
  mutating func append(_ new: [JobEvent], leftOut: Int = 0) {
    guard let plan = job.map({ $0.plan ?? [] }) else { return }
    self.leftOut += max(0, leftOut)
    for event in new
    where event.job == request.job && event.payload.isDurable
      && lastSeq.map({ event.seq > $0 }) ?? true
    {
      lastSeq = event.seq
      events.append(RecordedEvent(event, after: events.last, plan: plan))
    }
  }

  /// Records that all events have arrived.
  mutating func end(isCut: Bool) { self.isCut = isCut }
}
