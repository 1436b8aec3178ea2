internal import InstallJobs

/// The durable events as a client saw them through all deaths, and what is wrong with them.
struct EventRecord: Sendable {
  /// What was seen, in the order in which it came.
  private(set) var events: [JobEvent] = []
  /// How many numbers were skipped.
  private(set) var lost = 0
  /// How many numbers came again, and how many events said what had been said.
  private(set) var doubled = 0
  private var said: Set<Saying> = []
  // Asked for every few milliseconds.
  private var states: [JobID: JobState] = [:]
  private var outcomes: [JobID: JobOutcome] = [:]

  /// The number of the last event that was seen; 0 before the first.
  var reached: Int { events.last?.seq ?? 0 }

  /// What can be said once only.
  private enum Saying: Hashable {
    case submitted(JobID)
    case update(JobID?, Int, UpdatePhase, OperationResultCode, UpdateNote?, InstallationError?)
    case completed(JobID?)
  }

  /// Takes the next event; what is not durable is passed over.
  mutating func apply(_ event: JobEvent) {
    guard event.payload.isDurable else { return }
    guard event.seq > reached else {
      doubled += 1
      return
    }
    lost += event.seq - reached - 1
    events.append(event)
    let saying: Saying? =
      switch event.payload {
      case .submitted(let snapshot): .submitted(snapshot.id)
      case .update(let index, let status):
        .update(
          event.job, index, status.phase, status.resultCode, status.note, status.error)
      case .completed: .completed(event.job)
      default: nil
      }
    if let saying, !said.insert(saying).inserted { doubled += 1 }
    note(event)
  }

  private mutating func note(_ event: JobEvent) {
    guard let job = event.job else { return }
    switch event.payload {
    case .submitted: states[job] = .queued
    case .state(let change): states[job] = change.state
    case .completed(let outcome):
      states[job] = outcome.state
      outcomes[job] = outcome
    default: break
    }
  }

  /// Compares what was seen with the journal as it is read at the end.
  ///
  /// - Returns: How many events are in one of them and not, as they are, in the other.
  static func differences(_ seen: [JobEvent], _ journal: [JobEvent]) -> Int {
    Set(seen).symmetricDifference(journal).count
  }

  /// How a job ended, once it has.
  func outcome(of job: JobID) -> JobOutcome? { outcomes[job] }

  /// The last state of a job that was seen; nil before the first.
  func state(of job: JobID) -> JobState? { states[job] }
}
