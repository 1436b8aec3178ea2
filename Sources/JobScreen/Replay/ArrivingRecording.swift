import InstallJobs

/// A recording that was asked for and is on its way.
struct ArrivingRecording: Sendable {
  /// What asked for it.
  let request: RecordingRequest
  /// Where it was asked for: it is shown only to who still looks there.
  let screens: [Screen]
  /// How fast it is to go on at first, in seconds for each second here.
  let speed: Int
  /// The job as it is now, with its plan; nil before it came.
  private(set) var job: JobSnapshot?
  /// Bytes of its log.
  private(set) var logLength: Int64 = 0
  /// What came of its events.
  private(set) var events: [RecordedEvent] = []
  /// How many of its events could not be read.
  private(set) var leftOut = 0
  /// Whether the engine has more events than were read.
  private(set) var isCut = false
  // The number of the last event that came; nil before the first one.
  private var lastSeq: Int?

  init(_ request: RecordingRequest, from screens: [Screen], speed: Int = 1) {
    self.request = request
    self.screens = screens
    self.speed = speed
  }

  /// Takes the job; its events follow.
  mutating func begin(_ job: JobSnapshot, logLength: Int64) {
    self.job = job
    self.logLength = logLength
    (events, leftOut, isCut, lastSeq) = ([], 0, false, nil)
  }

  /// Takes some of the events, in order; so many between them could not be read.
  ///
  /// What is not durable, of another job or not behind what came before is none of them.
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

  /// Takes that no more events come.
  mutating func end(isCut: Bool) { self.isCut = isCut }
}
