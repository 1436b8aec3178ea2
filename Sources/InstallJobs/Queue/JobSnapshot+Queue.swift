/// What a job that waits in the queue waits for by its own wish, not for its turn.
package enum OwnWait: Sendable, Hashable {
  /// Another job has to end first.
  case job(JobID)
  /// Its time has not come; nil where the time is not told.
  case time(Timestamp?)
}

extension JobSnapshot {
  /// Whether it is held, or will be at the next package.
  public var isHeld: Bool { state == .suspended || waitingFor?.isHold ?? false }

  /// What it waits for by its own wish, as far as the snapshot tells; nil for one that is held.
  ///
  /// One that was submitted just now comes without a reason and without a place: its options tell.
  package var ownWait: OwnWait? {
    guard state == .queued else { return nil }
    switch waitingFor?.kind {
    case .time: return .time(options.earliestStart)
    case .job: return waitingFor?.job.flatMap { $0 == options.after ? .job($0) : nil }
    case nil where queuePosition == nil:
      return options.after.map { .job($0) } ?? options.earliestStart.map { .time($0) }
    case nil, .lock, .paused, .question: return nil
    }
  }

  /// Whether it waits for a time or a job of its own choice, not for its turn.
  public var waitsForItself: Bool { ownWait != nil }

  /// Whether only its turn keeps it from beginning.
  ///
  /// These jobs alone are counted where places in the queue are told. A pause of the whole queue
  /// takes no place away.
  public var hasPlaceInQueue: Bool { state == .queued && !isHeld && !waitsForItself }
}

extension JobSnapshot {
  /// Whether it is known that no package was begun: archives are fetched before the first one.
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
  /// What waits, in the words that every list uses: `118 queued, 1 held`; `none queued`.
  public var waitingWords: String {
    let held = min(held ?? 0, queued)
    let ready = queued - held
    guard held > 0 else { return ready == 0 ? "none queued" : "\(ready) queued" }
    return (ready > 0 ? "\(ready) queued, " : "") + "\(held) held"
  }
}

extension JobSnapshot {
  /// The activity of work whose worker is gone: nobody is in charge of it, and nobody can stop it.
  package static let lostWorker = "its worker is gone, what still runs is waited for"

  /// Whether nobody is in charge of what still runs of it.
  package var hasLostWorker: Bool { !state.isFinal && activity == Self.lostWorker }
}
