internal import Synchronization

/// Sleeps on the continuous clock that use no memory after cancellation.
///
/// A cancelled `Task.sleep` keeps about 700 bytes until its deadline (measured with Swift 6.3 on
/// Linux). This queue runs a few timer tasks shared by all sleeps: at least one until the earliest
/// deadline, each for at most a minute. A cancelled sleep is removed from the queue, and its
/// deadline resumes nothing.
package final class SleepQueue: Sendable {
  /// The queue of this process.
  package static let shared = SleepQueue()

  private struct State {
    var sleepers: [Int: Sleeper] = [:]
    var lastNumber = 0
    /// The deadlines of all sleeps, including some cancelled ones.
    var deadlines = DeadlineHeap()
    /// Numbers of sleeps that were cancelled before they started.
    var cancelled: Set<Int> = []
    /// Wake times of the running timer tasks, in descending order.
    var timers: [ContinuousClock.Instant] = []
  }

  private struct Sleeper {
    var deadline: ContinuousClock.Instant
    /// Resumed with true if the deadline has passed, false if cancelled.
    var continuation: CheckedContinuation<Bool, Never>
  }

  /// The longest sleep of a timer task; an unneeded timer lives no longer.
  private static let longest = Duration.seconds(60)

  private let state = Mutex(State())

  package init() {}

  /// The number of sleeps that have not ended.
  package var count: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps for a duration on a clock; a clock other than `ContinuousClock` sleeps by itself.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  package func sleep(for time: Duration, by clock: any Clock<Duration>) async throws {
    guard clock is ContinuousClock else { return try await clock.sleep(for: time) }
    // Longer durations could overflow the clock.
    try await sleep(until: .now + min(time, .seconds(1_000_000_000)))
  }

  /// Sleeps until a deadline; returns at once if it has passed.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let hasPassed = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver: Bool? = state.withLock { state in
          guard state.cancelled.remove(number) == nil else { return false }
          guard deadline > .now else { return true }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          state.deadlines.insert(deadline, number)
          setTimer(&state)
          return nil
        }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      cancel(number)
    }
    _ = state.withLock { $0.cancelled.remove(number) }
    guard hasPassed else { throw CancellationError() }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let sleeper = state.sleepers.removeValue(forKey: number) else {
        state.cancelled.insert(number)
        return nil
      }
      if state.deadlines.count > 2 * state.sleepers.count + 64 {
        state.deadlines = DeadlineHeap(state.sleepers.map { ($1.deadline, $0) })
      }
      return sleeper
    }
    sleeper?.continuation.resume(returning: false)
  }

  /// Starts a timer task for the earliest deadline, unless a running timer wakes before it.
  ///
  /// Later timers are not cancelled, because a cancelled sleep would keep its memory.
  private func setTimer(_ state: inout State) {
    guard let earliest = state.deadlines.first else { return }
    let moment = min(earliest, .now + Self.longest)
    if let next = state.timers.last, next <= moment { return }
    state.timers.append(moment)
    Task.detached {
      try? await Task.sleep(until: moment, clock: .continuous)
      self.wake(moment)
    }
  }

  private func wake(_ timer: ContinuousClock.Instant) {
    let due = state.withLock { state -> [Sleeper] in
      if let index = state.timers.lastIndex(of: timer) { state.timers.remove(at: index) }
      var due: [Sleeper] = []
      let now = ContinuousClock.now
      while let earliest = state.deadlines.first {
        let number = state.deadlines.firstNumber
        if state.sleepers[number] != nil, earliest > now { break }
        state.deadlines.removeFirst()
        if let sleeper = state.sleepers.removeValue(forKey: number) { due.append(sleeper) }
      }
      setTimer(&state)
      return due
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }
}

/// A binary heap of numbered deadlines, with the earliest first.
struct DeadlineHeap: Sendable {
  private var entries: [(deadline: ContinuousClock.Instant, number: Int)] = []

  init() {}

  init(_ entries: [(ContinuousClock.Instant, Int)]) {
    // A sorted list is a heap.
    self.entries = entries.map { ($0, $1) }.sorted { $0.0 < $1.0 }
  }

  var count: Int { entries.count }

  /// The earliest deadline; nil if empty.
  var first: ContinuousClock.Instant? { entries.first?.deadline }

  /// The number of the earliest deadline; the heap must not be empty.
  var firstNumber: Int { entries[0].number }

  mutating func insert(_ deadline: ContinuousClock.Instant, _ number: Int) {
    entries.append((deadline, number))
    var index = entries.count - 1
    while index > 0, entries[index].deadline < entries[(index - 1) / 2].deadline {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the earliest deadline; the heap must not be empty.
  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].deadline < entries[least].deadline { least = child }
      }
      guard least != index else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
