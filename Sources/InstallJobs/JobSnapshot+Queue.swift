extension JobSnapshot {
  /// Whether it is held, or will be at the next package.
  public var isHeld: Bool { state == .suspended || waitingFor?.isHold ?? false }

  /// Whether it waits for a time or a job of its own choice, not for its turn.
  public var waitsForItself: Bool {
    state == .queued
      && (waitingFor?.kind == .time || waitingFor?.job.map { $0 == options.after } ?? false)
  }

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
