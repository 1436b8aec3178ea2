import Synchronization

/// A clock whose time moves only when a test moves it.
///
/// Sleepers wake in order of their deadlines; equal deadlines wake in the order in which they went
/// to sleep. A sleep whose deadline has passed returns at once. Time starts at zero.
package final class ManualClock: Clock, Sendable {
  /// A point in the clock's time, as the distance from its start.
  package struct Instant: InstantProtocol, Sendable {
    /// The time since the clock's start.
    package var offset: Duration

    package init(offset: Duration) { self.offset = offset }

    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var number: Int
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var lastNumber = 0
    // Sleeps that were cancelled before they were entered.
    var cancelled: Set<Int> = []
    // Changes with every registration: tells whether anybody moved.
    var generation = 0
    // Sleepers that were woken and have not come to run yet.
    var woken: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The present time, which only ``advance(by:)`` changes.
  package var now: Instant { state.withLock { $0.now } }

  /// Zero: the clock is exact.
  package var minimumResolution: Duration { .zero }

  /// How many tasks sleep on this clock at the moment.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// How many sleeps have begun so far, over or not.
  package var sleepsBegun: Int { state.withLock { $0.lastNumber } }

  /// The distance to the earliest deadline; nil when nobody sleeps.
  package var untilNextDeadline: Duration? {
    state.withLock { state in
      state.sleepers.map(\.deadline).min().map { state.now.duration(to: $0) }
    }
  }

  /// Suspends until the clock has been moved to `deadline`.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.lastNumber += 1
      state.generation += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.generation += 1
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
      state.withLock { state in
        if state.woken.remove(number) != nil { state.generation += 1 }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(number) }
  }

  /// Moves the time on, waking everybody whose deadline is passed, deadline by deadline.
  ///
  /// After each wake-up it lets the woken tasks run until nobody registers a new sleep, so that
  /// sleeps which they begin at that time and which end before the target are served too. Tasks
  /// that do work outside the thread pool (files, sockets) are not waited for: use
  /// ``waitForSleepers(_:within:)`` or `eventually` for them.
  package func advance(by duration: Duration) async {
    await settle()
    let target = now.advanced(by: duration)
    while let woken = takeDue(before: target) {
      for sleeper in woken { sleeper.continuation.resume() }
      await settle()
    }
    state.withLock { $0.now = target }
    await settle()
  }

  /// Moves the time from deadline to deadline until `condition` holds.
  ///
  /// While nobody sleeps it waits for somebody to do so: safe with work outside the thread pool.
  ///
  /// - Parameters:
  ///   - limit: The furthest to go, in the clock's own time.
  ///   - bound: The longest wait for one sleeper, in real time.
  ///   - condition: Checked before each wake-up.
  /// - Returns: Whether the condition came to hold.
  @discardableResult
  package func advance(
    limit: Duration = .seconds(86_400), within bound: Duration = .seconds(240),
    until condition: () async -> Bool
  ) async -> Bool {
    let target = now.advanced(by: limit)
    await settle()
    while await !condition() {
      if let woken = takeDue(before: target) {
        for sleeper in woken { sleeper.continuation.resume() }
        await settle()
        continue
      }
      let goesOn: Void? = try? await eventually(within: bound) {
        if await condition() { return true }
        return self.untilNextDeadline.map { self.now.advanced(by: $0) <= target } ?? false
      }
      if goesOn == nil { return await condition() }
    }
    return true
  }

  /// Waits until at least `count` tasks sleep on this clock.
  ///
  /// - Throws: ``ConditionNotMet`` when that takes longer than `bound` of real time.
  package func waitForSleepers(
    _ count: Int = 1, within bound: Duration = .seconds(240), file: StaticString = #fileID,
    line: UInt = #line
  ) async throws {
    try await eventually(
      "\(count) sleepers on the manual clock", within: bound, file: file, line: line
    ) { self.sleeperCount >= count }
  }

  // Moves to the earliest deadline up to `target` and takes everybody who waits for it.
  private func takeDue(before target: Instant) -> [Sleeper]? {
    state.withLock { state in
      guard let deadline = state.sleepers.map(\.deadline).min(), deadline <= target else {
        return nil
      }
      state.now = max(state.now, deadline)
      let woken = state.sleepers.filter { $0.deadline == deadline }
      state.sleepers.removeAll { $0.deadline == deadline }
      state.woken.formUnion(woken.map(\.number))
      return woken.sorted { $0.number < $1.number }
    }
  }

  // Everybody who was woken must have come to run. Then, as a task of the lowest priority comes to
  // run when the others have given way, several rounds without a new sleep are taken for rest.
  private func settle() async {
    var quietRounds = 0
    var generation = state.withLock { $0.generation }
    while quietRounds < 6 {
      await Task.detached(priority: .background) { await Task.yield() }.value
      let (present, isWaking) = state.withLock { ($0.generation, !$0.woken.isEmpty) }
      quietRounds = present == generation && !isWaking ? quietRounds + 1 : 0
      generation = present
    }
  }
}
