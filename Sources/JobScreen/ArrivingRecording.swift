import InstallJobs

/// A recording that was asked for and is on its way.
struct ArrivingRecording: Sendable {
  /// Which job it is of.
  let id: JobID
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

  init(_ id: JobID, from screens: [Screen], speed: Int = 1) {
    self.id = id
    self.screens = screens
    self.speed = speed
  }

  /// Takes the job; its events follow.
  mutating func take(_ job: JobSnapshot, logLength: Int64) {
    self.job = job
    self.logLength = logLength
    events = []
  }

  /// Takes some of the events, in order; what is not durable or of another job is left out.
  mutating func take(_ new: [JobEvent]) {
    guard let plan = job.map({ $0.plan ?? [] }) else { return }
    for event in new where event.job == id && event.payload.isDurable {
      events.append(RecordedEvent(event, after: events.last, plan: plan))
    }
  }
}
