internal import Synchronization

/// Both engines at work with their audiences, and a look at their memory every few seconds.
final class SoakRun: Sendable {
  private let plan: SoakPlan
  private let simulated: RunningEngine
  private let real: RunningEngine
  private let root: PrivateRoot
  private let seed: UInt64
  private let tell: @Sendable (String) -> Void
  private let outcome = Mutex(SoakOutcome())
  private let stop = StopSign()

  init(
    _ plan: SoakPlan, simulated: RunningEngine, real place: ProvingGround.Place, seed: UInt64,
    tell: @escaping @Sendable (String) -> Void
  ) {
    self.plan = plan
    self.simulated = simulated
    real = place.engine
    root = place.root
    self.seed = seed
    self.tell = tell
  }

  /// Runs it to its end.
  ///
  /// - Returns: What came of it.
  /// - Throws: ``CannotMeasure``, what an engine refuses, `CancellationError`; nothing is left then.
  func run() async throws -> SoakOutcome {
    do {
      try await soak()
    } catch {
      stop.raise()
      for engine in [simulated, real] {
        _ = await engine.kill()
        engine.endWork()
      }
      throw error
    }
    return outcome.withLock { $0 }
  }

  private func soak() async throws {
    let lanes = [
      (
        "simulated", plan.simulated,
        try await SoakLane(simulated, packages: SoakPlan.packages, seed: seed, tell: tell),
        try SoakAudience(of: simulated)
      ),
      (
        "real", plan.real,
        try await SoakLane(
          real, packages: root.offered, on: root, seed: seed &+ 1, tell: tell),
        try SoakAudience(of: real)
      ),
    ]
    try await withThrowingTaskGroup { group in
      for (name, count, lane, audience) in lanes {
        outcome.withLock { $0.watched["engine, \(name)"] = lane.process }
        group.addTask { [self] in
          let stayed = try await audience.stay(until: stop) { [self] monitor in
            outcome.withLock { $0.watched["monitor, \(name)"] = monitor }
          }
          if !stayed { throw CannotMeasure("the monitor of the \(name) engine ended by itself") }
        }
        group.addTask { [self] in
          let visits = try await audience.comeAndGo(until: stop, seed: seed)
          outcome.withLock { $0.visits += visits }
        }
        group.addTask { [self] in
          let tally = try await lane.run(count, over: plan.length)
          outcome.withLock { $0.tallies[name] = tally }
          if outcome.withLock({ $0.tallies.count }) == lanes.count { stop.raise() }
        }
      }
      group.addTask { try await self.watchMemory() }
      do {
        for try await _ in group {}
      } catch {
        // Those who watch would stay.
        stop.raise()
        throw error
      }
    }
    for (_, _, lane, _) in lanes { await lane.stop() }
  }

  private func watchMemory() async throws {
    let start = ContinuousClock.now
    while !stop.isRaised {
      for (name, process) in outcome.withLock({ $0.watched }) {
        // It may be on its way out when the run ends; whoever ends before is told of elsewhere.
        guard let memory = try? ProcessMemory(of: process) else { continue }
        outcome.withLock {
          let moment = ContinuousClock.now - start
          $0.memory[name, default: MemoryTrack()].note(memory.resident, at: moment)
          $0.anonymous[name, default: MemoryTrack()].note(memory.anonymous, at: moment)
        }
      }
      try await Task.sleep(for: .seconds(2))
    }
  }
}
