/// The condition of its own that a queued job waits for, besides its turn.
package enum StartCondition: Sendable, Hashable {
  /// Another job must end first.
  case job(JobID)
  /// The job's start time has not come; nil if the time is not in the snapshot.
  case time(Timestamp?)
}

extension JobSnapshot {
  /// Whether the job is paused, or will pause before the next package.
  public var isPaused: Bool { state == .suspended || waitingFor?.isJobPause ?? false }

  /// The condition of its own that the job waits for, as far as the snapshot shows; nil for a
  /// paused job.
  ///
  /// The snapshot of a newly submitted job has neither a reason nor a place in the queue; then the
  /// options decide.
  package var startCondition: StartCondition? {
    guard state == .queued else { return nil }
    switch waitingFor?.kind {
    case .time: return .time(options.earliestStart)
    case .job: return waitingFor?.job.flatMap { $0 == options.after ? .job($0) : nil }
    case nil where queuePosition == nil:
      return options.after.map { .job($0) } ?? options.earliestStart.map { .time($0) }
    case nil, .lock, .paused, .question: return nil
    }
  }

  /// Whether the job waits for a time or another job named in its options, not for its turn.
  public var waitsForItself: Bool { startCondition != nil }

  /// Whether the job waits only for its turn.
  ///
  /// Only these jobs count for places in the queue. A pause of the whole queue does not change the
  /// places.
  public var hasPlaceInQueue: Bool { state == .queued && !isPaused && !waitsForItself }
}

extension JobSnapshot {
  /// Whether the snapshot shows that no package was changed: archives are downloaded before the
  /// first change.
  package var isUntouched: Bool {
    switch state {
    case .queued, .downloading: return true
    default: break
    }
    if let plan { return plan.allSatisfy { $0.phase <= .downloaded } }
    return startedAt == nil
  }
}

extension EngineStatus.Queue {
  /// The numbers of waiting jobs, in the words of all lists: `118 queued, 1 paused`; `none queued`.
  public var waitingWords: String {
    let paused = min(held ?? 0, queued)
    let ready = queued - paused
    guard paused > 0 else { return ready == 0 ? "none queued" : "\(ready) queued" }
    return (ready > 0 ? "\(ready) queued, " : "") + "\(paused) paused"
  }
}

extension JobSnapshot {
  /// The activity of a job whose worker has vanished while its processes still run; nothing can
  /// stop them.
  package static let lostWorker = "its worker is gone, what still runs is waited for"

  /// Whether the job's worker has vanished while its processes still run: no abort can be
  /// delivered.
  package var hasLostWorker: Bool {
    guard !state.isFinal, case .refused(let reason) = abortPreview else { return false }
    return reason.code == .undeliverable
  }
}
